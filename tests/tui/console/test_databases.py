"""The console over databases that are not what they should be."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from jobsched_tui.app import Console
from jobsched_tui.data.frame import Link
from tests.tui.stand import Scene, home_with, play, screen, sees, until


def test_garbage(home: Path) -> None:
    """A file that is no database is named as the cause; nothing is changed."""
    home.mkdir(mode=0o700)
    (home / "jobsched.db").write_bytes(b"this is no database at all" * 100)

    async def scene(console: Console, pilot: Scene) -> None:
        await until(
            pilot,
            lambda: console.frame is not None and console.frame.health.link is Link.STALE,
            "a stale frame",
        )
        await sees(pilot, "stale")

    play(home, scene)
    assert (home / "jobsched.db").read_bytes().startswith(b"this is no database")


def test_a_newer_database(home: Path) -> None:
    """A database of a later version is not touched, and both numbers are told."""
    home_with(home, "one")
    with sqlite3.connect(home / "jobsched.db") as database:
        database.execute("PRAGMA user_version = 999")

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "999")

    play(home, scene)


def test_a_database_that_is_locked(home: Path) -> None:
    """While another holds it the last rows stay, and the screen comes alive after that."""
    door = home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        frozen = sqlite3.connect(home / "jobsched.db", isolation_level=None)
        frozen.execute("BEGIN IMMEDIATE")
        await pilot.press("j")
        assert "1 one" in screen(console)
        frozen.execute("ROLLBACK")
        frozen.close()
        door.hold(1)
        await sees(pilot, "held")

    play(home, scene)


def test_a_database_that_is_replaced(home: Path, tmp_path: Path) -> None:
    """Another database in its place is shown instead."""
    home_with(home, "before")
    home_with(tmp_path / "other", "after", "later")

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "1 before")
        shutil.copy(tmp_path / "other" / "jobsched.db", home / "new.db")
        for left in ("jobsched.db-wal", "jobsched.db-shm"):
            (home / left).unlink(missing_ok=True)
        (home / "new.db").replace(home / "jobsched.db")
        await sees(pilot, "2 later")

    with sqlite3.connect(tmp_path / "other" / "jobsched.db") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    play(home, scene)


def test_a_home_that_is_removed(home: Path) -> None:
    """Its rows are not shown as if they were there, and nothing crashes."""
    home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        shutil.rmtree(home)
        await until(
            pilot,
            lambda: console.frame is not None and console.frame.health.link is not Link.LIVE,
            "another link",
        )
        await pilot.press("j", "enter", "escape", "t", "escape", "escape")
        assert console.is_running

    play(home, scene)
