"""A log view on a screen of its own, and hands and eyes for tests of it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

from textual import on
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from jobsched_tui.data.logs.file import LogFile
from jobsched_tui.widgets.log_view import LogView

#: 18 lines and the status.
SIZE: Final = (60, 19)
DEADLINE: Final = 10.0


class Screen(App[None]):
    """A log view alone."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.view = LogView(LogFile(path))
        self.heard: list[Message] = []

    def compose(self) -> ComposeResult:
        """The view."""
        yield self.view

    @on(LogView.FollowChanged)
    @on(LogView.Missed)
    def hear(self, message: Message) -> None:
        """Keep what was said."""
        self.heard.append(message)


Play: TypeAlias = Callable[[Screen, Pilot[None]], Awaitable[None]]


def play(path: Path, scene: Play, size: tuple[int, int] = SIZE) -> None:
    """Run a scene on a view of a log."""

    async def run() -> None:
        screen = Screen(path)
        async with screen.run_test(size=size) as pilot:
            screen.view.focus()
            await scene(screen, pilot)

    asyncio.run(run())


def shown(screen: Screen) -> list[str]:
    """What stands on the screen, without blanks at the ends."""
    view = screen.view
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def status(screen: Screen) -> str:
    """The last line."""
    return re.sub("─{2,}", "─", shown(screen)[-1])


async def until(pilot: Pilot[None], condition: Callable[[], Any], what: str) -> None:
    """Let the application work until ``condition()`` is true."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        await pilot.pause(0.005)


def append(path: Path, data: str) -> int:
    """Write on; how many bytes there are then."""
    with path.open("a") as log:
        log.write(data)
    return path.stat().st_size


def replace(path: Path, data: str) -> None:
    """Write it anew."""
    path.write_text(data)


def remove(path: Path) -> None:
    """Move it away."""
    path.rename(path.with_suffix(".1"))


async def grow(screen: Screen, pilot: Pilot[None], path: Path, data: str) -> None:
    """Append to the log, tell the view, and wait until it has seen it."""
    size = append(path, data)
    screen.view.refresh_log()
    await until(pilot, lambda: size_of(screen) == size, "what was appended")
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def size_of(screen: Screen) -> int:
    """Bytes of the log that the view knows."""
    update = screen.view._update
    return -1 if update is None else update.size


async def quiet(screen: Screen, pilot: Pilot[None]) -> None:
    """Wait until the view has nothing left to do."""
    await pilot.pause()
    await until(pilot, lambda: not screen.view._serving, "the end of the work")
    await pilot.pause()


def numbered(path: Path, count: int) -> None:
    """A log of numbered lines."""
    path.write_text("".join(f"line {number}\n" for number in range(count)))
