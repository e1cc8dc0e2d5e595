"""The console as a whole on real homes: what it shows when something is missing, wrong or gone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from jobsched.api import Scheduler
from jobsched.states import ScheduleState
from jobsched_tui.app import Console
from jobsched_tui.data.frame import Link
from jobsched_tui.screens.confirm import ConfirmScreen
from jobsched_tui.screens.detail import DetailScreen
from jobsched_tui.screens.limits_dialog import LimitsDialog
from jobsched_tui.screens.reading import ReadingScreen
from tests.support import wait_until
from tests.tui.stand import home_with, jobs_screen, play, rows, screen, sees, types, until

Scene = Pilot[int]


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(name="running")
def _running(home: Path) -> Iterator[Scheduler]:
    """A home in which one job runs, with its controller."""
    door = Scheduler(home, actor="alice via jobsched")
    file = home.parent / "long.yaml"
    file.write_text("name: long\nrun: |\n  echo begun\n  exec sleep 600\n")
    (made,) = door.submit([file])
    wait_until(lambda: door.show(made.job_id)["status"] == "RUNNING", 20, "the job to run")
    yield door
    if door.show(made.job_id)["schedule_state"] != "DONE":
        door.done(made.job_id)
    door.sweep()


# Empty states.


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


# Databases that are not what they should be.


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


# Dead controllers, and those that live.


def test_a_controller_that_is_killed_is_replaced(running: Scheduler) -> None:
    """While a console that may write is open, a dead controller's job goes on with another."""
    home = running.home
    before = running.show(1)["controller_pid"]

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "RUNNING")
        os.kill(before, signal.SIGKILL)
        await until(
            pilot, lambda: running.show(1)["controller_pid"] not in (before, None), "another one"
        )
        await sees(pilot, str(running.show(1)["controller_pid"]))

    play(home, scene)
    assert running.show(1)["schedule_state"] == "ALIVE"


def test_a_dead_controller_needs_attention_where_nothing_may_be_written(running: Scheduler) -> None:
    """A console that only reads changes nothing: the job is told to be dead, with a command."""
    home, pid = running.home, running.show(1)["controller_pid"]

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "RUNNING")
        os.kill(pid, signal.SIGKILL)
        await sees(pilot, "DEAD")
        await pilot.press("6")
        await sees(pilot, "jobsched requeue 1")
        assert running.show(1)["controller_pid"] == pid
        assert console.frame is not None

    play(home, scene, read_only=True)


def test_force_done_of_a_live_job(running: Scheduler) -> None:
    """It needs the word and a reason; Enter alone does nothing."""

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "RUNNING")
        await pilot.press("X")
        await sees(pilot, "Type done to go on")
        await types(pilot, "done")
        await pilot.press("enter", "h", "u", "n", "g", "enter", "tab", "tab", "enter")
        await until(pilot, lambda: running.show(1)["schedule_state"] == "DONE", "the end")
        await sees(pilot, "done: force-done 1")

    play(running.home, scene)
    assert running.show(1)["failure_reason"] == "hung"


# What may be done, and when.


def test_read_only_says_why(home: Path) -> None:
    """Keys that would change something say that this console is read only."""
    home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        for key in ("x", "X", "S", "L", "H", "R", "U"):
            await pilot.press(key)
            assert "this console is read only" in screen(console), key
            assert console.screen is jobs_screen(console)
            console.say(())

    play(home, scene, read_only=True)
    assert not (home / "console.json").exists()


def test_the_past(home: Path) -> None:
    """Another moment is marked as one, nothing can be done there, and Esc leads back."""
    home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        console.sight.travel(1)
        await sees(pilot, "PAST")
        await pilot.press("x")
        await sees(pilot, "this is the past")
        await pilot.press("escape")
        await sees(pilot, "live")
        assert not console.sight.is_past

    play(home, scene)


def test_a_moment_that_is_typed(home: Path) -> None:
    """What is no moment is explained; what is one is shown."""
    home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await pilot.press("at")
        await types(pilot, "soon")
        await sees(pilot, "a moment is 03:12")
        await pilot.press("escape", "at")
        await types(pilot, "-0s")
        await pilot.press("enter")
        await sees(pilot, "PAST")
        assert console.sight.is_past

    play(home, scene)


def test_a_job_that_is_done_says_so(home: Path) -> None:
    """An action that a state forbids is refused with that state."""
    home_with(home, "one").cancel([1])

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "DONE")
        await pilot.press("x")
        await sees(pilot, "job 1 is DONE")

    play(home, scene)


def test_cancel_and_undo_in_the_grace_window(home: Path) -> None:
    """A cancel that was confirmed can be dropped before it is done."""
    door = home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        await pilot.press("x")
        await until(pilot, lambda: isinstance(console.screen, ConfirmScreen), "the question")
        await pilot.press("y")
        await sees(pilot, "U:undo")
        await pilot.press("U")
        await sees(pilot, "not done: cancel 1")

    play(home, scene, grace=60.0)
    assert door.show(1)["schedule_state"] == str(ScheduleState.WAITING)


def test_what_was_confirmed_is_done_when_the_console_is_left(home: Path) -> None:
    """Leaving in the grace window does not drop what was meant."""
    door = home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        await pilot.press("x")
        await until(pilot, lambda: isinstance(console.screen, ConfirmScreen), "the question")
        await pilot.press("y", "q")

    play(home, scene, grace=60.0)
    assert door.show(1)["status"] == "CANCELLED"


def test_a_limit_that_is_changed_can_be_taken_back(home: Path) -> None:
    """The dialog sets it, U sets it back."""
    door = home_with(home, "one")
    door.set_limits(launch=3)

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "LAUNCH 0/3")
        await pilot.press("L")
        await until(pilot, lambda: isinstance(console.screen, LimitsDialog), "the dialog")
        await pilot.press("up", "ctrl+s")
        await sees(pilot, "LAUNCH 0/4")
        await pilot.press("U")
        await sees(pilot, "LAUNCH 0/3")

    play(home, scene)


# Finding one's way.


def test_the_palette_finds_jobs_actions_and_themes(home: Path) -> None:
    """A job is opened by a part of its name, and what it is called is nobody's markup."""
    home_with(home, "one", "[b]two[/b]")

    async def scene(console: Console, pilot: Scene) -> None:
        await pilot.press("ctrl+p")
        await sees(pilot, "filter (/)")
        await types(pilot, "two")
        await sees(pilot, "job 2 [b]two[/b]")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(console.screen, DetailScreen), "the job")
        await sees(pilot, "2 [b]two[/b]")

    play(home, scene)


def test_the_command_line(home: Path) -> None:
    """Words are completed, remembered, and what is none is said."""
    home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        await pilot.press("colon")
        await types(pilot, "aud")
        await pilot.press("tab", "enter")
        await until(pilot, lambda: isinstance(console.screen, ReadingScreen), "the audit")
        await pilot.press("escape", "colon", "up", "enter")
        await until(pilot, lambda: isinstance(console.screen, ReadingScreen), "the audit again")
        await pilot.press("q", "colon")
        await types(pilot, "thme nord")
        await pilot.press("enter")
        await sees(pilot, "did you mean theme?")
        await pilot.press("colon")
        await types(pilot, "theme nord")
        await pilot.press("enter")
        await until(pilot, lambda: console.theme == "nord", "the theme")
        await pilot.press("colon")
        await types(pilot, "log.follow")
        await pilot.press("enter")
        await sees(pilot, "possible only in a log")

    play(home, scene)
    assert json.loads((home / "console.json").read_text())["theme"] == "nord"


def test_the_console_is_found_as_it_was_left(home: Path) -> None:
    """Tab, filter, order, columns, theme, mouse and views are remembered."""
    home_with(home, "one", "two")

    async def leave(console: Console, pilot: Scene) -> None:
        await sees(pilot, "2 two")
        console.sight.filter("o")
        console.sight.sort("name", descending=True)
        console.set_columns(("id", "name"))
        await pilot.press("M", "3", "colon")
        await types(pilot, "save mine")
        await pilot.press("enter")
        await sees(pilot, "saved; `view mine` shows it again")

    async def come(console: Console, pilot: Scene) -> None:
        await sees(pilot, "2 two")
        assert console.sight.looking.tab == "waiting"
        assert console.sight.looking.filter_text == "o"
        assert console.sight.looking.sort == (("name", True),)
        assert jobs_screen(console).jobs.columns == ("id", "name")
        assert dict(console.session.saved_views) == {"mine": "o"}
        assert not console.session.mouse

    play(home, leave)
    play(home, come)


def test_a_memory_that_makes_no_sense_is_left_out(home: Path) -> None:
    """Names of no tab, column, order or theme do no harm."""
    home_with(home, "one")
    (home / "console.json").write_text(
        json.dumps(
            {"tab": "x", "filter": "a:b:", "sort": "y", "columns": ["z"], "theme": "none at all"}
        )
    )

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        assert console.sight.looking.tab == "all"
        assert console.theme in console.available_themes

    play(home, scene)


def test_help_is_about_the_pane(home: Path) -> None:
    """It lists the keys of the pane first, as they are bound."""
    home_with(home, "one")

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        await pilot.press("question_mark")
        await sees(pilot, "In this pane")
        await sees(pilot, "list.filter")
        await pilot.press("q", "enter", "question_mark")
        await sees(pilot, "In this pane")
        await pilot.press("f1")

    play(home, scene)


def test_the_logs_of_a_job_in_turn(running: Scheduler) -> None:
    """The key of the log shows the next of a job's logs."""

    async def scene(_: Console, pilot: Scene) -> None:
        await sees(pilot, "RUNNING")
        await pilot.press("enter")
        await sees(pilot, "begun")
        await pilot.press("l")
        await sees(pilot, "controller of job 1")
        await pilot.press("l")
        await sees(pilot, "begun")
        await pilot.press("slash")
        await types(pilot, "beg")
        await pilot.press("enter")
        await sees(pilot, "match of beg")
        await pilot.press("escape")
        await until(pilot, lambda: "match of" not in screen(pilot.app), "the search to end")
        await sees(pilot, "begun")
        await pilot.press("escape")
        await sees(pilot, "1 of 1")

    play(running.home, scene)


# Sizes.


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50), (60, 15), (20, 5), (1, 1)])
def test_every_size(home: Path, size: tuple[int, int]) -> None:
    """No screen is too small to be drawn on, and no row is wider than it."""
    home_with(home, "one", "two")

    async def scene(console: Console, pilot: Scene) -> None:
        await pilot.pause()
        for keys in (["z"], ["z"], ["6"], ["1"], ["question_mark"], ["escape"], ["enter"]):
            await pilot.press(*keys)
            assert all(len(row) <= size[0] for row in rows(console))
        for key in ("t", "D", "P", "y", "E", "l", "escape", "L", "escape", "S", "escape"):
            await pilot.press(key)
        assert console.is_running

    play(home, scene, size)


def test_a_storm_of_sizes(home: Path) -> None:
    """Many sizes one after another do no harm."""
    home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        for step in range(20):
            await pilot.resize_terminal(1 + step * 37 % 211, 1 + step * 17 % 61)
        await pilot.resize_terminal(120, 36)
        await sees(pilot, "1 one")
        assert console.is_running

    play(home, scene)


# Failures of our own.


def test_a_crash_leaves_a_report(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the console ends it with code 1, a report and one line, without a traceback."""
    home_with(home, "one")

    def break_down(*_: Any) -> None:
        raise RuntimeError("a part is broken")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        monkeypatch.setattr(console.sight, "freeze", break_down)
        await pilot.press("p")

    console: list[Console] = []

    async def keep(one: Console, pilot: Scene) -> None:
        console.append(one)
        await scene(one, pilot)

    with pytest.raises(RuntimeError, match="a part is broken"):
        play(home, keep)
    (report,) = home.glob("jobsched-tui-crash-*.txt")
    assert console[0].return_code == 1
    assert str(report) in console[0].failure
    assert "\n" not in console[0].failure
    assert "Traceback" in report.read_text()
    assert report.stat().st_mode & 0o777 == 0o600
