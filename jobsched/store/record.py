"""What followers and the audit read: one job's progress, the whole record, the database itself.

Owns SELECTs that go over everything, page by page, so that memory does not grow with history.
Changes nothing and judges nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import bindparam, select

from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.database import Tx
from jobsched.store.schema import jobs, tasks

_STATE: Final = select(jobs.c.schedule_state, jobs.c.attempt).where(
    jobs.c.job_id == bindparam("job_id")
)
_STATUSES: Final = select(tasks.c.task_id, tasks.c.status).where(
    tasks.c.job_id == bindparam("job_id")
)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is."""

    state: ScheduleState
    attempt: int
    #: Tasks without an outcome.
    unfinished: frozenset[int]


def progress(tx: Tx, job_id: int) -> Progress | None:
    """How far a job is; ``None`` if there is none (any more)."""
    job = tx.row(_STATE, job_id=job_id)
    if job is None:
        return None
    unfinished = (
        row["task_id"]
        for row in tx.rows(_STATUSES, job_id=job_id)
        if not TaskStatus(row["status"]).is_terminal
    )
    return Progress(ScheduleState(job["schedule_state"]), job["attempt"], frozenset(unfinished))
