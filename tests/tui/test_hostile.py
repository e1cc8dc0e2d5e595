"""Text that attacks a terminal, in every place where text comes from outside: none of it acts."""

from __future__ import annotations

import os
import re
import sqlite3
import unicodedata
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from jobsched.api import Scheduler
from jobsched.errors import JobschedError
from tests.tui.stand import home_with
from tests.tui.terminal import Terminal, opened

HOSTILE: Final = (
    "\x1b[31mred",
    "\x1b[2J",
    "\x1b[H",
    "\x1b[1;1Hmoved",
    "\x1b[?25l",
    "\x1b[?1049l",
    "\x1b[6n",
    "\x1b[>c",
    "\x1b[21t",
    "\x1b[8;1;1t",
    "\x1b[3g",
    "\x1bc",
    "\x1b#8",
    "\x1b(0lqk",
    "\x1b]0;title\x07",
    "\x1b]2;title\x1b\\",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b]8;;http://evil/\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]9;news\x07",
    "\x1b]1337;File=:AAAA\x07",
    "\x1bP+q544e\x1b\\",
    '\x1bP$q"p\x1b\\',
    "\x1b_Gi=1\x1b\\",
    "\x1b^private\x1b\\",
    "\x9b31mred",
    "\x9d0;title\x9c",
    "\x90q\x9c",
    "\x84\x85\x88",
    "\x00nul",
    "\x07bell",
    "\x08\x08\x08back",
    "over\rwritten",
    "two\nlines",
    "\x0b\x0c",
    "\t\t\ttabs",
    "\x7f\x7f",
    "\u202eesrever",
    "\u2066isolated\u2069",
    "\u200bzero\u200dwidth\ufeff",
    "\u2028line\u2029",
    "[red]red[/red]",
    "[/]",
    "[@click=app.quit]quit[/]",
    "[link=http://evil]x[/link]",
    "$error on $surface",
    "[bold",
    "]",
    "\\[x]",
    "{x!r}",
    "%s%n",
    "\u5e83\u3044" * 30,
    "a\u0301\u0302\u0303" * 20,
    "\U0001f468\u200d\U0001f4bb",
    "long" * 200,
    "\ufdd0\ue000\U000e0041",
    "'; DROP TABLE jobs; --",
)
SHOWN: Final = ("[red]red[/red]", "[/]", "[@click=app.quit]quit[/]", "$error on $surface", "\\[x]")
#: The key, as newer terminals send it: no other can be taken for a part of it.
ESC: Final = "\x1b[27u"
#: By what keys every screen and dialog is visited, and what is to be seen before one goes on.
_BACK: Final = (ESC, "Space Mark")
TOUR: Final = (
    *((key, "") for key in ("jjj", "G", "g", "2", "3", "4", "5", "6", "j", ESC, "1", "g")),
    *((key, "") for key in (" ", " ", "u", "w", "w", "z", "z", "G", "k", " ", " ")),
    *(("|", "2 logs side by side"), ("\t", ""), ("z", ""), ("z", ""), _BACK, ("u", ""), ("g", "")),
    *(("/", "completes"), ("red\r", "/red"), (ESC, "")),
    *(("o", "Sort by"), _BACK, ("\x1bOQ", "Columns"), _BACK, ("g", "")),
    *(("?", "In this pane"), ("G", ""), _BACK, ("\x10", "theme or view"), ("red", ""), _BACK),
    *(("c", "esc changes nothing"), _BACK, ("x", "Cancel job"), _BACK, ("X", "Type done"), _BACK),
    *(("R", "Submit job"), _BACK, ("H", "Hold job"), _BACK, ("L", "Pause starts"), _BACK),
    *(("S", "Secrets"), _BACK, (":", "any action"), ("audit\r", "by whom"), ("G", ""), _BACK),
    *((":", "any action"), ("job 1\r", "YAML"), ("t", ""), ("G", ""), ("D", ""), ("P", "")),
    *(("y", "as submitted"), ("G", ""), ("E", ""), ("G", ""), ("l", ""), ("/", "previous")),
    *(("red\r", "match"), (ESC, ""), _BACK, (":", "any action"), ("job 2\r", "YAML")),
    *(("l", ""), ("l", ""), ("t", ""), _BACK, ("@", "a moment"), ("-0s\r", "PAST")),
    *(("jj", ""), (ESC, "present")),
)


@pytest.fixture(name="tours", scope="module")
def _tours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Future[Terminal]]]:
    """Both at once, each on a home of its own: most of the time they wait."""
    with ThreadPoolExecutor() as pool:
        yield {
            word: pool.submit(toured, hostile_home(tmp_path_factory.mktemp("home")), *word.split())
            for word in ("", "--ascii")
        }


def hostile_home(parent: Path) -> Path:
    """A home in which every text is hostile: by the front door where that lets it in, else not."""
    folder = parent / "h\u00f6st\u5e83le"
    folder.mkdir()
    door = home_with(folder / "home")
    file = folder / "work" / "job.yaml"
    file.parent.mkdir()
    file.write_text("run: 'true'\n")
    admitted = [text for text in HOSTILE if _admits(door, file, text)]
    assert SHOWN[0] in admitted
    for text in HOSTILE:
        if text not in admitted:
            door.submit([file], name="to be renamed")
    for job_id in (1, 2):
        door.cancel([job_id])
    _poison(door.home, [text for text in HOSTILE if text not in admitted])
    for number, text in enumerate(HOSTILE):
        name = text.replace("/", "").replace("\x00", "")[:40].encode("utf-8")
        (file.parent / os.fsdecode(b"%d" % number + name + b"\xff\xed\xa0\x80.yaml")).touch()
    _write_logs(door.home)
    return door.home


def _write_logs(home: Path) -> None:
    broken = b"\xff\xfe\xed\xa0\x80\x80\x9b31m\r50%\r\x1b[31mred\n"
    content = "\n".join(HOSTILE).encode() + broken
    for job_id in (1, 2):
        for path in (f"tasks/{job_id}-0.log", f"controller/{job_id}.log"):
            (home / "logs" / path).parent.mkdir(parents=True, exist_ok=True)
            (home / "logs" / path).write_bytes(content)


def _admits(door: Scheduler, file: Path, name: str) -> bool:
    try:
        door.submit([file], name=name)
    except (JobschedError, ValueError):
        return False
    return True


def _poison(home: Path, names: list[str]) -> None:
    """What no front door lets in, written past it."""
    everything = "".join(HOSTILE)
    with sqlite3.connect(home / "jobsched.db") as database:
        renamed = [
            row[0]
            for row in database.execute("SELECT job_id FROM jobs WHERE name = 'to be renamed'")
        ]
        for job_id, name in zip(renamed, names, strict=True):
            database.execute("UPDATE jobs SET name = ? WHERE job_id = ?", (name, job_id))
        for job_id, text in enumerate(HOSTILE, 1):
            database.execute(
                "UPDATE tasks SET name = ?, region = ?, failure_reason = ?, cleanup_error = ?,"
                " cluster = ? WHERE job_id = ?",
                (text, text, text, text, text, job_id),
            )
            database.execute("UPDATE jobs SET failure_reason = ? WHERE job_id = ?", (text, job_id))
            database.execute(
                "UPDATE snapshots SET source = ?, yaml = ? WHERE job_id = ?",
                (text, f"run: 'true' # {everything}\n{text}", job_id),
            )
            database.execute(
                "INSERT INTO history"
                " (at, kind, job_id, subject, from_value, to_value, actor, reason)"
                " VALUES (1.0, 'ACTION', ?, ?, ?, ?, ?, ?)",
                (min(job_id, 2), "HOLD", text, text, text, text),
            )


def harmless(terminal: Terminal) -> None:
    """Fail if anything but text and the console's own sequences has come out."""
    text = terminal.seen.decode("utf-8")  # any other byte would be one of the attackers'
    assert "Traceback" not in text
    shown = terminal.text
    for character in set(shown) - {"\r", "\n"}:
        number = shown.index(character)
        around = shown[max(0, number - 60) : number + 60]
        hidden = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
        assert unicodedata.category(character) not in hidden, f"{character!r} in {around!r}"


def toured(home: Path, *words: str) -> Terminal:
    """A console of which every screen was visited, and that was left."""
    with opened(home, *words, cwd=home.parent / "work") as terminal:
        terminal.wait_for("starts are paused")
        tour(terminal)
        assert terminal.ended() == 0
    return terminal


def tour(terminal: Terminal) -> None:
    """Visit every screen."""
    for keys, text in TOUR:
        before = len(terminal.seen)
        terminal.press(keys)
        if (keys, text) == _BACK:
            terminal.insist(keys, text, since=before)
        terminal.wait_for(text, since=before)
        assert terminal.process.poll() is None, terminal.text[-3000:]
    terminal.press(ESC)
    terminal.press("\x11")


def test_no_hostile_text_acts(tours: Mapping[str, Future[Terminal]]) -> None:
    """No byte of it reaches the terminal as it is, on no screen, and markup is text."""
    terminal = tours[""].result()
    harmless(terminal)
    for text in SHOWN:
        assert text in terminal.text


def test_ascii_alone(tours: Mapping[str, Future[Terminal]]) -> None:
    """With --ascii no other byte comes out on any of these screens, whatever is in a log."""
    terminal = tours["--ascii"].result()
    harmless(terminal)
    assert re.findall(r".{,40}[^\x00-\x7e].{,20}", terminal.text) == []


def test_no_colour_at_all(tmp_path: Path) -> None:
    """With NO_COLOR no colour is sent, neither of the console nor of a log."""
    home = hostile_home(tmp_path)
    with opened(home, cwd=home.parent / "work", NO_COLOR="1") as terminal:
        terminal.wait_for("starts are paused")
        terminal.press(":")
        terminal.wait_for("any action")
        terminal.press("job 1\r")
        terminal.wait_for("processes")
        terminal.press("L")
        terminal.wait_for("Pause starts of new jobs")
        terminal.press(ESC)
        terminal.press("\x11")
        assert terminal.ended() == 0
        codes = b";".join(re.findall(rb"\x1b\[([0-9;]*)m", terminal.seen)).split(b";")
        assert set(codes) <= {b"", *(b"%d" % code for code in (0, 1, 2, 3, 4, 7, 9, 39, 49))}
