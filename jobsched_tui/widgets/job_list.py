"""The job list under keys and mouse: cursor, marks and scrolling over any number of jobs.

Decides nothing about rows: what they say is ``present.rows``, which are selected is
``present.selection``. Reading jobs is the owner's; it is asked by messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from jobsched_tui.data.frame import Frame, JobLine
from jobsched_tui.present.columns import GUTTER
from jobsched_tui.present.header import empty_list
from jobsched_tui.present.selection import Spot
from jobsched_tui.present.window import Place, Window
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.job_rows import HEADER, JobRows


class JobList(JobRows, can_focus=True):
    """All jobs that match, drawn from the rows of the last frame; the rest as placeholders."""

    @dataclass
    class CursorMoved(Message):
        """The cursor is on another job; ``None``: on none that is known."""

        job_id: int | None

    @dataclass
    class Opened(Message):
        """The operator wants to see a job."""

        job_id: int

    @dataclass
    class WindowChanged(Message):
        """Rows ``top`` and following are in sight now: so many are needed."""

        top: int
        height: int

    @dataclass
    class MarksChanged(Message):
        """Other jobs are marked."""

        marks: frozenset[int]

    @dataclass
    class MarkAsked(Message):
        """All matching jobs from ``first`` to ``last`` are to be marked; ``None``: all there are.

        Not all of their ids are known here. The owner answers by :meth:`JobList.mark`.
        """

        first: int | None = None
        last: int | None = None

    @dataclass
    class SortAsked(Message):
        """The operator wants the order of a column, by the order's name."""

        column: str

    @dataclass
    class LockChanged(Message):
        """The list stays with the job under the cursor, or no longer."""

        locked: bool

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        {
            "nav.down": "move(1)",
            "nav.up": "move(-1)",
            "nav.top": "end(0)",
            "nav.bottom": "end(1)",
            "nav.half_down": "page(0.5)",
            "nav.half_up": "page(-0.5)",
            "nav.page_down": "page(1)",
            "nav.page_up": "page(-1)",
            "nav.open": "open",
            "mark.toggle": "mark",
            "mark.range": "mark_range",
            "mark.all": "mark_all",
            "mark.none": "unmark",
            "list.lock": "lock",
        }
    )

    #: Cursor and marks that the owner has been told of.
    _told: tuple[int | None, frozenset[int]] = (None, frozenset())

    # What the owner hands in and asks.

    def show(
        self,
        frame: Frame,
        *,
        filter_text: str = "",
        cursor_at: Spot | None = None,
        gone: int | None = None,
    ) -> None:
        """Draw this moment; the same one again costs nothing.

        ``cursor_at``: where a job stands among all that match; ``gone``: one that is not among
        them. Both count only if the cursor is on that job, and may be left out: then the rows
        around it tell, and where they cannot the cursor stays with its job out of sight.
        """
        places = {} if cursor_at is None else {cursor_at.job_id: Place(cursor_at.index)}
        if gone is not None:
            places[gone] = Place(self.selection.spot.index, is_gone=True)
        before, new = self.selection.window, Window(frame.matched, frame.top, frame.lines)
        self._follow(new, places)
        self.draw(frame, before, empty_list(frame, filter_text))
        self._settle()

    def mark(self, job_ids: Iterable[int]) -> None:
        """Mark these jobs too."""
        self.set_marks(self.marks.union(job_ids))

    def set_marks(self, job_ids: Iterable[int]) -> None:
        """Mark these jobs and no others."""
        self.selection.marks = frozenset(job_ids)
        self._settle()

    def go_to(self, job_id: int, index: int) -> None:
        """Put the cursor on a job that stands at ``index`` among all that match."""
        self.selection.spot = Spot(job_id, index)
        self._show_cursor()
        self._settle()

    @property
    def cursor(self) -> int | None:
        """The job that the cursor is on."""
        return self.selection.spot.job_id

    @property
    def current(self) -> JobLine | None:
        """The same as it is shown, if its row has been read."""
        return self.selection.current

    @property
    def marks(self) -> frozenset[int]:
        """The jobs that are marked."""
        return self.selection.marks

    # Where the cursor is.

    def _follow(self, new: Window, places: Mapping[int | None, Place]) -> None:
        """Keep the cursor on its job, and the list under the operator's eyes where it is."""
        picked, before = self.selection, self.selection.spot.index
        was_in_sight = 0 <= before - self.top_row < self.rows_in_sight
        picked.update(new, places)
        self.fit()
        if picked.locked or (was_in_sight and self.top_row > 0):
            self.scroll_rows(self.top_row + picked.spot.index - before)
        if was_in_sight:
            self._show_cursor()

    def _show_cursor(self) -> None:
        """Scroll no further than it takes to see the cursor."""
        index, top, rows = self.selection.spot.index, self.top_row, self.rows_in_sight
        if index < top:
            self.scroll_rows(index)
        elif rows and index >= top + rows:
            self.scroll_rows(index - rows + 1)

    def _go(self, index: int) -> None:
        self.selection.place_at(index)
        self._show_cursor()
        self._settle()

    def _settle(self) -> None:
        """After anything that may have moved cursor or marks: draw it, and tell the owner."""
        self.repaint_rows()
        (cursor, marks), self._told = self._told, (self.cursor, self.marks)
        if cursor != self.cursor:
            self.post_message(self.CursorMoved(self.cursor))
        if marks != self.marks:
            self.post_message(self.MarksChanged(self.marks))

    # Keys.

    def action_move(self, rows: int) -> None:
        """One row on, or back."""
        self._go(self.selection.spot.index + rows)

    def action_page(self, part: float) -> None:
        """A part of what is in sight on, or back."""
        self._go(self.selection.spot.index + round(part * max(1, self.rows_in_sight - 1)))

    def action_end(self, which: int) -> None:
        """To the first row (0), or to the last (1)."""
        self._go(which * self.selection.window.total)

    def action_open(self) -> None:
        """See the job under the cursor."""
        if self.cursor is not None:
            self.post_message(self.Opened(self.cursor))

    def action_mark(self) -> None:
        """Mark the job under the cursor and go on; or end the range that is being marked."""
        if self.selection.start is not None:
            self.action_mark_range()
        elif self.cursor is not None:
            self.selection.toggle()
            self.action_move(1)

    def action_mark_range(self) -> None:
        """Begin a range at the cursor, or mark all from there to here."""
        if self.cursor is None:
            return
        if self.selection.start is None:
            self.selection.start = self.selection.spot
            self.repaint_rows()
            return
        first, last, job_ids = self.selection.range_ids()
        self.selection.start = None
        self.mark(job_ids or ())
        if job_ids is None:
            self.post_message(self.MarkAsked(first.job_id, last.job_id))

    def action_mark_all(self) -> None:
        """Mark every job that matches, seen or not."""
        if self.selection.window.total:
            self.post_message(self.MarkAsked())

    def action_unmark(self) -> None:
        """Mark none."""
        self.selection.start = None
        self.set_marks(())

    def action_lock(self) -> None:
        """Stay with the job under the cursor wherever it goes, or no longer."""
        self.selection.locked = not self.selection.locked
        self.post_message(self.LockChanged(locked=self.selection.locked))

    # The mouse.

    def on_click(self, event: events.Click) -> None:
        """A title sorts, a row takes the cursor, its first cells mark it; twice opens it."""
        at = event.get_content_offset(self)
        if at is None:
            return
        event.stop()
        index = self.top_row + at.y - HEADER
        if at.y < HEADER:
            order = self._painter.layout.order_at(at.x)
            if order is not None:
                self.post_message(self.SortAsked(order))
        elif index < self.selection.window.total:
            self._go(index)
            if at.x < GUTTER:
                self.selection.toggle()
                self._settle()
            elif event.chain == 2:  # noqa: PLR2004 - a double click
                self.action_open()

    # What the terminal does.

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Other rows are in sight."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._painter.forget()
            self.post_message(self.WindowChanged(self.top_row, self.rows_in_sight))

    def on_resize(self) -> None:
        """More or fewer rows and columns."""
        self.fit()
        self.rearrange()
        self._show_cursor()
        self.post_message(self.WindowChanged(self.top_row, self.rows_in_sight))
