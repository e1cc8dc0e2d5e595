"""The home as it is now, in frames: what a console shows while it is not looking at the past.

Owns what is read for a frame and how often: rows of the screen always, everything else only when it
may have changed. Whatever goes wrong, the last frame stays, with its age and the cause. Writes
nothing; belongs to one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Final

from jobsched.api import Change, Counts, Field, Op, Order, OrderBy, Scheduler, Term, Watch
from jobsched.clock import Clock
from jobsched.errors import JobschedError, StoreError
from jobsched.states import ScheduleState
from jobsched_tui.data import blank
from jobsched_tui.data.detail import Details
from jobsched_tui.data.elsewhere.asking import TooLong
from jobsched_tui.data.filters import LocalField, Query
from jobsched_tui.data.frame import Detail, Frame, Health, JobLine, Link
from jobsched_tui.data.gauges import Gauges
from jobsched_tui.data.identity import Identity
from jobsched_tui.data.judging import Judge
from jobsched_tui.data.kept import Kept, Known
from jobsched_tui.data.lines import job_line
from jobsched_tui.data.listing import TABS, Listing, narrowed
from jobsched_tui.data.news import Happened, News
from jobsched_tui.data.order import OrderedIds
from jobsched_tui.data.pace import Pace
from jobsched_tui.data.past import Then
from jobsched_tui.data.source import View
from jobsched_tui.data.tails import Tails
from jobsched_tui.data.troubles import Looked, Troubles

#: Of those that wait: how many are looked at for a forecast, and for why they wait.
_QUEUE: Final = 500
_WAITING: Final = 2_000
_IN_LINE: Final = (
    Term(
        Field.STATE, Op.IS, (str(ScheduleState.WAITING), str(ScheduleState.ALIVE_WAITING))
    ),
)  # fmt: skip
_BY_PRIORITY: Final = (Order(OrderBy.PRIORITY, descending=True), Order(OrderBy.ID))
_NOTHING: Final = Looked({}, {}, ())


@dataclass(frozen=True, slots=True)
class Listed:
    """All that the list has, whether it is on the screen or not."""

    ids: Sequence[int]
    #: The row of the history up to which it goes; ``None``: it is of now.
    past: int | None
    #: A row with what only a look at the processes could tell.
    told: Callable[[JobLine], JobLine]


class Live:
    """Frames of one home. ``polled``: why no events come, ``None`` while they do."""

    def __init__(
        self,
        door: Scheduler,
        clock: Clock,
        *,
        user: str = "",
        read_only: bool = False,
        seen_seq: int = 0,
        polled: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._door, self._clock, self._polled = door, clock, polled
        self._user, self._read_only, self._seen_seq = user, read_only, seen_seq
        self._last: Frame | None = None
        self._fails = False
        self._file = door.home / "jobsched.db"
        self._identity = Identity(self._file)
        self._begin()

    def _begin(self) -> None:
        """Know nothing: at the beginning, and when the database may be another one."""
        self._watch: Watch = self._door.watch()
        self._judge = Judge(self._watch, self._door.home)
        self._listing = Listing(self._judge)
        #: What took too long to judge, and that it did: the list stays as it is.
        self._refused: tuple[Query, str] | None = None
        self._complaint: str | None = None
        self._gauges = Gauges(self._watch, self._clock.monotonic)
        self._troubles = Troubles(self._watch, self._clock, self._seen_seq)
        self._news = News(self._watch, (self._troubles.note, self._gauges.note))
        self._rows = Kept(self._watch, self._known)
        self._details = Details(self._watch)
        self._tails = Tails()
        self._counts, self._counted = Counts(), False
        self._looked = _NOTHING
        self._ids = OrderedIds()
        self._past: Then | None = None
        self._rows_pace = Pace(self._clock.monotonic, 1.0)
        self._counts_pace = Pace(self._clock.monotonic, 0.0)
        self._look_pace = Pace(self._clock.monotonic, 2.0)

    # What the reader asks.

    def has_changed(self) -> bool:
        """Whether somebody has committed since the last frame, or it cannot be told."""
        try:
            return self._news.has_come()
        except (JobschedError, OSError):
            return True

    def frame(self, view: View) -> Frame:
        """What there is to see now."""
        try:
            frame = self._identified(view, self._read(view))
        except (JobschedError, OSError) as error:
            self._forget()
            if self._fails:
                return self._stale(error)
            self._fails = True
            return self.frame(view)  # there may be another database in its place
        self._fails = False
        if view.past is None:
            self._last = frame
        return frame

    def close(self) -> None:
        """Give back what is open."""
        self._leave_past()
        self._judge.close()
        self._watch.close()

    # What the operator asks.

    def ids(self, first: int | None, last: int | None) -> list[int]:
        """All jobs of the list, or those from one job to another, in its order."""
        ends = [self._ids.index_of(job_id) for job_id in (first, last) if job_id is not None]
        if not ends:
            return self._ids.window(0, len(self._ids))
        rows = [row for row in ends if row is not None]
        if not rows:
            return []  # both have left the list
        return self._ids.window(min(rows), max(rows) - min(rows) + 1)

    def listed(self) -> Listed:
        """The whole list of the last frame, to be read by somebody else."""
        past = None if self._past is None else self._past.seq
        return Listed(self._ids.window(0, len(self._ids)), past, self._looked.told)

    def index_of(self, job_id: int) -> int | None:
        """Where a job stands among all that match."""
        return self._ids.index_of(job_id)

    def detail(self, job_id: int) -> Detail | None:
        """All there is to see of a job now."""
        now = self._clock.now()
        return Details(self._watch).of(job_id, now, self._told, self._looked.usage)

    def lines(self, job_ids: Collection[int]) -> list[JobLine]:
        """The rows of some jobs, for an action: as they are now."""
        rows = self._watch.rows(job_ids)
        return [self._told(job_line(rows[job_id])) for job_id in job_ids if job_id in rows]

    def queue(self) -> list[JobLine]:
        """The rows of those that wait for a slot, the first in line first."""
        ids = [job_id for _, job_id in self._watch.listing(_IN_LINE, _BY_PRIORITY)]
        return self.lines(ids[:_QUEUE])

    def followers(self, job_ids: Collection[int]) -> Mapping[int, Sequence[int]]:
        """Who still waits for some jobs, and who for those, at any distance: by job."""
        return self._watch.followers(job_ids)

    def changes_before(self, seq: int, most: int) -> list[Change]:
        """A page of what operators and limits did, the newest first."""
        return self._watch.changes_before(seq, most=most)

    def moment(self, at: float) -> int:
        """The row of the history up to which a moment goes."""
        return self._watch.moment(at)

    def seen(self, seq: int) -> None:
        """The operator has seen everything up to that row of the history."""
        self._seen_seq = max(self._seen_seq, seq)
        self._troubles.seen(seq)
        self._look_pace.hurry()

    # One frame.

    def _read(self, view: View) -> Frame:
        now = self._clock.now()
        if not self._watch.exists():
            self._identity.gone()
            if self._last is not None and self._last.health.link is not Link.MISSING:
                raise StoreError(f"{self._file} is gone: removed, moved, or not mounted any more")
            self._forget()
            limits = self._watch.limits()
            return blank.missing(
                str(self._door.home), limits, now, user=self._user, read_only=self._read_only
            )
        if view.past is not None:
            return self._then(view, view.past, now)
        self._leave_past()
        happened = self._happened()
        self._match(view, happened, self._look(view), now)
        return self._shown(view, happened, now)

    def _match(self, view: View, happened: Happened, looked: Looked, now: float) -> None:
        """Bring the list up to date."""
        asked = view.query, view.tab
        if asked == self._refused:
            return
        self._refused = self._complaint = None
        try:
            ids = self._listing.bring_up(*asked, happened.jobs, now)
            self._ids = narrowed(ids, view.query, looked.lines, view.marks, self._judge.found)
        except TooLong as error:
            self._refused, self._complaint = asked, str(error)
            self._listing = Listing(self._judge)

    def _identified(self, view: View, frame: Frame) -> Frame:
        """With which database it is of; of another one nobody has seen anything yet."""
        if self._identity.is_another(self._watch.latest):
            self._seen_seq = 0
            self._forget()
            frame = self._read(replace(view, past=None))
        if view.past is None and frame.health.link is not Link.MISSING:
            self._identity.seq = frame.seq
        return replace(frame, database=self._identity.number)

    def _shown(self, view: View, happened: Happened, now: float) -> Frame:
        counts = self._count()
        shown = self._ids.window(view.top, view.height)
        again = self._rows_pace.is_due()
        with self._rows_pace if again else nullcontext():
            known = self._rows.bring_up(shown, again=again)
            usage = self._looked.usage
            detail = self._details.of(view.detail, now, self._told, usage, again=again)
        return Frame(
            home=str(self._door.home),
            health=self._health(now),
            now=now,
            limits=self._gauges.read(counts, now, committed=happened.committed),
            host=blank.host(),
            read_only=self._read_only,
            user=self._user,
            seq=self._news.seq,
            counts=blank.tabs(counts),
            matched=len(self._ids),
            complaint=self._complaint,
            top=view.top,
            lines=tuple(self._told(known[job_id].line) for job_id in shown if job_id in known),
            attention=self._looked.attention,
            cursor=view.cursor,
            cursor_index=None if view.cursor is None else self._ids.index_of(view.cursor),
            detail=detail,
        )

    def _then(self, view: View, seq: int, now: float) -> Frame:
        """What there was to see at a moment of the past."""
        if self._past is None or self._past.seq != seq:
            self._leave_past()
            self._past = Then(self._watch, seq, self._judge)
        around = self._last or self._unread(now)
        frame = self._past.frame(view, replace(around, host=blank.host()))
        self._ids = self._past.ids
        return frame

    def _leave_past(self) -> None:
        if self._past is not None:
            self._past.close()
            self._past = None

    def _happened(self) -> Happened:
        happened = self._news.read()
        for one in (self._rows, self._details):
            one.note(happened)
        self._troubles.note_all(happened)
        if happened.committed:
            self._counted = False
            self._rows_pace.hurry()
            self._look_pace.hurry()
        return happened

    def _count(self) -> Counts:
        if not self._counted and self._counts_pace.is_due():
            with self._counts_pace:
                self._counts = self._watch.counts()
            self._counted = True
        return self._counts

    def _look(self, view: View) -> Looked:
        if self._look_pace.is_due():
            with self._look_pace:
                self._looked = self._troubles.look(self._also(view))
        return self._looked

    def _also(self, view: View) -> set[int]:
        """Jobs that are looked at because the operator looks at them, or asks why they wait."""
        also = {job_id for job_id in (view.detail, view.cursor) if job_id is not None}
        if any(term.field is LocalField.WHY for term in view.query.local):
            also.update(job_id for _, job_id in self._watch.listing(TABS["waiting"])[:_WAITING])
        return also

    def _known(self, job_ids: Collection[int]) -> dict[int, Known]:
        return {job_id: Known(row) for job_id, row in self._watch.rows(job_ids).items()}

    def _told(self, line: JobLine) -> JobLine:
        """A row with what only a look at processes and logs can tell."""
        return self._looked.told(self._tails.complete(line))

    # When there is nothing new to see.

    def _health(self, now: float) -> Health:
        cause = self._polled()
        return Health(link=Link.LIVE if cause is None else Link.POLLING, at=now, cause=cause)

    def _stale(self, error: Exception) -> Frame:
        """The last frame, and why there is no newer one."""
        now = self._clock.now()
        last = self._last or self._unread(now)
        cause = str(error).replace(str(self._file), self._file.name)  # the home is shown beside it
        health = Health(link=Link.STALE, at=last.health.at, cause=cause)
        return replace(last, now=now, health=health)

    def _unread(self, now: float) -> Frame:
        home = str(self._door.home)
        return blank.unread(home, now, user=self._user, read_only=self._read_only)

    def _forget(self) -> None:
        """Begin anew: the next question opens the database again."""
        self.close()
        self._begin()
