"""From what the door says of a job to the row that the console shows.

Owns that translation alone; the door's keys are in ``jobsched.api.shapes``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.frame import JobLine, TaskLine

_TASK: Final = (
    "task_id", "name", "cluster", "region", "exit_code", "started_at", "ended_at",
    "cleanup_error",
)  # fmt: skip
_JOB: Final = (
    "job_id", "name", "attempt", "source", "submitted_at", "started_at", "ended_at", "held",
    "cancel_requested",
)  # fmt: skip
#: Of the past they are not always known, and then ``None``.
_NUMBERS: Final = ("recovery_count", "restart_count")


def task_line(found: Mapping[str, Any]) -> TaskLine:
    """One task."""
    return TaskLine(
        status=TaskStatus(found["status"]),
        log_path=found["log_path"] or "",
        **{key: found[key] for key in _TASK},
        failure_reason=_sentence(found),
        **_numbers(found),
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
        failure_reason=_sentence(found),
        priority=found["priority"] or 0,
        **_numbers(found),
    )


def _numbers(found: Mapping[str, Any]) -> dict[str, Any]:
    return {key: found[key] or 0 for key in _NUMBERS}


def _sentence(found: Mapping[str, Any]) -> str | None:
    """Why it failed, in one line: the evidence comes after it, and is in the events."""
    reason = found["failure_reason"]
    return None if reason is None else str(reason).partition("\n")[0]
