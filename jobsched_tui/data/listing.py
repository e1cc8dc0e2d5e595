"""Which jobs the list has, in which order: kept up to date by what has changed.

Owns the tabs, and when the whole list is asked for anew. What only a look at processes and marks
can tell (``local`` terms) is judged on the rows that it is handed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Final

from jobsched.api import Field, Op, Order, OrderBy, Term
from jobsched.states import ALIVE_STATES, FAILURES, ScheduleState, TaskStatus
from jobsched_tui.data.filters import Query, matches_local, patterns_in
from jobsched_tui.data.frame import JobLine
from jobsched_tui.data.judging import Asked, Pair
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


def terms_of(query: Query, tab: str) -> tuple[Term, ...]:
    """All that the database is asked."""
    return (*TABS.get(tab, ()), *query.terms)


def narrowed(
    ids: OrderedIds,
    query: Query,
    lines: Mapping[int, JobLine],
    marks: Collection[int],
    find: Callable[[Collection[Pair]], Collection[Pair]],
) -> OrderedIds:
    """Those that meet the conditions of a query which the database cannot judge.

    ``lines``: of every job of which more is known than the database says. All others are alike.
    ``find``: see ``Judge.found``; raises what that raises.
    """
    if query.local:
        known = {**{job_id: _nobody(job_id) for job_id in marks}, **lines}
        nobody = _nobody(0)
        pairs = (patterns_in(line, query.local) for line in (nobody, *known.values()))
        found = find({pair for some in pairs for pair in some})
        met = {
            job_id: matches_local(line, query.local, marks, found)
            for job_id, line in known.items()
            if job_id in ids
        }
        if matches_local(nobody, query.local, (), found):
            ids = ids.without(job_id for job_id, is_met in met.items() if not is_met)
        else:
            ids = ids.only(job_id for job_id, is_met in met.items() if is_met)
    return ids if query.limit is None else ids.first(query.limit)


def _nobody(job_id: int) -> JobLine:
    """A job of which nothing is known: neither alive nor in trouble."""
    done, succeeded = ScheduleState.DONE, TaskStatus.SUCCEEDED
    return JobLine(job_id=job_id, name="", state=done, status=succeeded)


class Listing:
    """The list for one query, over one watch."""

    def __init__(self, watch: Asked) -> None:
        self._watch = watch
        self._asked: tuple[tuple[Term, ...], tuple[Order, ...]] | None = None
        self._ids = OrderedIds()
        self._read_at = 0.0

    def bring_up(
        self, query: Query, tab: str, changed: Collection[int] | None, now: float
    ) -> OrderedIds:
        """All that match ``query`` now, apart from its local terms. Raises ``TooLong``.

        ``changed``: jobs to which something has happened since the last call; ``None``: too many.
        """
        asked = terms, sort = terms_of(query, tab), query.sort
        if changed is None or asked != self._asked or self._has_aged(asked, now):
            self._ids = OrderedIds(self._watch.listing(terms, sort, now=now))
            self._asked, self._read_at = asked, now
        elif changed:
            # As of the moment of the list: the keys of two moments cannot be compared.
            keys = self._watch.matching(changed, terms, sort, now=self._read_at)
            self._ids.update({job_id: keys.get(job_id) for job_id in changed})
        return self._ids

    def _has_aged(self, asked: tuple[tuple[Term, ...], tuple[Order, ...]], now: float) -> bool:
        """Whether another list may be due because time has passed, or the clock was set back."""
        terms, sort = asked
        ages = any(term.field in _AGES for term in terms) or any(
            order.by is OrderBy.RUNTIME for order in sort
        )
        return ages and not 0 <= now - self._read_at < _AGEING
