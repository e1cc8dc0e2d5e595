"""What followers and the audit read: one job's progress, the whole record, the database itself.

Owns questions that go over everything, page by page, so that memory does not grow with history.
Changes nothing and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import sql
from jobsched.store.sql import Sql
from jobsched.store.tx import Tx

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


def progress(tx: Tx, job_id: int) -> Progress | None:
    """How far a job is; ``None`` if there is none (any more)."""
    job = tx.row(sql.STATE, job_id=job_id)
    if job is None:
        return None
    unfinished = (
        row["task_id"]
        for row in tx.rows(sql.STATUSES, job_id=job_id)
        if not TaskStatus(row["status"]).is_terminal
    )
    return Progress(ScheduleState(job["schedule_state"]), job["attempt"], frozenset(unfinished))


def count(tx: Tx) -> int:
    """How many history rows there are."""
    row = tx.row(sql.EVENT_COUNT)
    return 0 if row is None else int(row["rows"])


def limit_events(tx: Tx) -> Iterator[Event]:
    """Rows that change a limit or how much of one is used, in order."""
    after = 0
    while found := [Event(*row) for row in tx.tuples(sql.LIMIT_EVENTS, after=after, most=_ROWS)]:
        yield from found
        after = found[-1].seq


def pages(tx: Tx) -> Iterator[Page]:
    """Everything about every job that has a row anywhere, page by page."""
    after = 0
    while True:
        some = [AuditedJob(*row) for row in tx.tuples(sql.AUDITED_JOBS, after=after, most=_JOBS)]
        upto = some[-1].job_id if len(some) == _JOBS else _NO_END
        these = {"after": after, "upto": upto}
        yield Page(
            some,
            [AuditedTask(*row) for row in tx.tuples(sql.AUDITED_TASKS, **these)],
            [AuditedAttempt(*row) for row in tx.tuples(sql.AUDITED_ATTEMPTS, **these)],
            [Event(*row) for row in tx.tuples(sql.EVENTS, **these)],
        )
        if upto == _NO_END:
            return
        after = upto


def too_early(tx: Tx) -> list[tuple[int, int]]:
    """Jobs that are alive although one that they were to follow has not succeeded, and that."""
    return [(row["job_id"], row["on_job_id"]) for row in tx.rows(sql.TOO_EARLY)]


def damage(tx: Tx) -> list[str]:
    """What SQLite finds wrong with the file and with references in it; empty if it is sound."""
    found = [str(row["integrity_check"]) for row in tx.rows(Sql("PRAGMA integrity_check"))]
    lost = tx.rows(Sql("PRAGMA foreign_key_check"))
    return [line for line in found if line != "ok"] + [
        f"row {row['rowid']} of {row['table']} refers to a row of {row['parent']} that is not there"
        for row in lost
    ]


def schema_version(tx: Tx) -> int:
    """``user_version``."""
    row = tx.row(Sql("PRAGMA user_version"))
    return 0 if row is None else int(row["user_version"])
