"""Status writes by a controller of the user's own, and the facts that it asks for."""

from __future__ import annotations

from jobsched.context import Context
from jobsched.errors import NotFound
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves, reads
from jobsched.store.rows import JobRow


def set_task_status(
    context: Context,
    job_id: int,
    task_id: int,
    status: TaskStatus | str,
    reason: str | None = None,
) -> None:
    """Move a task by a legal move; for the job's controller only.

    Raises ``IllegalMove``, ``NoAttempt``, ``StaleAttempt``, ``NotFound``, and ``ValueError`` for
    what is no status.
    """
    to = TaskStatus(status)
    attempt = context.mine(job_id, "set a status of its tasks")
    with context.db.write() as tx:
        by = context.by(reason, attempt=attempt)
        moves.owned(tx, job_id, by)
        task = reads.task(tx, job_id, task_id)
        if task is None:
            raise NotFound(f"task of job {job_id}", task_id)
        moves.status(tx, task, to, by)


def schedule_state(context: Context, job_id: int) -> ScheduleState:
    """Where the job stands with the scheduler. Raises ``NotFound``."""
    return _job(context, job_id).schedule_state


def cancel_requested(context: Context, job_id: int) -> bool:
    """Whether somebody has asked for the job's end. Raises ``NotFound``."""
    return _job(context, job_id).cancel_at is not None


def _job(context: Context, job_id: int) -> JobRow:
    if context.home.exists():
        with context.db.read() as tx:
            job = reads.job(tx, job_id)
        if job is not None:
            return job
    raise NotFound("job", job_id)
