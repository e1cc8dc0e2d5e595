"""Status writes by a controller of the user's own, and the facts that it asks for."""

from __future__ import annotations

from jobsched.context import Context
from jobsched.errors import NotFound
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves, reads


def set_task_status(
    context: Context,
    job_id: int,
    task_id: int,
    status: TaskStatus | str,
    reason: str | None = None,
) -> None:
    """Move a task by a legal move; for the job's controller only.

    Raises ``IllegalMove``, ``NoAttempt``, ``StaleAttempt``, ``NotFound``.
    """
    attempt = context.mine(job_id, "set a status of its tasks")
    with context.db.write() as tx:
        by = context.by(reason, attempt=attempt)
        moves.owned(tx, job_id, by)
        task = reads.task(tx, job_id, task_id)
        if task is None:
            raise NotFound(f"task of job {job_id}", task_id)
        moves.status(tx, task, TaskStatus(status), by)


def schedule_state(context: Context, job_id: int) -> ScheduleState:
    """Where the job stands with the scheduler. Raises ``NotFound``."""
    if not context.home.exists():
        raise NotFound("job", job_id)
    with context.db.read() as tx:
        job = reads.job(tx, job_id)
    if job is None:
        raise NotFound("job", job_id)
    return job.schedule_state


def cancel_requested(context: Context, job_id: int) -> bool:
    """Whether somebody has asked for the job's end. Raises ``NotFound``."""
    if not context.home.exists():
        raise NotFound("job", job_id)
    with context.db.read() as tx:
        job = reads.job(tx, job_id)
    if job is None:
        raise NotFound("job", job_id)
    return job.cancel_at is not None
