"""The console over a job that runs, or whose controller has died."""

from __future__ import annotations

import os
import signal

import pytest

from jobsched.api import Scheduler
from jobsched_tui.app import Console
from tests.tui.stand import Scene, play, screen, sees, types, until


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


@pytest.mark.usefixtures("unwatched")
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
