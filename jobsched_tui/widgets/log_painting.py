"""Rows of a log as strips: the colours that a program printed, and our tones over them.

Owns how a printed style is drawn in each kind of terminal, and remembers the strips of lines that
were drawn. What a line says is decided in ``present.loglines``.
"""

from __future__ import annotations

from typing import Final

from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.strip import Strip

from jobsched_tui.data.logs.sgr import Colour, LogStyle
from jobsched_tui.data.logs.values import Row
from jobsched_tui.present.loglines import LogSpans, Look, log_rows
from jobsched_tui.widgets.painting import Palette

_KEPT: Final = 2000
#: Colours of the palette that are the terminal's own.
_NAMED: Final = 16


class LogPainter:
    """Draws lines for one look and one theme; make another for another."""

    def __init__(
        self, look: Look, colours: Palette, base: Style, *, colour: bool = True, ansi: bool = False
    ) -> None:
        self.look = look
        self._colours, self._base = colours, base
        self._colour, self._ansi = colour, ansi
        self._strips: LRUCache[tuple[Row, bool], list[Strip]] = LRUCache(_KEPT)
        self._styles: dict[LogStyle, Style] = {}

    def strips(self, row: Row, *, current: bool) -> list[Strip]:
        """The rows of the screen that a line takes, each as wide as the view."""
        key = (row, current)
        found = self._strips.get(key)
        if found is None:
            found = [self._strip(spans) for spans in log_rows(row, self.look, current=current)]
            self._strips[key] = found
        return found

    def _strip(self, spans: LogSpans) -> Strip:
        tones = self._colours.tones
        segments = [
            Segment(piece.text, self._style(piece.style) + tones[piece.tone]) for piece in spans
        ]
        return Strip(segments).adjust_cell_length(self.look.width, self._base)

    def _style(self, style: LogStyle) -> Style:
        found = self._styles.get(style)
        if found is None:
            found = self._styles[style] = self._base + Style(
                color=self._drawn(style.fore),
                bgcolor=self._drawn(style.back),
                bold=style.bold or None,
                dim=style.dim or None,
                underline=style.underline or None,
            )
        return found

    def _drawn(self, colour: Colour | None) -> Color | None:
        if colour is None or not self._colour:
            return None
        drawn = Color.from_ansi(colour) if isinstance(colour, int) else Color.from_rgb(*colour)
        named = isinstance(colour, int) and colour < _NAMED
        return drawn.downgrade(ColorSystem.STANDARD) if self._ansi and not named else drawn
