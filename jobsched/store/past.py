"""The home as of a row of its history: jobs folded from what was written up to it.

Owns what each kind of row does to a job that is being rebuilt, and the tables in memory that a
filter, an order or a count is asked of, exactly as they are of the real ones. What is fixed when a
job is made (names, file, which tasks count) is read where it lies; what history does not keep is
``None``. A job without a later row is as it was, so that the recent past costs little. Jobs that
were pruned since are gone from the past, too. Changes nothing on disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from jobsched.states import ScheduleState, TaskStatus, job_status
from jobsched.store import driver, sql
from jobsched.store.tx import Tx, in_chunks

#: Jobs in one page.
_ROWS: Final = 5000
#: What of a job is copied, as the catalogue reads it.
COPIED: Final = (
    "job_id", "name", "schedule_state", "status", "attempt",
    "priority", "hold", "queue_seq", "created_at", "submitted_at",
    "started_at", "ended_at", "cancel_at", "failure_reason",
)  # fmt: skip
_BEGUN: Final = frozenset({TaskStatus.RUNNING, TaskStatus.RECOVERING})
_STATES: Final = {str(state): state for state in ScheduleState}
_STATUSES: Final = {str(status): status for status in TaskStatus}


@dataclass(slots=True)
class TaskThen:
    """A task as of a row."""

    task_id: int
    status: TaskStatus = TaskStatus.PENDING
    counts: bool = True
    name: str | None = None
    started_at: float | None = None
    ended_at: float | None = None
    failure_reason: str | None = None


@dataclass(slots=True)
class JobThen:
    """A job as of a row. Named like the columns of ``jobs``."""

    job_id: int
    created_at: float
    #: ``None``: nothing is left of it but the row that says that it was pruned.
    name: str | None = None
    schedule_state: ScheduleState = ScheduleState.INACTIVE
    attempt: int = 0
    #: ``None``: that of its submission, which no row tells.
    priority: int | None = 0
    hold: int = 0
    queue_seq: int | None = None
    submitted_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    cancel_at: float | None = None
    tasks: dict[int, TaskThen] = field(default_factory=dict)

    @property
    def status(self) -> TaskStatus:
        """What follows from the tasks."""
        return job_status(
            [(task.status, task.counts, task.ended_at) for task in self.tasks.values()]
        )

    @property
    def failure_reason(self) -> str | None:
        """That of the task which names the outcome."""
        ended = [task for task in self.tasks.values() if task.counts and task.failure_reason]
        if not ended or not self.status.is_terminal:
            return None
        first = min(
            ended, key=lambda task: (not task.status.is_failure, task.ended_at, task.task_id)
        )
        return first.failure_reason

    def feed(self, row: tuple[Any, ...]) -> None:
        """Take in its next row."""
        seq, at, kind, _, task_id, subject, to, attempt, reason = row
        match kind:
            case "SCHEDULE" if to in _STATES:
                self._schedule(seq, at, _STATES[to], attempt or 0)
            case "STATUS" if to in _STATUSES:
                self._status(at, task_id, _STATUSES[to], reason)
            case "ACTION":
                self._action(at, subject, to)
            case _:
                pass  # no change of a job, or a word that this release does not know

    def _schedule(self, seq: int, at: float, to: ScheduleState, attempt: int) -> None:
        if self.schedule_state is ScheduleState.INACTIVE and to is ScheduleState.WAITING:
            self.submitted_at, self.queue_seq, self.priority = at, seq, None
        if attempt > self.attempt and to is not ScheduleState.DONE and self.started_at is None:
            self.started_at = at
        if to is ScheduleState.DONE:
            self.ended_at = at
        self.schedule_state, self.attempt = to, attempt

    def _status(self, at: float, task_id: int, to: TaskStatus, reason: str | None) -> None:
        task = self.tasks.get(task_id)
        if task is None:
            task = self.tasks[task_id] = TaskThen(task_id)
        task.status = to
        if task.started_at is None and to in _BEGUN:
            task.started_at = at
        if to.is_terminal:
            task.ended_at = at
            task.failure_reason = None if to is TaskStatus.SUCCEEDED else reason

    def _action(self, at: float, subject: str, to: str | None) -> None:
        match subject:
            case "CANCEL":
                self.cancel_at = at
            case "HOLD":
                self.hold = 1
            case "RELEASE":
                self.hold = 0
            case "PRIORITY":
                self.priority = int(to or 0)
            case _:
                pass  # what follows from it has rows of its own


def jobs_then(tx: Tx, seq: int, job_ids: Collection[int]) -> dict[int, JobThen]:
    """Those of some jobs that were there as of row ``seq``, by id. Costs their histories."""
    found: dict[int, JobThen] = {}
    for ids in in_chunks(list(job_ids)):
        for row in tx.tuples(sql.THEN, ids=ids, upto=seq):
            job_id, at = row[3], row[1]
            if job_id not in found:
                found[job_id] = JobThen(job_id, at)
            found[job_id].feed(row)
        _complete(tx, seq, {job_id: found[job_id] for job_id in ids if job_id in found})
    return {job_id: job for job_id, job in found.items() if job.name is not None}


def _complete(tx: Tx, seq: int, found: dict[int, JobThen]) -> None:
    """Fill in what history does not tell and time does not change."""
    ids = list(found)
    later = {
        job_id: int(was) for job_id, was, _ in tx.tuples(sql.LATER_PRIORITY, ids=ids, upto=seq)
    }
    for job_id, name, priority in tx.tuples(sql.FIXED, ids=ids):
        job = found[job_id]
        job.name = name
        if job.priority is None:
            job.priority = later.get(job_id, priority)
    for job_id, task_id, name, counts in tx.tuples(sql.FIXED_TASKS, ids=ids):
        task = found[job_id].tasks.get(task_id)
        if task is not None:
            task.name, task.counts = name, bool(counts)


class Tables:
    """The tables as of a row, in memory: for questions about all jobs. Costs one pass over them.

    To be closed.
    """

    def __init__(self, tx: Tx, seq: int) -> None:
        self._driver = _memory()
        self._has_sources = False
        #: Where queries are run.
        self.tx = Tx(self._driver)
        self._driver.execute("BEGIN")  # a commit for each row would cost more than it
        changed = {job_id for (job_id,) in tx.tuples(sql.CHANGED_SINCE, upto=seq)}
        for rows in _pages(tx):
            self._fill("jobs", COPIED, [row for row in rows if row[0] not in changed])
        then = jobs_then(tx, seq, changed)
        self._fill("jobs", COPIED, [_job_row(job) for job in then.values()])
        limits_then = dict(tx.tuples(sql.LIMITS_UPTO, upto=seq))
        self._fill("limits", ("name", "value", "auto"), [(*one, 0) for one in limits_then.items()])

    def add_sources(self, tx: Tx) -> None:
        """Have the files, too: only a filter on them needs them, and they are dear to read."""
        if self._has_sources:
            return
        submitted = {job_id for (job_id,) in self.tx.tuples(sql.SUBMITTED)}
        rows = [(*row, "", "", "") for row in tx.tuples(sql.SOURCES) if row[0] in submitted]
        self._fill("snapshots", ("job_id", "source", "yaml", "dag", "env"), rows)
        self._has_sources = True

    def close(self) -> None:
        """Give back the memory."""
        self._driver.close()

    def _fill(self, table: str, names: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
        if rows:
            places = ", ".join("?" * len(names))
            self._driver.executemany(
                f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})",  # noqa: S608 -- names of ours
                rows,
            )


def _job_row(job: JobThen) -> tuple[Any, ...]:
    return tuple(getattr(job, name) for name in COPIED)


def _memory() -> sqlite3.Connection:
    memory = driver.in_memory()
    for table in ("jobs", "tasks", "snapshots", "limits"):  # no indexes: they are read a few times
        memory.execute(sql.TABLES[table])
    # Between two rows of one transaction a job may be what no commit has ever shown.
    memory.execute("PRAGMA ignore_check_constraints = ON")
    return memory


def _pages(tx: Tx) -> Iterator[list[tuple[Any, ...]]]:
    after = 0
    while rows := tx.tuples(sql.COPIED_JOBS, after=after, most=_ROWS):
        yield rows
        after = rows[-1][0]
