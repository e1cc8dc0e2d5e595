"""The home as it is now, in frames: what a console shows while it is not looking at the past.

Owns what is read for a frame and how often: rows of the screen always, everything else only when it
may have changed. Whatever goes wrong, the last frame stays, with its age and the cause. Writes
nothing; belongs to one thread.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Final

import psutil

from jobsched.api import Change, Counts, Field, Op, Order, OrderBy, Scheduler, Term, Watch
from jobsched.clock import Clock
from jobsched.errors import JobschedError, NotFound
from jobsched.states import ScheduleState
from jobsched_tui.data.detail import detail_of
from jobsched_tui.data.frame import (
    Attention,
    Detail,
    Frame,
    Gauge,
    Health,
    Host,
    JobLine,
    LimitsLine,
    Link,
)  # fmt: skip
from jobsched_tui.data.gauges import Gauges, line_of
from jobsched_tui.data.lines import job_line
from jobsched_tui.data.listing import Listing, narrowed
from jobsched_tui.data.order import OrderedIds
from jobsched_tui.data.pace import Pace
from jobsched_tui.data.past import Then
from jobsched_tui.data.source import View
from jobsched_tui.data.tails import Tails
from jobsched_tui.data.troubles import Looked, Troubles

#: History rows that are read one by one; after more than so many the list is asked for anew.
_MOST: Final = 5_000
#: Jobs that are brought up to date one by one.
_FEW: Final = 1_000
#: Of those that wait for a slot: how many are looked at for a forecast.
_QUEUE: Final = 500
_IN_LINE: Final = (
    Term(
        Field.STATE, Op.IS, (str(ScheduleState.WAITING), str(ScheduleState.ALIVE_WAITING))
    ),
)  # fmt: skip
_BY_PRIORITY: Final = (Order(OrderBy.PRIORITY, descending=True), Order(OrderBy.ID))
_NOTHING: Final = Looked({}, {}, ())


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
        self._begin()

    def _begin(self) -> None:
        """Know nothing: at the beginning, and after the database was another one."""
        self._watch: Watch = self._door.watch()
        self._listing = Listing(self._watch)
        self._gauges = Gauges(self._watch)
        self._troubles = Troubles(self._watch, self._door, self._clock, self._seen_seq)
        self._tails = Tails()
        self._version: int | None = None
        self._seq = 0
        self._counts = Counts()
        self._lines: dict[int, JobLine] = {}
        self._looked = _NOTHING
        self._ids = OrderedIds()
        self._past: Then | None = None
        monotonic = self._clock.monotonic
        self._rows_pace = Pace(monotonic, 1.0)
        self._counts_pace = Pace(monotonic, 0.1)
        self._look_pace = Pace(monotonic, 2.0)

    # What the reader asks.

    def has_changed(self) -> bool:
        """Whether somebody has committed since the last frame, or it cannot be told."""
        try:
            return self._watch.version() != self._version
        except JobschedError:
            return True

    def frame(self, view: View) -> Frame:
        """What there is to see now."""
        try:
            frame = self._read(view) if self._watch.exists() else self._missing()
        except (JobschedError, OSError) as error:
            frame = self._stale(error)
            self._watch.close()
            self._begin()
        else:
            self._last = frame if view.past is None else self._last
        return frame

    def ids(self, first: int | None, last: int | None) -> list[int]:
        """All jobs of the list, or those from one job to another, in its order."""
        ends = [self._ids.index_of(job_id) for job_id in (first, last) if job_id is not None]
        rows = [row for row in ends if row is not None]
        if not rows:
            return self._ids.window(0, len(self._ids))
        return self._ids.window(min(rows), max(rows) - min(rows) + 1)

    def index_of(self, job_id: int) -> int | None:
        """Where a job stands among all that match."""
        return self._ids.index_of(job_id)

    def detail(self, job_id: int) -> Detail | None:
        """All there is to see of a job now."""
        return self._detail_of(View(detail=job_id), self._clock.now())

    def lines(self, job_ids: Collection[int]) -> list[JobLine]:
        """The rows of some jobs, for an action: as they are now."""
        rows = self._watch.rows(job_ids)
        return [self._complete(job_line(rows[job_id])) for job_id in job_ids if job_id in rows]

    def queue(self) -> list[JobLine]:
        """The rows of those that wait for a slot, the first in line first."""
        ids = [job_id for _, job_id in self._watch.listing(_IN_LINE, _BY_PRIORITY)]
        return self.lines(ids[:_QUEUE])

    def changes_before(self, seq: int, most: int) -> list[Change]:
        """A page of what operators and limits did, the newest first."""
        return self._watch.changes_before(seq, most=most)

    def seen(self, seq: int) -> None:
        """The operator has seen everything up to that row of the history."""
        self._seen_seq = max(self._seen_seq, seq)
        self._troubles.seen(seq)
        self._look_pace.hurry()

    def close(self) -> None:
        """Give back what is open."""
        self._watch.close()

    # One frame.

    def _read(self, view: View) -> Frame:
        now = self._clock.now()
        if view.past is not None:
            return self._then(view, now)
        changes, changed = self._news()
        happened = changed is None or bool(changed)
        self._troubles.note(changes)
        ids = self._listing.bring_up(view.query, view.tab, changed, now)
        if happened or self._version is None:
            self._counts_pace.hurry()
        if self._counts_pace.is_due():
            with self._counts_pace:
                self._counts = self._watch.counts()
        if happened or self._look_pace.is_due():
            self._look(view, hurry=happened)
        self._ids = narrowed(ids, view.query, self._looked.lines, view.marks)
        shown = self._ids.window(view.top, view.height)
        self._bring_up_rows(shown, view, changed)
        return Frame(
            home=str(self._door.home),
            health=self._health(now),
            now=now,
            limits=self._gauges.read(self._counts, now, changed=happened),
            host=_host(),
            read_only=self._read_only,
            user=self._user,
            seq=self._seq,
            counts={
                name: getattr(self._counts, name)
                for name in ("all", "active", "waiting", "failed", "done")
            },
            matched=len(self._ids),
            top=view.top,
            lines=tuple(self._lines[job_id] for job_id in shown if job_id in self._lines),
            attention=self._looked.attention,
            cursor=view.cursor,
            cursor_index=None if view.cursor is None else self._ids.index_of(view.cursor),
            detail=self._detail_of(view, now),
        )

    def _then(self, view: View, now: float) -> Frame:
        """What there was to see at a moment of the past."""
        if self._past is None or self._past.seq != view.past:
            if self._past is not None:
                self._past.close()
            self._past = Then(self._watch, view.past or 0)
        frame = self._past.frame(view, replace(self._last or self._empty(now), host=_host()))
        self._ids = self._past.ids
        return frame

    def moment(self, at: float) -> int:
        """The row of the history up to which a moment goes."""
        return self._watch.moment(at)

    def _news(self) -> tuple[list[Change], set[int] | None]:
        """What has happened since the last frame, and to which jobs; ``None``: to too many."""
        version = self._watch.version()
        if version == self._version:
            return [], set()
        first, self._version = self._version is None, version
        if first:
            self._seq = self._watch.latest()
            return [], None
        changes = self._watch.changes(self._seq, most=_MOST)
        self._seq = changes[-1].seq if changes else self._seq
        changed = {change.job_id for change in changes if change.job_id is not None}
        if len(changes) == _MOST:
            self._seq = self._watch.latest()
            return changes, None
        return changes, changed if len(changed) <= _FEW else None

    def _look(self, view: View, *, hurry: bool) -> None:
        if hurry:
            self._look_pace.hurry()
        if self._look_pace.is_due():
            with self._look_pace:
                also = [one for one in (view.detail, view.cursor) if one is not None]
                self._looked = self._troubles.look(also)

    def _bring_up_rows(self, shown: list[int], view: View, changed: set[int] | None) -> None:
        """The rows of the screen: those that are new, have changed, or are alive every second."""
        wanted = set(shown) | ({view.cursor} if view.cursor is not None else set())
        aged = self._rows_pace.is_due()
        stale = {
            job_id
            for job_id in wanted
            if job_id not in self._lines
            or changed is None
            or job_id in changed
            or (aged and self._lines[job_id].ended_at is None)
            or (changed and self._lines[job_id].why)
        }
        if stale:
            with self._rows_pace:
                rows = self._watch.rows(stale)
                fresh = {job_id: self._complete(job_line(row)) for job_id, row in rows.items()}
        else:
            fresh = {}
        kept = {job_id: line for job_id, line in self._lines.items() if job_id in wanted - stale}
        self._lines = {job_id: self._troubled(line) for job_id, line in {**kept, **fresh}.items()}

    def _complete(self, line: JobLine) -> JobLine:
        used = self._looked.usage.get(line.job_id)
        if used is not None:
            line = replace(line, cpu=used.cpu, rss=used.rss)
        return self._tails.complete(line)

    def _troubled(self, line: JobLine) -> JobLine:
        known = self._looked.lines.get(line.job_id)
        trouble: Attention | None = None if known is None else known.trouble
        return line if line.trouble == trouble else replace(line, trouble=trouble)

    def _detail_of(self, view: View, now: float) -> Detail | None:
        if view.detail is None:
            return None
        try:
            shown = self._watch.show(view.detail)
            logs = self._watch.log_paths(view.detail)
        except NotFound:
            return None  # it was pruned while it was looked at
        line = self._troubled(self._complete(job_line(shown)))
        usage = self._looked.usage.get(view.detail)
        return detail_of(shown, line, now, logs=logs, usage=usage)

    # What is said of the home itself.

    def _health(self, now: float) -> Health:
        cause = self._polled()
        if cause is None:
            return Health(link=Link.LIVE, at=now)
        return Health(link=Link.POLLING, at=now, cause=cause)

    def _missing(self) -> Frame:
        now, limits = self._clock.now(), self._watch.limits()
        self._version = None
        return Frame(
            home=str(self._door.home),
            health=Health(link=Link.MISSING, at=now),
            now=now,
            limits=line_of(limits, Counts(), ((), ()), (), now),
            host=_host(),
            read_only=self._read_only,
            user=self._user,
        )

    def _stale(self, error: Exception) -> Frame:
        """The last frame, and why there is no newer one."""
        now = self._clock.now()
        last = self._last or self._empty(now)
        at = last.health.at if self._last is not None else now
        health = Health(link=Link.STALE, at=at, cause=str(error))
        return replace(last, now=now, health=health)

    def _empty(self, now: float) -> Frame:
        nothing = Gauge(limit=0, used=0)
        return Frame(
            home=str(self._door.home),
            health=Health(at=now),
            now=now,
            limits=LimitsLine(launch=nothing, alive=nothing, known=False),
            user=self._user,
        )


def _host() -> Host:
    memory = psutil.virtual_memory()
    return Host(
        name=socket.gethostname(),
        cpus=os.cpu_count() or 1,
        load=round(os.getloadavg()[0], 1),
        memory_used=_coarse(memory.total - memory.available),
        memory_total=memory.total,
    )


def _coarse(size: int) -> int:
    """In steps of 256 MiB, so that nothing is drawn anew because a page was touched."""
    step = 256 * 1024 * 1024
    return size // step * step
