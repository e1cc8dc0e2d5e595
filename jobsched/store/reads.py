"""Queries that the scheduler, the controller and the sweep ask, as rows of ``rows``.

Owns questions whose cost does not grow with finished jobs. Changes nothing. What only people look
at (pages, filters, history) is in ``views``.
"""

from __future__ import annotations

from jobsched.states import ScheduleState
from jobsched.store import sql
from jobsched.store.rows import AttemptRow, HistoryRow, JobRow, Limits, TaskRow
from jobsched.store.sql import Sql
from jobsched.store.tx import Tx


def job(tx: Tx, job_id: int) -> JobRow | None:
    """One job."""
    row = tx.row(sql.JOB, job_id=job_id)
    return None if row is None else JobRow.of(row)


def tasks_of(tx: Tx, job_id: int) -> list[TaskRow]:
    """A job's tasks, in order."""
    return [TaskRow.of(row) for row in tx.rows(sql.TASKS, job_id=job_id)]


def task(tx: Tx, job_id: int, task_id: int) -> TaskRow | None:
    """One task."""
    row = tx.row(sql.TASK, job_id=job_id, task_id=task_id)
    return None if row is None else TaskRow.of(row)


def attempt(tx: Tx, job_id: int, number: int) -> AttemptRow | None:
    """One attempt of a job."""
    row = tx.row(sql.ATTEMPT, job_id=job_id, attempt=number)
    return None if row is None else AttemptRow.of(row)


def noted(tx: Tx) -> list[tuple[int, int]]:
    """Id and attempt of alive jobs whose attempt is to end on purpose, and has not ended yet."""
    return [(job_id, attempt) for job_id, attempt in tx.tuples(sql.NOTED)]


def alive_jobs(tx: Tx) -> list[JobRow]:
    """All jobs in LAUNCHING, ALIVE and ALIVE_WAITING."""
    return [JobRow.of(row) for row in tx.rows(sql.ALIVE_JOBS)]


def alive_attempts(tx: Tx) -> list[AttemptRow]:
    """The newest attempt of each alive job."""
    return [AttemptRow.of(row) for row in tx.rows(sql.ALIVE_ATTEMPTS)]


def ending_jobs(tx: Tx) -> list[JobRow]:
    """Alive jobs that are to be ended: cancelled, or with their outcome."""
    return [JobRow.of(row) for row in tx.rows(sql.ENDING)]


def current_limits(tx: Tx) -> Limits:
    """The limits in force, with what is used of them now."""
    stored = {name: (value, bool(auto)) for name, value, auto in tx.tuples(sql.LIMITS)}
    used: dict[str, int] = dict(tx.tuples(sql.ALIVE_COUNTS))
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
    return _jobs(tx, sql.REQUEUED, most, now=now)


def restarts(tx: Tx, now: float, most: int) -> list[JobRow]:
    """Jobs that were to be started, but have never had a controller that called us, in order."""
    return _jobs(tx, sql.RESTARTS, most, now=now)


def resumes(tx: Tx, most: int) -> list[JobRow]:
    """Alive jobs that ask for a launch slot and may have one, in order."""
    return _jobs(tx, sql.RESUMES, most)


def starts(tx: Tx, now: float, most: int) -> list[JobRow]:
    """New jobs that may be started now, in order."""
    return _jobs(tx, sql.STARTS, most, now=now)


def unsettled(tx: Tx) -> list[JobRow]:
    """Cancelled jobs that wait without a controller: whoever comes by ends them."""
    return [JobRow.of(row) for row in tx.rows(sql.UNSETTLED)]


def dependents(tx: Tx, job_id: int) -> list[JobRow]:
    """Unfinished jobs that still wait for ``job_id``."""
    return [JobRow.of(row) for row in tx.rows(sql.DEPENDENTS, job_id=job_id)]


def room_waiters(tx: Tx) -> list[tuple[int, int]]:
    """Id and attempt of jobs with a task that waits for room on its backend."""
    return [(row["job_id"], row["attempt"]) for row in tx.rows(sql.ROOM_WAITERS)]


def next_due(tx: Tx, now: float) -> float | None:
    """When the next job's pause between starts ends, Unix seconds."""
    row = tx.row(sql.NEXT_DUE, now=now)
    return None if row is None else row["next_due"]


def changes_of_task(tx: Tx, job_id: int, task_id: int, after_seq: int) -> list[HistoryRow]:
    """The moves of one task since a history row, in order."""
    found = tx.rows(sql.STATUS_CHANGES, job_id=job_id, task_id=task_id, after=after_seq)
    return [HistoryRow.of(row) for row in found]


def snapshot(tx: Tx, job_id: int) -> dict[str, str] | None:
    """What was stored at submission: ``yaml``, ``dag``, ``env``, ``source``."""
    row = tx.row(sql.SNAPSHOT, job_id=job_id)
    return None if row is None else {key: row[key] for key in ("yaml", "dag", "env", "source")}


def _jobs(tx: Tx, statement: Sql, most: int, **values: object) -> list[JobRow]:
    """The first of some jobs; where there is room for none, none is asked for."""
    if most < 1:
        return []
    return [JobRow.of(row) for row in tx.rows(statement, most=most, **values)]
