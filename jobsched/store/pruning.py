"""Forgetting finished jobs: whole jobs with their history, in one transaction, or not at all."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, delete, exists, select

from jobsched.lock import Held
from jobsched.states import ScheduleState
from jobsched.store import moves
from jobsched.store.database import Tx
from jobsched.store.moves import By
from jobsched.store.schema import attempts, dependencies, history, jobs, snapshots, tasks

_AWAITED = exists().where(
    (dependencies.c.on_job_id == jobs.c.job_id) & (dependencies.c.satisfied == 0)
)
_PRUNABLE: Final = (
    select(jobs.c.job_id)
    .where((jobs.c.schedule_state == ScheduleState.DONE) & (jobs.c.ended_at <= bindparam("before")))
    .where(jobs.c.job_id <= bindparam("newest"))
    .where(~_AWAITED)
    .order_by(jobs.c.job_id)
    .limit(bindparam("most"))
)
_NEWEST_KEPT: Final = (
    select(jobs.c.job_id)
    .where(jobs.c.schedule_state == ScheduleState.DONE)
    .order_by(jobs.c.job_id.desc())
    .limit(1)
    .offset(bindparam("keep"))
)
#: Children before the row that they refer to.
_DELETIONS: Final = tuple(
    delete(table).where(table.c.job_id == bindparam("gone"))
    for table in (tasks, attempts, snapshots, dependencies, history, jobs)
)


def newest_prunable(tx: Tx, keep: int) -> int:
    """The id up to which jobs may go when the ``keep`` newest DONE ones are to stay; 0: none."""
    row = tx.row(_NEWEST_KEPT, keep=keep)
    return 0 if row is None else int(row["job_id"])


def prune_some(
    tx: Tx, held: Held, *, before: float, newest: int, most: int, by: By
) -> dict[int, int]:
    """Remove at most ``most`` DONE jobs that ended ``before`` (Unix seconds): id to task count.

    One that an unfinished job still waits for stays. Each leaves a PRUNED row.
    """
    held.require()
    gone: dict[int, int] = {}
    for row in tx.rows(_PRUNABLE, before=before, newest=newest, most=most):
        job_id = int(row["job_id"])
        for deletion in _DELETIONS:
            removed = tx.change(deletion, gone=job_id)
            gone.setdefault(job_id, removed)  # the first table is that of the tasks
        moves.record(tx, by, "PRUNED", job_id=job_id)
    return gone
