"""The rows of the job list on the screen: a window on any number of jobs that costs what is seen.

Owns what has to be drawn anew. What a row says is decided in ``present.rows``; keys, mouse and
messages are :class:`~jobsched_tui.widgets.job_list.JobList`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import ClassVar, Final

from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from jobsched_tui.data.frame import Frame
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.selection import Selection
from jobsched_tui.present.spans import Line
from jobsched_tui.present.window import Window, changes
from jobsched_tui.widgets.painting import Palette, palette_of, strip
from jobsched_tui.widgets.row_painter import RowPainter, Seen

#: How long a changed row is drawn stronger, in seconds.
FLASH: Final = 0.4
#: Seconds between looks at ages that are told without seconds.
_SELDOM: Final = 5.0
#: The titles, above the rows.
HEADER: Final = 1


class JobRows(ScrollView):
    """All jobs that match, drawn from the rows that were read; the others as placeholders."""

    DEFAULT_CSS: ClassVar[str] = """
    JobRows { overflow: hidden scroll; scrollbar-size-vertical: 1; }
    """

    def __init__(
        self,
        *,
        pen: Pen = UNICODE,
        zone: tzinfo | None = None,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._painter = RowPainter(pen, zone)
        self._palette: Palette | None = None
        #: Cursor, marks and lock: to be read, and changed by the methods below alone.
        self.selection = Selection()
        self._now = self._due = 0.0
        self._empty: Sequence[Line] = ()
        self._flashing: frozenset[int] = frozenset()

    def draw(self, frame: Frame, before: Window, empty: Sequence[Line]) -> None:
        """Take over a moment; ``empty``: what is said where no job matches."""
        self._now = frame.now
        said, self._empty = self._empty, () if frame.matched else empty
        if said != self._empty:
            self.refresh()
        self._flash(before, self.selection.window)

    def tick(self, now: float) -> None:
        """Draw anew those rows in sight whose ages say something else by now."""
        self._now = now
        if now >= self._due or self.selection.window.tells_seconds(now):
            self._due = now - now % _SELDOM + _SELDOM
            self.repaint_rows()

    def set_columns(self, chosen: Sequence[str] | None) -> None:
        """Show these columns, in this order; ``None``: what the width has room for."""
        self._painter.chosen = chosen
        self.rearrange()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are shown, in order."""
        return tuple(str(placed.col) for placed in self._painter.layout.columns)

    def set_pen(self, pen: Pen) -> None:
        """Draw with other signs."""
        self._painter.pen = pen
        self.rearrange()

    def set_sort(self, sort: Sequence[tuple[str, bool]]) -> None:
        """Say in the titles by which orders the list is sorted, the first counts most."""
        if tuple(sort) != self._painter.sort:
            self._painter.sort = tuple(sort)
            self.refresh(Region(0, 0, self._cells, HEADER))

    @property
    def rows_in_sight(self) -> int:
        """How many rows there is room for."""
        return max(0, self.size.height - HEADER)

    @property
    def _cells(self) -> int:
        """How wide a row is: the scroll bar has its own."""
        return self.scrollable_content_region.width

    @property
    def top_row(self) -> int:
        """The first row in sight."""
        return self.scroll_offset.y

    def scroll_rows(self, top: int) -> None:
        """Bring a row to the top."""
        self.scroll_to(y=max(0, top), animate=False, force=True)

    # What is drawn.

    def render_line(self, y: int) -> Strip:
        """One line of the screen: the titles, a row, or why there is none."""
        if self._palette is None:
            self._palette = palette_of(self.app)
        base, selected = self.rich_style, False
        line: Line = ()
        index = self.top_row + y - HEADER
        if self.selection.window.total == 0:
            line = self._empty[y - HEADER] if 0 <= y - HEADER < len(self._empty) else ()
        elif y < HEADER:
            line = self._painter.titles()
        elif index < self.selection.window.total:
            seen = self._seen(index)
            line, selected = self._painter.line(y, seen, self._now), seen.selected
        base = base + self._palette.cursor if selected else base
        return strip(line, self._cells, self._palette, base)

    def _seen(self, index: int) -> Seen:
        line = self.selection.window.at(index)
        return Seen(
            line=line,
            selected=self.selection.is_on(index, line),
            marked=self.selection.is_marked(index, line),
            changed=line is not None and line.job_id in self._flashing,
        )

    def repaint_rows(self) -> None:
        """Ask for those lines in sight that would look different."""
        for y in range(HEADER, self.size.height):
            index = self.top_row + y - HEADER
            seen = self._seen(index) if index < self.selection.window.total else None
            if self._painter.is_stale(y, seen, self._now):
                self.refresh(Region(0, y, self._cells, 1))

    def _flash(self, old: Window, new: Window) -> None:
        """Draw what has just happened stronger, for a moment."""
        if self.app.animation_level == "none":
            return
        changed = changes(old, new)
        if changed:
            self._flashing |= changed
            self.set_timer(FLASH, lambda: self._calm(changed))

    def _calm(self, changed: frozenset[int]) -> None:
        self._flashing -= changed
        self.repaint_rows()

    def notify_style_update(self) -> None:
        """Another theme: other colours."""
        self._palette = None
        super().notify_style_update()

    def fit(self) -> None:
        """As long as the list: told to the scroll bar alone, a layout would draw all anew."""
        length = HEADER + self.selection.window.total
        if self.virtual_size != Size(self._cells, length):
            self.set_reactive(JobRows.virtual_size, Size(self._cells, length))
            self.vertical_scrollbar.window_virtual_size = length
            self.scroll_rows(min(self.top_row, self.max_scroll_y))

    def rearrange(self) -> None:
        """Place the columns anew, and draw everything."""
        self._painter.arrange(self._cells)
        self.refresh()
