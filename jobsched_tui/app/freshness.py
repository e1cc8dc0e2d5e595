"""Whether what the console shows is still so: how old it is, why, and of which database.

Owns what becomes of marks, questions and places when another database takes the place of the one
that they were about, and the line that says that the view is old.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from jobsched_tui.data.frame import Frame, Link
from jobsched_tui.data.overdue import LATE, overdue
from jobsched_tui.present import header
from jobsched_tui.present.spans import Line, Tone, span
from jobsched_tui.screens.base import FrameScreen
from jobsched_tui.screens.confirm import ConfirmScreen
from jobsched_tui.screens.jobs import JobsScreen

if TYPE_CHECKING:
    from jobsched_tui.app import Console


class Freshness:
    """Of one console. All methods are for its loop."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._database: int | None = None
        self._was_late = False

    def take(self, frame: Frame) -> None:
        """A frame was read: it may be of another database than the one before."""
        before, self._database = self._database, frame.database
        if before not in (None, frame.database):
            self._replaced()

    @property
    def frame(self) -> Frame | None:
        """The newest frame, told to be old if the next one does not come."""
        console = self._console
        if console.frame is None:
            return None
        return overdue(console.frame, console.reader.overdue, console.clock.now())

    @property
    def is_stale(self) -> bool:
        """Whether nothing newer than an old view can be had."""
        frame = self.frame
        return frame is not None and frame.health.link is Link.STALE

    @property
    def line(self) -> Line:
        """How old the view is, and why; nothing while it is not."""
        frame, pen = self.frame, self._console.options.pen
        if frame is None or frame.health.link is not Link.STALE:
            return ()
        drawing = header.Drawing(width=self._console.size.width, pen=pen)
        told = header.link(frame.health, self._console.clock.now(), drawing)
        return [span(" "), *told, span("; nothing can be changed", Tone.MUTED)]

    def tick(self) -> bool:
        """A second has gone by; whether it has to be drawn again."""
        is_late = self._console.reader.overdue >= LATE
        was_late, self._was_late = self._was_late, is_late
        return is_late or was_late or self.is_stale

    def _replaced(self) -> None:
        """Ids mean other jobs now: nothing that was chosen or asked for counts any more."""
        console = self._console
        console.acting.drop()
        while _is_of_jobs(console.screen):
            console.pop_screen()
        for screen in console.screen_stack:
            if isinstance(screen, JobsScreen):
                screen.jobs.set_marks(())
        console.sight.look(detail=None, past=None, marks=frozenset())
        console.forget_news()
        said = "the database was replaced: these are other jobs, and none is marked"
        console.say([span(said, Tone.WARN)], alarming=True)


def _is_of_jobs(screen: Screen[Any]) -> bool:
    """Whether it is about some jobs, and not the list of all."""
    is_place = isinstance(screen, FrameScreen) and not isinstance(screen, JobsScreen)
    return is_place or isinstance(screen, ConfirmScreen)
