"""What followers and the audit read: one job's progress, the whole record, the database itself.

Owns SELECTs that go over everything, page by page, so that memory does not grow with history.
Changes nothing and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, func, select, text

from jobsched.states import ALIVE_STATES, ScheduleState, TaskStatus
from jobsched.store.database import Tx
from jobsched.store.schema import attempts, dependencies, history, jobs, tasks

#: History rows in one page; jobs in one.
_ROWS: Final = 5000
_JOBS: Final = 500
#: Above every id.
_NO_END: Final = 2**63 - 1


class Event(NamedTuple):
    """A history row, without what only people read."""

    seq: int
    kind: str
    job_id: int | None = None
    task_id: int | None = None
    subject: str | None = None
    from_value: str | None = None
    to_value: str | None = None
    attempt: int | None = None


class AuditedJob(NamedTuple):
    """What an audit compares of a job's row."""

    job_id: int
    schedule_state: str
    status: str
    attempt: int
    cancel_at: float | None
    ended_at: float | None


class AuditedTask(NamedTuple):
    """What an audit compares of a task's row."""

    job_id: int
    task_id: int
    status: str
    counts: int
    ended_at: float | None
    cluster: str | None
    torn_down: int
    cleanup_error: str | None


class AuditedAttempt(NamedTuple):
    """What an audit looks at of an attempt's row."""

    job_id: int
    attempt: int
    kind: str
    ended_at: float | None


@dataclass(frozen=True, slots=True)
class Page:
    """Everything about the jobs of a range of ids; each list is in the order of ids."""

    jobs: list[AuditedJob]
    tasks: list[AuditedTask]
    attempts: list[AuditedAttempt]
    events: list[Event]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is."""

    state: ScheduleState
    attempt: int
    #: Tasks without an outcome.
    unfinished: frozenset[int]


def _of(table: Any, record: type[Any]) -> Any:
    return select(*(table.c[name] for name in record._fields))


def _in_range(table: Any, record: type[Any]) -> Any:
    return _of(table, record).where(
        (table.c.job_id > bindparam("after")) & (table.c.job_id <= bindparam("upto"))
    )


_COUNTED: Final = tuple(sorted(ALIVE_STATES))

_STATE: Final = select(jobs.c.schedule_state, jobs.c.attempt).where(
    jobs.c.job_id == bindparam("job_id")
)
_STATUSES: Final = select(tasks.c.task_id, tasks.c.status).where(
    tasks.c.job_id == bindparam("job_id")
)
_NEXT_JOBS: Final = (
    _of(jobs, AuditedJob)
    .where(jobs.c.job_id > bindparam("after"))
    .order_by(jobs.c.job_id)
    .limit(_JOBS)
)
_TASKS: Final = _in_range(tasks, AuditedTask).order_by(tasks.c.job_id, tasks.c.task_id)
_ATTEMPTS: Final = _in_range(attempts, AuditedAttempt).order_by(
    attempts.c.job_id, attempts.c.attempt
)
_EVENTS: Final = _in_range(history, Event).order_by(history.c.job_id, history.c.seq)
#: What changes a limit, or how much of one is used.
_LIMIT_EVENTS: Final = (
    _of(history, Event)
    .where(history.c.seq > bindparam("after"))
    .where(
        (history.c.kind == "LIMIT")
        | (history.c.kind == "SCHEDULE")
        & (history.c.from_value.in_(_COUNTED) | history.c.to_value.in_(_COUNTED))
    )
    .order_by(history.c.seq)
    .limit(_ROWS)
)
_COUNT: Final = select(func.count().label("rows")).select_from(history)
_TOO_EARLY: Final = (
    select(dependencies.c.job_id, dependencies.c.on_job_id)
    .join(jobs, jobs.c.job_id == dependencies.c.job_id)
    .where((dependencies.c.satisfied == 0) & jobs.c.schedule_state.in_(_COUNTED))
    .order_by(dependencies.c.job_id, dependencies.c.on_job_id)
)


def progress(tx: Tx, job_id: int) -> Progress | None:
    """How far a job is; ``None`` if there is none (any more)."""
    job = tx.row(_STATE, job_id=job_id)
    if job is None:
        return None
    unfinished = (
        row["task_id"]
        for row in tx.rows(_STATUSES, job_id=job_id)
        if not TaskStatus(row["status"]).is_terminal
    )
    return Progress(ScheduleState(job["schedule_state"]), job["attempt"], frozenset(unfinished))


def count(tx: Tx) -> int:
    """How many history rows there are."""
    row = tx.row(_COUNT)
    return 0 if row is None else int(row["rows"])


def limit_events(tx: Tx) -> Iterator[Event]:
    """Rows that change a limit or how much of one is used, in order."""
    after = 0
    while found := [Event(*row.values()) for row in tx.rows(_LIMIT_EVENTS, after=after)]:
        yield from found
        after = found[-1].seq


def pages(tx: Tx) -> Iterator[Page]:
    """Everything about every job that has a row anywhere, page by page."""
    after = 0
    while True:
        some = [AuditedJob(*row.values()) for row in tx.rows(_NEXT_JOBS, after=after)]
        upto = some[-1].job_id if len(some) == _JOBS else _NO_END
        yield Page(
            some,
            [AuditedTask(*row.values()) for row in tx.rows(_TASKS, after=after, upto=upto)],
            [AuditedAttempt(*row.values()) for row in tx.rows(_ATTEMPTS, after=after, upto=upto)],
            [Event(*row.values()) for row in tx.rows(_EVENTS, after=after, upto=upto)],
        )
        if upto == _NO_END:
            return
        after = upto


def too_early(tx: Tx) -> list[tuple[int, int]]:
    """Jobs that are alive although one that they were to follow has not succeeded, and that."""
    return [(row["job_id"], row["on_job_id"]) for row in tx.rows(_TOO_EARLY)]


def damage(tx: Tx) -> list[str]:
    """What SQLite finds wrong with the file and with references in it; empty if it is sound."""
    found = [str(row["integrity_check"]) for row in tx.rows(text("PRAGMA integrity_check"))]
    lost = tx.rows(text("PRAGMA foreign_key_check"))
    return [line for line in found if line != "ok"] + [
        f"row {row['rowid']} of {row['table']} refers to a row of {row['parent']} that is not there"
        for row in lost
    ]


def schema_version(tx: Tx) -> int:
    """``user_version``."""
    row = tx.row(text("PRAGMA user_version"))
    return 0 if row is None else int(row["user_version"])
