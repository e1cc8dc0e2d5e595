"""The processes of one job: a tree for its controller and for each of its clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from jobsched_tui.data.processes import Usage
from jobsched_tui.data.proctable import Identity
from jobsched_tui.present import processes as words
from jobsched_tui.present.glyphs import UNICODE, Pen, ascii_line
from jobsched_tui.present.processes import Row
from jobsched_tui.present.spans import Line, Tone, clip_line, span
from jobsched_tui.widgets.line_list import LineList


class ProcessView(LineList):
    """Draws a :class:`Usage`; the cursor stays on its process whatever comes and goes."""

    class SignalAsked(Message):
        """The operator wants to signal a process: which one, and of what kind of tree."""

        def __init__(self, identity: Identity, kind: str) -> None:
            super().__init__()
            self.identity, self.kind = identity, kind

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("K", "signal", "Signal", id="process.signal"),
    ]

    def __init__(
        self,
        *,
        pen: Pen = UNICODE,
        id: str | None = None,  # noqa: A002 -- Textual's name
    ) -> None:
        super().__init__(pen=pen, id=id)
        self._usage: Usage | None = None
        self._rows: list[Row] = []

    def show(self, usage: Usage) -> None:
        """Draw these processes."""
        key = self.cursor_key
        self._usage = usage
        self.relay(key)

    def lay(self, width: int) -> tuple[Sequence[Line], Sequence[int]]:
        """The column heads, then the trees."""
        if self._usage is None or width == 0:
            return (), ()
        self._rows = words.rows(self._usage, width, self.pen)
        head = clip_line([span(words.HEAD, Tone.MUTED)], width)
        lines: list[Line] = [ascii_line(head) if self.pen.is_ascii else head]
        lines += [row.line for row in self._rows]
        stops = [at + 1 for at, row in enumerate(self._rows) if row.identity is not None]
        return lines, stops

    def name_at(self, index: int) -> object:
        """A process is known by its identity, never by its PID alone."""
        return self._rows[index - 1].identity if 0 < index <= len(self._rows) else None

    def action_signal(self) -> None:
        """Ask which signal to send to the process under the cursor."""
        if self._cursor in self._stops:
            row = self._rows[self._cursor - 1]
            if row.identity is not None:
                self.post_message(self.SignalAsked(row.identity, row.kind))
