"""What a view of a log is told: bit by bit, as far as known, and never more than it can show.

Owns the steps. Each takes what the view wants now, does a bounded piece of work (a look at the
file, the lines wanted, a slice of counting, searching or seeking) and answers with a frozen value.
To be called again while ``more`` is set. Raises nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Final

from jobsched_tui.data.elsewhere.asking import Unanswered
from jobsched_tui.data.logs import patterns
from jobsched_tui.data.logs.file import FRESH, Event, LogFile
from jobsched_tui.data.logs.index import LineIndex
from jobsched_tui.data.logs.lines import clean
from jobsched_tui.data.logs.matching import Matcher
from jobsched_tui.data.logs.patterns import Pattern
from jobsched_tui.data.logs.search import MatchIndex
from jobsched_tui.data.logs.seeking import MISSED, Missed, Walk
from jobsched_tui.data.logs.stamps import line_at_time
from jobsched_tui.data.logs.tally import BLOCK
from jobsched_tui.data.logs.values import Counting, Jump, Landing, Request, Row, Target, Update

#: Bytes of counting, and of searching, in one step: some ten milliseconds.
_COUNTED: Final = 16 * 1024 * 1024
_SEARCHED: Final = 4 * 1024 * 1024


class Session:
    """One view's way through one log."""

    def __init__(self, file: LogFile) -> None:
        self._file = file
        self._index = LineIndex(file)
        self._matcher = Matcher()
        self._search: MatchIndex | None = None
        self._keep: MatchIndex | None = None
        self._errors: MatchIndex | None = None
        self._walk: Walk | None = None
        self._landed = 0
        self._using, self._closed = Lock(), False
        #: What was wanted and answered last, if no work was left.
        self._answered: tuple[Request, Update] | None = None

    def step(self, request: Request) -> Update:
        """Look, read what is wanted, and do a slice of what is left. Nothing once closed.

        While nothing changes the answer is the same object.
        """
        with self._using:
            update = Update(standing=None) if self._closed else self._look(request)
        if self._closed:
            self.close()
        return update

    def close(self) -> None:
        """Let go of the file: now, or by whoever makes a step, when that has ended.

        Waits for nobody, and lets no search go on.
        """
        self._closed = True
        self._matcher.stop()
        if self._using.acquire(blocking=False):
            self._file.close()
            self._using.release()

    def _look(self, request: Request) -> Update:
        event = self._file.poll()
        if event is None and self._answered is not None and self._answered[0] == request:
            return self._answered[1]
        update = self._answer(request, event)
        quiet = replace(update, event=None, fresh=False, shift=0, landing=None)
        self._answered = None if update.more else (request, quiet)
        return update

    def _answer(self, request: Request, event: Event | None) -> Update:
        if not self._file.readable:
            return self._nothing(event)
        try:
            return self._step(request, event)
        except OSError as error:
            self._file.close()  # so that the next step begins anew
            words = error.strerror or str(error)
            return replace(self._nothing(event), standing=Event.FAILED, cause=words)

    def _nothing(self, event: Event | None) -> Update:
        fresh = event is not None
        return Update(
            standing=self._file.standing, cause=self._file.cause, event=event, fresh=fresh
        )

    def _step(self, request: Request, event: Event | None) -> Update:
        fresh, shift = self._take_note(event)
        fresh = self._use(request) or fresh
        self._index.grow(_COUNTED)
        if self._keep is not None:
            shift = 0
        elif request.first is not None and request.first < 0:
            shift += self._index.extend_back()
        advanced = 0 if fresh else self._advance()  # what is new is to be seen at once
        shift += advanced if self._keep is None else 0
        landing = None if fresh or request.jump is None else self._jump(request.jump, shift)
        return Update(
            standing=self._file.standing,
            event=None if event is Event.GROWN else event,
            fresh=fresh,
            shift=shift,
            size=self._file.size,
            dropped=self._file.begin,
            total=self._total,
            lines=self._index.total,
            numbered=self._index.is_complete,
            indexed=self._index.part,
            rows=self._marked(self._rows(request, shift)),
            search=_counting(self._search),
            keep=_counting(self._keep),
            landing=landing,
            more=self._is_unfinished(request),
        )

    def _take_note(self, event: Event | None) -> tuple[bool, int]:
        """Whether all that was known is void, and else the shift."""
        shift: int | None = 0
        if event is Event.TRIMMED:
            shift = self._index.drop()
        fresh = event in FRESH or shift is None
        if fresh:
            self._index.open_at_end()
        if fresh or event is Event.TRIMMED:
            self._search = self._restarted(self._search)
            self._keep = self._restarted(self._keep)
            self._errors, self._walk = None, None
        return fresh, shift or 0

    def _use(self, request: Request) -> bool:
        """Take over what is looked for; whether rows mean other lines now."""
        if _pattern(self._search) != request.search:
            self._search = self._matches(request.search)
        if _pattern(self._keep) == request.keep:
            return False
        self._keep = self._matches(request.keep)
        return True

    def _advance(self) -> int:
        """A slice of what is most wanted; the shift."""
        if not self._index.is_complete:
            return self._index.step(_COUNTED)
        for matches in (self._keep, self._search):
            if matches is not None and not matches.is_done:
                matches.step(_SEARCHED)
                break
        return 0

    def _is_unfinished(self, request: Request) -> bool:
        waiting = request.jump is not None and request.jump.serial != self._landed
        searching = any(one is not None and not one.is_done for one in (self._keep, self._search))
        counting = not self._index.is_complete or self._index.counted < self._file.size
        return waiting or searching or counting

    @property
    def _total(self) -> int:
        return self._index.total if self._keep is None else self._keep.count

    def _rows(self, request: Request, shift: int) -> Mapping[int, Row]:
        count = request.count
        first = self._total - count if request.first is None else request.first + shift
        first, stop = max(0, first), min(self._total, first + count)
        named = self._index.is_complete
        if self._keep is None:
            lines = self._index.window(first, stop - first)
            return {raw.number: Row(raw.number if named else None, clean(raw)) for raw in lines}
        return {
            first + place: Row(raw.number, clean(raw))
            for place, number in enumerate(self._keep.lines(first, stop - first))
            for raw in self._index.window(number, 1)
        }

    def _marked(self, rows: Mapping[int, Row]) -> Mapping[int, Row]:
        """The rows with what is searched for marked in them."""
        if self._search is None or self._search.failure or not rows:
            return rows
        texts = [row.line.text for row in rows.values()]
        try:
            marks = self._matcher.marks(self._search.pattern, texts)
        except Unanswered as error:
            self._search.failure = str(error)
            return rows
        marked = zip(rows.items(), marks, strict=True)
        return {at: replace(row, marks=one) if one else row for (at, row), one in marked}

    def _jump(self, jump: Jump, shift: int) -> Landing | None:
        """Where the jump goes, if that is known yet. Numbers must be: the index comes first."""
        if jump.serial == self._landed or not self._index.is_complete:
            return None
        if jump.target is Target.TIME:
            return self._land(jump, self._line_at(jump.at))
        if jump.target is Target.MATCH and self._search is None:
            return self._land(jump, MISSED)
        if self._walk is None:
            self._walk = self._walk_from(jump, shift)
        found = self._walk.step(_SEARCHED // BLOCK)
        return None if found is None else self._land(jump, found)

    def _walk_from(self, jump: Jump, shift: int) -> Walk:
        matches = self._search if jump.target is Target.MATCH else self._errors
        if matches is None:
            matches = self._errors = MatchIndex(
                self._file, self._index, patterns.ERROR, self._matcher
            )
        line = jump.row + shift
        if self._keep is not None and jump.row >= 0:
            line = next(self._keep.lines(jump.row, 1), self._index.total)
        return Walk(self._index, matches, line, jump.direction, among=self._keep)

    def _line_at(self, at: float) -> int | Missed:
        line = line_at_time(self._index, at, before=self._file.mtime or at)
        return MISSED if line is None else line

    def _land(self, jump: Jump, found: int | Missed) -> Landing:
        self._landed, self._walk = jump.serial, None
        if isinstance(found, Missed):
            return Landing(jump.serial, jump.target)
        is_match = jump.target is Target.MATCH and self._search is not None
        ordinal = self._search.rank(found) + 1 if is_match and self._search else None
        row = found if self._keep is None else self._keep.rank(found)
        return Landing(jump.serial, jump.target, row, ordinal)

    def _matches(self, pattern: Pattern | None) -> MatchIndex | None:
        if pattern is None:
            return None
        return MatchIndex(self._file, self._index, pattern, self._matcher)

    def _restarted(self, matches: MatchIndex | None) -> MatchIndex | None:
        return self._matches(_pattern(matches))


def _pattern(matches: MatchIndex | None) -> Pattern | None:
    return None if matches is None else matches.pattern


def _counting(matches: MatchIndex | None) -> Counting | None:
    return None if matches is None else Counting(matches.count, matches.part, matches.failure)
