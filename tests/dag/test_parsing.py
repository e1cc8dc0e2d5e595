from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from jobsched.dag import LoadedDag
from jobsched.dag.shapes import HeaderShape, ResourcesShape, TaskShape
from jobsched.errors import InvalidDag
from jobsched.models import DagSpec

from .judging import judge

REPOSITORY = Path(__file__).parents[2]
CANARY = "c4n4ry-8f3e"

FIELDS = sorted({*HeaderShape.model_fields, *TaskShape.model_fields, *ResourcesShape.model_fields})
PIECES = [
    *"\n\n\n  :-[]{},&*!|>'\"%@`#?~<$",
    *(f"\n{field}: " for field in FIELDS),
    *("\n---\n", "\n  - ", "<<: *a", "&a ", "*a ", "!!str ", "null", "5", "-1", ".inf", "yes", "12:30"),
    *("any_of", "4+", "${A:-", "s3://", "é", "\U0001f600", "\x85", "\u2028", "\t", "\\x1b", "...\n"),
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["a", "b", "4+", "5s", "failover", "aws/*", "A100:8", "s3://b", "$A", "parallel"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(FIELDS), st.text(max_size=4)), inner, max_size=4),
    ),
    max_leaves=12,
)


def judged(text: str) -> LoadedDag | None:
    """What becomes of ``text``; anything but an acceptance or a refusal fails the test."""
    try:
        loaded = judge(text)
    except InvalidDag as refusal:
        lines = text.count("\n") + text.count("\r") + text.count("\x85") + 2
        lines += text.count("\u2028") + text.count("\u2029")
        assert refusal.problems
        assert all(1 <= problem.line <= lines and problem.column >= 1 for problem in refusal.problems)
        assert list(refusal.problems) == sorted(
            refusal.problems, key=lambda problem: (problem.line, problem.column)
        )
        return None
    assert DagSpec.from_json(loaded.spec.to_json()) == loaded.spec
    json.loads(loaded.spec.to_json(), parse_constant=lambda name: 1 / 0)  # no NaN in what is stored
    assert "\0" not in loaded.spec.to_json()
    loaded.spec.to_json().encode()
    return loaded


@given(st.text())
@example("\ufeff")
@example("%")
@example("? ")
@example("- - -")
def test_any_text_is_accepted_or_refused(text: str) -> None:
    """Nothing but ``InvalidDag`` is ever raised, whatever the file holds."""
    judged(text)


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_anything_that_resembles_yaml_is_accepted_or_refused(pieces: list[str]) -> None:
    """The same for what comes nearer to a DAG file."""
    judged("".join(pieces))


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=6), max_size=3))
def test_any_documents_are_accepted_or_refused(documents: list[dict[str, Any]]) -> None:
    """The same for well-formed documents with known fields and wild values."""
    judged(yaml.safe_dump_all(documents, allow_unicode=True))


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]))
VARIABLES = st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_]{0,8}\Z")
RESOURCES = st.fixed_dictionaries(
    {},
    optional={
        "cpus": st.one_of(st.integers(1, 99), st.floats(0.1, 99), st.sampled_from(["4", "4+"])),
        "memory": st.integers(1, 99),
        "accelerators": st.sampled_from(["L4", "L4:2", {"L4": 1}, ["L4", "T4:2"]]),
        "use_spot": st.booleans(),
        "image_id": st.one_of(st.none(), TEXTS, st.dictionaries(TEXTS, TEXTS, max_size=2)),
        "labels": st.dictionaries(TEXTS, TEXTS, max_size=2),
        "ports": st.one_of(st.integers(), TEXTS, st.lists(st.integers(), max_size=2)),
        "priority": st.integers(-1000, 1000),
        "job_recovery": st.sampled_from([None, "failover", {"recover_on_exit_codes": [1, 2]}]),
    },
)
TASKS = st.fixed_dictionaries(
    {},
    optional={
        "run": TEXTS,
        "setup": TEXTS,
        "num_nodes": st.integers(1, 100_000),
        "envs": st.dictionaries(VARIABLES, st.one_of(TEXTS, st.integers(), st.floats()), max_size=3),
        "resources": RESOURCES,
        "max_duration": st.one_of(st.integers(1, 10**6), st.just("1.5h")),
        "file_mounts": st.dictionaries(TEXTS.filter(bool), st.just("s3://bucket"), max_size=2),
        "event_callback": TEXTS,
    },
)


@given(st.lists(TASKS, min_size=1, max_size=3), st.booleans())
def test_valid_documents_are_accepted_and_survive_storage(
    tasks: list[dict[str, Any]], flow: bool
) -> None:
    """What the format allows is accepted in any style, and is the same after the database."""
    documents = [{"name": "job", "execution": "serial"}, *tasks]
    text = yaml.safe_dump_all(documents, allow_unicode=True, default_flow_style=flow)
    loaded = judged(text)
    assert loaded is not None
    assert len(loaded.spec.tasks) == len(tasks)
    for task, spec in zip(tasks, loaded.spec.tasks, strict=True):
        assert (spec.run, spec.setup) == (task.get("run"), task.get("setup"))
        assert set(spec.envs) == set(task.get("envs", {}))


@given(
    st.dictionaries(VARIABLES, TEXTS, min_size=1, max_size=4),
    TASKS,
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from([None, True, False]),
)
def test_no_secret_is_stored(
    secrets: dict[str, str], task: dict[str, Any], style: Any, flow: bool | None
) -> None:
    """Whatever its style, a value is neither in the text that is kept nor in the record."""
    document = {**task, "secrets": {name: f"{CANARY}{value}" for name, value in secrets.items()}}
    text = yaml.safe_dump(
        document, allow_unicode=True, default_style=style, default_flow_style=flow, sort_keys=False
    ) if not style else styled(document, style)
    loaded = judged(text)
    assert loaded is not None
    assert loaded.secrets[0] == document["secrets"]
    assert CANARY in text
    for kept in (loaded.yaml, loaded.spec.to_json(), repr(loaded), str(loaded.warnings)):
        assert CANARY not in kept
    again = judge(loaded.yaml)
    assert again.spec == loaded.spec


def styled(document: dict[str, Any], style: str) -> str:
    """``document`` with its secrets in the given style, the rest in the usual one."""
    rest = {name: value for name, value in document.items() if name != "secrets"}
    head = yaml.safe_dump(rest, allow_unicode=True) if rest else ""
    lines = ["secrets:\n"]
    for name, value in document["secrets"].items():
        dumped = yaml.safe_dump({name: Styled(value, style)}, Dumper=None) if False else ""
        lines.append(dumped)
    return head + "".join(lines)
