"""Jobs in any state, written by the real moves: for tests of what is read or pruned."""

from __future__ import annotations

import json
from collections.abc import Sequence

from jobsched.context import Context
from jobsched.models import DagSpec, TaskSpec
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves, reads, submissions
from jobsched.store.moves import By
from jobsched.store.rows import JobRow


def by(now: float = 1000.0) -> By:
    """Who writes, and when."""
    return By("test", now)


def row(context: Context, job_id: int) -> JobRow:
    """A job's row now."""
    with context.db.read() as tx:
        found = reads.job(tx, job_id)
    assert found is not None
    return found


def waiting(
    context: Context,
    name: str = "job",
    *,
    tasks: Sequence[str] = ("t",),
    after: Sequence[int] = (),
    priority: int = 0,
    now: float = 1000.0,
) -> int:
    """A job that waits for its first start."""
    spec = DagSpec(
        name=name, tasks=tuple(TaskSpec(task_id=n, name=task) for n, task in enumerate(tasks))
    )
    with context.locked() as held, context.db.write() as tx:
        job_id = moves.create(tx, name, tasks, by(now))
        submissions.snapshot(
            tx, job_id, yaml="", dag=spec.to_json(), env=json.dumps({}), source="x.yaml"
        )
        for other in after:
            submissions.follow(tx, job_id, other)
        moves.set_job(tx, job_id, priority=priority)
        submissions.enter_queue(tx, held, moves.owned(tx, job_id, by(now)), by(now))
    return job_id


def launching(context: Context, name: str = "job", *, attempts: int = 1) -> int:
    """A job whose controller (the last of so many) is being started."""
    job_id = waiting(context, name)
    for attempt in range(1, attempts + 1):
        with context.locked() as held, context.db.write() as tx:
            job = moves.owned(tx, job_id, by())
            if job.schedule_state is not ScheduleState.WAITING:
                moves.schedule(tx, held, job, ScheduleState.WAITING, by())
                job = moves.owned(tx, job_id, by())
            to = ScheduleState.LAUNCHING if attempt == 1 else ScheduleState.ALIVE
            moves.add_attempt(tx, job_id, attempt, kind="DEFAULT", now=1000.0, boot_id="b")
            moves.schedule(tx, held, job, to, by(), attempt=attempt, started_at=1000.0)
    return job_id


def asks_again(context: Context, name: str = "job", *, priority: int = 0) -> int:
    """An alive job that wants its launch slot again."""
    job_id = launching(context, name)
    with context.locked() as held, context.db.write() as tx:
        moves.set_job(tx, job_id, priority=priority)
        for to in (ScheduleState.ALIVE, ScheduleState.ALIVE_WAITING):
            moves.schedule(tx, held, moves.owned(tx, job_id, by()), to, by())
    return job_id


def end(
    context: Context, job_id: int, to: TaskStatus = TaskStatus.SUCCEEDED, now: float = 2000.0
) -> int:
    """Bring a job to DONE; its id."""
    with context.locked() as held, context.db.write() as tx:
        moves.done(tx, held, moves.owned(tx, job_id, by(now)), by(now), to=to)
    return job_id


def done(
    context: Context, name: str = "job", to: TaskStatus = TaskStatus.SUCCEEDED, now: float = 2000.0
) -> int:
    """A job that is DONE."""
    return end(context, waiting(context, name), to, now)
