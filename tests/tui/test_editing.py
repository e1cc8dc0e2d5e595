"""A draft in an editor and a file in a pager: what comes back, and what when nothing does."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from jobsched_tui.data import editing
from tests.tui.stand import home_with
from tests.tui.terminal import Terminal, opened


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files for editors are made beside the home."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))


def left(tmp_path: Path) -> list[str]:
    """What is left of files for editors."""
    return [one.name for one in (tmp_path / "tmp").rglob("*")]


def test_a_text_comes_back(tmp_path: Path) -> None:
    """The editor gets a file that only its owner reads, ending in .yaml; it is gone afterwards."""
    seen: list[tuple[str, str, int, int]] = []

    def editor(file: Path) -> None:
        modes = file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777
        seen.append((file.read_text(), file.suffix, *modes))
        beside = file.with_name("beside")
        beside.write_text("name: ä\n")
        beside.replace(file)

    edited = editing.edit("name: a\n", editor)
    assert (edited.text, edited.problem) == ("name: ä\n", None)
    assert seen == [("name: a\n", ".yaml", 0o600, 0o700)]
    assert left(tmp_path) == []


def test_an_editor_that_fails(tmp_path: Path) -> None:
    """What it saved comes back all the same, with what went wrong."""

    def editor(file: Path) -> str:
        file.write_text("saved\n")
        return "vi ended with exit code 1"

    edited = editing.edit("before\n", editor)
    assert (edited.text, edited.problem) == ("saved\n", "vi ended with exit code 1")
    assert editing.edit("before\n", lambda _: "no such program").text == "before\n"
    assert left(tmp_path) == []


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * 300_000, None])
def test_a_text_that_cannot_be_read(content: bytes | None) -> None:
    """The draft stays as it was, and it is told where the other text is: it is not lost."""
    files: list[Path] = []

    def editor(file: Path) -> None:
        files.append(file)
        file.unlink()
        if content is not None:
            file.write_bytes(content)

    edited = editing.edit("before", editor)
    assert edited.text == "before"
    assert edited.problem is not None
    assert edited.problem.startswith(f"the text stays as it was: {files[0]}")
    assert content is None or files[0].read_bytes() == content


def test_no_room_for_a_file(tmp_path: Path) -> None:
    """It is told, and no editor is begun."""
    (tmp_path / "tmp").rmdir()
    edited = editing.edit("text", lambda _: pytest.fail("it was begun"))
    assert edited.text == "text"
    assert edited.problem is not None
    assert "no file could be made" in edited.problem


# In a terminal.


def script(path: Path, text: str) -> str:
    """A program that an operator could have for an editor, in a path with a blank."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
    return f"'{path}' --word 'two words'"


def open_draft(terminal: Terminal) -> None:
    """The submit dialog, with a line of text."""
    terminal.wait_for("No jobs yet")
    terminal.press("S")
    terminal.wait_for("nothing to submit yet")
    terminal.press("\x1bOR")  # f3
    terminal.press("name: typed")
    terminal.wait_for("typed")


def leave(terminal: Terminal) -> None:
    """Close the dialog, then the console."""
    since = len(terminal.seen)
    terminal.press("\x1b")
    terminal.wait_for("No jobs yet", since)
    terminal.press("q")
    assert terminal.ended() == 0


def test_a_draft_is_edited(tmp_path: Path) -> None:
    """ctrl+e gives the terminal to $VISUAL with its arguments; ctrl+z brings the old text back."""
    log = tmp_path / "log"
    visual = script(
        tmp_path / "my tools" / "ed",
        f'printf "%s|" "$1" "$2" > {log}; cat "$3" >> {log}; test -t 0 && test -t 1 || exit 9\n'
        'printf "name: edited\\nrun: echo hi\\n" > "$3"\n',
    )
    home = home_with(tmp_path / "home").home
    with opened(home, VISUAL=visual, EDITOR="false", TMPDIR=str(tmp_path / "tmp")) as terminal:
        open_draft(terminal)
        since = len(terminal.seen)
        terminal.press("\x05")
        terminal.wait_for("valid: 1 task", since)
        assert log.read_text() == "--word|two words|name: typed"
        since = len(terminal.seen)
        terminal.press("\x1a")
        terminal.wait_for("typed", since)
        leave(terminal)
    assert left(tmp_path) == []


def test_no_editor(tmp_path: Path) -> None:
    """One that is missing or fails is told by name; the draft and the screen are as they were."""
    home = home_with(tmp_path / "home").home
    failing = script(tmp_path / "failing", "exit 3\n")
    for editor, said in (("nosuch", "nosuch was not started"), (failing, "exit code 3")):
        (home / "console-draft.json").unlink(missing_ok=True)
        with opened(home, EDITOR=editor, TMPDIR=str(tmp_path / "tmp")) as terminal:
            open_draft(terminal)
            since = len(terminal.seen)
            terminal.press("\x05")
            terminal.wait_for(said, since)
            leave(terminal)
        assert "typed" in (home / "console-draft.json").read_text()


def test_an_interrupted_pager(tmp_path: Path) -> None:
    """ctrl+c in a pager is the pager's: the console goes on when that has ended."""
    pager = script(tmp_path / "pager", 'echo "showing $3"; exec sleep 600\n')
    home = home_with(tmp_path / "home", "one").home
    with opened(home, PAGER=pager) as terminal:
        terminal.wait_for("starts are paused")
        terminal.press("y")
        terminal.wait_for("as submitted from")
        since = len(terminal.seen)
        terminal.press("v")
        terminal.wait_for("showing", since)
        since = len(terminal.seen)
        os.killpg(terminal.process.pid, signal.SIGINT)  # as the key does in a terminal
        terminal.wait_for("was ended by SIGINT", since)
        terminal.press("q")
        terminal.press("q")
        assert terminal.ended() == 0
