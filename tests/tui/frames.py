"""Jobs and frames that tests look at: what each test is about is all it has to say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.frame import (
    Attention,
    Frame,
    Gauge,
    Health,
    Host,
    JobLine,
    LimitsLine,
    Progress,
    TaskLine,
    Trouble,
)

#: 22:13:20 UTC.
NOW = 1_700_000_000.0


def tasks(done: int, count: int, status: TaskStatus = TaskStatus.RUNNING) -> tuple[TaskLine, ...]:
    """So many tasks, the first of them done."""
    return tuple(
        TaskLine(
            task_id=task_id,
            name=f"task-{task_id}",
            status=TaskStatus.SUCCEEDED if task_id < done else status,
            region="here",
        )
        for task_id in range(count)
    )


def job(job_id: int, **fields: Any) -> JobLine:
    """A job that runs, unless ``fields`` say otherwise."""
    usual: dict[str, Any] = {
        "name": f"job-{job_id}",
        "state": ScheduleState.ALIVE,
        "status": TaskStatus.RUNNING,
        "tasks": tasks(2, 5),
        "submitted_at": NOW - 7440,
        "reason": "RUNNING",
        "why": f"job {job_id} runs task task-2 in here",
    }
    return JobLine(job_id=job_id, **{**usual, **fields})


def waiting(job_id: int, why: str, **fields: Any) -> JobLine:
    """A job that waits for its first slot."""
    usual: dict[str, Any] = {
        "state": ScheduleState.WAITING,
        "status": TaskStatus.PENDING,
        "tasks": tasks(0, 4, TaskStatus.PENDING),
        "reason": "LAUNCH_LIMIT",
        "why": why,
    }
    return job(job_id, **{**usual, **fields})


def ended(job_id: int, status: TaskStatus, **fields: Any) -> JobLine:
    """A job that was DONE after 48 minutes."""
    usual: dict[str, Any] = {
        "state": ScheduleState.DONE,
        "status": status,
        "tasks": tasks(0, 1, status),
        "started_at": NOW - 10_000,
        "ended_at": NOW - 10_000 + 2880,
        "reason": "DONE",
    }
    return job(job_id, **{**usual, **fields})


def running(job_id: int = 1042) -> JobLine:
    """A job that says how far it is."""
    return job(
        job_id,
        name="train-resnet-s3",
        pid=88123,
        alive=True,
        cpu=391.0,
        rss=5_500_000_000,
        progress=Progress(done=4120, total=9000, text="step 4120/9000"),
    )


def trouble(kind: Trouble, text: str, job_id: int | None = None) -> Attention:
    """Something to look at since 14 minutes."""
    command = "jobsched sweep" if job_id is None else f"jobsched requeue {job_id}"
    return Attention(trouble=kind, text=text, command=command, job_id=job_id, since=NOW - 840)


def dead(job_id: int = 1039) -> JobLine:
    """A job whose controller is gone."""
    return job(
        job_id,
        name="train-gpt-small",
        pid=87640,
        alive=False,
        trouble=trouble(Trouble.DEAD, "pid 87640 gone 14m, database says ALIVE", job_id),
    )


LIMITS = LimitsLine(
    launch=Gauge(limit=3, used=3, history=(0, 1, 2, 3, 3, 3, 3, 3)),
    alive=Gauge(limit=64, used=48, history=(8, 16, 24, 32, 40, 48, 56, 48)),
    waiting=132,
    waiting_since=NOW - 252,
)


def frame(lines: Sequence[JobLine] = (), **fields: Any) -> Frame:
    """A moment of a home in which all is well, and these jobs match."""
    usual: dict[str, Any] = {
        "home": "/srv/jobs",
        "health": Health(at=NOW - 0.1),
        "now": NOW,
        "limits": LIMITS,
        "host": Host(
            name="gpu-01", cpus=16, load=3.1, memory_used=41 << 30, memory_total=128 << 30
        ),
        "user": "alice",
        "counts": {"all": 10_412, "active": 183, "waiting": 132, "failed": 7, "done": 10_212},
        "matched": len(lines),
        "lines": tuple(lines),
    }
    return Frame(**{**usual, **fields})
