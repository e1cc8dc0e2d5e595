"""A page of a log: draws what has arrived of any number of lines, and scrolls over all of them.

Owns where the view is, whether it follows the end, how lines look, and which rows of the screen
have to be drawn anew. Reads nothing: rows are handed in, and :meth:`LogPage.needs_rows` is called
when others are in sight. What lines, dividers and status say is decided in ``present``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import ClassVar, Final

from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from jobsched_tui.data.logs.values import USUAL, Habits, Row
from jobsched_tui.data.logs.wishes import Wishes
from jobsched_tui.messages import Remember
from jobsched_tui.present import logpage, logstatus
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.loglines import Look, gutter_width, log_width
from jobsched_tui.present.logpage import Contents
from jobsched_tui.present.logstatus import Facts
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.log_painting import LogPainter
from jobsched_tui.widgets.painting import Palette, palette_of, strip

#: The status line, below the lines.
_FOOTER: Final = 1
#: Cells that one step sideways takes.
_SIDEWAYS: Final = 8
#: Line numbers take so many digits at least, so that they seldom grow.
_DIGITS: Final = 4


class LogPage(ScrollView, can_focus=True):
    """Lines with dividers above and below them, and a status line. For :class:`LogView`."""

    DEFAULT_CSS = """
    LogPage { overflow-x: auto; overflow-y: scroll; scrollbar-size: 0 1; }
    """
    ALLOW_SELECT = False

    class FollowChanged(Message):
        """The view goes along with the end of the log now, or no longer."""

        def __init__(self, *, follow: bool) -> None:
            super().__init__()
            self.follow = follow

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        {
            "nav.down": "move(1)",
            "nav.up": "move(-1)",
            "nav.left": "sideways(-1)",
            "nav.right": "sideways(1)",
            "nav.half_down": "page(0.5)",
            "nav.half_up": "page(-0.5)",
            "nav.page_down": "page(1)",
            "nav.page_up": "page(-1)",
            "nav.bottom": "last",
            "log.follow": "follow",
            "log.wrap": "wrap",
            "log.numbers": "numbers",
            "log.timestamps": "timestamps",
        }
    )

    def __init__(
        self,
        *,
        pen: Pen = UNICODE,
        habits: Habits = USUAL,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._pen, self._habits = pen, habits
        self._palette: Palette | None = None
        self._painter: LogPainter | None = None
        self._painted: list[Strip] | None = None
        self._placing = False
        self._begin_page()

    def _begin_page(self) -> None:
        """Nothing is known of this log yet."""
        self._contents, self._wishes = Contents(), Wishes()
        self._follow, self._widest = True, 0

    @abstractmethod
    def needs_rows(self) -> None:
        """Other rows are in sight: have them read."""

    @abstractmethod
    def facts(self) -> Facts:
        """What the status line says."""

    @property
    def following(self) -> bool:
        """Whether it goes along with the end of the log."""
        return self._follow

    @property
    def new_lines(self) -> int:
        """How many lines have come since it stopped following."""
        return 0 if self._follow else max(0, self._contents.lines - self._wishes.left_at)

    # Keys.

    def action_move(self, rows: int) -> None:
        """Some lines on, or back."""
        self._scroll(self._top + rows)

    def action_page(self, part: float) -> None:
        """A part of the page on, or back."""
        self._scroll(self._top + round(part * max(1, self._page - 1)))

    def action_sideways(self, steps: int) -> None:
        """To the left or right."""
        self.scroll_to(x=self.scroll_offset.x + steps * _SIDEWAYS, animate=False)

    def action_last(self) -> None:
        """To the last line, and on with it."""
        self._set_follow(on=True)

    def action_follow(self) -> None:
        """Go along with the end, or stay."""
        self._set_follow(on=not self._follow)

    def action_wrap(self) -> None:
        """Break long lines, or let them run out of sight."""
        self._change(wrap=not self._habits.wrap)

    def action_numbers(self) -> None:
        """Show line numbers, or not."""
        self._change(numbers=not self._habits.numbers)

    def action_timestamps(self) -> None:
        """Show the time that lines begin with, or not."""
        self._change(timestamps=not self._habits.timestamps)

    def _change(self, **changes: bool) -> None:
        """Draw lines in another way from now on."""
        self._habits = replace(self._habits, **changes)
        self.post_message(Remember(**changes))
        self._restyle()

    def on_resize(self) -> None:
        """Another page, perhaps more lines."""
        self._restyle()
        self.needs_rows()

    # Where the view is.

    @property
    def _page(self) -> int:
        """Rows of the screen for lines."""
        return max(0, self.size.height - _FOOTER)

    @property
    def _top(self) -> int:
        return self.scroll_offset.y

    def _set_follow(self, *, on: bool) -> None:
        if on != self._follow:
            self._follow = on
            self._wishes.left_at = self._contents.lines
            self.post_message(self.FollowChanged(follow=on))
        if on:
            self._settle(self._top)
            self.needs_rows()
        self._repaint()

    def _scroll(self, top: int) -> None:
        self.scroll_to(y=top, animate=False, force=True)

    def _settle(self, top: int) -> None:
        """Fit the scroll bars to the contents, and stay at ``top``, or at the end."""
        self._placing = True
        last = logpage.last_top(self._contents, self._page, self._height_of)
        self._stretch(Size(0 if self._habits.wrap else self._widest, last + self.size.height))
        self.scroll_to(y=last if self._follow else top, animate=False, force=True)
        self._placing = False

    def _stretch(self, size: Size) -> None:
        """Scroll over so much, without the new layout of the screen that Textual would make."""
        if size != self.virtual_size:
            self.set_reactive(LogPage.virtual_size, size)
            self._scroll_update(size)

    def _height_of(self, place: int) -> int:
        found = self._contents.at(place) if self._habits.wrap else None
        return len(self._ink().strips(found, current=False)) if isinstance(found, Row) else 1

    def _widen(self) -> None:
        """The widest line seen so far is how far one can go sideways."""
        widths = [log_width(row.line) for row in self._contents.rows.values()]
        self._widest = max(self._widest, gutter_width(self._look) + max(widths, default=0))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw another page; let go of the end if this went up."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) == round(new_value):
            return
        self._painted = None
        if not self._placing:
            if new_value < old_value and new_value < self.max_scroll_y and self._follow:
                self._set_follow(on=False)
            self.needs_rows()

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Draw the lines from another cell on."""
        super().watch_scroll_x(old_value, new_value)
        if round(old_value) != round(new_value):
            self._restyle()

    # Drawing.

    def render_line(self, y: int) -> Strip:
        """One row of the screen: lines and dividers, at the bottom the status."""
        if self._painted is None:
            self._painted = self._paint()
        return self._painted[y] if y < len(self._painted) else Strip.blank(self._cells)

    def notify_style_update(self) -> None:
        """The theme may be another one."""
        super().notify_style_update()
        self._palette = self._painter = self._painted = None

    def _restyle(self) -> None:
        """Lines look different now."""
        self._painter = self._painted = None
        if self.is_attached:
            self._settle(self._top)
        self.refresh()

    def _repaint(self) -> None:
        """Have those rows of the screen drawn anew that say something else."""
        before = self._painted
        if before is None:
            self.refresh()
            return
        self._painted = self._paint()
        for y, (old, new) in enumerate(zip(before, self._painted, strict=False)):
            if old is not new and old != new:
                self.refresh(Region(0, y, self._cells, 1))

    def _paint(self) -> list[Strip]:
        page = list(islice(self._strips(), self._page))
        page += [Strip.blank(self._cells, self.rich_style)] * (self._page - len(page))
        return [*page, self._status()]

    def _strips(self) -> Iterator[Strip]:
        """What stands on the page and below, from the top on."""
        current, ink = self._wishes.current, self._ink()
        for place in range(self._top, self._contents.size):
            found = self._contents.at(place)
            if isinstance(found, Row):
                row = self._contents.row_of(place)
                yield from ink.strips(found, current=row == current)
            else:
                yield self._divider(found)

    def _divider(self, words: str | None) -> Strip:
        line = [] if words is None else logstatus.divider(words, self._cells, self._pen)
        return strip(line, self._cells, self._colours, self.rich_style)

    def _status(self) -> Strip:
        line = logstatus.status_line(self.facts(), self._cells, self._pen)
        return strip(line, self._cells, self._colours, self.rich_style)

    @property
    def _cells(self) -> int:
        """How wide a line is: the scroll bar has its own."""
        return self.scrollable_content_region.width

    @property
    def _colours(self) -> Palette:
        if self._palette is None:
            self._palette = palette_of(self.app)
        return self._palette

    @property
    def _look(self) -> Look:
        return Look(
            width=self._cells,
            wrap=self._habits.wrap,
            numbers=self._habits.numbers,
            timestamps=self._habits.timestamps,
            offset=0 if self._habits.wrap else self.scroll_offset.x,
            is_ascii=self._pen.is_ascii,
            digits=max(_DIGITS, len(str(self._contents.lines))),
            most=max(1, self._page),
        )

    def _ink(self) -> LogPainter:
        look = self._look
        if self._painter is None or self._painter.look != look:
            self._painter = LogPainter(
                look,
                self._colours,
                self.rich_style,
                colour=not self.app.no_color,
                ansi=self.app.native_ansi_color,
            )
        return self._painter
