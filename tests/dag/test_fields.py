from __future__ import annotations

import pytest

from jobsched.dag.fields import Infra, Memory, accelerators, cpus, infra, memory
from jobsched.dag.words import Unfit

from .judging import errors, judge


@pytest.mark.parametrize(
    "name",
    [
        "a",
        "a b",
        "../x",
        "[red]",
        "$(rm -rf /)",
        "-rf",
        "--job-id=9",
        "é😀",
        "a'\"\\",
        "x" * 1_000,
        ".",
    ],
)
def test_printable_names_are_accepted(name: str) -> None:
    """Whatever can be shown can be a name; nothing is made a path or command of it."""
    quoted = name.replace("'", "''")
    assert judge(f"name: '{quoted}'\nrun: x\n").spec.name == name


@pytest.mark.parametrize(
    ("escaped", "code"),
    [
        ("\\x1b[31m", "U+001B"),
        ("\\n", "U+000A"),
        ("\\r", "U+000D"),
        ("\\t", "U+0009"),
        ("\\x7f", "U+007F"),
        ("\\x9b", "U+009B"),
        ("\\u202a", "U+202A"),
        ("\\u202e", "U+202E"),
        ("\\u2066", "U+2066"),
        ("\\u2069", "U+2069"),
        ("\\u2028", "U+2028"),
        ("\\ufff8", "U+FFF8"),
        ("\\U000e0001", "U+E0001"),
        ("\\ue000", "U+E000"),
    ],
)
def test_names_that_could_act_on_a_terminal_are_refused(escaped: str, code: str) -> None:
    """Escape sequences, line ends, bidirectional marks and unassigned characters."""
    (error,) = errors(f'name: "a{escaped}b"\nrun: x\n')
    assert error.startswith("1:7: name: expected a name of printable characters, found the text")
    assert error.endswith(f"(its character 2 is {code})")
    assert error.isprintable()


@pytest.mark.parametrize("name", ["", "   "])
def test_a_blank_name_is_refused(name: str) -> None:
    """A name that cannot be seen is none."""
    assert errors(f"name: '{name}'\nrun: x\n")[0].startswith(
        "1:7: name: expected a name that is not"
    )


def test_a_name_of_more_than_a_thousand_characters_is_refused() -> None:
    """The message says how long it is, and does not repeat it."""
    (error,) = errors(f"name: {'x' * 1_001}\nrun: x\n")
    assert error.startswith(
        "1:7: name: expected a name of at most 1,000 characters, found the text"
    )
    assert error.endswith("(it has 1,001)")
    assert len(error) < 200


@pytest.mark.parametrize(
    ("value", "number"), [(4, 4), (0.5, 0.5), ("4", 4), ("4+", 4), ("2.5+", 2.5), (" 4+ ", 4)]
)
def test_cpus(value: object, number: float) -> None:
    """A number, or a text that means at least so many."""
    assert cpus(value) == number


@pytest.mark.parametrize(
    ("value", "gib"),
    [
        (16, 16),
        ("16", 16),
        ("16+", 16),
        ("16GB", 16),
        ("16Gi", 16),
        ("16GiB+", 16),
        ("512mb", 0.5),
        ("1T", 1024),
        ("1048576k", 1),
    ],
)
def test_memory(value: object, gib: float) -> None:
    """GiB without a unit; with one, that."""
    assert memory(value) == Memory(gib)


@pytest.mark.parametrize("read", [cpus, memory])
@pytest.mark.parametrize(
    "value",
    [
        0,
        -1,
        "0",
        "-4",
        "x",
        "",
        "4++",
        "+4",
        True,
        None,
        [4],
        float("nan"),
        float("inf"),
        10**400,
        "4zb",
    ],
)
def test_amounts_are_positive_numbers(read: object, value: object) -> None:
    """Nothing else is an amount, and nothing raises anything else."""
    assert callable(read)
    with pytest.raises(Unfit):
        read(value)


@pytest.mark.parametrize(
    ("value", "choices", "ordered"),
    [
        ("V100", [("V100", 1)], False),
        ("V100:4", [("V100", 4)], False),
        ("A100-80GB:0.5", [("A100-80GB", 0.5)], False),
        ({"L4": 1}, [("L4", 1)], False),
        ({"L4": None, "A100:8": None}, [("L4", 1), ("A100", 8)], False),
        ({"L4": 2, "T4": 1}, [("L4", 2), ("T4", 1)], False),
        (["L4:2", "T4"], [("L4", 2), ("T4", 1)], True),
    ],
)
def test_accelerators(value: object, choices: list[tuple[str, float]], ordered: bool) -> None:
    """One, or alternatives: a list prefers the first, a mapping none."""
    found = accelerators(value)
    assert (list(found.choices), found.ordered) == (choices, ordered)


@pytest.mark.parametrize(
    "value", ["", ":4", "V100:", "V100:x", "V100:0", "V100:4+x", 5, [5], {"L4": "x"}]
)
def test_accelerators_that_are_none(value: object) -> None:
    """A name is needed, and a count that is one."""
    with pytest.raises(Unfit):
        accelerators(value)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ("aws", ("aws", None, None)),
        ("AWS/us-east-1", ("aws", "us-east-1", None)),
        ("gcp/*/us-east4-b", ("gcp", None, "us-east4-b")),
        ("aws/us-east-1/*", ("aws", "us-east-1", None)),
        ("*", (None, None, None)),
        ("*/here", (None, "here", None)),
        ("*/*/z", (None, None, "z")),
        ("kubernetes", ("kubernetes", None, None)),
        ("k8s/aws:eks:1:cluster/mine", ("k8s", "aws:eks:1:cluster/mine", None)),
        ("aws/", ("aws", None, None)),
    ],
)
def test_infra(value: str, place: tuple[str | None, str | None, str | None]) -> None:
    """Cloud, region and zone, any of them left open."""
    assert infra(value) == Infra(*place)


@pytest.mark.parametrize("value", ["", "/", "/x", "aws//z", "a/b/c/d", 5, None])
def test_infra_that_is_none(value: object) -> None:
    """Empty parts and too many are refused."""
    with pytest.raises(Unfit):
        infra(value)
