"""Frozen records that travel between the layers.

What a job is made of, as it was submitted; where a task can be put; what is asked of a backend and
what it answers. Owns shapes and the JSON form of a DAG (what the database stores); decides nothing
and reads nothing. A record is built once and never changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from pathlib import Path
from typing import Any, Final

DEFAULT_STRATEGY: Final = "EAGER_NEXT_REGION"

#: Characters of a job's or task's name at most; paths are made of ids.
MAX_NAME: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecovery:
    """How a task is recovered; the same for all of its candidates."""

    #: Registered name of the strategy, in capitals.
    strategy: str = DEFAULT_STRATEGY
    #: N: the task's program may run N+1 times in all.
    max_restarts_on_errors: int = 0
    #: Exit codes (0..255) after which the program always runs again, without spending a restart.
    recover_on_exit_codes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """One candidate: what a node of the task asks for. ``None`` or empty: not asked for."""

    #: Number of CPUs; ``"4+"`` in YAML means at least 4 and is stored as 4.
    cpus: float | None = None
    #: GiB.
    memory_gib: float | None = None
    #: Accelerator name to count per node.
    accelerators: Mapping[str, float] = field(default_factory=dict)
    cloud: str | None = None
    #: ``None`` = any.
    region: str | None = None
    zone: str | None = None
    use_spot: bool = False
    image_id: str | None = None
    instance_type: str | None = None
    #: Whatever else the YAML says (disk_size, ports, labels, ...): kept, shown, not acted upon.
    other: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMount:
    """One entry of ``file_mounts``."""

    #: As written: relative, ``~/...`` or absolute.
    target: str
    #: An absolute local path, a URI (``s3://...``), or ``None`` for a bucket that has only a name.
    source: str | None
    #: Bucket name, for the storage form.
    name: str | None = None
    mode: str | None = None
    store: str | None = None
    persistent: bool = True

    @property
    def is_bucket(self) -> bool:
        """Whether it needs object storage, which the local backend does not have."""
        return self.name is not None or self.source is None or "://" in self.source


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec:
    """One task of a DAG, as submitted."""

    #: Position in the file, from 0.
    task_id: int
    name: str
    #: Text given to bash, or ``None``: nothing to run, the task succeeds at once.
    run: str | None = None
    setup: str | None = None
    #: Absolute local directory that each node gets a private copy of.
    workdir: str | None = None
    num_nodes: int = 1
    #: ``event_callback``: text given to bash after each committed change of status.
    event_callback: str | None = None
    envs: Mapping[str, str] = field(default_factory=dict)
    #: Names only; the values never enter this record.
    secrets: tuple[str, ...] = ()
    file_mounts: tuple[FileMount, ...] = ()
    #: In order of preference; never empty.
    candidates: tuple[Resources, ...] = (Resources(),)
    #: Whether the order of ``candidates`` is the user's (``ordered``), not free (``any_of``).
    ordered: bool = False
    recovery: JobRecovery = field(default_factory=JobRecovery)
    #: Task ids that must have SUCCEEDED before this one may start.
    depends_on: tuple[int, ...] = ()
    #: Seconds from its first start after which it is stopped and FAILED; ``None`` = for ever.
    max_duration: float | None = None
    #: False for the auxiliary tasks of a job group: they never count for the job's outcome.
    counts: bool = True
    #: Seconds an auxiliary task may go on after the last primary task ended.
    termination_delay: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DagSpec:
    """A whole DAG, as submitted."""

    name: str
    tasks: tuple[TaskSpec, ...]
    #: Whether it is a job group (``execution: parallel``): all tasks are placed together or none.
    is_group: bool = False
    #: The first task's ``resources.priority``; -1000..1000, higher first.
    priority: int = 0

    def to_json(self) -> str:
        """The form that is stored; :meth:`from_json` is its inverse."""
        return _ENCODER.encode(self)

    @classmethod
    def from_json(cls, text: str) -> DagSpec:
        """Rebuild what :meth:`to_json` wrote."""
        raw = json.loads(text)
        return cls(**{**raw, "tasks": tuple(_task(task) for task in raw["tasks"])})


def _fields(record: Any) -> dict[str, Any]:
    """A record as what JSON can hold; its values, if they are records, in their turn."""
    try:
        return {name: getattr(record, name) for name in record.__dataclass_fields__}
    except AttributeError:
        raise TypeError(f"{type(record).__name__} has no place in a stored DAG") from None


_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, default=_fields)


def _task(raw: dict[str, Any]) -> TaskSpec:
    recovery = raw["recovery"]
    recovery["recover_on_exit_codes"] = tuple(recovery["recover_on_exit_codes"])
    return TaskSpec(
        **{
            **raw,
            "recovery": JobRecovery(**recovery),
            "candidates": tuple(Resources(**candidate) for candidate in raw["candidates"]),
            "file_mounts": tuple(FileMount(**mount) for mount in raw["file_mounts"]),
            "secrets": tuple(raw["secrets"]),
            "depends_on": tuple(raw["depends_on"]),
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """One place where a backend could put a task: a region and the candidate that fits there."""

    region: str
    #: Index into :attr:`TaskSpec.candidates`.
    candidate: int = 0


@unique
class ClusterState(StrEnum):
    """What is known of a cluster and of the one task on it."""

    #: The cluster is there and the task has not ended.
    UP = "UP"
    #: The task ended by itself; its exit code is on durable storage. Wins over anything else.
    ENDED = "ENDED"
    #: Positively gone (lost, preempted, never came to be), and the task did not end before.
    GONE = "GONE"
    #: Nothing can be said now. Never a reason to destroy anything.
    UNKNOWN = "UNKNOWN"


@unique
class Phase(StrEnum):
    """Which of the task's two programs ended."""

    SETUP = "SETUP"
    RUN = "RUN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The answer of a probe."""

    state: ClusterState
    #: For ENDED: 0..255, 128+n for a signal; of a gang, the first failing node's.
    exit_code: int | None = None
    #: For ENDED.
    phase: Phase | None = None
    #: For ENDED: Unix seconds at which the program ended.
    ended_at: float | None = None
    #: One clause for people: why it is gone or unknown, which node failed.
    reason: str = ""
    #: PIDs that belong to the task now, for display.
    pids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRequest:
    """Everything that is needed to run one task once."""

    #: Name of the cluster to make.
    cluster: str
    job_id: int
    #: The attempt that asks; written into the cluster as its fence.
    attempt: int
    task: TaskSpec
    placement: Placement
    #: The submitter's stored environment (PATH, HOME, ...), under the task's own variables.
    base_env: Mapping[str, str] = field(default_factory=dict)
    #: ``envs``, secrets and the ``SKYPILOT_...``/``JOBSCHED_...`` names that do not depend on the
    #: node. Never written to disk in clear by the backend, but for files of mode 0600.
    env: Mapping[str, str] = field(default_factory=dict)
    #: Log file of each node, node 0 first; appended to.
    log_paths: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterInfo:
    """One row of ``jobsched clusters``."""

    name: str
    job_id: int
    task_id: int
    attempt: int
    region: str
    num_nodes: int
    state: ClusterState
    created_at: float
    pids: tuple[int, ...] = ()
