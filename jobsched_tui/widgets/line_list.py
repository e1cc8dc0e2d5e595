"""Lines with a cursor that stands on some of them: what the panes of one job have in common.

Owns scrolling, the cursor's keys and redrawing no more than what has changed. What the lines are is
the subclass's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line
from jobsched_tui.widgets.painting import Palette, palette_of, strip


class LineList(ScrollView, can_focus=True):
    """A list of lines; subclasses give them by :meth:`lay` and name them by :meth:`name_at`."""

    DEFAULT_CSS: ClassVar[str] = """
    LineList { overflow: hidden auto; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", id="nav.down", show=False),
        Binding("k,up", "move(-1)", "Up", id="nav.up", show=False),
        Binding("g,home", "go(0)", "First", id="nav.top", show=False),
        Binding("G,end", "go(-1)", "Last", id="nav.bottom", show=False),
        Binding("ctrl+d", "page(0.5)", "Half page down", id="nav.half_down", show=False),
        Binding("ctrl+u", "page(-0.5)", "Half page up", id="nav.half_up", show=False),
        Binding("pagedown", "page(1)", "Page down", id="nav.page_down", show=False),
        Binding("pageup", "page(-1)", "Page up", id="nav.page_up", show=False),
        Binding("enter", "open", "Open", id="nav.open", show=False),
    ]

    def __init__(
        self,
        *,
        pen: Pen = UNICODE,
        id: str | None = None,  # noqa: A002 -- Textual's name
    ) -> None:
        super().__init__(id=id)
        self.pen = pen
        self._lines: Sequence[Line] = ()
        #: Indices of the lines on which the cursor may stand.
        self._stops: Sequence[int] = ()
        self._cursor = 0
        self._palette: Palette | None = None

    # For subclasses.

    def lay(self, width: int) -> tuple[Sequence[Line], Sequence[int]]:
        """All lines for that width, and on which of them the cursor may stand."""
        raise NotImplementedError

    def name_at(self, index: int) -> object:
        """What the line is about: the cursor stays with it when lines come and go."""
        return index

    def is_selected(self, index: int) -> bool:
        """Whether the whole line is drawn as what the cursor is on."""
        return index == self._cursor and index in self._stops

    def relay(self, key: object = None) -> None:
        """Make the lines anew and draw those that look different; ``key``: where the cursor was."""
        before, here = self._lines, self._cursor
        self._lines, self._stops = self.lay(self._cells)
        self._cursor = self._find(key)
        size = Size(self._cells, len(self._lines))
        if self.virtual_size != size:
            self.virtual_size = size
        last = max(len(before), len(self._lines))
        for index in range(
            self.scroll_offset.y, min(last, self.scroll_offset.y + self.size.height)
        ):
            old = before[index] if index < len(before) else None
            new = self._lines[index] if index < len(self._lines) else None
            if old != new or (here != self._cursor and index in (here, self._cursor)):
                self._redraw(index)

    def _find(self, key: object) -> int:
        """The line that the cursor goes to: of the same thing, else the nearest."""
        if key is not None:
            for index in self._stops:
                if self.name_at(index) == key:
                    return index
        nearest = sorted(self._stops, key=lambda index: abs(index - self._cursor))
        return nearest[0] if nearest else 0

    @property
    def cursor_key(self) -> object:
        """What the cursor is on; ``None``: on nothing."""
        return self.name_at(self._cursor) if self._cursor in self._stops else None

    @property
    def _cells(self) -> int:
        """How wide a line is: the scroll bar has its own cell, whether it is there or not."""
        return self.scrollable_content_region.width

    # Moving.

    def move_to(self, index: int) -> None:
        """Put the cursor on a line, and bring it into sight."""
        before, self._cursor = self._cursor, index
        for line in {before, index}:
            self._redraw(line)
        top = index
        if self._stops and index == self._stops[0]:
            # Above the first stop there may be a head, which has no other way to be seen again.
            top = max(0, index - self.size.height + 1)
        self.scroll_to_region(Region(0, top, 1, index - top + 1), animate=False, force=True)
        self.cursor_moved()

    def cursor_moved(self) -> None:
        """Tell whoever wants to know."""

    def action_move(self, steps: int) -> None:
        """To the next stop, or back; where there is none, scroll."""
        if not self._stops:
            self.scroll_relative(y=steps, animate=False)
            return
        at = next((at for at, stop in enumerate(self._stops) if stop >= self._cursor), 0)
        self.move_to(self._stops[max(0, min(len(self._stops) - 1, at + steps))])

    def action_page(self, part: float) -> None:
        """A part of what is in sight on, or back."""
        self.action_move(round(part * max(1, self.size.height - 1)))

    def action_go(self, at: int) -> None:
        """To a stop by its number; -1 is the last."""
        if self._stops:
            self.move_to(self._stops[at])

    def action_open(self) -> None:
        """Do what this list does with a line."""

    def on_click(self, event: events.Click) -> None:
        """The cursor goes where one clicks; twice opens."""
        at = event.get_content_offset(self)
        if at is not None and self.click(at.x, at.y + self.scroll_offset.y):
            event.stop()
            if event.chain == 2:  # noqa: PLR2004 -- a double click
                self.action_open()

    def click(self, x: int, index: int) -> bool:
        """Put the cursor on what is at that cell of a line; whether there is anything."""
        del x
        if index in self._stops:
            self.move_to(index)
        return index in self._stops

    # Drawing.

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        if self._palette is None:
            self._palette = palette_of(self.app)
        index = y + self.scroll_offset.y
        line = self._lines[index] if index < len(self._lines) else ()
        base = self.rich_style
        if self.has_focus and self.is_selected(index):
            base += self._palette.cursor
        return strip(line, self._cells, self._palette, base)

    def _redraw(self, index: int) -> None:
        y = index - self.scroll_offset.y
        if 0 <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    def on_resize(self) -> None:
        """Other widths, other lines."""
        self.relay(self.cursor_key)

    def on_focus(self) -> None:
        """The cursor is seen only where keys go."""
        self._redraw(self._cursor)

    def on_blur(self) -> None:
        """As above."""
        self._redraw(self._cursor)

    def notify_style_update(self) -> None:
        """Another theme: other colours."""
        self._palette = None
        super().notify_style_update()
