"""Jobs and clusters as JSON objects, with the keys that programs outside rely on.

Owns the shapes of ``queue``, ``show`` and ``clusters``. Times are Unix seconds, absent is ``None``.
Keys may be added, never taken away or renamed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobsched.home import Home
from jobsched.models import ClusterInfo
from jobsched.scheduler.reasons import NOT_WAITING, Facts, reason_for
from jobsched.store.rows import HistoryRow, TaskRow


def job_object(home: Home, facts: Facts) -> dict[str, Any]:
    """One job, as ``queue`` shows it."""
    job, reason = facts.job, reason_for(facts)
    waits = reason.code not in NOT_WAITING
    return {
        "job_id": job.job_id,
        "name": job.name,
        "schedule_state": str(job.schedule_state),
        "status": str(job.status),
        "priority": job.priority,
        "attempt": job.attempt,
        "controller_pid": facts.attempt.pid if facts.attempt else None,
        "controller_alive": facts.liveness.alive,
        "submitted_at": job.submitted_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
        "recovery_count": sum(task.recovery_count for task in facts.tasks),
        "restart_count": sum(task.restart_count for task in facts.tasks),
        "failure_reason": job.failure_reason,
        "waiting_reason": str(reason.code) if waits else None,
        "waiting_text": reason.text if waits else None,
        "held": bool(job.hold),
        "cancel_requested": job.cancel_at is not None,
        "tasks": [task_object(home, task) for task in facts.tasks],
    }


def task_object(home: Home, task: TaskRow) -> dict[str, Any]:
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
        "log_path": str(home.task_log(task.job_id, task.task_id)),
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
    """What operators did to a job, in order. ``subject``: CANCEL, DONE, HOLD, PRIORITY, ..."""
    return [
        {
            "seq": row.seq,
            "at": row.at,
            "subject": row.subject,
            "from": row.from_value,
            "to": row.to_value,
            "attempt": row.attempt,
            "actor": row.actor,
            "reason": row.reason,
        }
        for row in rows
        if row.kind == "ACTION"
    ]


def cluster_object(cluster: ClusterInfo) -> dict[str, Any]:
    """One cluster that exists."""
    return {
        "name": cluster.name,
        "job_id": cluster.job_id,
        "task_id": cluster.task_id,
        "attempt": cluster.attempt,
        "region": cluster.region,
        "num_nodes": cluster.num_nodes,
        "state": str(cluster.state),
        "created_at": cluster.created_at,
        "pids": list(cluster.pids),
    }
