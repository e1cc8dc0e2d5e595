"""The home as of a row of its history: jobs folded from what was written up to it.

Owns what each kind of row does to a job that is being rebuilt, and the tables in memory that a
filter, an order or a count is asked of, exactly as they are of the real ones. What is fixed when a
job is made (names, file, which tasks count) is read where it lies; what history does not keep is
``None``. A job without a later row is as it was, so that the recent past costs little. Jobs that
were pruned since are gone from the past, too. Changes nothing on disk.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    Connection,
    Table,
    bindparam,
    create_engine,
    func,
    select,
)
from sqlalchemy.pool import StaticPool
from sqlalchemy.schema import CreateTable

from jobsched.states import ScheduleState, TaskStatus, job_status
from jobsched.store.database import Tx
from jobsched.store.listing import SOURCES
from jobsched.store.schema import history, jobs, limits, snapshots, tasks

#: Ids in one IN list, below SQLite's limit on variables; jobs in one page.
_CHUNK: Final = 500
_ROWS: Final = 5000
_IDS: Final[BindParameter[Sequence[int]]] = bindparam("ids", expanding=True)
_BEGUN: Final = frozenset({TaskStatus.RUNNING, TaskStatus.RECOVERING})
_STATES: Final = {str(state): state for state in ScheduleState}
_STATUSES: Final = {str(status): status for status in TaskStatus}

_OF_JOBS: Final = (
    select(
        history.c.seq, history.c.at, history.c.kind, history.c.job_id, history.c.task_id,
        history.c.subject, history.c.to_value, history.c.attempt, history.c.reason,
    )
    .where(history.c.job_id.in_(_IDS) & (history.c.seq <= bindparam("upto")))
    .order_by(history.c.job_id, history.c.seq)
)  # fmt: skip
#: What each job's priority was before the first change after a row: only changes are recorded.
_LATER_PRIORITY: Final = (
    select(history.c.job_id, history.c.from_value, func.min(history.c.seq))
    .where(history.c.job_id.in_(_IDS) & (history.c.seq > bindparam("upto")))
    .where((history.c.kind == "ACTION") & (history.c.subject == "PRIORITY"))
    .group_by(history.c.job_id)
)
_FIXED: Final = select(jobs.c.job_id, jobs.c.name, jobs.c.priority).where(jobs.c.job_id.in_(_IDS))
_TASKS: Final = select(tasks.c.job_id, tasks.c.task_id, tasks.c.name, tasks.c.counts).where(
    tasks.c.job_id.in_(_IDS)
)
#: 0 for rows of no job; and so no index of jobs tempts SQLite to go through all of it.
_CHANGED_SINCE: Final = (
    select(func.coalesce(history.c.job_id, 0)).where(history.c.seq > bindparam("upto")).distinct()
)
#: Of no job: what an index finds.
_LIMITS: Final = (
    select(history.c.subject, history.c.to_value)
    .where(history.c.job_id.is_(None) & (history.c.seq <= bindparam("upto")))
    .where(history.c.kind == "LIMIT")
    .order_by(history.c.seq)
)
_COPIED: Final = (
    jobs.c.job_id, jobs.c.name, jobs.c.schedule_state, jobs.c.status, jobs.c.attempt,
    jobs.c.priority, jobs.c.hold, jobs.c.queue_seq, jobs.c.created_at, jobs.c.submitted_at,
    jobs.c.started_at, jobs.c.ended_at, jobs.c.cancel_at, jobs.c.failure_reason,
)  # fmt: skip
_NEXT_JOBS: Final = (
    select(*_COPIED).where(jobs.c.job_id > bindparam("after")).order_by(jobs.c.job_id).limit(_ROWS)
)
_SUBMITTED: Final = select(jobs.c.job_id).where(jobs.c.queue_seq.is_not(None))


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
    for ids in _chunks(job_ids):
        for row in tx.tuples(_OF_JOBS, ids=ids, upto=seq):
            job_id, at = row[3], row[1]
            if job_id not in found:
                found[job_id] = JobThen(job_id, at)
            found[job_id].feed(row)
        _complete(tx, seq, {job_id: found[job_id] for job_id in ids if job_id in found})
    return {job_id: job for job_id, job in found.items() if job.name is not None}


def _complete(tx: Tx, seq: int, found: dict[int, JobThen]) -> None:
    """Fill in what history does not tell and time does not change."""
    ids = list(found)
    later = {job_id: int(was) for job_id, was, _ in tx.tuples(_LATER_PRIORITY, ids=ids, upto=seq)}
    for job_id, name, priority in tx.tuples(_FIXED, ids=ids):
        job = found[job_id]
        job.name = name
        if job.priority is None:
            job.priority = later.get(job_id, priority)
    for job_id, task_id, name, counts in tx.tuples(_TASKS, ids=ids):
        task = found[job_id].tasks.get(task_id)
        if task is not None:
            task.name, task.counts = name, bool(counts)


class Tables:
    """The tables as of a row, in memory: for questions about all jobs. Costs one pass over them.

    To be closed.
    """

    def __init__(self, tx: Tx, seq: int) -> None:
        self._connection = _memory()
        self._has_sources = False
        #: Where queries are run.
        self.tx = Tx(self._connection)
        self._connection.exec_driver_sql("BEGIN")  # a commit for each row would cost more than it
        changed = {job_id for (job_id,) in tx.tuples(_CHANGED_SINCE, upto=seq)}
        for rows in _pages(tx):
            self._fill(jobs, _JOB_NAMES, [row for row in rows if row[0] not in changed])
        then = jobs_then(tx, seq, changed)
        self._fill(jobs, _JOB_NAMES, [_job_row(job) for job in then.values()])
        limits_then = dict(tx.tuples(_LIMITS, upto=seq))
        self._fill(limits, ("name", "value", "auto"), [(*one, 0) for one in limits_then.items()])

    def add_sources(self, tx: Tx) -> None:
        """Have the files, too: only a filter on them needs them, and they are dear to read."""
        if self._has_sources:
            return
        submitted = {job_id for (job_id,) in self.tx.tuples(_SUBMITTED)}
        rows = [(*row, "", "", "") for row in tx.tuples(SOURCES) if row[0] in submitted]
        self._fill(snapshots, ("job_id", "source", "yaml", "dag", "env"), rows)
        self._has_sources = True

    def close(self) -> None:
        """Give back the memory."""
        self._connection.close()
        self._connection.engine.dispose()

    def _fill(self, table: Table, names: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
        if rows:
            places = ", ".join("?" * len(names))
            self._connection.exec_driver_sql(
                f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({places})",  # noqa: S608 -- names of ours
                rows,
            )


_JOB_NAMES: Final = tuple(column.name for column in _COPIED)


def _job_row(job: JobThen) -> tuple[Any, ...]:
    return tuple(getattr(job, name) for name in _JOB_NAMES)


def _memory() -> Connection:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    for table in (jobs, tasks, snapshots, limits):  # without indexes: they are read a few times
        connection.execute(CreateTable(table))
    # Between two rows of one transaction a job may be what no commit has ever shown.
    connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
    return connection


def _pages(tx: Tx) -> Iterator[list[tuple[Any, ...]]]:
    after = 0
    while rows := tx.tuples(_NEXT_JOBS, after=after):
        yield rows
        after = rows[-1][0]


def _chunks(job_ids: Collection[int]) -> Iterator[list[int]]:
    ids = list(job_ids)
    for first in range(0, len(ids), _CHUNK):
        yield ids[first : first + _CHUNK]
