from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .judging import errors, judge

REPOSITORY = Path(__file__).parents[2]
LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{below}'] * 10)}]\n"
    for below, name in zip("abcdefghi", "bcdefghij", strict=True)
)


LIMITED = """
import resource, sys
from pathlib import Path
from jobsched.errors import InvalidDag
from tests.dag.judging import judge

judge("run: echo")  # everything is loaded now
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 32 * 1024**2,) * 2)
try:
    bytearray(64 * 1024**2)
except MemoryError:
    print("the limit holds")
try:
    judge(sys.stdin.read())
except InvalidDag as error:
    print(error)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited by /proc here")
def test_a_billion_laughs_are_refused_in_little_memory() -> None:
    """Ten levels of ten aliases take no memory: they are counted, never unfolded."""
    assert len(LAUGHS) < 1024
    done = subprocess.run(
        [sys.executable, "-c", LIMITED],
        input=LAUGHS,
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    limit, message = done.stdout.splitlines()
    assert limit == "the limit holds"
    assert message.startswith("file.yaml:4:17: the file holds more than 5,000 values, aliases expa")


@pytest.mark.parametrize(
    ("opening", "problem"),
    [
        ("[", "1:1001: this is not YAML: exceeded maximum nesting depth"),  # the parser's own bound
        ("{a: ", "1:81: values are nested more than 20 deep here"),
        ("- ", "1:41: values are nested more than 20 deep here"),
        ("? ", "1:41: values are nested more than 20 deep here"),
    ],
)
def test_endless_nesting_is_refused(opening: str, problem: str) -> None:
    """100,000 brackets end neither in a recursion error nor in a crash."""
    (error,) = errors(opening * (200_000 // len(opening)))
    assert error.startswith(problem)


def test_twenty_levels_are_read_and_one_more_is_not() -> None:
    """The document itself is the first level."""
    judge(f"run: x\nconfig: {'[' * 19}{']' * 19}\n")
    (error,) = errors(f"run: x\nconfig: {'[' * 20}{']' * 20}\n")
    assert error.startswith("2:28: values are nested more than 20 deep here")


def test_aliases_count_for_depth() -> None:
    """What an alias unfolds to is as deep as if it were written there."""
    half = f"run: x\ninputs: &a {'[' * 10}{']' * 10}\n"
    judge(half + f"config: {'[' * 9}*a{']' * 9}\n")
    (error,) = errors(half + f"config: {'[' * 10}*a{']' * 10}\n")
    assert error.startswith("3:19: values are nested more than 20 deep here")


def test_five_thousand_nodes_are_read_and_one_more_is_not() -> None:
    """Keys, values and collections count, over all documents."""
    room = 5_000 - len(["document", "run", "x", "config", "list"])
    judge(f"run: x\nconfig: [{'1,' * room}]\n")
    (error,) = errors(f"run: x\nconfig: [{'1,' * (room + 1)}]\n")
    assert error.startswith(f"2:{len('config: [') + 2 * room + 1}: the file holds more than 5,000")


def test_aliases_count_for_size() -> None:
    """A hundred aliases of a hundred values are too many."""
    text = f"run: x\ninputs: &a [{'1,' * 100}]\nconfig: [{'*a,' * 100}]\n"
    (error,) = errors(text)
    assert error.startswith("3:154: the file holds more than 5,000 values, aliases expanded")


def test_a_chain_of_merges_counts_for_depth() -> None:
    """Mappings merged into mappings cannot go on without bound either."""
    text = "".join(
        f"a{i}: &a{i} {{{f'<<: *a{i - 1}, ' if i else ''}k{i}: v}}\n" for i in range(100)
    )
    assert errors(text)[0].startswith("20:16: values are nested more than 20 deep here")


def test_an_alias_to_itself_is_refused() -> None:
    """A value cannot contain itself."""
    assert errors("run: x\nconfig: &a [*a]\n") == ["2:13: the alias '*a' contains itself"]


def test_an_alias_without_an_anchor_is_refused() -> None:
    """Anchors serve their own document only."""
    (error,) = errors("run: x\nconfig: &a 1\n---\nrun: *a\n")
    assert error.startswith("4:6: the alias '*a' has no anchor (")


def test_an_anchor_is_given_once() -> None:
    """A second anchor of one name would make aliases ambiguous."""
    assert errors("run: &x a\nsetup: &x b\n") == ["2:8: the anchor '&x' is given twice"]
