"""The home as it was at a moment, in frames of the same shape as those of the present.

Owns one moment's list. What the history does not keep (processes, logs, places) is empty there.
"""

from __future__ import annotations

from dataclasses import replace

from jobsched.api import Past, Watch
from jobsched.errors import NotFound
from jobsched_tui.data.detail import detail_of
from jobsched_tui.data.frame import Detail, Frame, Health, Link
from jobsched_tui.data.gauges import line_of
from jobsched_tui.data.lines import job_line
from jobsched_tui.data.listing import narrowed, terms_of
from jobsched_tui.data.order import OrderedIds
from jobsched_tui.data.source import View


class Then:
    """One moment: the row of the history up to which it goes."""

    def __init__(self, watch: Watch, seq: int) -> None:
        self._watch, self._past = watch, watch.past(seq)
        self._asked: tuple[object, ...] = ()
        self._ids = OrderedIds()

    @property
    def seq(self) -> int:
        """The row."""
        return self._past.seq

    @property
    def ids(self) -> OrderedIds:
        """All that matched."""
        return self._ids

    def frame(self, view: View, around: Frame) -> Frame:
        """What there was to see; ``around``: what is not of any moment, home and machine."""
        past = self._past
        self._bring_up(view)
        counts = past.counts()
        rows = past.rows(self._ids.window(view.top, view.height))
        shown = [rows[one] for one in self._ids.window(view.top, view.height) if one in rows]
        return replace(
            around,
            health=Health(link=Link.PAST, at=past.at),
            now=past.at,
            limits=line_of(past.limits(), counts, ((), ()), (), past.at),
            read_only=True,
            seq=past.seq,
            counts={
                name: getattr(counts, name)
                for name in ("all", "active", "waiting", "failed", "done")
            },
            matched=len(self._ids),
            top=view.top,
            lines=tuple(job_line(row) for row in shown),
            cursor=view.cursor,
            cursor_index=None if view.cursor is None else self._ids.index_of(view.cursor),
            detail=self._detail(past, view.detail),
            attention=(),
        )

    def _bring_up(self, view: View) -> None:
        asked = (view.query, view.tab)
        if asked != self._asked:
            found = self._past.listing(terms_of(view.query, view.tab), view.query.sort)
            self._ids = narrowed(OrderedIds(found), view.query, {}, view.marks)
            self._asked = asked

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
