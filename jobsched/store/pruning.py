"""Forgetting finished jobs: whole jobs with their history, in one transaction, or not at all.

Owns which jobs may go, and which are gone. Touches no file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import BindParameter, Select, bindparam, delete, exists, select

from jobsched.lock import Held
from jobsched.states import ScheduleState
from jobsched.store import moves
from jobsched.store.database import Tx
from jobsched.store.moves import By
from jobsched.store.schema import attempts, dependencies, history, jobs, snapshots, tasks

#: Ids in one IN list: below SQLite's limit on variables.
_CHUNK: Final = 500
_IDS: Final[BindParameter[Sequence[int]]] = bindparam("ids", expanding=True)

_waiter = jobs.alias("waiter")
#: Whether an unfinished job still waits for it. One that was ended instead of started does not.
_AWAITED = exists().where(
    (dependencies.c.on_job_id == jobs.c.job_id)
    & (dependencies.c.satisfied == 0)
    & (dependencies.c.job_id == _waiter.c.job_id)
    & (_waiter.c.schedule_state != ScheduleState.DONE)
)
#: By id, so that each batch goes on where the last one stopped. That ``ended_at`` is set says DONE;
#: to ask for the state would have all DONE jobs sorted for every batch.
_PRUNABLE: Final = (
    select(jobs.c.job_id)
    .where((jobs.c.job_id > bindparam("after")) & (jobs.c.job_id <= bindparam("newest")))
    .where((jobs.c.ended_at <= bindparam("before")) & ~_AWAITED)
    .order_by(jobs.c.job_id)
    .limit(bindparam("most"))
)
_NEWEST_BUT: Final = (
    select(jobs.c.job_id)
    .where(jobs.c.ended_at.is_not(None))
    .order_by(jobs.c.job_id.desc())
    .limit(1)
    .offset(bindparam("keep"))
)
#: Children before the row that they refer to.
_DELETIONS: Final = tuple(
    delete(table).where(table.c.job_id.in_(_IDS))
    for table in (tasks, attempts, snapshots, dependencies, history, jobs)
)
_PRUNED: Final = select(history.c.job_id).where(
    history.c.job_id.in_(_IDS) & (history.c.kind == "PRUNED")
)
_UNFINISHED: Final = select(jobs.c.job_id).where(
    jobs.c.job_id.in_(_IDS) & jobs.c.ended_at.is_(None)
)
_ENDED: Final = select(jobs.c.job_id).where(
    jobs.c.job_id.in_(_IDS) & (jobs.c.ended_at <= bindparam("before"))
)


def newest_prunable(tx: Tx, keep: int) -> int:
    """The id up to which jobs may go when the ``keep`` newest DONE ones are to stay; 0: none."""
    row = tx.row(_NEWEST_BUT, keep=keep)
    return 0 if row is None else int(row["job_id"])


def prune_some(
    tx: Tx, held: Held, *, after: int, newest: int, before: float, most: int, by: By
) -> list[int]:
    """Remove at most ``most`` DONE jobs that ended ``before`` (Unix seconds); their ids, in order.

    Only such with ids above ``after`` and up to ``newest``. One that an unfinished job still waits
    for stays. Each leaves a PRUNED row.
    """
    held.require()
    found = tx.rows(_PRUNABLE, after=after, newest=newest, before=before, most=most)
    gone = [int(row["job_id"]) for row in found]
    if gone:
        for deletion in _DELETIONS:
            tx.change(deletion, ids=gone)
    for job_id in gone:
        moves.record(tx, by, "PRUNED", job_id=job_id)
    return gone


def pruned_among(tx: Tx, job_ids: Collection[int]) -> set[int]:
    """Those of some ids that were pruned; an id is never used again."""
    return set(_in_chunks(tx, _PRUNED, job_ids))


def ended_among(tx: Tx, job_ids: Collection[int], before: float) -> set[int]:
    """Those of some ids whose jobs have been DONE since ``before`` (Unix seconds)."""
    return set(_in_chunks(tx, _ENDED, job_ids, before=before))


def unfinished_among(tx: Tx, job_ids: Collection[int]) -> set[int]:
    """Those of the jobs that are there and not DONE yet."""
    return set(_in_chunks(tx, _UNFINISHED, job_ids))


def _in_chunks(
    tx: Tx, query: Select[Any], job_ids: Collection[int], **values: object
) -> Iterator[int]:
    ids = sorted(job_ids)
    for first in range(0, len(ids), _CHUNK):
        for row in tx.rows(query, ids=ids[first : first + _CHUNK], **values):
            yield row["job_id"]
