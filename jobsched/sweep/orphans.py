"""Clusters that nobody will ever remove: those of jobs that are DONE or no longer known.

A forced ``done`` leaves them on purpose; a crash may leave them by bad luck. Every sweep removes
them. Never touches a cluster of a job that is not DONE: that is its controller's, or ``settle``'s.
"""

from __future__ import annotations

from dataclasses import dataclass

from jobsched.context import Context
from jobsched.errors import BackendError
from jobsched.store import moves, reads
from jobsched.sweep.room import room_freed


@dataclass(frozen=True, slots=True)
class Removed:
    """What a sweep did about one orphan; ``error`` is set if it could not be removed."""

    cluster: str
    job_id: int
    error: str | None = None


def remove_orphans(context: Context) -> list[Removed]:
    """Remove every orphan cluster; what was found."""
    return [
        _remove(context, cluster.name, cluster.job_id, cluster.task_id)
        for cluster in context.backend().clusters()
        if _is_orphan(context, cluster.job_id)
    ]


def _is_orphan(context: Context, job_id: int) -> bool:
    with context.db.read() as tx:
        job = reads.job(tx, job_id)
    return job is None or job.is_done


def _remove(context: Context, cluster: str, job_id: int, task_id: int) -> Removed:
    error = None
    try:
        context.backend().remove(cluster, grace=context.config.backend.stop_grace_seconds)
    except BackendError as problem:
        error = str(problem)
    with context.db.write() as tx:
        task = reads.task(tx, job_id, task_id)
        if task is not None and task.cluster == cluster:
            done = {"torn_down": 1} if error is None else {"cleanup_error": error}
            moves.set_task(tx, job_id, task_id, **done)
    if error is None:
        room_freed(context)
    return Removed(cluster, job_id, error)
