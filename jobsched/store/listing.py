"""Which jobs a list shows, and in which order: keys and ids.

Owns the key by which a job that changes finds its place in a list that is there already. A listing
is keys and ids alone, so that a hundred thousand jobs cost a fraction of a second; what is shown of
them is read for the rows that are seen. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from jobsched.states import ALIVE_STATES, ScheduleState
from jobsched.store import sql, views
from jobsched.store.rows import Counts, JobRow
from jobsched.store.terms import Field, Key, Order, OrderBy, Term
from jobsched.store.tx import Statement, Tx, in_chunks

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


# Queries. What is made up is loaded when it is asked for; a list of all jobs, or of those in some
# states, asks for nothing.


def listing(
    tx: Tx, terms: Sequence[Term], sort: Sequence[Order], *, now: float
) -> list[tuple[Key, int]]:
    """Key and id of every job that matches, in order: the newest first, unless sorted otherwise."""
    if not terms and not sort:
        return _keys(tx.tuples(sql.ALL_KEYS), ())
    if not sort and len(terms) == 1 and terms[0].field is Field.STATE and not terms[0].negated:
        return _keys(tx.tuples(sql.KEYS_OF_STATES, states=terms[0].values), ())
    from jobsched.store.catalogue.filtering import listing_query  # noqa: PLC0415 -- see above

    return _keys(tx.tuples(listing_query(terms, sort), now=now), sort)


def matching(
    tx: Tx, job_ids: Collection[int], terms: Sequence[Term], sort: Sequence[Order], *, now: float
) -> dict[int, Key]:
    """The keys of those of some jobs that match, by id."""
    query: Statement = sql.KEYS_OF
    if terms or sort:
        from jobsched.store.catalogue.filtering import matching_query  # noqa: PLC0415 -- see above

        query = matching_query(terms, sort)
    found: dict[int, Key] = {}
    for ids in in_chunks(list(job_ids)):
        rows = tx.tuples(query, now=now, ids=ids)
        found.update((job_id, key) for key, job_id in _keys(rows, sort))
    return found


def needs_source(terms: Sequence[Term]) -> bool:
    """Whether the filter looks at the files as they were submitted."""
    return any(term.field in (Field.TEXT, Field.SOURCE) for term in terms)


def jobs_of(tx: Tx, job_ids: Collection[int]) -> list[JobRow]:
    """The rows of those of some jobs that there are."""
    return [
        JobRow.of(row) for ids in in_chunks(list(job_ids)) for row in tx.rows(sql.JOBS_OF, ids=ids)
    ]


def sources_of(tx: Tx, job_ids: Collection[int]) -> dict[int, str]:
    """The files of some jobs as they were submitted, by id; jobs that never were are not in."""
    return {
        job_id: source
        for ids in in_chunks(list(job_ids))
        for job_id, source in tx.tuples(sql.SOURCES_OF, ids=ids)
    }


def counts(tx: Tx) -> Counts:
    """How many jobs there are of each kind. Counted in indexes; only what is not DONE is read."""
    states = views.counts(tx)
    failed, not_done = (tx.tuples(query)[0][0] for query in (sql.FAILED_COUNT, sql.FAILED_NOT_DONE))
    first = tx.tuples(sql.FIRST_WAITING)
    return Counts(
        all=sum(states.values()),
        active=sum(states.get(state, 0) for state in ALIVE_STATES),
        waiting=states.get(ScheduleState.INACTIVE, 0) + states.get(ScheduleState.WAITING, 0),
        failed=failed - not_done,
        done=states.get(ScheduleState.DONE, 0),
        waiting_since=first[0][0] if first else None,
    )
