from __future__ import annotations

import pytest

from .judging import errors


@pytest.mark.parametrize(
    ("text", "where", "hint"),
    [
        ("name: [a\n", "2:1", "a bracket is opened"),
        ("run: 'x\n", "2:1", "a quote is opened"),
        ("run: a: b\n", "1:7", 'quote a value that contains ": "'),
        ("\trun: x\n", "1:1", "not tabs"),
        ("run: @x\n", "1:6", "starts with @"),
        ("envs:\n  - x\n run: y\n", "3:2", "check the indentation"),
        ('run: "\\q"\n', "1:7", "write a backslash as"),
        ("run: x\n...\nname: y\n", "3:1", "separated by a line of three dashes"),
    ],
)
def test_bad_syntax_is_located_and_explained(text: str, where: str, hint: str) -> None:
    """A parser's complaint has a place and says what usually mends it."""
    (error,) = errors(text)
    assert error.startswith(f"{where}: this is not YAML: ")
    assert hint in error


def test_the_start_of_what_is_broken_is_named() -> None:
    """An unclosed quote is found at the end, but was opened elsewhere."""
    (error,) = errors("name: a\nrun: 'x\n\nsetup: y\n")
    assert "that began at line 2, column 6" in error


def test_documents_before_bad_syntax_are_judged_too() -> None:
    """What can be read is reported with what cannot."""
    found = errors("name: x\nrun: 5\n---\nname: [\n")
    assert [error.split(": ")[0] for error in found] == ["2:6", "5:1"]


def test_bad_syntax_makes_no_name_unknown() -> None:
    """A task that may stand in the unreadable part is not reported missing."""
    (error,) = errors("name: a\ndepends_on: b\n---\nname: b\nrun: [\n")
    assert "this is not YAML" in error
