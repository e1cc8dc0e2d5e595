"""Filters and sort orders of a list, made up as they are asked for, in SQLAlchemy Core.

Owns what :mod:`terms <jobsched.store.terms>` mean to the database. Loaded when somebody filters or
sorts: only these statements cannot be written down before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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

from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.catalogue.schema import jobs, snapshots, tasks
from jobsched.store.catalogue.terms import IDS
from jobsched.store.terms import Field, Op, Order, OrderBy, Term

# What the fields are in the database.

_NOW: Final[BindParameter[float]] = bindparam("now", type_=Float)

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


# Queries.


def listing_query(terms: Sequence[Term], sort: Sequence[Order]) -> Select[Any]:
    """Keys, in order, of all jobs that match; takes ``now``."""
    parts = [*map(_part, sort), _NEWEST]
    wanted = select(*(part.value.label(f"key{n}") for n, part in enumerate(parts)))
    return wanted.where(*map(_condition, terms)).order_by(*(part.order for part in parts))


def matching_query(terms: Sequence[Term], sort: Sequence[Order]) -> Select[Any]:
    """The same of those of some jobs; takes ``now`` and ``ids``."""
    # Found by their ids: wrapped up, no condition tempts SQLite to look through an index instead.
    met = (func.coalesce(_condition(term), false()) for term in terms)
    return listing_query((), sort).where(jobs.c.job_id.in_(IDS), *met)
