"""The limits dialog: what would happen is shown while it is typed, and set only when asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot
from textual.widgets import Button

from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched_tui.data.actions import Plan, Setting
from jobsched_tui.data.applying import Result, apply
from jobsched_tui.data.whatif import MIB, Machine, Queue, Waiter
from jobsched_tui.present.glyphs import ASCII, UNICODE, Pen
from jobsched_tui.screens.limits_dialog import LimitsDialog
from jobsched_tui.widgets.flag import Flag
from tests.tui.acting import FULL, Stage, until

QUEUE = Queue(
    resumes=(Waiter(5, "again"),),
    starts=tuple(Waiter(100 + n, f"[red]job-{n}") for n in range(10)),
)
MACHINE = Machine(
    auto_launch=8, auto_alive=64, controller_bytes=40 * MIB, free_bytes=3000 * MIB,
    alive_sum="64 = 48 alive + (3.0 GiB available - 2.4 GiB kept) / 40.0 MiB, assumed",
)  # fmt: skip

Acts = Callable[[Stage, Pilot[None]], Awaitable[None]]


def never(plan: Plan) -> Result:
    """Nothing may be set."""
    raise AssertionError(f"{plan} was set")


def play(
    commit: Callable[[Plan], Result],
    acts: Acts,
    *,
    size: tuple[int, int] = (80, 24),
    pen: Pen = UNICODE,
) -> Stage:
    """Open the dialog and act; the application afterwards."""

    async def run() -> Stage:
        app = Stage(LimitsDialog(FULL, QUEUE, MACHINE, commit, pen=pen))
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await acts(app, pilot)
            await pilot.pause()
        return app

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("size", "pen"), [((80, 24), ASCII), ((120, 36), UNICODE)], ids=["80x24-ascii", "120x36"]
)
def test_preview(size: tuple[int, int], pen: Pen) -> None:
    """Three more launches: who would start and launch again, what it takes, and the command."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        assert "as they are now: 0 jobs would start 11 jobs would still wait" in app.text()
        assert app.screen.query_one("#set", Button).disabled
        await pilot.press("up", "up", "up")
        await pilot.pause()
        for part in (
            "Launch 6 3 used of 3; auto is 8 here",
            "Alive auto 48 used of 64; auto is 64 here",
            "auto: 64 = 48 alive + (3.0 GiB available - 2.4 GiB kept) /",
            "launch 3 -> 6",
            "2 jobs would start: 100 [red]job-0, 101 [red]job-1",
            "1 job would launch again: 5 again",
            "8 jobs would still wait",
            "their controllers take about 80M of 2.9G that are free",
            "$ jobsched limits --launch 6",
            "[ Close ] [ Set ]",
        ):
            assert part in app.text()
        assert not app.screen.query_one("#set", Button).disabled
        if pen is ASCII:
            assert "".join(app.picture()).isascii()
        await pilot.press("escape")

    assert play(never, acts, size=size, pen=pen).answers == [None]


def test_nonsense_is_not_set() -> None:
    """What is no limit is told while it is typed, in the library's words, and cannot be set."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await pilot.press(*"x", "ctrl+s", "enter")
        await pilot.pause()
        says = "a limit is a number from 0 to 1000000 or auto, not 'x'"
        assert says in app.text()
        assert app.typed("launch") == "x"

    assert play(never, acts).answers == []


def test_arrows_count() -> None:
    """From ``auto`` the arrows count from what it means now; never below nothing."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await pilot.press("down", "down", "down", "down")
        assert app.typed("launch") == "0"
        await pilot.press("enter", "down")
        assert app.typed("alive") == "63"

    play(never, acts)


def test_set(context: Context) -> None:
    """What differs is set through the door, and only that."""
    door = Scheduler(context=context)
    door.set_limits(launch=3)

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await pilot.press("up", "tab", "tab", "space", "ctrl+s")
        await until(pilot, lambda: app.answers, "the limits to be set")

    (answer,) = play(lambda plan: apply(door, plan), acts).answers
    assert answer.plan.setting == Setting(launch=4, paused=True)
    assert answer.result.is_whole
    assert (door.limits().launch, door.limits().paused, door.limits().alive_auto) == (
        4, True, True,
    )  # fmt: skip


def test_a_refusal_loses_nothing() -> None:
    """If they cannot be set, it is said why, what was typed stays, and one may try again."""
    results = [Result(error="waited 10 s for scheduler.lock; nothing was changed"), Result()]

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        await pilot.press("up", "ctrl+s")
        says = "not applied: waited 10 s for scheduler.lock; nothing was changed"
        await until(pilot, lambda: says in app.text(), "the refusal")
        assert app.typed("launch") == "4"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.answers, "the limits to be set")

    answers = play(lambda _plan: results.pop(0), acts).answers
    assert [answer.plan.setting for answer in answers] == [Setting(launch=4)]


def test_flag_reads_without_colour() -> None:
    """The pause is a box that is ticked by key or mouse."""

    async def acts(app: Stage, pilot: Pilot[None]) -> None:
        assert "[ ] Pause starts of new jobs" in app.text()
        await pilot.click(Flag)
        await pilot.pause()
        assert "[x] Pause starts of new jobs" in app.text()
        assert "starts paused no -> yes" in app.text()

    play(never, acts)
