"""What the console shows when its database goes away, is held or is replaced: real files alone."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from textual.pilot import Pilot

from jobsched.api import Scheduler
from jobsched_tui.app import Console
from jobsched_tui.data.frame import Health, Link, Trouble
from jobsched_tui.data.identity import Identity
from jobsched_tui.data.overdue import overdue
from jobsched_tui.screens.confirm import ConfirmScreen
from jobsched_tui.screens.jobs import JobsScreen
from tests.tui.frames import frame as framed
from tests.tui.stand import home_with, jobs_screen, play, screen, sees, until

Scene = Pilot[int]
#: Holds all that readers of a database ask for in its -shm file, until its input ends.
_HOLDER: Final = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX, 8, 120)
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Another process keeps everybody from reading in the block."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, f"{database}-shm"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == b"held\n"
        yield
        process.stdin.close()
        process.wait()


def copied(source: Path, folder: Path) -> Path:
    """A database as one file, whatever is still in its log."""
    folder.mkdir(exist_ok=True)
    target = folder / "jobsched.db"
    with sqlite3.connect(source / "jobsched.db") as database:
        database.execute("VACUUM INTO ?", (str(target),))
    database.close()
    return target


def put(database: Path, home: Path) -> None:
    """In the place of a home's database, as a restored copy comes."""
    for left in ("jobsched.db-wal", "jobsched.db-shm"):
        (home / left).unlink(missing_ok=True)
    database.replace(home / "jobsched.db")


def remove(home: Path) -> None:
    """Its database, and what belongs to that."""
    for left in home.glob("jobsched.db*"):
        left.unlink()


def is_there(home: Path) -> bool:
    """Whether somebody has made it."""
    return home.exists()


def is_dim(console: Console) -> bool:
    """Whether the rows are drawn as something old."""
    row = jobs_screen(console).jobs.render_line(1)
    return all(bool(piece.style and piece.style.dim) for piece in row)


def seconds_old(console: Console) -> int:
    """The age of the view that the header tells, which may skip a second; -1 for none."""
    told = re.search(r"stale (\d+)s", screen(console))
    return int(told[1]) if told else -1


def is_old(console: Console) -> bool:
    """Whether it says that nothing newer can be had."""
    return console.freshness.is_stale


# The pure parts.


def test_an_answer_that_is_late() -> None:
    """Up to two seconds a view is live; then it is old, since it was asked for the next."""
    live = replace(framed(), health=Health(link=Link.LIVE, at=90.0), now=90.0)
    assert overdue(live, 1.9, 100.0) is live
    late = overdue(live, 4.0, 100.0).health
    assert (late.link, late.at) == (Link.STALE, 96.0)
    assert late.cause is not None
    assert "does not answer" in late.cause
    for link in (Link.STALE, Link.MISSING, Link.PAST, Link.FROZEN):
        known = replace(live, health=Health(link=link))
        assert overdue(known, 99.0, 100.0) is known


def test_which_database_it_is(tmp_path: Path) -> None:
    """Another file is another database; one that was away is, if its history is shorter."""
    path = tmp_path / "jobsched.db"
    identity = Identity(path)
    assert not identity.is_another(lambda: 5)
    path.write_text("one")
    assert not identity.is_another(lambda: 5)
    (tmp_path / "new").write_text("two")
    (tmp_path / "new").replace(path)
    assert identity.is_another(lambda: 5)
    assert not identity.is_another(lambda: 5)
    identity.seq = 5
    identity.gone()
    assert not identity.is_another(lambda: 5)  # it was only not mounted
    identity.gone()
    assert identity.is_another(lambda: 4)
    assert identity.number == 2


# A database that goes away.


def test_a_home_that_goes_and_comes_back(home: Path) -> None:
    """Its last view stays, dimmed, with its age and the cause; nothing is made in its place."""
    home_with(home, "one")
    away = home.parent / "away"

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        assert not is_dim(console)
        shutil.move(home, away)
        await until(pilot, lambda: is_old(console) and is_dim(console), "an old view")
        await sees(pilot, "jobsched.db is gone")
        await until(pilot, lambda: seconds_old(console) >= 0, "an age")
        first = seconds_old(console)
        await until(pilot, lambda: seconds_old(console) > first, "an age that grows")
        assert "1 one" in screen(console)
        await pilot.press("x")
        await sees(pilot, "cancel: not possible while the database cannot be read")
        await pilot.press("S")
        await sees(pilot, "submit a DAG: not possible while")
        assert not is_there(home)
        shutil.move(away, home)
        await until(pilot, lambda: not is_old(console) and not is_dim(console), "a live view")
        assert "replaced" not in screen(console)

    play(home, scene)


def test_a_database_that_is_damaged(home: Path) -> None:
    """Garbage in its place is named as the cause, over the rows that were read last."""
    home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        garbage = home.parent / "garbage"
        garbage.write_bytes(b"this is no database at all" * 100)
        put(garbage, home)
        await until(pilot, lambda: is_dim(console), "an old view")
        await sees(pilot, "it is not a database")
        assert "1 one" in screen(console)
        await pilot.press("enter")
        await sees(pilot, "it is not a database")  # also where one looks into a job
        await until(pilot, lambda: console.screen.has_class("-stale"), "an old job")

    play(home, scene)


def test_a_database_that_is_held(home: Path) -> None:
    """While another process keeps it nobody is told that the view is live; keys are answered."""
    door = home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        with held(home / "jobsched.db"):
            await until(pilot, lambda: is_dim(console), "an old view")
            await sees(pilot, "the database does not answer")
            await pilot.press("question_mark")
            await sees(pilot, "Keys of this pane")
            await pilot.press("escape")
        door.hold(1)
        await sees(pilot, "held")
        await until(pilot, lambda: not is_dim(console), "a live view")

    play(home, scene)


# A database that is replaced.


def test_another_database(home: Path) -> None:
    """It is said; nothing is marked any more, and what was asked about old jobs is dropped."""
    home_with(home, "one", "two")
    other = Scheduler(home_with(home.parent / "other", "new", "newer").home)
    database = copied(other.home, home.parent / "copy")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        await pilot.press("asterisk")
        await until(pilot, lambda: len(jobs_screen(console).jobs.marks) == 2, "marks")
        await pilot.press("x")
        await until(pilot, lambda: isinstance(console.screen, ConfirmScreen), "the question")
        await pilot.press("y")
        await sees(pilot, "U:undo")
        await pilot.press("x")
        await until(pilot, lambda: isinstance(console.screen, ConfirmScreen), "the question")
        put(database, home)
        await sees(pilot, "the database was replaced")
        await sees(pilot, "2 newer")
        assert isinstance(console.screen, JobsScreen)
        assert jobs_screen(console).jobs.marks == frozenset()
        assert console.sight.view.marks == frozenset()

    play(home, scene, grace=60.0)
    states = {one["job_id"]: one["cancel_requested"] for one in Scheduler(home).queue(all=True)}
    assert states == {1: False, 2: False}


def test_a_copy_of_an_earlier_moment(home: Path) -> None:
    """Whoever restores a backup where nothing was is told so, too, and the past is left."""
    door = home_with(home, "one")
    database = copied(home, home.parent / "backup")
    door.submit([home.parent / "job.yaml"], name="later")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "2 later")
        console.sight.travel(1)
        await sees(pilot, "PAST")
        remove(home)
        await until(pilot, lambda: is_old(console), "an old view")
        shutil.copy(database, home / "jobsched.db")
        await sees(pilot, "the database was replaced")
        await sees(pilot, "1 one")
        assert not console.sight.is_past

    play(home, scene)


# What was seen.


def test_failures_that_were_seen(home: Path) -> None:
    """Who leaves the attention list has seen what is in it, now and in the next console."""
    door = home_with(home, "one", "two")
    door.job_done(1, status="FAILED", reason="out of memory")

    def failed(console: Console) -> list[int | None]:
        found = [] if console.frame is None else console.frame.attention
        return [one.job_id for one in found if one.trouble is Trouble.FAILED]

    async def looks(console: Console, pilot: Scene) -> None:
        await until(pilot, lambda: failed(console) == [1], "the failure")

    async def leaves_it(console: Console, pilot: Scene) -> None:
        await looks(console, pilot)
        await pilot.press("6")
        await sees(pilot, "out of memory")
        await pilot.press("1")
        await until(pilot, lambda: failed(console) == [], "none")
        door.job_done(2, status="FAILED", reason="another")
        await until(pilot, lambda: failed(console) == [2], "the new one")

    async def sees_the_new(console: Console, pilot: Scene) -> None:
        await until(pilot, lambda: failed(console) == [2], "the new one alone")
        await pilot.press("6")
        await sees(pilot, "another")

    async def sees_none(console: Console, pilot: Scene) -> None:
        await until(pilot, lambda: console.frame and console.frame.seq, "a frame")
        assert failed(console) == []

    for scene in (looks, leaves_it, sees_the_new, sees_none):
        play(home, scene)
