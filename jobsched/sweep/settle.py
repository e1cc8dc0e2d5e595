"""Ending a job that no controller drives any more: stop its clusters, settle the outcome, DONE.

Owns the order: CANCELLING until a task's processes are gone, then CANCELLED, cleanup, DONE. Whoever
comes by may do it; a lock of its own keeps two from doing it at once. Never acts for a job whose
attempt still lives.
"""

from __future__ import annotations

import os

from jobsched import lock
from jobsched.context import Context
from jobsched.errors import BackendError, StaleAttempt
from jobsched.lock import Grip
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves, reads
from jobsched.store.moves import By
from jobsched.store.rows import JobRow, TaskRow
from jobsched.sweep.callbacks import callbacks_of
from jobsched.sweep.room import room_freed


def settle(context: Context, job_id: int, *, telling: bool = True) -> bool:
    """End ``job_id`` if it is to be ended without a controller; whether it is DONE now.

    ``telling``: whether to tell its callbacks first, which may take a minute for each change; else
    a job that has any to tell is left undone, for somebody who has the time.
    """
    guard = lock.try_lock(context.home.settle_lock(job_id))
    if guard is None:
        return False  # somebody is at it
    try:
        return _settle(context, job_id, telling=telling)
    except StaleAttempt:
        return False  # forced to DONE, or taken over, meanwhile
    finally:
        os.close(guard)


def _settle(context: Context, job_id: int, *, telling: bool) -> bool:
    with context.db.read() as tx:
        job, tasks = reads.job(tx, job_id), reads.tasks_of(tx, job_id)
    if job is None or not _is_ours(context, job):
        return False
    left = [task for task in tasks if not _settle_task(context, job, task)]
    if left:
        return False
    for callbacks in callbacks_of(context, job):
        if not telling and callbacks.has_news():
            return False
        callbacks.catch_up()
    with context.locked() as held, context.db.write() as tx:
        by = context.by(attempt=job.attempt)
        current = moves.owned(tx, job_id, by)
        if current.schedule_state in (ScheduleState.DONE, ScheduleState.INACTIVE):
            return current.is_done
        ended = moves.done(tx, held, current, by, to=TaskStatus.CANCELLED)
    for other in ended:  # with those that were to follow it
        context.after_done(other)
    return True


def _is_ours(context: Context, job: JobRow) -> bool:
    """Whether the job is one to end, and nobody alive could be doing it."""
    if job.is_done or job.attempt == 0 or not job.is_ending:
        return False
    return lock.probe(context.home.attempt_lock(job.job_id, job.attempt)) is Grip.FREE


def _by(context: Context, job: JobRow) -> By:
    """Who ends it, at the moment of a write: what came before may have taken long."""
    return context.by(job.cancel_reason, attempt=job.attempt)


def _settle_task(context: Context, job: JobRow, task: TaskRow) -> bool:
    """Bring one task to its end and remove its cluster; whether nothing of it is left."""
    if not task.status.is_terminal and task.status is not TaskStatus.CANCELLING:
        with context.db.write() as tx:
            by = _by(context, job)
            moves.owned(tx, job.job_id, by)
            moves.status(tx, task, moves.when_cancelled(task), by)
    error = _remove(context, job, task) if task.has_cluster else None
    with context.db.write() as tx:
        by = _by(context, job)
        moves.owned(tx, job.job_id, by)
        if error is not None:
            moves.set_task(tx, job.job_id, task.task_id, cleanup_error=error)
            return False
        moves.set_task(tx, job.job_id, task.task_id, torn_down=1)
        current = reads.task(tx, job.job_id, task.task_id)
        if current is not None and current.status is TaskStatus.CANCELLING:
            moves.status(tx, current, TaskStatus.CANCELLED, by)
    if task.has_cluster:
        room_freed(context)
    return True


def _remove(context: Context, job: JobRow, task: TaskRow) -> str | None:
    """Fence and remove the task's cluster; what went wrong, if anything."""
    backend = context.backend()
    cluster = task.cluster or ""
    try:
        backend.adopt(cluster, job.attempt)
        backend.remove(cluster, grace=context.config.backend.stop_grace_seconds)
    except BackendError as error:
        return str(error)
    return None
