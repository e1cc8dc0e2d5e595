"""The console on a real home without a terminal, and hands and eyes for tests of it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from textual.pilot import Pilot

from jobsched.api import Scheduler
from jobsched_tui.app import Console, Options
from jobsched_tui.screens.jobs import JobsScreen

DEADLINE = 20.0
_NAMES = {" ": "space", ":": "colon", "/": "slash", "-": "minus", "@": "at", ".": "full_stop"}
#: Hands and eyes of a scene.
Scene: TypeAlias = Pilot[int]
Play: TypeAlias = Callable[[Console, Scene], Awaitable[None]]


def play(home: Path, scene: Play, size: tuple[int, int] = (120, 36), **options: Any) -> Console:
    """Run a scene on the console of a home; the console, after it was left."""
    given = {"grace": 0.0, "user": "tester", **options}
    console = Console(Scheduler(home, actor="tester"), Options(**given))

    async def run() -> None:
        async with console.run_test(size=size) as pilot:
            await until(pilot, lambda: console.frame is not None, "the first frame")
            await scene(console, pilot)

    asyncio.run(run())
    return console


async def until(pilot: Pilot[Any], condition: Callable[[], Any], what: str) -> None:
    """Let the console work until ``condition()`` is true."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        shown = "\n".join(rows(pilot.app))
        assert time.monotonic() < deadline, f"waited in vain for {what}:\n{shown}"
        await pilot.pause(0.02)


async def sees(pilot: Pilot[Any], text: str) -> None:
    """Wait until a text stands on the screen."""
    await until(pilot, lambda: text in screen(pilot.app), f"{text!r}")


async def types(pilot: Pilot[Any], text: str) -> None:
    """Press the key of each character."""
    await pilot.press(*(_NAMES.get(one, one) for one in text))


def rows(app: Any) -> list[str]:
    """The rows of the screen on top."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def screen(app: Any) -> str:
    """The same as one text, with single blanks and without borders."""
    return " ".join(" ".join(row.strip(" │|") for row in rows(app)).split())


def jobs_screen(console: Console) -> JobsScreen:
    """The main screen."""
    found = console.screen_stack[1]
    assert isinstance(found, JobsScreen)
    return found


def home_with(home: Path, *names: str) -> Scheduler:
    """A home in which nothing starts, with a job of each name."""
    door = Scheduler(home, actor="alice via jobsched")
    door.set_limits(paused=True)
    file = home.parent / "job.yaml"
    file.write_text("run: 'true'\n")
    for name in names:
        door.submit([file], name=name)
    return door


def is_root() -> bool:
    """Whether nothing on this machine can be forbidden."""
    return os.geteuid() == 0
