from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from jobsched import dag
from jobsched.dag import fields
from jobsched.dag.shapes import HeaderShape, TaskShape
from jobsched.dag.words import Unfit

from .schemas import fits

EXAMPLES = [
    path
    for path in sorted((Path(__file__).parent / "examples").glob("*.yaml"))
    if path.stem != "mistakes"
]
SCHEMA = dag.schema()
DEFINITIONS = SCHEMA["$defs"]

#: What each kind of text is read by, and where the schema has it.
TEXTS: dict[str, tuple[Callable[[object], object], str, str]] = {
    "cpus": (fields.cpus, "CandidateShape", "cpus"),
    "memory": (fields.memory, "CandidateShape", "memory"),
    "max_duration": (fields.deadline, "TaskShape", "max_duration"),
    "termination_delay": (fields.duration, "HeaderShape", "termination_delay"),
}
BAD: dict[str, list[object]] = {
    "cpus": ["many", "4x", "4 GB", "-1", "", 0, -2, True, [4]],
    "memory": ["many", "4 cores", "4b", "+4", "", 0, "4xx"],
    "max_duration": ["soon", "5 m", "1y", "-5s", "", 0],
    "termination_delay": ["soon", "5 minutes", "1h30m", -1],
}


def valid(text: str) -> bool:
    """Whether the schema accepts the only document of ``text``."""
    return fits(yaml.safe_load(text), SCHEMA, SCHEMA)


def of_field(kind: str, value: object) -> bool:
    """Whether the schema lets a field have ``value``."""
    _, shape, name = TEXTS[kind]
    return fits(value, DEFINITIONS[shape]["properties"][name], SCHEMA)


def test_the_schema_is_json_and_knows_every_field() -> None:
    """A document is a header or a task, and an editor learns all that either may say."""
    schema = json.loads(json.dumps(SCHEMA, allow_nan=False))
    assert schema["$schema"].startswith("https://json-schema.org/")
    for shape in (HeaderShape, TaskShape):
        written = schema["$defs"][shape.__name__]
        known = {field.alias or name for name, field in shape.model_fields.items()}
        assert set(written["properties"]) == known
        assert written["additionalProperties"] is False


def test_every_field_is_described() -> None:
    """An editor has something to show for each, and says so of what changes nothing."""
    for name in ("HeaderShape", "TaskShape", "ResourcesShape", "CandidateShape"):
        for field, schema in DEFINITIONS[name]["properties"].items():
            assert schema.get("description"), (name, field)
    resources = DEFINITIONS["ResourcesShape"]["properties"]
    assert resources["disk_size"]["description"] == "Noted, not acted upon."
    assert resources["region"]["description"].startswith("The middle part of infra")
    depends_on = DEFINITIONS["TaskShape"]["properties"]["depends_on"]
    assert depends_on["description"].startswith("Names of tasks that must have")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_accepted_fits_the_schema(path: Path) -> None:
    """All documents of the examples."""
    for document in yaml.safe_load_all(path.read_text()):
        assert fits(document, SCHEMA, SCHEMA), document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run: x\n", True),
        ("name: x\n", True),
        ("name: x\nexecution: parallel\nprimary_tasks: a\n", True),
        ("run: x\nrnu: y\n", False),
        ("execution: paralel\n", False),
        ("execution: parallel\nrun: x\n", False),
        ("primary_tasks: [a]\nrun: x\n", False),
        ("run: x\ndepends_on: a\n", True),
        ("run: x\nfile_mounts: {a: /b}\n", True),
        ("run: x\nfile_mounts: {a: {source: /b, mode: COPY}}\n", True),
        ("run: x\nresources: {job_recovery: failover}\n", True),
        ("run: x\nresources: {job_recovery: Eager_Failover}\n", True),
        ("run: x\nresources: {job_recovery: failovr}\n", False),
        ("run: x\nresources: {job_recovery: {strategy: none}}\n", True),
        ("run: x\nresources: {job_recovery: {strategy: nonsense}}\n", False),
        ("run: x\nresources: {job_recovery: {strategy: null}}\n", True),
        ("run: x\nresources: {any_of: [{cpus: 2}, {cpus: two}]}\n", False),
    ],
)
def test_the_schema_tells_right_from_wrong(text: str, *, expected: bool) -> None:
    """Short forms and letters of any case are right; slips of the pen are not."""
    assert valid(text) is expected


def test_a_wrong_field_is_wrong_by_itself() -> None:
    """No choice between header and task lies above it: the complaint can name the field."""
    assert set(SCHEMA) == {"$schema", "title", "if", "then", "else", "$defs"}
    assert SCHEMA["else"] == {"$ref": "#/$defs/TaskShape"}


@pytest.mark.parametrize("kind", TEXTS)
@given(text=st.text("0123456789. +kKmMgGtTpPiIbBxXsShHdDwW", max_size=9))
def test_the_schema_complains_of_no_text_that_is_read(kind: str, text: str) -> None:
    """Whatever a field accepts, an editor does not mark."""
    read: Any = TEXTS[kind][0]
    with suppress(Unfit):
        read(text)
        assert of_field(kind, text), text


@pytest.mark.parametrize(("kind", "value"), [(k, value) for k in BAD for value in BAD[k]])
def test_the_schema_refuses_what_cannot_be_read(kind: str, value: object) -> None:
    """What is no amount or span of time is marked."""
    assert not of_field(kind, value)
    with pytest.raises(Unfit):
        TEXTS[kind][0](value)


def test_strategies_are_offered_by_name() -> None:
    """An editor completes them."""
    strategy = DEFINITIONS["JobRecoveryShape"]["anyOf"][0]
    assert strategy == {"enum": ["EAGER_NEXT_REGION", "FAILOVER", "NONE"]}
