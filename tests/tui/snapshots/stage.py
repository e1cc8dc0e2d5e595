"""Scenes on the real console: with their clock, their size and their colours, and no terminal.

Owns how a scene is played until nothing moves any more. What is shown comes from the console.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from jobsched.api import Scheduler
from jobsched.api.looking import Capacity
from jobsched.testing import FakeClock
from jobsched_tui.app import Console, Options
from jobsched_tui.data.live import Live
from jobsched_tui.data.scenes import Scene, SceneSource
from jobsched_tui.data.scenes.home import HOME
from jobsched_tui.data.session import Session
from jobsched_tui.data.shelf import Shelf
from jobsched_tui.present.glyphs import pen_for
from jobsched_tui.screens.jobs import JobsScreen
from jobsched_tui.widgets.log_view import LogView
from tests.tui.snapshots.picture import Picture, picture_of

#: Seconds that a scene may take, on the busiest machine.
_DEADLINE: Final = 30.0
#: Seconds between two looks that must show the same.
_BETWEEN: Final = 0.03
_MIB: Final = 1024**2


@dataclass(frozen=True, slots=True)
class Look:
    """With which colours a console is drawn."""

    name: str
    theme: str = "textual-dark"
    is_ansi: bool = False
    has_colour: bool = True


DARK: Final = Look("dark")
ANSI: Final = Look("ansi-dark", theme="ansi-dark", is_ansi=True)
NO_COLOUR: Final = Look("no-colour", theme="ansi-dark", is_ansi=True, has_colour=False)


class _Door(Scheduler):
    """The door of an empty home, on a machine that is always the same."""

    def capacity(self) -> Capacity:
        """16 CPUs, and not much memory left."""
        return Capacity(
            auto_launch=64, auto_alive=64, controller_bytes=13 * _MIB // 2,
            available_bytes=926 * _MIB,
            alive_sum="64 = 48 alive + (926.0 MiB available - 819.2 MiB kept) / 6.5 MiB,"
            " measured on 16 controllers 12 s ago",
        )  # fmt: skip


class SceneConsole(Console):
    """A console that is shown a scene instead of its home."""

    def __init__(self, scene: Scene, look: Look) -> None:
        self.scene = scene
        options = Options(
            pen=pen_for(is_ascii=scene.is_ascii), is_ansi=look.is_ansi, theme=look.theme,
            zone=UTC, user="alice", remembers=False,
        )  # fmt: skip
        super().__init__(_Door(HOME, actor="scene"), options, clock=FakeClock(scene.frame.now))
        self.animation_level = "none"
        self.shelf = Shelf()
        if scene.draft is not None:
            self.shelf.put(scene.draft)

    def _live(self) -> Live:
        return cast("Live", SceneSource(self.scene))  # it answers all that a console asks

    def _may_tick(self) -> bool:
        return False

    def _tick(self) -> None:
        """No second goes by."""

    @property
    def session(self) -> Session:
        """How the scene was left."""
        return replace(super().session, filter=self.scene.filter)

    @property
    def is_settled(self) -> bool:
        """Whether all that was asked for has been done, on every screen."""
        lists = [one for one in self.screen_stack if isinstance(one, JobsScreen)]
        logs = [log for one in self.screen_stack for log in one.query(LogView)]
        return (
            self.frame is not None
            and all(worker.is_finished for worker in self.workers)
            and not any(log._serving or log._update is None for log in logs)
            and not any(one._rest is not None for one in lists)
        )

    async def catch_up(self) -> None:
        """Wait until the reading thread has answered all that it was asked, and read again."""
        await self._answer()
        await self._answer()  # the frame that follows an answer is there once the next one is

    async def _answer(self) -> None:
        answered, loop = asyncio.Event(), asyncio.get_running_loop()
        self.reader.ask(lambda _: None, lambda _: loop.call_soon_threadsafe(answered.set))
        await asyncio.wait_for(answered.wait(), _DEADLINE)


@contextlib.contextmanager
def _folder(scene: Scene) -> Iterator[None]:
    """The scene's files in the current directory, for as long as it is played."""
    with TemporaryDirectory(prefix="scene-") as name:
        for path, text in scene.files.items():
            (Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(name) / path).write_text(text, encoding="utf-8", newline="")
        with contextlib.chdir(name):
            yield


@contextlib.contextmanager
def _colourless() -> Iterator[None]:
    """An application looks at its environment when it is made, and at a copy of it."""
    os.environ["NO_COLOR"] = "1"
    try:
        yield
    finally:
        del os.environ["NO_COLOR"]


@contextlib.asynccontextmanager
async def played(
    scene: Scene, size: tuple[int, int], look: Look = DARK
) -> AsyncIterator[SceneConsole]:
    """The console once the scene stands and nothing moves."""
    with _folder(scene):
        with _colourless() if not look.has_colour else contextlib.nullcontext():
            console = SceneConsole(scene, look)
        async with console.run_test(size=size) as pilot:
            await _settle(console, pilot)
            for key in scene.keys:
                await pilot.press(key)
                await console.catch_up()
            _steady(console)
            await _settle(console, pilot, scene.until)
            yield console


def _steady(console: Console) -> None:
    """Cursors of fields do not blink."""
    for field in console.screen.query(Input):
        field.cursor_blink = False
    for area in console.screen.query(TextArea):
        area.cursor_blink = False


async def _settle(console: SceneConsole, pilot: Pilot[Any], until: str = "") -> None:
    """Wait until all is done, ``until`` is on the screen, and two looks show the same."""
    deadline = time.monotonic() + _DEADLINE
    before: Picture | None = None
    while True:
        await console.catch_up()
        await pilot.pause()
        now = picture_of(console) if console.is_settled else None
        if now is not None and now == before and any(until in row for row in now.rows):
            return
        before = now
        if time.monotonic() > deadline:
            shown = "\n".join(picture_of(console).rows)
            raise AssertionError(f"waited in vain for {until!r}; the screen shows\n{shown}")
        await asyncio.sleep(_BETWEEN)


def picture(scene: Scene, size: tuple[int, int], look: Look = DARK) -> Picture:
    """What stands on the screen."""

    async def take() -> Picture:
        async with played(scene, size, look) as console:
            return picture_of(console)

    return asyncio.run(take())


def drawing(scene: Scene, size: tuple[int, int], look: Look = DARK) -> str:
    """The same as SVG."""

    async def take() -> str:
        async with played(scene, size, look) as console:
            return console.export_screenshot()

    return asyncio.run(take())
