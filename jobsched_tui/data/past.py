"""The home as it was at a moment, in frames of the same shape as those of the present.

Owns one moment's list. What the history does not keep (processes, logs, places) is empty there.
"""

from __future__ import annotations

from dataclasses import replace

from jobsched.api import Counts, Past, Watch
from jobsched.errors import NotFound
from jobsched_tui.data.blank import tabs
from jobsched_tui.data.detail import detail_of
from jobsched_tui.data.elsewhere.asking import TooLong
from jobsched_tui.data.frame import Detail, Frame, Health, LimitsLine, Link
from jobsched_tui.data.gauges import line_of
from jobsched_tui.data.judging import Judge
from jobsched_tui.data.lines import job_line
from jobsched_tui.data.listing import narrowed, terms_of
from jobsched_tui.data.order import OrderedIds
from jobsched_tui.data.source import View


class Then:
    """One moment: the row of the history up to which it goes."""

    def __init__(self, watch: Watch, seq: int, judge: Judge) -> None:
        self._watch, self._past, self._judge = watch, watch.past(seq), judge
        self._counts: Counts | None = None
        self._limits: LimitsLine | None = None
        self._asked: tuple[object, ...] = ()
        self._complaint: str | None = None
        #: All that matched.
        self.ids = OrderedIds()
        self._shown: tuple[View, Frame] | None = None

    @property
    def seq(self) -> int:
        """The row."""
        return self._past.seq

    def frame(self, view: View, around: Frame) -> Frame:
        """What there was to see; ``around``: what is not of any moment, home and machine."""
        # It is over: the same view shows the same.
        if self._shown is None or self._shown[0] != view:
            self._shown = view, self._read(view, around)
        return replace(self._shown[1], host=around.host)

    def _read(self, view: View, around: Frame) -> Frame:
        past = self._past
        self._bring_up(view)
        counts, limits = self._summary()
        shown = self.ids.window(view.top, view.height)
        rows = past.rows(shown)
        return replace(
            around,
            health=Health(link=Link.PAST, at=past.at),
            now=past.at,
            limits=limits,
            read_only=True,
            seq=past.seq,
            counts=tabs(counts),
            matched=len(self.ids),
            complaint=self._complaint,
            top=view.top,
            lines=tuple(job_line(rows[job_id]) for job_id in shown if job_id in rows),
            cursor=view.cursor,
            cursor_index=None if view.cursor is None else self.ids.index_of(view.cursor),
            detail=self._detail(past, view.detail),
            attention=(),
        )

    def _summary(self) -> tuple[Counts, LimitsLine]:
        """Counted once: that goes over all jobs."""
        if self._counts is None or self._limits is None:
            self._counts = self._past.counts()
            limits = self._past.limits()
            self._limits = line_of(limits, self._counts, ((), ()), (), self._past.at)
        return self._counts, self._limits

    def _bring_up(self, view: View) -> None:
        asked = (view.query, view.tab, view.marks)
        if asked == self._asked:
            return
        self._asked, self._complaint = asked, None
        terms = terms_of(view.query, view.tab)
        try:
            ids = OrderedIds(self._judge.past(self._past, terms, view.query.sort))
            self.ids = narrowed(ids, view.query, {}, view.marks, self._judge.found)
        except TooLong as error:
            self._complaint = str(error)  # the list stays as it is

    def _detail(self, past: Past, job_id: int | None) -> Detail | None:
        if job_id is None:
            return None
        try:
            shown = past.show(job_id)
            return detail_of(shown, job_line(shown), past.at, logs=self._watch.log_paths(job_id))
        except NotFound:
            return None  # it was not there yet

    def close(self) -> None:
        """Give back what is kept in memory."""
        self._past.close()
