"""What the console shows where there is little or nothing to show."""

from __future__ import annotations

from pathlib import Path

from jobsched_tui.app import Console
from jobsched_tui.data.frame import Link
from tests.tui.stand import Scene, home_with, play, sees, types


def test_no_database_comes_alive(home: Path) -> None:
    """Where there is no home yet the screen says so, and shows jobs as soon as there are some."""

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "No database yet in")
        assert console.frame is not None
        assert console.frame.health.link is Link.MISSING
        home_with(home, "first")
        await sees(pilot, "1 first")

    play(home, scene)
    assert not (home / "console.json").is_symlink()


def test_no_jobs(home: Path) -> None:
    """An empty home shows a newcomer what a job looks like, and the two keys to go on with."""
    home_with(home)

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "No jobs yet.")
        await sees(pilot, "S submits a file")
        await sees(pilot, "there is no job under the cursor")

    play(home, scene)


def test_a_filter_that_hides_all(home: Path) -> None:
    """It says how many it hides, and Esc shows them again, but does not leave."""
    home_with(home, "one", "two")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "2 two")
        await pilot.press("slash")
        await types(pilot, "nothing")
        await pilot.press("enter")
        await sees(pilot, "0 of 2 match nothing")
        await pilot.press("escape")
        await sees(pilot, "2 two")
        await pilot.press("escape")
        await sees(pilot, "this is the job list; q leaves")
        assert console.is_running

    play(home, scene)


def test_a_filter_that_is_wrong(home: Path) -> None:
    """A filter that is not understood is explained while it is typed, and Esc drops it."""
    home_with(home, "one")

    async def scene(_: Console, pilot: Scene) -> None:
        await pilot.press("slash")
        await types(pilot, "stat:x")
        await sees(pilot, "state")
        await pilot.press("escape")
        await sees(pilot, "1 one")

    play(home, scene)


def test_a_job_that_has_not_started(home: Path) -> None:
    """The preview says that there is no log, and why."""
    home_with(home, "one")

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "it has not started, so there is no log: job 1 waits")

    play(home, scene)


def test_who_paused_is_told(home: Path) -> None:
    """The limits say that starts are paused, by whom and since when."""
    home_with(home, "one")

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "STARTS PAUSED by alice")

    play(home, scene)


def test_launch_limit_zero(home: Path) -> None:
    """A limit of nothing is a word."""
    home_with(home, "one").set_limits(launch=0)

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "LAUNCH PAUSED(0)")

    play(home, scene)
