from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from jobsched.dag import LoadedDag
from jobsched.dag.shapes import HeaderShape, ResourcesShape, TaskShape
from jobsched.errors import InvalidDag, Problem
from jobsched.models import DagSpec

from .judging import judge

REPOSITORY = Path(__file__).parents[2]
CANARY = "c4n4ry-8f3e"

FIELDS = sorted({*HeaderShape.model_fields, *TaskShape.model_fields, *ResourcesShape.model_fields})
PIECES = [
    *"\n\n\n  :-[]{},&*!|>'\"%@`#?~<$",
    *(f"\n{field}: " for field in FIELDS),
    *(
        "\n---\n",
        "\n  - ",
        "<<: *a",
        "&a ",
        "*a ",
        "!!str ",
        "null",
        "5",
        "-1",
        ".inf",
        "yes",
        "12:30",
    ),
    *(
        "any_of",
        "4+",
        "${A:-",
        "s3://",
        "é",
        "\U0001f600",
        "\x85",
        "\u2028",
        "\t",
        "\\x1b",
        "...\n",
    ),
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(
        ["a", "b", "4+", "5s", "failover", "aws/*", "A100:8", "s3://b", "$A", "parallel"]
    ),
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
        check_problems(refusal.problems, text)
        return None
    check_problems(loaded.warnings, text)
    stored = loaded.spec.to_json()
    assert DagSpec.from_json(stored) == loaded.spec
    json.loads(stored, parse_constant=pytest.fail)  # no NaN, no Infinity
    stored.encode()  # no lone surrogates
    return loaded


def check_problems(problems: Sequence[Problem], text: str) -> None:
    """Every problem stands somewhere in ``text``, and they are in its order."""
    lines = len(re.findall("\r\n|[\n\r\x85\u2028\u2029]", text)) + 1
    places = [(problem.line, problem.column) for problem in problems]
    assert all(1 <= line <= lines + 1 and column >= 1 for line, column in places)
    assert places == sorted(places)
    assert all(str(problem).isprintable() for problem in problems)


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
        "envs": st.dictionaries(
            VARIABLES, st.one_of(TEXTS, st.integers(), st.floats()), max_size=3
        ),
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
    _, *read = yaml.safe_load_all(text)  # PyYAML does not read back every text that it writes
    for task, spec in zip(read, loaded.spec.tasks, strict=True):
        assert (spec.run, spec.setup) == (task.get("run"), task.get("setup"))
        assert set(spec.envs) == set(task.get("envs", {}))


@dataclass(frozen=True)
class Styled:
    """A text that is written in the given style, where YAML allows it."""

    text: str
    style: str | None


class StyledDumper(yaml.SafeDumper):
    """Writes :class:`Styled`."""


StyledDumper.add_representer(
    Styled,
    lambda dumper, value: dumper.represent_scalar(
        "tag:yaml.org,2002:str", value.text, style=value.style
    ),
)


@given(
    st.dictionaries(VARIABLES, TEXTS, min_size=1, max_size=4),
    TASKS,
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from([None, True, False]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_no_secret_is_stored(
    values: dict[str, str], task: dict[str, Any], style: str | None, flow: bool | None, line: str
) -> None:
    """Whatever its style, a value is neither in the text that is kept nor in the record."""
    secrets = {name: Styled(CANARY + value, style) for name, value in values.items()}
    text = yaml.dump(
        {"secrets": secrets, **task},
        Dumper=StyledDumper,
        allow_unicode=True,
        default_flow_style=flow,
        sort_keys=False,
        line_break=line,
    )
    loaded = judged(text)
    assert loaded is not None
    assert CANARY in text
    assert set(loaded.secrets[0]) == set(values)
    assert all(value.startswith(CANARY) for value in loaded.secrets[0].values())
    for kept in (loaded.yaml, loaded.spec.to_json(), repr(loaded), str(loaded.warnings)):
        assert CANARY not in kept
    assert judge(loaded.yaml).spec == loaded.spec


def run_python(program: str) -> str:
    """What ``program`` prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_importing_the_package_is_cheap() -> None:
    """The heavy libraries are loaded by the first file that is judged."""
    loaded = run_python(
        "import sys, jobsched.dag; print([m for m in ('yaml', 'pydantic') if m in sys.modules])"
    )
    assert loaded == "[]\n"


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="there is only the slow parser here")
def test_the_slow_parser_finds_the_same() -> None:
    """Where PyYAML was built without its C part, places and results do not change."""
    program = """
import yaml
if SLOW:
    del yaml.CSafeLoader
from pathlib import Path
from jobsched import dag
from jobsched.errors import InvalidDag, Problem
for path in sorted(Path('tests/dag/examples').glob('*.yaml')):
    try:
        loaded = dag.load(path, cwd=Path('/x'), user_home=Path('/x'), mode='validate')
        print(loaded)
    except InvalidDag as refusal:
        print(refusal)
from jobsched.dag.syntax import LOADER
print(LOADER.__name__)
"""
    slow = run_python(f"SLOW = True\n{program}").splitlines()
    fast = run_python(f"SLOW = False\n{program}").splitlines()
    assert (slow.pop(), fast.pop()) == ("SafeLoader", "CSafeLoader")
    assert slow == fast
