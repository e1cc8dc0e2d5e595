"""A job list on a screen of its own, and hands and eyes for tests of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC

from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from jobsched_tui.data.frame import JobLine
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.widgets.job_list import JobList
from tests.tui.frames import job


class Stage(App[None]):
    """A screen with nothing but the list, and a note of what it says."""

    CSS = "JobList { height: 1fr; }"

    def __init__(self, pen: Pen = UNICODE) -> None:
        super().__init__()
        self.list = JobList(pen=pen, zone=UTC)
        self.heard: list[Message] = []
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        """The list."""
        yield self.list

    def on_mount(self) -> None:
        """Keys go to the list."""
        self.list.focus()

    def say(self, message: Message) -> None:
        """Note what the list said."""
        self.heard.append(message)

    on_job_list_cursor_moved = say
    on_job_list_opened = say
    on_job_list_window_changed = say
    on_job_list_marks_changed = say
    on_job_list_mark_asked = say
    on_job_list_sort_asked = say
    on_job_list_lock_changed = say

    def said(self, kind: type[Message]) -> list[Message]:
        """All of one kind so far."""
        return [message for message in self.heard if isinstance(message, kind)]

    def drawn(self) -> list[int]:
        """Which lines of the list have been asked to be drawn, and not been yet."""
        regions = self.list._dirty_regions
        return sorted(y for region in regions for y in range(region.y, region.bottom))

    def settle(self) -> None:
        """All that was asked for has been drawn."""
        self.list._dirty_regions.clear()

    def rows(self) -> list[str]:
        """What stands on the screen."""
        return [self.list.render_line(y).text.rstrip() for y in range(self.list.size.height)]


Script = Callable[[Stage, Pilot[None]], Awaitable[None]]


def play(script: Script, *, size: tuple[int, int] = (80, 11), pen: Pen = UNICODE) -> None:
    """Run a script on a stage: ten rows, unless it says otherwise."""

    async def main() -> None:
        stage = Stage(pen)
        async with stage.run_test(size=size) as pilot:
            await pilot.pause()
            await script(stage, pilot)

    asyncio.run(main())


def jobs(first: int, last: int) -> list[JobLine]:
    """Jobs by falling id, as a list has them."""
    return [job(job_id) for job_id in range(first, last - 1, -1)]


def ids(stage: Stage) -> list[str]:
    """The gutter and id of each row in sight."""
    return [row[:8] for row in stage.rows()[1:] if row]


async def press(pilot: Pilot[None], keys: Sequence[str]) -> None:
    """Some keys, and what follows from them."""
    await pilot.press(*keys)
    await pilot.pause()
