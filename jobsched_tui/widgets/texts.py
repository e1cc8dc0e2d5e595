"""Lines of spans as a widget of its own, and as what other widgets show.

Owns that step alone. No text is ever read as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.segment import Segment
from rich.text import Text
from textual.strip import Strip
from textual.widget import Widget

from jobsched_tui.present.glyphs import UNICODE, Pen, ascii_line
from jobsched_tui.present.spans import Line
from jobsched_tui.widgets.painting import Palette, palette_of

#: What may be typed into a field of one line: nothing that could move the cursor of a terminal.
HARMLESS: Final = r"[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]*"


def text_of(line: Line, colours: Palette, pen: Pen = UNICODE) -> Text:
    """One line, as widgets that take text can show it."""
    shown = ascii_line(line) if pen.is_ascii else line
    return Text.assemble(*((piece.text, colours.tones[piece.tone]) for piece in shown))


def with_pen(strip: Strip, pen: Pen) -> Strip:
    """What Textual drew, its ellipsis in ASCII where nothing else may be written."""
    if not pen.is_ascii or strip.text.isascii():
        return strip
    pieces = (Segment(one.text.replace("…", "~"), one.style, one.control) for one in strip)
    return Strip(pieces, strip.cell_length)


class Lines(Widget):
    """Some lines, as high as they are; long ones are wrapped."""

    DEFAULT_CSS = """
    Lines { height: auto; }
    """

    def __init__(
        self,
        lines: Sequence[Line] = (),
        *,
        pen: Pen = UNICODE,
        id: str | None = None,  # noqa: A002 -- as in all widgets
    ) -> None:
        super().__init__(id=id)
        self._lines, self._pen = tuple(lines), pen

    def show(self, lines: Sequence[Line]) -> None:
        """Show these from now on."""
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            self.refresh(layout=True)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        return with_pen(super().render_line(y), self._pen)

    def render(self) -> Text:
        """All lines, in the colours of this moment."""
        colours = palette_of(self.app)
        return Text("\n").join(text_of(line, colours, self._pen) for line in self._lines)
