"""Forgetting finished jobs: whole jobs with their history, in one transaction, or not at all.

Owns which jobs may go, and which are gone. Touches no file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from jobsched.lock import Held
from jobsched.store import moves, sql
from jobsched.store.moves import By
from jobsched.store.sql import Sql
from jobsched.store.tx import Tx, in_chunks

#: Children before the row that they refer to.
_DELETIONS: Final = (
    sql.DELETE_TASKS,
    sql.DELETE_ATTEMPTS,
    sql.DELETE_SNAPSHOTS,
    sql.DELETE_DEPENDENCIES,
    sql.DELETE_HISTORY,
    sql.DELETE_JOBS,
)


def newest_prunable(tx: Tx, keep: int) -> int:
    """The id up to which jobs may go when the ``keep`` newest DONE ones are to stay; 0: none."""
    row = tx.row(sql.NEWEST_BUT, keep=keep)
    return 0 if row is None else int(row["job_id"])


def prune_some(
    tx: Tx, held: Held, *, after: int, newest: int, before: float, most: int, by: By
) -> list[int]:
    """Remove at most ``most`` DONE jobs that ended ``before`` (Unix seconds); their ids, in order.

    Only such with ids above ``after`` and up to ``newest``. One that an unfinished job still waits
    for stays. Each leaves a PRUNED row.
    """
    held.require()
    found = tx.rows(sql.PRUNABLE, after=after, newest=newest, before=before, most=most)
    gone = [int(row["job_id"]) for row in found]
    if gone:
        for deletion in _DELETIONS:
            tx.change(deletion, ids=gone)
    for job_id in gone:
        moves.record(tx, by, "PRUNED", job_id=job_id)
    return gone


def pruned_among(tx: Tx, job_ids: Collection[int]) -> set[int]:
    """Those of some ids that were pruned; an id is never used again."""
    return set(_in_chunks(tx, sql.PRUNED, job_ids))


def ended_among(tx: Tx, job_ids: Collection[int], before: float) -> set[int]:
    """Those of some ids whose jobs have been DONE since ``before`` (Unix seconds)."""
    return set(_in_chunks(tx, sql.ENDED_OF, job_ids, before=before))


def unfinished_among(tx: Tx, job_ids: Collection[int]) -> set[int]:
    """Those of the jobs that are there and not DONE yet."""
    return set(_in_chunks(tx, sql.UNFINISHED_OF, job_ids))


def _in_chunks(tx: Tx, query: Sql, job_ids: Collection[int], **values: object) -> Iterator[int]:
    for ids in in_chunks(sorted(job_ids)):
        for (job_id,) in tx.tuples(query, ids=ids, **values):
            yield job_id
