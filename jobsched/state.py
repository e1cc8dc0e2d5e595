"""Jobs and their states as a library: what embedding programs use, on the default home.

Thin: each hands the default context to the module that does the work.
"""

from __future__ import annotations

from collections.abc import Sequence

from jobsched.context import default_context
from jobsched.scheduler import statuses
from jobsched.states import ScheduleState, TaskStatus


def create_job(name: str, task_names: Sequence[str]) -> int:
    """A new job in INACTIVE with PENDING tasks of these names; its id.

    Raises ``InvalidInput`` for names that cannot be shown, or none.
    """
    from jobsched.scheduler.submission import create_job as create  # noqa: PLC0415 -- when used

    return create(default_context(), name, task_names)


def get_job_schedule_state(job_id: int) -> ScheduleState:
    """Where the job stands with the scheduler. Raises ``NotFound``."""
    return statuses.schedule_state(default_context(), job_id)


def set_task_status(
    job_id: int, task_id: int, status: TaskStatus | str, reason: str | None = None
) -> None:
    """Move a task by a legal move; for the job's controller only.

    Raises ``IllegalMove``, ``NoAttempt``, ``StaleAttempt``, ``NotFound``.
    """
    statuses.set_task_status(default_context(), job_id, task_id, status, reason)


def cancel_requested(job_id: int) -> bool:
    """Whether somebody has asked for the job's end. Raises ``NotFound``."""
    return statuses.cancel_requested(default_context(), job_id)


__all__ = [
    "ScheduleState",
    "TaskStatus",
    "cancel_requested",
    "create_job",
    "get_job_schedule_state",
    "set_task_status",
]
