"""One log on the screen: a window on a file of any length that costs what is seen.

Owns when the file is read, and the wishes of the person at the keys: searches, filters, jumps.
Reading happens in threads, one step at a time; what is shown is what has arrived. Noticing that the
file changed is the owner's: :meth:`LogView.refresh_log`.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar, Final

from textual import work
from textual.binding import BindingType
from textual.message import Message

from jobsched_tui.data.logs.file import FRESH, Event, LogFile
from jobsched_tui.data.logs.seeking import Direction
from jobsched_tui.data.logs.session import Session
from jobsched_tui.data.logs.values import (
    USUAL,
    Habits,
    Jump,
    Landing,
    Request,
    Target,
    Update,
)
from jobsched_tui.present import logpage, logstatus
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.logpage import Contents
from jobsched_tui.present.logstatus import Facts, Writer
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.log_page import LogPage

#: Rows of a page before there is a size.
_GUESS: Final = 40


class LogView(LogPage):
    """All lines of a log, or those that match, with dividers where something happened to it."""

    class Counted(Message):
        """A search or a filter has found more: see ``match_count`` and ``position``."""

    class Missed(Message):
        """There is nothing to jump to that way."""

        def __init__(self, note: str) -> None:
            super().__init__()
            self.note = note

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        {
            "nav.top": "first",
            "log.next_match": "next_match(1)",
            "log.prev_match": "next_match(-1)",
            "log.next_error": "next_error(1)",
            "log.prev_error": "next_error(-1)",
        }
    )

    def __init__(
        self,
        file: LogFile,
        *,
        pen: Pen = UNICODE,
        habits: Habits = USUAL,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(pen=pen, habits=habits, id=id)
        self._writer: Writer | None = None
        self._polling: float | None = None
        self._serving = self._due = False
        self._begin(file)

    def _begin(self, file: LogFile) -> None:
        """Nothing is known of this log yet."""
        self._begin_page()
        self._file, self._session = file, Session(file)
        self._update: Update | None = None
        self._last_event: Event | None = None
        self._note = ""
        #: The row to go to as soon as rows mean what they will mean.
        self._goal: int | None = None

    # What the owner hands in and asks.

    def open(self, file: LogFile) -> None:
        """Show another log, from its end."""
        self._session.close()
        self._begin(file)
        self._restyle()
        self._ask()

    def refresh_log(self) -> None:
        """The file may have changed: look."""
        self._ask()

    def set_writer(self, writer: Writer | None) -> None:
        """Say which process writes the log, for the time that it is empty."""
        self._writer = writer
        self._repaint()

    def set_polling(self, seconds: float | None) -> None:
        """Say that there are no events here, and how often the file is looked at instead."""
        self._polling = seconds
        self._repaint()

    def search(self, pattern: str) -> None:
        """Look for an expression, and go to where it is next: the last one when following."""
        self._wishes.look_for(pattern)
        self._note = ""
        if pattern and self._follow:
            self._wishes.leap(Target.MATCH, Direction.BACK, self._contents.total)
        elif pattern:
            self._wishes.leap(Target.MATCH, Direction.ON, self._contents.row_of(self._top) - 1)
        self._restyle()
        self._ask()

    def keep(self, pattern: str) -> None:
        """Show only lines that match; all again for an empty pattern."""
        if self._wishes.keep is not None and not pattern:
            self._goal = self._number_in_sight()
        self._wishes.keep_only(pattern)
        self._note = ""
        self._ask()

    def clear_search(self) -> bool:
        """End search and filter; whether there was one."""
        had_search, had_keep = self._wishes.search is not None, self._wishes.keep is not None
        if had_keep:
            self.keep("")
        if had_search:
            self.search("")
        return had_search or had_keep

    def go_to_time(self, at: float) -> None:
        """Show the first line written at or after a moment (Unix seconds), if lines tell."""
        self._wishes.leap(Target.TIME, Direction.ON, 0, at)
        self._ask()

    @property
    def match_count(self) -> int | None:
        """How many lines match what is searched, so far; ``None``: nothing is."""
        found = None if self._update is None else self._update.search
        return None if found is None or self._wishes.search is None else found.count

    @property
    def position(self) -> int | None:
        """The how-manieth match the view is on, from 1."""
        return self._wishes.position

    # Keys.

    def action_first(self) -> None:
        """To the first line, as soon as it is known where that is."""
        self._set_follow(on=False)
        self._goal = 0
        self._reach_goal()

    def action_next_match(self, direction: int) -> None:
        """To the next line that matches."""
        if self._wishes.search is None:
            self._miss("nothing is searched for")
        else:
            self._leap(Target.MATCH, Direction(direction))

    def action_next_error(self, direction: int) -> None:
        """To the next line that looks like an error."""
        self._leap(Target.ERROR, Direction(direction))

    # Reading.

    def on_mount(self) -> None:
        """Begin to read."""
        self._ask()

    def on_unmount(self) -> None:
        """Let go of the file."""
        self._session.close()

    def _ask(self) -> None:
        """Have a step made, and more while there is work."""
        self._due = True
        if self.is_attached and not self._serving:
            self._serving = True
            self._serve()

    @work(group="log")
    async def _serve(self) -> None:
        """One step at a time, in a thread; all state changes here, in the loop."""
        try:
            while self._due:
                self._due, session, request = False, self._session, self._request()
                update = await asyncio.to_thread(session.step, request)
                if session is self._session and update is not self._update:
                    self._take(update)
                    self._give_up(request, update)
                    self._due = self._due or update.more or self._lacks_rows(request)
        finally:
            self._serving = False

    def _request(self) -> Request:
        first, count = logpage.wanted(self._contents, self._top, self._page or _GUESS)
        at_end = self._follow or self._update is None
        return self._wishes.request(None if at_end else first, count)

    def _take(self, update: Update) -> None:
        """Show what has arrived, with the same lines in sight as before."""
        row = self._contents.row_of(self._top) + update.shift
        seen, self._update = self._update, update
        if update.event in FRESH:
            self._last_event, self._widest = update.event, 0
        heads = tuple(logstatus.heads(update, self._last_event))
        feet = tuple(logstatus.feet(update))
        self._contents = Contents(heads, update.total, feet, update.rows, update.lines)
        self._widen()
        self._settle(0 if update.fresh else max(0, self._contents.place_of(row)))
        if (ended := self._wishes.take(update)) is not None:
            self._land(*ended)
        if (update.keep is None) == (self._wishes.keep is None):
            self._reach_goal()
        if seen is None or (seen.search, seen.keep) != (update.search, update.keep):
            self.post_message(self.Counted())
        self._repaint()

    def _give_up(self, request: Request, update: Update) -> None:
        """Look no more for what could not be found out, and say so."""
        keep, search = update.keep, update.search
        if keep is not None and keep.failure and request.keep is self._wishes.keep:
            self.keep("")
            self._miss(keep.failure)
        if search is not None and search.failure and request.search is self._wishes.search:
            self.search("")
            self._miss(search.failure)

    def _lacks_rows(self, request: Request) -> bool:
        """Whether something in sight is missing that had not been asked for."""
        ready = logpage.has_all(self._contents, self._top, self._page)
        return not ready and self._request() != request

    # Jumping.

    def _leap(self, target: Target, direction: Direction) -> None:
        self._note = ""
        self._wishes.leap_from(target, direction, self._contents.row_of(self._top), self._page)
        self._ask()

    def _land(self, jump: Jump, landing: Landing) -> None:
        if landing.row is None:
            self._miss(logstatus.missed(jump))
            return
        place = self._contents.place_of(landing.row)
        top = logpage.scrolled_to(place, self._top, self._page)
        if top != self._top:
            self._set_follow(on=False)
            self._scroll(top)

    def _miss(self, note: str) -> None:
        self._note = note
        self.post_message(self.Missed(note))
        self._repaint()

    def _reach_goal(self) -> None:
        """Scroll to where we wanted to, once rows are numbered."""
        if self._follow:
            self._goal = None
        if self._goal is None or self._update is None or not self._update.numbered:
            return
        row, self._goal = self._goal, None
        self._scroll(max(0, self._contents.place_of(row) - self._page // 3) if row else 0)

    def _number_in_sight(self) -> int | None:
        """The number of the line that the operator most likely looks at."""
        row, top = self._wishes.current, self._contents.row_of(self._top)
        row = top if row is None else row
        found = self._contents.rows.get(max(0, row))
        return None if self._follow or found is None else found.number

    def needs_rows(self) -> None:
        """Other rows are in sight: have them read."""
        self._ask()

    def facts(self) -> Facts:
        """What the status line says."""
        search, keep = self._wishes.search, self._wishes.keep
        shown = [row.line.text for row in self._contents.rows.values()]
        return Facts(
            path=str(self._file.path),
            update=self._update,
            follow=self._follow,
            wrap=self._habits.wrap,
            numbers=self._habits.numbers,
            timestamps=self._habits.timestamps,
            new_lines=self.new_lines,
            position=self.position,
            search="" if search is None else search.source,
            keep="" if keep is None else keep.source,
            polling=self._polling,
            writer=self._writer,
            binary=logstatus.looks_binary(shown),
            note=self._note,
        )
