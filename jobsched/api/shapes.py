"""Jobs as JSON objects, with exactly the keys that programs outside rely on.

Owns the shapes of ``queue --json`` and ``show --json``. Times are Unix seconds, absent is ``None``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobsched.context import Context
from jobsched.scheduler.reasons import NOT_WAITING, Facts, reason_for
from jobsched.store.rows import AttemptRow, HistoryRow, TaskRow


def job_object(context: Context, facts: Facts, attempt: AttemptRow | None) -> dict[str, Any]:
    """One job, as ``queue`` shows it."""
    job, reason = facts.job, reason_for(facts)
    return {
        "job_id": job.job_id,
        "name": job.name,
        "schedule_state": str(job.schedule_state),
        "status": str(job.status),
        "priority": job.priority,
        "attempt": job.attempt,
        "controller_pid": attempt.pid if attempt else None,
        "controller_alive": facts.liveness.alive,
        "submitted_at": job.submitted_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
        "recovery_count": sum(task.recovery_count for task in facts.tasks),
        "restart_count": sum(task.restart_count for task in facts.tasks),
        "failure_reason": job.failure_reason,
        "waiting_reason": None if reason.code in NOT_WAITING else str(reason.code),
        "held": bool(job.hold),
        "cancel_requested": job.cancel_at is not None,
        "tasks": [task_object(context, task) for task in facts.tasks],
    }


def task_object(context: Context, task: TaskRow) -> dict[str, Any]:
    """One task of a job."""
    return {
        "task_id": task.task_id,
        "name": task.name,
        "status": str(task.status),
        "cluster": task.cluster,
        "region": task.region,
        "exit_code": task.exit_code,
        "recovery_count": task.recovery_count,
        "restart_count": task.restart_count,
        "started_at": task.started_at,
        "ended_at": task.ended_at,
        "failure_reason": task.failure_reason,
        "cleanup_error": task.cleanup_error,
        "log_path": str(context.home.task_log(task.job_id, task.task_id)),
    }


def move_objects(rows: Sequence[HistoryRow]) -> list[dict[str, Any]]:
    """The moves of a job and its tasks, in order."""
    return [
        {
            "seq": row.seq,
            "at": row.at,
            "task_id": row.task_id,
            "from": row.from_value,
            "to": row.to_value,
            "attempt": row.attempt,
            "actor": row.actor,
            "reason": row.reason,
        }
        for row in rows
        if row.kind in ("SCHEDULE", "STATUS")
    ]


def action_objects(rows: Sequence[HistoryRow]) -> list[dict[str, Any]]:
    """What operators did to a job, in order."""
    return [
        {
            "seq": row.seq,
            "at": row.at,
            "action": row.subject,
            "from": row.from_value,
            "to": row.to_value,
            "actor": row.actor,
            "reason": row.reason,
        }
        for row in rows
        if row.kind == "ACTION"
    ]
