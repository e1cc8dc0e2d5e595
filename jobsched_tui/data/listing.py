"""Which jobs the list has, in which order: kept up to date by what has changed.

Owns the tabs, and when the whole list is asked for anew. What only a look at processes and marks
can tell (``local`` terms) is judged on the rows that it is handed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from jobsched.api import Field, Key, Op, Order, OrderBy, Term
from jobsched.states import ALIVE_STATES, FAILURES, ScheduleState, TaskStatus
from jobsched_tui.data.filters import Query, matches_local
from jobsched_tui.data.frame import JobLine
from jobsched_tui.data.order import OrderedIds

_DONE: Final = Term(Field.STATE, Op.IS, (str(ScheduleState.DONE),))
#: What each tab shows, by its name in ``Frame.counts``.
TABS: Final[Mapping[str, tuple[Term, ...]]] = MappingProxyType(
    {
        "all": (),
        "active": (Term(Field.STATE, Op.IS, tuple(sorted(map(str, ALIVE_STATES)))),),
        "waiting": (
            Term(
                Field.STATE, Op.IS, (str(ScheduleState.INACTIVE), str(ScheduleState.WAITING))
            ),
        ),
        "failed": (_DONE, Term(Field.STATUS, Op.IS, tuple(sorted(map(str, FAILURES))))),
        "done": (_DONE,),
    }
)  # fmt: skip
#: Seconds after which a list is asked for anew that depends on what time it is.
_AGEING: Final = 15.0
_AGES: Final = frozenset({Field.AGE, Field.RUNTIME})


class Asked(Protocol):
    """What can be asked for jobs: a ``Watch``, or the past."""

    def listing(
        self, terms: Sequence[Term] = (), sort: Sequence[Order] = ()
    ) -> list[tuple[Key, int]]:
        """Sort key and id of every job that matches, in order."""
        ...


class Follows(Asked, Protocol):
    """One that can be asked for some jobs, too: a ``Watch``."""

    def matching(
        self, job_ids: Collection[int], terms: Sequence[Term] = (), sort: Sequence[Order] = ()
    ) -> dict[int, Key]:
        """The keys of those of some jobs that match."""
        ...


def terms_of(query: Query, tab: str) -> tuple[Term, ...]:
    """All that the database is asked."""
    return (*TABS.get(tab, ()), *query.terms)


def narrowed(
    ids: OrderedIds, query: Query, lines: Mapping[int, JobLine], marks: Collection[int]
) -> OrderedIds:
    """Those that meet the conditions of a query which the database cannot judge.

    ``lines``: of every job of which more is known than the database says. All others are alike.
    """
    if not query.local and query.limit is None:
        return ids
    entries = ids.entries()
    if query.local:
        nothing_known = matches_local(_nobody(0), query.local, ())

        def matches(job_id: int) -> bool:
            line = lines.get(job_id) or (_nobody(job_id) if job_id in marks else None)
            return nothing_known if line is None else matches_local(line, query.local, marks)

        entries = [(key, job_id) for key, job_id in entries if matches(job_id)]
    return OrderedIds(entries[: query.limit])


def _nobody(job_id: int) -> JobLine:
    """A job of which nothing is known: neither alive nor in trouble."""
    done, succeeded = ScheduleState.DONE, TaskStatus.SUCCEEDED
    return JobLine(job_id=job_id, name="", state=done, status=succeeded)


class Listing:
    """The list for one query, over one watch."""

    def __init__(self, watch: Follows) -> None:
        self._watch = watch
        self._asked: tuple[tuple[Term, ...], tuple[Order, ...]] | None = None
        self._ids = OrderedIds()
        self._read_at = 0.0

    def forget(self) -> None:
        """Ask for everything next time."""
        self._asked = None

    def bring_up(
        self, query: Query, tab: str, changed: Collection[int] | None, now: float
    ) -> OrderedIds:
        """All that match ``query`` now, apart from its local terms.

        ``changed``: jobs to which something has happened since the last call; ``None``: too many.
        """
        terms, sort = terms_of(query, tab), query.sort
        asked = (terms, sort)
        ages = any(term.field in _AGES for term in terms)
        if (
            asked != self._asked
            or changed is None
            or (changed and any(order.by is OrderBy.RUNTIME for order in sort))
            or (ages and now - self._read_at >= _AGEING)
        ):
            self._ids = OrderedIds(self._watch.listing(terms, sort))
            self._asked, self._read_at = asked, now
        elif changed:
            keys = self._watch.matching(changed, terms, sort)
            self._ids.update({job_id: keys.get(job_id) for job_id in changed})
        return self._ids
