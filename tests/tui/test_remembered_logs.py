"""How logs were drawn, and how list and log shared the screen, comes back at the next start."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from jobsched.api import Scheduler
from jobsched_tui.app import Console
from jobsched_tui.data import session
from jobsched_tui.data.logs.values import Habits
from jobsched_tui.screens.detail import DetailScreen
from tests.tui.stand import home_with, jobs_screen, play, rows, sees, types, until

Scene = Pilot[int]


@pytest.fixture(name="door")
def _door(tmp_path: Path) -> Scheduler:
    """A job with a log that has a time, and a line that is too long."""
    door = home_with(tmp_path / "home", "train")
    path = door.home / "logs" / "controller" / "1.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"2026-11-30 12:00:00 begun {'x' * 200} end\n")
    return door


async def in_log(console: Console, pilot: Scene) -> None:
    """Open the log of the job."""
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(console.screen, DetailScreen), "the job")
    await sees(pilot, "begun")


def test_how_logs_are_drawn(door: Scheduler) -> None:
    """Wrapped, numbered, without times: in the next log, and at the next start in every log."""

    async def first(console: Console, pilot: Scene) -> None:
        await in_log(console, pilot)
        await types(pilot, "wT")
        await pilot.press("number_sign")
        await until(pilot, lambda: "   1 begun x" in "\n".join(rows(console)), "the line")
        await sees(pilot, "x end")
        await types(pilot, "q")

    async def second(console: Console, pilot: Scene) -> None:
        await in_log(console, pilot)
        await sees(pilot, "x end")
        assert any(row.startswith("   1 begun x") for row in rows(console))
        await types(pilot, "w")
        await until(pilot, lambda: not console.memory.habits.wrap, "the change")

    play(door.home, first)
    kept, _ = session.load(door.home / session.FILE_NAME)
    assert (kept.wrap, kept.numbers, kept.timestamps) == (True, True, False)
    assert play(door.home, second).memory.habits == Habits(numbers=True, timestamps=False)


@pytest.mark.parametrize(("keys", "split"), [("+", "list"), ("_", "log"), ("+_", "half")])
def test_how_list_and_log_share_the_screen(door: Scheduler, keys: str, split: str) -> None:
    """With one of them alone it goes on where it was, and Escape shows both."""
    pressed = {"+": "plus", "_": "underscore"}

    async def first(_: Console, pilot: Scene) -> None:
        await sees(pilot, "1 train")
        await pilot.press(*(pressed[key] for key in keys))

    async def second(console: Console, pilot: Scene) -> None:
        screen = jobs_screen(console)
        await until(pilot, lambda: seen(console) == _SEEN[split], "the panes")
        if split != "half":
            await pilot.press("escape")
            await until(pilot, lambda: seen(console) == {"list", "log"}, "both")
        await types(pilot, "j")
        assert screen.jobs.has_focus

    def seen(console: Console) -> set[str]:
        screen = jobs_screen(console)
        panes = {"list": screen.jobs, "log": screen.preview}
        return {name for name, pane in panes.items() if not pane.has_class("-hidden")}

    play(door.home, first)
    assert session.load(door.home / session.FILE_NAME)[0].split == split
    play(door.home, second)


_SEEN = {"list": {"list"}, "log": {"log"}, "half": {"list", "log"}}
