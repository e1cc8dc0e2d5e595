"""The fields of a document: which there are, and what each takes. One model per mapping.

Owns the format's vocabulary; the descriptions below are what an editor shows. Rules that need more
than one field, or anything from outside the file, are not here.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, WithJsonSchema, model_validator

from jobsched.bounds import PRIORITIES
from jobsched.dag.fields import (
    AcceleratorChoice,
    CpuCount,
    Deadline,
    Delays,
    Execution,
    ExitCodes,
    InfraName,
    Kept,
    MemorySize,
    Name,
    Names,
    PlaceName,
    Sources,
    StorageMode,
    StrategyName,
    TextOrMapping,
)


class Shape(BaseModel):
    """A mapping that takes the fields it lists and no others. ``null`` is as good as absent."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True
    )

    def given(self, field: str) -> bool:
        """Whether the file gives the field a value."""
        return field in self.model_fields_set and getattr(self, field) is not None


class JobRecoveryShape(Shape):
    """How the task is recovered."""

    strategy: StrategyName | None = None
    """EAGER_NEXT_REGION (the default), FAILOVER or NONE; in any case."""
    max_restarts_on_errors: int | None = Field(default=None, ge=0, le=10**9)
    """How often the program may run again after it failed by itself."""
    recover_on_exit_codes: ExitCodes | None = None
    """Exit codes after which the program always runs again."""

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: object) -> object:
        return {"strategy": value} if isinstance(value, str) else value


class CandidateShape(Shape):
    """What one node of the task asks for."""

    infra: InfraName | None = None
    """cloud[/region[/zone]], each part possibly *."""
    cloud: PlaceName = None
    """The first part of infra by itself; the local backend notes it and ignores it."""
    region: PlaceName = None
    """The middle part of infra by itself; one of [local.regions], if any is declared."""
    zone: PlaceName = None
    """The last part of infra by itself; the local backend notes it and ignores it."""
    cpus: CpuCount | None = None
    """4, or "4+" for at least 4."""
    memory: MemorySize | None = None
    """GiB: 16, "16+", "512MB"; "4x" is 4 GiB per CPU."""
    accelerators: AcceleratorChoice | None = None
    """V100:4; several are alternatives: in a list by preference, in a mapping without."""
    gpus: AcceleratorChoice | None = None
    """Another word for accelerators."""
    use_spot: bool | None = None
    """Whether a machine that may be taken away will do; the local backend ignores it."""
    job_recovery: JobRecoveryShape | None = None
    """A strategy's name, or {strategy, max_restarts_on_errors, recover_on_exit_codes}."""
    priority: int | None = Field(default=None, ge=PRIORITIES[0], le=PRIORITIES[-1])
    """Higher goes first. The first task's is the job's."""
    image_id: TextOrMapping | None = None
    """An image to run in; the local backend has none, which fails the task's prechecks."""
    instance_type: str | None = None
    """A cloud's name for a kind of machine; the local backend ignores it."""
    accelerator_args: Kept = None
    autostop: Kept = None
    disk_size: Kept = None
    disk_tier: Kept = None
    ephemeral_storage: Kept = None
    labels: Kept = None
    local_disk: Kept = None
    max_hourly_cost: Kept = None
    network_tier: Kept = None
    ports: Kept = None
    priority_class: Kept = None
    volumes: Kept = None


class ResourcesShape(CandidateShape):
    """What each node of the task asks for; any_of or ordered give alternatives laid over it."""

    any_of: list[CandidateShape] | None = Field(default=None, min_length=1)
    """Alternatives, none preferred."""
    ordered: list[CandidateShape] | None = Field(default=None, min_length=1)
    """Alternatives, the first preferred."""


#: Fields of resources that are kept as they are: whatever has no meaning to jobsched itself.
KEPT: Final = tuple(
    name for name, field in CandidateShape.model_fields.items() if field.annotation is Any
)


class MountShape(Shape):
    """What a target in file_mounts is filled with."""

    source: Sources | None = None
    """A local path or a URI; a URI takes a backend that has object storage."""
    name: str | None = None
    """Of a bucket."""
    store: str | None = None
    """Kind of the bucket."""
    mode: StorageMode | None = None
    """How a bucket is brought to the task."""
    persistent: bool | None = None
    """Whether a bucket outlives the task."""
    config: Any = None
    mount_options: Any = None
    type: Any = None

    @model_validator(mode="before")
    @classmethod
    def _from_source(cls, value: object) -> object:
        return {"source": value} if isinstance(value, str) else value


class TaskShape(Shape):
    """One task."""

    name: Name | None = None
    """Of the task; of the job, too, if it has no other task and no header."""
    run: str | None = None
    """Commands for bash; the task's exit code is theirs."""
    setup: str | None = None
    """Commands for bash, before run."""
    workdir: TextOrMapping | None = None
    """A directory of which each node gets a copy."""
    num_nodes: int | None = Field(default=None, ge=1, le=100_000)
    """How many copies run side by side, all or none; 1 unless given."""
    envs: dict[str, Any] | None = None
    """Environment variables; one without a value needs --env."""
    secrets: Annotated[
        Any,
        WithJsonSchema(
            {
                "anyOf": [
                    {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
                    {"type": "array", "items": {"type": "string"}},
                ]
            }
        ),
    ] = None
    """Environment variables whose values are never shown; those without one need --secret."""
    file_mounts: dict[str, MountShape] | None = None
    """Target to source."""
    resources: ResourcesShape | None = None
    """What each node needs, where it may run, and how the task is recovered."""
    depends_on: Names | None = None
    """Names of tasks that must have succeeded before this one starts."""
    max_duration: Deadline | None = None
    """Seconds, or NUMBER[s|m|h|d|w], after which the task is stopped and fails."""
    event_callback: str | None = None
    """Commands for bash, after each change of the task's status."""
    api_server_access: Any = None
    config: Any = None
    experimental: Any = None
    file_mounts_mapping: Any = None
    inputs: Any = None
    managed_secrets: Any = None
    metadata: Any = Field(default=None, alias="_metadata")
    outputs: Any = None
    volume_mounts: Any = None
    volumes: Any = None


#: Fields of a task that are accepted for compatibility's sake and change nothing.
NOTED: Final = {
    field.alias or name: name
    for name, field in TaskShape.model_fields.items()
    if field.annotation is Any and name != "secrets"
}


class HeaderShape(Shape):
    """The optional first document: the job's name, and whether its tasks run as a group."""

    name: Name | None = None
    """Of the job."""
    execution: Execution | None = None
    """parallel: all tasks are placed together; serial: one after the other."""
    primary_tasks: Names | None = None
    """Those whose outcome is the job's; all, if none is named."""
    termination_delay: Delays | None = None
    """How long the other tasks of a group go on after the last primary task ended."""
    inter_connection: Any = None


#: What only a header has: any of these makes the first document one, as does a name alone.
HEADER_ONLY: Final = frozenset(HeaderShape.model_fields) - {"name"}


def _is_of_text(schema: dict[str, Any]) -> bool:
    return "enum" in schema or schema.get("type") == "string"


def json_schema() -> dict[str, Any]:
    """The JSON Schema of one document: of a header if it has a field of one, else of a task.

    Decided by ``if``, so that an editor complains about the one field that is wrong, not that
    neither fits.
    """
    shapes = TypeAdapter[HeaderShape | TaskShape](HeaderShape | TaskShape).json_schema()["$defs"]
    for shape in shapes.values():
        for field in shape["properties"].values():
            field.setdefault("description", "Noted, not acted upon.")
    for shape, field in ((JobRecoveryShape, "strategy"), (MountShape, "source")):
        mapping = shapes[shape.__name__]
        texts = [one for one in mapping["properties"][field]["anyOf"] if _is_of_text(one)]
        shapes[shape.__name__] = {"anyOf": [*texts, mapping]}  # a text is short for the mapping
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One document of a jobsched DAG file",
        "if": {"anyOf": [{"required": [name]} for name in sorted(HEADER_ONLY)]},
        "then": {"$ref": f"#/$defs/{HeaderShape.__name__}"},
        "else": {"$ref": f"#/$defs/{TaskShape.__name__}"},
        "$defs": shapes,
    }
