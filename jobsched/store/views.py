"""Queries for people: pages of jobs, one job's record, names, who is in front of whom.

Owns questions whose answers the command line and the console show. A page costs a page, however
many jobs have ended: its rows are found by index, and what belongs to them comes in one query for
all of them. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import sql
from jobsched.store.rows import AttemptRow, HistoryRow, JobRow, Row, TaskRow
from jobsched.store.sql import Sql
from jobsched.store.tx import Tx, in_chunks
from jobsched.text import is_storable

_UNFINISHED_STATES: Final = tuple(
    state for state in ScheduleState if state is not ScheduleState.DONE
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
    """One page of jobs: the newest of each state (or status), and of these the newest."""
    named = wanted.name is not None
    if not _can_name(wanted.name):
        return []
    values: dict[str, object] = {"name": wanted.name} if named else {}
    found: set[int] = set()
    for query, kind in _kinds(wanted, named=named):
        ids = tx.tuples(query, most=wanted.limit, **kind, **values)
        found.update(job_id for (job_id,) in ids)
    newest = sorted(found, reverse=True)[: wanted.limit]
    return [JobRow.of(row) for row in _in_chunks(tx, sql.JOBS_OF, newest)]


def _kinds(wanted: Filter, *, named: bool) -> list[tuple[Sql, dict[str, str]]]:
    """Queries whose rows an index finds in order, and what each is asked for."""
    if wanted.statuses:
        query = sql.PAGE_OF_STATUS_NAMED if named else sql.PAGE_OF_STATUS
        return [(query, {"status": status}) for status in sorted(set(wanted.statuses))]
    if wanted.all:
        return [(sql.PAGE_NAMED if named else sql.PAGE, {})]
    query = sql.PAGE_OF_STATE_NAMED if named else sql.PAGE_OF_STATE
    return [(query, {"state": state}) for state in _UNFINISHED_STATES]


def tasks_of_all(tx: Tx, job_ids: Sequence[int]) -> dict[int, list[TaskRow]]:
    """The tasks of several jobs, in order, by job."""
    found: dict[int, list[TaskRow]] = {job_id: [] for job_id in job_ids}
    for row in _in_chunks(tx, sql.TASKS_OF, job_ids):
        found[row["job_id"]].append(TaskRow.of(row))
    return found


def newest_attempts(tx: Tx, job_ids: Sequence[int]) -> dict[int, AttemptRow]:
    """The newest attempt that was a controller's, of each job that has had one, by job."""
    rows = _in_chunks(tx, sql.NEWEST_ATTEMPTS, job_ids)
    return {row["job_id"]: AttemptRow.of(row) for row in rows}


def called_among(tx: Tx, job_ids: Sequence[int]) -> set[int]:
    """Those of some jobs of which a controller has ever come as far as a call into the library."""
    return {row["job_id"] for row in _in_chunks(tx, sql.CALLED_OF, job_ids)}


def blockers_of_all(tx: Tx, job_ids: Sequence[int]) -> dict[int, list[Blocker]]:
    """Whom each of several jobs still waits for, by job; those that wait for nobody are not in."""
    found: dict[int, list[Blocker]] = {}
    for row in _in_chunks(tx, sql.BLOCKERS, job_ids):
        status = None if row["status"] is None else TaskStatus(row["status"])
        found.setdefault(row["job_id"], []).append(Blocker(row["on_job_id"], status))
    return found


def _in_chunks(tx: Tx, query: Sql, job_ids: Sequence[int]) -> Iterator[Row]:
    for ids in in_chunks(job_ids):
        yield from tx.rows(query, ids=ids)


def record_of(tx: Tx, job_id: int) -> list[HistoryRow]:
    """Everything that happened to a job, in order."""
    return [HistoryRow.of(row) for row in tx.rows(sql.RECORD, job_id=job_id)]


def unfinished_ids(tx: Tx, name: str | None = None) -> list[int]:
    """Ids of jobs that are not DONE, oldest first; all, or those of one name."""
    if not _can_name(name):
        return []
    if name is None:
        return sorted(job_id for (job_id,) in tx.tuples(sql.UNFINISHED_JOBS))
    return sorted(job_id for (job_id,) in tx.tuples(sql.UNFINISHED_NAMED, name=name))


def _can_name(name: str | None) -> bool:
    """Whether there can be jobs of that name: none has one that is no UTF-8."""
    return name is None or is_storable(name)


def resumes_ahead(tx: Tx, job: JobRow, named: int) -> Ahead:
    """Alive jobs that a pass gives a launch slot before ``job``; ``named`` of them by id.

    All that wait for one, where ``job`` is not alive.
    """
    if job.schedule_state is not ScheduleState.ALIVE_WAITING:
        return _ahead(tx, sql.RESUMES_WAITING, sql.RESUMES_WAITING_COUNT, named)
    place = _place(job)
    return _ahead(tx, sql.RESUMES_BEFORE, sql.RESUMES_BEFORE_COUNT, named, **place)


def starts_ahead(tx: Tx, job: JobRow, now: float, named: int) -> Ahead:
    """New jobs that a pass at ``now`` starts before ``job``; ``named`` of them by id."""
    place = _place(job)
    return _ahead(tx, sql.STARTS_BEFORE, sql.STARTS_BEFORE_COUNT, named, now=now, **place)


def _place(job: JobRow) -> dict[str, int]:
    return {"priority": job.priority, "place": job.queue_seq or 0}


def _ahead(tx: Tx, first: Sql, count: Sql, named: int, **values: object) -> Ahead:
    return Ahead(
        tuple(job_id for (job_id,) in tx.tuples(first, most=named, **values)),
        tx.tuples(count, **values)[0][0],
    )


def counts(tx: Tx) -> dict[ScheduleState, int]:
    """How many jobs are in each state."""
    return {ScheduleState(row["schedule_state"]): row["count"] for row in tx.rows(sql.COUNTS)}
