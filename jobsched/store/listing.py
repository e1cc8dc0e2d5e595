"""Which jobs a list shows, and in which order: filters and sort orders as SQL.

Owns what :mod:`terms <jobsched.store.terms>` mean to the database, and the key by which a job that
changes finds its place in a list that is there already. A listing is keys and ids alone, so that a
hundred thousand jobs cost a fraction of a second; what is shown of them is read for the rows that
are seen. Changes nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Float,
    Select,
    Text,
    bindparam,
    case,
    cast,
    false,
    func,
    literal,
    or_,
    select,
    true,
)

from jobsched.states import ALIVE_STATES, FAILURES, ScheduleState, TaskStatus
from jobsched.store import views
from jobsched.store.database import Tx
from jobsched.store.rows import JobRow
from jobsched.store.schema import jobs, snapshots, tasks
from jobsched.store.terms import Field, Key, Op, Order, OrderBy, Term


@dataclass(frozen=True, slots=True)
class Counts:
    """How many jobs there are, by what an operator asks for first."""

    all: int = 0
    #: LAUNCHING, ALIVE, ALIVE_WAITING.
    active: int = 0
    #: INACTIVE, WAITING.
    waiting: int = 0
    #: DONE, and failed.
    failed: int = 0
    #: DONE, however it ended.
    done: int = 0
    #: When the WAITING job that was submitted first was. A time is no number of jobs: counts that
    #: differ in it alone are equal.
    waiting_since: float | None = field(default=None, compare=False)


# What the fields are in the database.

_NOW: Final[BindParameter[float]] = bindparam("now", type_=Float)
_IDS: Final[BindParameter[Sequence[int]]] = bindparam("ids", expanding=True)
#: Ids in one IN list: below SQLite's limit on variables.
_CHUNK: Final = 500

_SINCE: Final = func.coalesce(jobs.c.submitted_at, jobs.c.created_at)
_RUNTIME: Final = func.coalesce(jobs.c.ended_at, _NOW) - jobs.c.started_at
_SOURCE: Final[ColumnElement[str]] = (
    select(snapshots.c.source).where(snapshots.c.job_id == jobs.c.job_id).scalar_subquery()
)


def _sum(column: ColumnElement[int]) -> ColumnElement[int]:
    return select(func.sum(column)).where(tasks.c.job_id == jobs.c.job_id).scalar_subquery()


_TEXTS: Final[Mapping[Field, tuple[ColumnElement[str], ...]]] = {
    Field.TEXT: (jobs.c.name, cast(jobs.c.job_id, Text), _SOURCE),
    Field.NAME: (jobs.c.name,),
    Field.SOURCE: (_SOURCE,),
    Field.REASON: (jobs.c.failure_reason,),
}
_NUMBERS: Final[Mapping[Field, ColumnElement[Any]]] = {
    Field.ID: jobs.c.job_id,
    Field.PRIORITY: jobs.c.priority,
    Field.AGE: _NOW - _SINCE,
    Field.RUNTIME: _RUNTIME,
    Field.ATTEMPT: jobs.c.attempt,
    Field.RECOVERIES: _sum(tasks.c.recovery_count),
    Field.RESTARTS: _sum(tasks.c.restart_count),
}
_WORDS: Final[Mapping[Field, ColumnElement[str]]] = {
    Field.STATE: jobs.c.schedule_state,
    Field.STATUS: jobs.c.status,
}
_FLAGS: Final[Mapping[Field, ColumnElement[bool]]] = {
    Field.HELD: jobs.c.hold != 0,
    Field.CANCEL: jobs.c.cancel_at.is_not(None),
    Field.ERROR: jobs.c.failure_reason.is_not(None),
}
_COMPARISONS: Final[
    Mapping[Op, Callable[[ColumnElement[Any], float], ColumnElement[bool]]]
] = {
    Op.LESS: lambda column, value: column < value,
    Op.MORE: lambda column, value: column > value,
    Op.AT_LEAST: lambda column, value: column >= value,
    Op.AT_MOST: lambda column, value: column <= value,
}  # fmt: skip


# Terms as SQL.


def _condition(term: Term) -> ColumnElement[bool]:
    met = _met(term)
    # Not NOT: what is not known is not met, and so its opposite is.
    return met.is_not(true()) if term.negated else met


def _met(term: Term) -> ColumnElement[bool]:
    if term.field in _FLAGS:
        return _FLAGS[term.field]
    if term.field in _WORDS:
        return _WORDS[term.field].in_(term.values)
    if term.field in _TEXTS:
        return or_(*(_text(column, term) for column in _TEXTS[term.field]))
    column = _NUMBERS[term.field]
    if term.op is Op.IS:
        return column.in_(term.values)
    compare = _COMPARISONS[term.op]
    return or_(*(compare(column, float(value)) for value in term.values))


def _text(column: ColumnElement[str], term: Term) -> ColumnElement[bool]:
    values = [str(value) for value in term.values]
    match term.op:
        case Op.MATCHES:
            return or_(*(column.regexp_match(value) for value in values))
        case Op.CONTAINS:
            return or_(*(_contains(column, value) for value in values))
        case _:
            return column.in_(values)


def _contains(column: ColumnElement[str], value: str) -> ColumnElement[bool]:
    """SQLite's LIKE knows upper and lower case of ASCII alone, and ends at a NUL."""
    if value.isascii() and value.isprintable():
        return column.contains(value, autoescape=True)
    return column.regexp_match(f"(?i){re.escape(value)}")


# Orders as SQL, and as keys.


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of a key: what is selected, and what SQLite sorts by; the same order."""

    value: ColumnElement[Any]
    order: ColumnElement[Any]


#: After everything else in a tuple, and in SQLite.
_LAST: Final = literal(math.inf, Float)


def _rank(column: ColumnElement[str], words: type[StrEnum]) -> ColumnElement[int]:
    return case({str(word): place for place, word in enumerate(words)}, value=column)


_SORTED: Final[Mapping[OrderBy, ColumnElement[Any]]] = {
    OrderBy.STATE: _rank(jobs.c.schedule_state, ScheduleState),
    OrderBy.STATUS: _rank(jobs.c.status, TaskStatus),
    OrderBy.AGE: -_SINCE,
    OrderBy.STARTED: jobs.c.started_at,
    OrderBy.ENDED: jobs.c.ended_at,
    OrderBy.PRIORITY: jobs.c.priority,
    OrderBy.RUNTIME: _RUNTIME,
}
#: The newest first: the order of those that are alike in every other.
_NEWEST: Final = _Part(-jobs.c.job_id, jobs.c.job_id.desc())


def _part(order: Order) -> _Part:
    if order.by is OrderBy.ID:  # as the table lies: nothing to sort
        return _NEWEST if order.descending else _Part(jobs.c.job_id, jobs.c.job_id)
    if order.by is OrderBy.NAME:
        return _Part(jobs.c.name, jobs.c.name.desc() if order.descending else jobs.c.name)
    value = _SORTED[order.by]
    key = func.coalesce(-value if order.descending else value, _LAST)
    return _Part(key, key)


#: Bytes in reverse order. No byte of UTF-8 is above 0xF4, so there is room for an end after all.
_REVERSED: Final = bytes((0xFE - byte) % 256 for byte in range(256))
_END: Final = b"\xff"


def reversed_text(text: str) -> bytes:
    """What sorts as ``text`` does, the other way round."""
    return text.encode().translate(_REVERSED) + _END


def _keys(rows: Sequence[tuple[Any, ...]], sort: Sequence[Order]) -> list[tuple[Key, int]]:
    """Rows as keys and ids: the last part is always the id, negated."""
    turned = {n for n, one in enumerate(sort) if one.by is OrderBy.NAME and one.descending}
    if turned:
        rows = [
            tuple(reversed_text(part) if n in turned else part for n, part in enumerate(row))
            for row in rows
        ]
    return [(row, -row[-1]) for row in rows]


# Queries.


def listing_query(terms: Sequence[Term], sort: Sequence[Order]) -> Select[Any]:
    """The statement behind :func:`listing`; takes ``now``."""
    parts = [*map(_part, sort), _NEWEST]
    wanted = select(*(part.value.label(f"key{n}") for n, part in enumerate(parts)))
    return wanted.where(*map(_condition, terms)).order_by(*(part.order for part in parts))


def listing(
    tx: Tx, terms: Sequence[Term], sort: Sequence[Order], *, now: float
) -> list[tuple[Key, int]]:
    """Key and id of every job that matches, in order: the newest first, unless sorted otherwise."""
    return _keys(tx.tuples(listing_query(terms, sort), now=now), sort)


def matching(
    tx: Tx, job_ids: Collection[int], terms: Sequence[Term], sort: Sequence[Order], *, now: float
) -> dict[int, Key]:
    """The keys of those of some jobs that match, by id."""
    # Found by their ids: wrapped up, no condition tempts SQLite to look through an index instead.
    met = (func.coalesce(_condition(term), false()) for term in terms)
    query = listing_query((), sort).where(jobs.c.job_id.in_(_IDS), *met)
    found: dict[int, Key] = {}
    for ids in _chunks(job_ids):
        rows = tx.tuples(query, now=now, ids=ids)
        found.update((job_id, key) for key, job_id in _keys(rows, sort))
    return found


def needs_source(terms: Sequence[Term]) -> bool:
    """Whether the filter looks at the files as they were submitted."""
    return any(term.field in (Field.TEXT, Field.SOURCE) for term in terms)


SOURCES: Final = select(snapshots.c.job_id, snapshots.c.source)
_SOURCES_OF: Final = SOURCES.where(snapshots.c.job_id.in_(_IDS))
_JOBS_OF: Final = select(jobs).where(jobs.c.job_id.in_(_IDS))


def jobs_of(tx: Tx, job_ids: Collection[int]) -> list[JobRow]:
    """The rows of those of some jobs that there are."""
    return [JobRow.of(row) for ids in _chunks(job_ids) for row in tx.rows(_JOBS_OF, ids=ids)]


def sources_of(tx: Tx, job_ids: Collection[int]) -> dict[int, str]:
    """The files of some jobs as they were submitted, by id; jobs that never were are not in."""
    return {
        job_id: source
        for ids in _chunks(job_ids)
        for job_id, source in tx.tuples(_SOURCES_OF, ids=ids)
    }


def _chunks(job_ids: Collection[int]) -> Iterator[list[int]]:
    ids = list(job_ids)
    for first in range(0, len(ids), _CHUNK):
        yield ids[first : first + _CHUNK]


_FAILED: Final = select(func.count()).select_from(jobs).where(jobs.c.status.in_(sorted(FAILURES)))
#: No condition on the status: the index of states is the one to use.
_FAILED_NOT_DONE: Final = (
    select(func.count().filter(jobs.c.status.in_(sorted(FAILURES))))
    .select_from(jobs)
    .where(jobs.c.schedule_state.in_([state for state in ScheduleState if state != "DONE"]))
)

#: The first in the order of submission, which stands in the index of states.
_FIRST_PLACE: Final = (
    select(func.min(jobs.c.queue_seq))
    .where(jobs.c.schedule_state == ScheduleState.WAITING)
    .scalar_subquery()
)
_FIRST_WAITING: Final = select(jobs.c.submitted_at).where(
    (jobs.c.schedule_state == ScheduleState.WAITING) & (jobs.c.queue_seq == _FIRST_PLACE)
)


def counts(tx: Tx) -> Counts:
    """How many jobs there are of each kind. Counted in indexes; only what is not DONE is read."""
    states = views.counts(tx)
    failed, not_done = (tx.tuples(query)[0][0] for query in (_FAILED, _FAILED_NOT_DONE))
    first = tx.tuples(_FIRST_WAITING)
    return Counts(
        all=sum(states.values()),
        active=sum(states.get(state, 0) for state in ALIVE_STATES),
        waiting=states.get(ScheduleState.INACTIVE, 0) + states.get(ScheduleState.WAITING, 0),
        failed=failed - not_done,
        done=states.get(ScheduleState.DONE, 0),
        waiting_since=first[0][0] if first else None,
    )
