"""Variables and secrets, from words and from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsched.cli import variables
from jobsched.errors import InvalidInput

ENVIRON = {"TOKEN": "s3cret", "EMPTY": ""}

LINES = [
    ("A=1", {"A": "1"}),
    ("A = 1 ", {"A": "1"}),
    ("export A=1", {"A": "1"}),
    ("# A=1\n\n  \nB=2", {"B": "2"}),
    ("A=1\nA=2", {"A": "2"}),
    ("A=", {"A": ""}),
    ("A=a b c", {"A": "a b c"}),
    ("A=a=b", {"A": "a=b"}),
    ("A=a # why", {"A": "a"}),
    ("A=a#b", {"A": "a#b"}),
    ("A= # nothing", {"A": ""}),
    ("A='$x \\n # \" '", {"A": '$x \\n # " '}),
    ('A="a\\tb\\n\\"c\\" \\\\ # d"  # why', {"A": 'a\tb\n"c" \\ # d'}),
    ("A=$HOME", {"A": "$HOME"}),
    ("A=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
    ("\ufeffA=é", {"A": "é"}),
    ("", {}),
]

MISTAKES = [
    ("A", "f:1:1: expected KEY=VALUE"),
    ("\n1A=x", "f:2:1: expected a name before the ="),
    ("A-B=x", "f:1:1: expected a name"),
    ("=x", "f:1:1: expected a name"),
    ("A='x", "f:1:1: A: the quote ' is not closed"),
    ('A="x\\"', 'f:1:1: A: the quote " is not closed'),
    ("A='x' y", "f:1:1: A: there is more after the closing quote"),
    ("A=x\0y", "f:1:1: A: a value cannot hold a NUL"),
]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file called ``f`` in the current directory."""
    monkeypatch.chdir(tmp_path)
    return Path("f")


@pytest.mark.parametrize(("text", "expected"), LINES)
def test_lines_become_variables(file: Path, text: str, expected: dict[str, str]) -> None:
    """Comments, quotes and blanks are understood as people write them."""
    file.write_bytes(text.encode())
    assert variables.envs([], "f", {}) == expected


@pytest.mark.parametrize(("text", "said"), MISTAKES)
def test_mistakes_have_a_place(file: Path, text: str, said: str) -> None:
    """A line that cannot be read is named by file and line."""
    file.write_text(text)
    with pytest.raises(InvalidInput) as refused:
        variables.envs([], "f", {})
    assert str(refused.value).startswith(said)
    assert refused.value.exit_code == 2


def test_every_mistake_is_told_and_no_value(file: Path) -> None:
    """All bad lines are named at once; what they hold is not shown, since it may be secret."""
    file.write_text("A='hunter2\nB=fine\nhunter3 hunter4\n9=hunter5\n")
    with pytest.raises(InvalidInput) as refused:
        variables.secrets([], "f", {})
    assert [line.partition(": ")[0] for line in str(refused.value).splitlines()] == [
        "f:1:1", "f:3:1", "f:4:1",
    ]  # fmt: skip
    assert "hunter" not in str(refused.value)


def test_files_that_cannot_be_read(file: Path) -> None:
    """A missing file, bytes that are no text and a file without an end are refused in words."""
    with pytest.raises(InvalidInput, match="f: No such file"):
        variables.envs([], "f", {})
    file.write_bytes(b"A=\xff")
    with pytest.raises(InvalidInput, match="not UTF-8 at byte 2"):
        variables.envs([], "f", {})
    file.write_text("A=1\n" * 300_000)
    with pytest.raises(InvalidInput, match="larger than 1 MiB"):
        variables.envs([], "f", {})


def test_words_count_over_the_file(file: Path) -> None:
    """``--env`` wins over ``--env-file``, a later one over an earlier one."""
    file.write_text("A=1\nB=1\n")
    assert variables.envs(["B=2", "C=", "B=3"], "f", {}) == {"A": "1", "B": "3", "C": ""}


def test_a_bare_name_is_taken_from_the_environment() -> None:
    """``--env K`` inherits, an empty value too."""
    assert variables.envs(["TOKEN", "EMPTY"], None, ENVIRON) == {"TOKEN": "s3cret", "EMPTY": ""}
    assert variables.secrets(["TOKEN"], None, ENVIRON) == {"TOKEN": "s3cret"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["MISSING"], "--env MISSING: not set in your environment"),
        (["1x=2"], "--env '1x': no name of a variable"),
        ([""], "--env '': no name of a variable"),
        (["A-B"], "no name of a variable"),
    ],
)
def test_bad_envs_are_refused(words: list[str], said: str) -> None:
    """A name that is not set, or no name, is refused."""
    with pytest.raises(InvalidInput) as refused:
        variables.envs(words, None, ENVIRON)
    assert said in str(refused.value)


def test_a_secret_on_the_command_line_is_refused_unseen() -> None:
    """``--secret K=V`` is refused with the reason, without repeating the value."""
    with pytest.raises(InvalidInput) as refused:
        variables.secrets(["K=hunter2", "MISSING"], None, ENVIRON)
    text = str(refused.value)
    assert "see the arguments" in text
    assert "--secret MISSING: not set" in text
    assert "hunter2" not in text
