"""Screens that are only read: help, the audit, notes.

Owns a title, scrolling and the way back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line, Span, Tone, span
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.header import LinesView
from jobsched_tui.widgets.text_view import TextView


class ReadingScreen(ModalScreen[None]):
    """Lines below a title; ``lay`` gives them for a width."""

    DEFAULT_CSS = """
    ReadingScreen { align: center middle; }
    ReadingScreen > Vertical {
        width: 110; max-width: 96%; height: 90%;
        border: round $foreground 60%; padding: 0 1; background: $surface;
    }
    ReadingScreen.-ascii > Vertical { border: ascii $foreground 60%; }
    ReadingScreen TextView { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings({"reading.close": "close"})

    def __init__(
        self, title: str, lay: Callable[[int], Sequence[Line]], *, pen: Pen = UNICODE
    ) -> None:
        super().__init__(classes="-ascii" if pen.is_ascii else None)
        self._title, self._lay, self._pen = title, lay, pen

    def compose(self) -> ComposeResult:
        """Title, lines, the way back."""
        with Vertical():
            yield LinesView([[span(self._title, Tone.TITLE)]])
            yield TextView(pen=self._pen, id="lines")
            back = [Span("Esc", Tone.KEY), Span(" back  ")]
            yield LinesView([[*back, Span("j k g G PgDn", Tone.KEY), Span(" scroll")]])

    def on_mount(self) -> None:
        """Ready to scroll."""
        view = self.query_one(TextView)
        view.show(self._lay)
        view.focus()

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)
