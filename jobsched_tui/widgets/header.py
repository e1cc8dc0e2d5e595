"""A few lines that are given: drawn anew only where they have changed.

Decides nothing and takes no key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from jobsched_tui.present.spans import Line
from jobsched_tui.widgets.painting import Palette, palette_of, strip


class LinesView(Widget):
    """Lines of spans, as many as were given last."""

    DEFAULT_CSS: ClassVar[str] = "LinesView { height: auto; width: 1fr; }"

    def __init__(self, lines: Sequence[Line] = (), *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._lines: list[Line] = list(lines)
        self._palette: Palette | None = None

    def show(self, lines: Sequence[Line]) -> None:
        """Draw these instead; the same ones again cost nothing."""
        old, self._lines = self._lines, list(lines)
        if len(old) != len(self._lines):
            self.refresh(layout=True)
            return
        for y, (before, after) in enumerate(zip(old, self._lines, strict=True)):
            if list(before) != list(after):
                self.refresh(Region(0, y, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        """One line, on the widget's own background."""
        if self._palette is None:
            self._palette = palette_of(self.app)
        line = self._lines[y] if y < len(self._lines) else ()
        return strip(line, self.size.width, self._palette, self.rich_style)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's signature
        """One cell for each line."""
        return len(self._lines)

    def notify_style_update(self) -> None:
        """Another theme: other colours."""
        self._palette = None
        super().notify_style_update()
