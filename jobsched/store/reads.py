"""Queries that the scheduler, the controller and the sweep ask, as rows of ``rows``.

Owns SELECTs whose cost does not grow with finished jobs. Changes nothing. What only people look at
(pages, filters, history) is in ``views``.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import and_, bindparam, exists, func, or_, select

from jobsched.states import ALIVE_STATES, ScheduleState
from jobsched.store.database import Tx
from jobsched.store.rows import (
    HELD_BY_REBOOT,
    LONGEST_PAUSE,
    AttemptRow,
    HistoryRow,
    JobRow,
    Limits,
    TaskRow,
)
from jobsched.store.schema import attempts, dependencies, history, jobs, limits, snapshots, tasks

_ALIVE: Final = tuple(sorted(ALIVE_STATES))

_JOB = select(jobs).where(jobs.c.job_id == bindparam("job_id"))
_TASKS = select(tasks).where(tasks.c.job_id == bindparam("job_id")).order_by(tasks.c.task_id)
_TASK = select(tasks).where(
    (tasks.c.job_id == bindparam("job_id")) & (tasks.c.task_id == bindparam("task_id"))
)
_ATTEMPT = select(attempts).where(
    (attempts.c.job_id == bindparam("job_id")) & (attempts.c.attempt == bindparam("attempt"))
)
_ALIVE_JOBS = select(jobs).where(jobs.c.schedule_state.in_(_ALIVE)).order_by(jobs.c.job_id)
_ALIVE_COUNTS = (
    select(jobs.c.schedule_state, func.count().label("count"))
    .where(jobs.c.schedule_state.in_(_ALIVE))
    .group_by(jobs.c.schedule_state)
)
_LIMITS = select(limits)
_SNAPSHOT = select(snapshots).where(snapshots.c.job_id == bindparam("job_id"))
_CHANGES = (
    select(history)
    .where((history.c.job_id == bindparam("job_id")) & (history.c.seq > bindparam("after")))
    .where((history.c.task_id == bindparam("task_id")) & (history.c.kind == "STATUS"))
    .order_by(history.c.seq)
)
_DEPENDENTS = (
    select(jobs)
    .join(dependencies, dependencies.c.job_id == jobs.c.job_id)
    .where(dependencies.c.on_job_id == bindparam("job_id"))
    .where(dependencies.c.satisfied == 0)
    .where(jobs.c.schedule_state != ScheduleState.DONE)
    .order_by(jobs.c.job_id)
)

#: Higher priority first, then in the order of submission.
ORDER: Final = (jobs.c.priority.desc(), jobs.c.queue_seq)
_DUE = or_(
    jobs.c.not_before.is_(None),
    jobs.c.not_before <= bindparam("now"),
    jobs.c.not_before > bindparam("now") + LONGEST_PAUSE,
)
FREE_TO_LAUNCH: Final = and_(jobs.c.hold == 0, jobs.c.cancel_at.is_(None))
#: New jobs that nothing but a limit or a pause keeps from being started ``now``.
STARTABLE: Final = and_(
    jobs.c.schedule_state == ScheduleState.WAITING,
    jobs.c.attempt == 0,
    FREE_TO_LAUNCH,
    _DUE,
    ~exists().where((dependencies.c.job_id == jobs.c.job_id) & (dependencies.c.satisfied == 0)),
)

_REQUEUED = (
    select(jobs)
    .where(jobs.c.schedule_state == ScheduleState.WAITING)
    .where(
        (jobs.c.attempt > 0) & (jobs.c.hold < HELD_BY_REBOOT) & jobs.c.cancel_at.is_(None) & _DUE
    )
    .order_by(*ORDER)
    .limit(bindparam("most"))
)
_RESUMES = (
    select(jobs)
    .where(jobs.c.schedule_state == ScheduleState.ALIVE_WAITING)
    .where(FREE_TO_LAUNCH)
    .order_by(*ORDER)
    .limit(bindparam("most"))
)
_STARTS = select(jobs).where(STARTABLE).order_by(*ORDER).limit(bindparam("most"))
_UNSETTLED = (
    select(jobs)
    .where(jobs.c.schedule_state == ScheduleState.WAITING)
    .where((jobs.c.attempt > 0) & jobs.c.cancel_at.is_not(None))
    .order_by(jobs.c.job_id)
)
_ROOM_WAITERS = (
    select(jobs.c.job_id, jobs.c.attempt)
    .join(tasks, tasks.c.job_id == jobs.c.job_id)
    .where(tasks.c.backoff_code == "NO_ROOM")
    .distinct()
)
_NEXT_DUE = (
    select(func.min(jobs.c.not_before))
    .where(jobs.c.schedule_state == ScheduleState.WAITING)
    .where(jobs.c.not_before > bindparam("now"))
)


def job(tx: Tx, job_id: int) -> JobRow | None:
    """One job."""
    row = tx.row(_JOB, job_id=job_id)
    return None if row is None else JobRow.of(row)


def tasks_of(tx: Tx, job_id: int) -> list[TaskRow]:
    """A job's tasks, in order."""
    return [TaskRow.of(row) for row in tx.rows(_TASKS, job_id=job_id)]


def task(tx: Tx, job_id: int, task_id: int) -> TaskRow | None:
    """One task."""
    row = tx.row(_TASK, job_id=job_id, task_id=task_id)
    return None if row is None else TaskRow.of(row)


def attempt(tx: Tx, job_id: int, number: int) -> AttemptRow | None:
    """One attempt of a job."""
    row = tx.row(_ATTEMPT, job_id=job_id, attempt=number)
    return None if row is None else AttemptRow.of(row)


def alive_jobs(tx: Tx) -> list[JobRow]:
    """All jobs in LAUNCHING, ALIVE and ALIVE_WAITING."""
    return [JobRow.of(row) for row in tx.rows(_ALIVE_JOBS)]


def current_limits(tx: Tx) -> Limits:
    """The limits in force, with what is used of them now."""
    stored = {row["name"]: (row["value"], bool(row["auto"])) for row in tx.rows(_LIMITS)}
    used = {row["schedule_state"]: row["count"] for row in tx.rows(_ALIVE_COUNTS)}
    launch, alive = stored.get("LAUNCH", (0, True)), stored.get("ALIVE", (0, True))
    return Limits(
        launch=launch[0],
        launch_auto=launch[1],
        alive=alive[0],
        alive_auto=alive[1],
        paused=bool(stored.get("PAUSED", (0, False))[0]),
        launching_used=used.get(ScheduleState.LAUNCHING, 0),
        alive_used=sum(used.values()),
    )


def requeued(tx: Tx, now: float, most: int) -> list[JobRow]:
    """Jobs whose controller died and that may have the next one now, in order."""
    return [JobRow.of(row) for row in tx.rows(_REQUEUED, now=now, most=most)]


def resumes(tx: Tx, most: int) -> list[JobRow]:
    """Alive jobs that ask for a launch slot and may have one, in order."""
    return [JobRow.of(row) for row in tx.rows(_RESUMES, most=most)]


def starts(tx: Tx, now: float, most: int) -> list[JobRow]:
    """New jobs that may be started now, in order."""
    return [JobRow.of(row) for row in tx.rows(_STARTS, now=now, most=most)]


def unsettled(tx: Tx) -> list[JobRow]:
    """Cancelled jobs that wait without a controller: whoever comes by ends them."""
    return [JobRow.of(row) for row in tx.rows(_UNSETTLED)]


def dependents(tx: Tx, job_id: int) -> list[JobRow]:
    """Unfinished jobs that still wait for ``job_id``."""
    return [JobRow.of(row) for row in tx.rows(_DEPENDENTS, job_id=job_id)]


def room_waiters(tx: Tx) -> list[tuple[int, int]]:
    """Id and attempt of jobs with a task that waits for room on its backend."""
    return [(row["job_id"], row["attempt"]) for row in tx.rows(_ROOM_WAITERS)]


def next_due(tx: Tx, now: float) -> float | None:
    """When the next job's pause between starts ends, Unix seconds."""
    row = tx.row(_NEXT_DUE, now=now)
    return None if row is None else next(iter(row.values()))


def changes_of_task(tx: Tx, job_id: int, task_id: int, after_seq: int) -> list[HistoryRow]:
    """The moves of one task since a history row, in order."""
    found = tx.rows(_CHANGES, job_id=job_id, task_id=task_id, after=after_seq)
    return [HistoryRow.of(row) for row in found]


def snapshot(tx: Tx, job_id: int) -> dict[str, str] | None:
    """What was stored at submission: ``yaml``, ``dag``, ``env``, ``source``."""
    row = tx.row(_SNAPSHOT, job_id=job_id)
    return None if row is None else {key: row[key] for key in ("yaml", "dag", "env", "source")}
