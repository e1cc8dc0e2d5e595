"""Screens that are only read: help, the audit, notes.

Owns a title, scrolling and the way back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line, Span, Tone, span
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.dialog import Dialog
from jobsched_tui.widgets.header import LinesView
from jobsched_tui.widgets.text_view import TextView

#: The dialog's cells at most, the part of the screen that it takes at most; what is not lines.
_WIDTH: Final = 110
_PART: Final = 0.96
_FRAME_CELLS: Final = 5
_OTHER_ROWS: Final = 5


class ReadingScreen(ModalScreen[None]):
    """Lines below a title; ``lay`` gives them for a width."""

    DEFAULT_CSS = """
    ReadingScreen { align: center middle; }
    ReadingScreen #dialog { width: 110; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings({"reading.close": "close"})

    def __init__(
        self, title: str, lay: Callable[[int], Sequence[Line]], *, pen: Pen = UNICODE
    ) -> None:
        super().__init__()
        self._title, self._lay, self._pen = title, lay, pen

    def compose(self) -> ComposeResult:
        """Title, lines, the way back."""
        with Dialog(pen=self._pen):
            yield LinesView([[span(self._title, Tone.TITLE)]])
            yield TextView(pen=self._pen, id="lines")
            yield LinesView([[]])
            back = [Span("Esc", Tone.KEY), Span(" back  ")]
            yield LinesView([[*back, Span("j k g G PgDn", Tone.KEY), Span(" scroll")]])

    def on_mount(self) -> None:
        """Ready to scroll."""
        view = self.query_one(TextView)
        view.show(self._lay)
        view.focus()

    def on_resize(self) -> None:
        """As high as there are lines, as far as there is room."""
        view = self.query_one(TextView)
        cells = min(_WIDTH, int(self.size.width * _PART)) - _FRAME_CELLS
        rows = int(self.size.height * _PART) - _OTHER_ROWS
        view.styles.height = max(1, min(rows, len(self._lay(cells))))

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)
