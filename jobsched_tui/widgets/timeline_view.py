"""The timeline of one job: where its time went, a bar for each task, and every step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from textual.message import Message

from jobsched_tui.data.timeline import Timeline
from jobsched_tui.present import timeline as words
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line
from jobsched_tui.widgets.line_list import LineList


class TimelineView(LineList):
    """Draws a :class:`Timeline`; Enter on a step leads to its moment in the log."""

    class JumpToTime(Message):
        """The operator wants to see what a task (``None``: the controller) printed at a moment."""

        def __init__(self, at: float, task_id: int | None) -> None:
            super().__init__()
            self.at, self.task_id = at, task_id

    def __init__(
        self,
        *,
        pen: Pen = UNICODE,
        zone: tzinfo | None = None,
        id: str | None = None,  # noqa: A002 -- Textual's name
    ) -> None:
        super().__init__(pen=pen, id=id)
        self._zone = zone
        self._timeline: Timeline | None = None
        #: Lines above the first step.
        self._head = 0

    def show(self, timeline: Timeline) -> None:
        """Draw this one; the cursor stays on its step, or with the last one if it was there."""
        key = self.cursor_key
        was_last = bool(self._stops) and self._cursor == self._stops[-1]
        self._timeline = timeline
        self.relay(key)
        if was_last and self._stops and self._cursor != self._stops[-1]:
            self.move_to(self._stops[-1])

    def lay(self, width: int) -> tuple[Sequence[Line], Sequence[int]]:
        """The summary, the bars, then the steps."""
        timeline = self._timeline
        if timeline is None or width == 0:
            return (), ()
        head: list[Line] = [
            words.summary(timeline, width, self.pen),
            (),
            words.scale(timeline, width, self._zone),
            *words.chart(timeline, width, self.pen),
            (),
        ]
        dated = words.is_dated(timeline)
        steps = [
            words.row(step, width, dated=dated, pen=self.pen, zone=self._zone)
            for step in timeline.steps
        ]
        self._head = len(head)
        return [*head, *steps], range(self._head, self._head + len(steps))

    def name_at(self, index: int) -> object:
        """A step is known by its row in the history."""
        place = index - self._head
        steps = self._timeline.steps if self._timeline else ()
        return steps[place].seq if 0 <= place < len(steps) else None

    def action_open(self) -> None:
        """Lead to the log at the moment of the step."""
        if self._timeline is not None and self._cursor in self._stops:
            step = self._timeline.steps[self._cursor - self._head]
            self.post_message(self.JumpToTime(step.at, step.task_id))
