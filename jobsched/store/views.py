"""Queries for people: pages of jobs, one job's record, names, who is in front of whom.

Owns SELECTs that the command line and the console show. A page costs a page, however many jobs have
ended: its rows are found by index, and what belongs to them comes in one query for all of them.
Changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Select,
    bindparam,
    func,
    or_,
    select,
    true,
    union_all,
)

from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import reads
from jobsched.store.database import Row, Tx
from jobsched.store.rows import AttemptRow, HistoryRow, JobRow, TaskRow
from jobsched.store.schema import attempts, dependencies, history, jobs, tasks

#: Ids in one IN list: below SQLite's limit on variables.
_CHUNK: Final = 500
_IDS: Final[BindParameter[Sequence[int]]] = bindparam("ids", expanding=True)
_UNFINISHED_STATES: Final = tuple(
    state for state in ScheduleState if state is not ScheduleState.DONE
)

_TASKS = select(tasks).where(tasks.c.job_id.in_(_IDS)).order_by(tasks.c.job_id, tasks.c.task_id)
_NEWEST = (
    select(attempts.c.job_id, func.max(attempts.c.attempt).label("attempt"))
    .where(attempts.c.job_id.in_(_IDS) & (attempts.c.kind != "FENCE"))
    .group_by(attempts.c.job_id)
    .subquery()
)
_NEWEST_ATTEMPTS = select(attempts).join(
    _NEWEST,
    (attempts.c.job_id == _NEWEST.c.job_id) & (attempts.c.attempt == _NEWEST.c.attempt),
)
_BLOCKERS = (
    select(dependencies.c.job_id, dependencies.c.on_job_id, jobs.c.status)
    .join(jobs, jobs.c.job_id == dependencies.c.on_job_id, isouter=True)
    .where(dependencies.c.job_id.in_(_IDS) & (dependencies.c.satisfied == 0))
    .order_by(dependencies.c.job_id, dependencies.c.on_job_id)
)
_RECORD = select(history).where(history.c.job_id == bindparam("job_id")).order_by(history.c.seq)
_UNFINISHED = select(jobs.c.job_id).where(jobs.c.schedule_state.in_(_UNFINISHED_STATES))
_UNFINISHED_NAMED = _UNFINISHED.where(jobs.c.name == bindparam("name"))
_COUNTS = select(jobs.c.schedule_state, func.count().label("count")).group_by(jobs.c.schedule_state)
_BEFORE = or_(
    jobs.c.priority > bindparam("priority"),
    (jobs.c.priority == bindparam("priority")) & (jobs.c.queue_seq < bindparam("place")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which jobs a page shows, newest first."""

    #: Also those that are DONE.
    all: bool = False
    #: Only these; whoever asks for a status by name also means jobs that are DONE.
    statuses: Collection[TaskStatus] = field(default=())
    name: str | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Blocker:
    """A job that must succeed before another may start."""

    job_id: int
    #: ``None``: it is no longer known.
    status: TaskStatus | None


@dataclass(frozen=True, slots=True)
class Ahead:
    """Jobs that a pass considers before another one."""

    #: The first few, in the order of the pass.
    first: tuple[int, ...] = ()
    count: int = 0


def page(tx: Tx, wanted: Filter) -> list[JobRow]:
    """One page of jobs."""
    return [JobRow.of(row) for row in tx.rows(_page(wanted))]


def _page(wanted: Filter) -> Select[Any]:
    """The newest of each state (or status), which an index finds; of these the newest."""
    kinds: list[ColumnElement[bool]] = [true()]
    if wanted.statuses:
        kinds = [jobs.c.status == status for status in sorted(set(wanted.statuses))]
    elif not wanted.all:
        kinds = [jobs.c.schedule_state == state for state in _UNFINISHED_STATES]
    if wanted.name is not None:
        kinds = [(jobs.c.name == wanted.name) & or_(*kinds)]  # there is an index of names, too
    newest_first = jobs.c.job_id.desc()
    newest = [
        select(jobs.c.job_id).where(kind).order_by(newest_first).limit(wanted.limit)
        for kind in kinds
    ]
    found = union_all(*(select(one.subquery().c.job_id) for one in newest))
    page = select(jobs).where(jobs.c.job_id.in_(found))
    return page.order_by(newest_first).limit(wanted.limit)


def tasks_of_all(tx: Tx, job_ids: Sequence[int]) -> dict[int, list[TaskRow]]:
    """The tasks of several jobs, in order, by job."""
    found: dict[int, list[TaskRow]] = {job_id: [] for job_id in job_ids}
    for row in _in_chunks(tx, _TASKS, job_ids):
        found[row["job_id"]].append(TaskRow.of(row))
    return found


def newest_attempts(tx: Tx, job_ids: Sequence[int]) -> dict[int, AttemptRow]:
    """The newest attempt that was a controller's, of each job that has had one, by job."""
    rows = _in_chunks(tx, _NEWEST_ATTEMPTS, job_ids)
    return {row["job_id"]: AttemptRow.of(row) for row in rows}


def blockers_of_all(tx: Tx, job_ids: Sequence[int]) -> dict[int, list[Blocker]]:
    """Whom each of several jobs still waits for, by job; those that wait for nobody are not in."""
    found: dict[int, list[Blocker]] = {}
    for row in _in_chunks(tx, _BLOCKERS, job_ids):
        status = None if row["status"] is None else TaskStatus(row["status"])
        found.setdefault(row["job_id"], []).append(Blocker(row["on_job_id"], status))
    return found


def _in_chunks(tx: Tx, query: Select[Any], job_ids: Sequence[int]) -> Iterator[Row]:
    for first in range(0, len(job_ids), _CHUNK):
        yield from tx.rows(query, ids=list(job_ids[first : first + _CHUNK]))


def record_of(tx: Tx, job_id: int) -> list[HistoryRow]:
    """Everything that happened to a job, in order."""
    return [HistoryRow.of(row) for row in tx.rows(_RECORD, job_id=job_id)]


def unfinished_ids(tx: Tx, name: str | None = None) -> list[int]:
    """Ids of jobs that are not DONE, oldest first; all, or those of one name."""
    query, values = (_UNFINISHED, {}) if name is None else (_UNFINISHED_NAMED, {"name": name})
    return sorted(row["job_id"] for row in tx.rows(query, **values))


def resumes_ahead(tx: Tx, job: JobRow, named: int) -> Ahead:
    """Alive jobs that a pass gives a launch slot before ``job``; ``named`` of them by id.

    All that wait for one, where ``job`` is not alive.
    """
    waiting = jobs.c.schedule_state == ScheduleState.ALIVE_WAITING
    if job.schedule_state is ScheduleState.ALIVE_WAITING:
        waiting &= _BEFORE
    return _ahead(tx, waiting & reads.FREE_TO_LAUNCH, job, named)


def starts_ahead(tx: Tx, job: JobRow, now: float, named: int) -> Ahead:
    """New jobs that a pass at ``now`` starts before ``job``; ``named`` of them by id."""
    return _ahead(tx, reads.STARTABLE & _BEFORE, job, named, now=now)


def _ahead(tx: Tx, which: ColumnElement[bool], job: JobRow, named: int, **values: object) -> Ahead:
    values |= {"priority": job.priority, "place": job.queue_seq or 0}
    count = select(func.count().label("count")).select_from(jobs).where(which)
    first = select(jobs.c.job_id).where(which).order_by(*reads.ORDER).limit(named)
    return Ahead(
        tuple(row["job_id"] for row in tx.rows(first, **values)),
        tx.rows(count, **values)[0]["count"],
    )


def counts(tx: Tx) -> dict[ScheduleState, int]:
    """How many jobs are in each state."""
    return {ScheduleState(row["schedule_state"]): row["count"] for row in tx.rows(_COUNTS)}
