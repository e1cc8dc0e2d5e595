"""From what the door says of a job to the row that the console shows.

Owns that translation alone; the door's keys are in ``jobsched.api.shapes``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.frame import JobLine, TaskLine

_TASK: Final = (
    "task_id", "name", "cluster", "region", "exit_code", "recovery_count", "restart_count",
    "started_at", "ended_at", "failure_reason", "cleanup_error",
)  # fmt: skip
_JOB: Final = (
    "job_id", "name", "priority", "attempt", "source", "submitted_at", "started_at", "ended_at",
    "held", "cancel_requested", "recovery_count", "restart_count", "failure_reason",
)  # fmt: skip


def task_line(found: Mapping[str, Any]) -> TaskLine:
    """One task."""
    return TaskLine(
        status=TaskStatus(found["status"]),
        log_path=found["log_path"] or "",
        **{key: found[key] for key in _TASK},
    )


def job_line(found: Mapping[str, Any]) -> JobLine:
    """One job, without what only a look at processes and logs can tell."""
    return JobLine(
        state=ScheduleState(found["schedule_state"]),
        status=TaskStatus(found["status"]),
        tasks=tuple(task_line(task) for task in found["tasks"]),
        pid=found["controller_pid"],
        alive=found["controller_alive"],
        reason=found["waiting_reason"] or "",
        why=found["waiting_text"] or "",
        **{key: found[key] for key in _JOB},
    )
