"""What may be done in the console, when, and how it is taken back."""

from __future__ import annotations

from pathlib import Path

from jobsched.states import ScheduleState
from jobsched_tui.app import Console
from jobsched_tui.screens.confirm import ConfirmScreen
from jobsched_tui.screens.limits_dialog import LimitsDialog
from tests.tui.stand import Scene, home_with, jobs_screen, play, screen, sees, types, until


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
