"""Queries for people: pages of jobs, one job's record, names.

Owns SELECTs that the command line and the console show. A page costs a page: never more rows are
read than are shown. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Select, bindparam, func, or_, select

from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.database import Tx
from jobsched.store.rows import AttemptRow, HistoryRow, JobRow, TaskRow
from jobsched.store.schema import attempts, history, jobs, tasks

#: Ids in one IN list: below SQLite's limit on variables.
_CHUNK: Final = 500

_RECORD = select(history).where(history.c.job_id == bindparam("job_id")).order_by(history.c.seq)
_UNFINISHED = select(jobs.c.job_id).where(jobs.c.schedule_state != ScheduleState.DONE)
_UNFINISHED_NAMED = _UNFINISHED.where(jobs.c.name == bindparam("name"))
_AHEAD = (
    select(jobs.c.job_id)
    .where(jobs.c.schedule_state == bindparam("state"))
    .where((jobs.c.hold == 0) & jobs.c.cancel_at.is_(None))
    .where(
        or_(
            jobs.c.priority > bindparam("priority"),
            (jobs.c.priority == bindparam("priority")) & (jobs.c.queue_seq < bindparam("seq")),
        )
    )
    .order_by(jobs.c.priority.desc(), jobs.c.queue_seq)
)
_COUNTS = select(jobs.c.schedule_state, func.count().label("count")).group_by(jobs.c.schedule_state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which jobs a page shows, newest first."""

    #: Also those that are DONE.
    all: bool = False
    statuses: Collection[TaskStatus] = field(default=())
    name: str | None = None
    limit: int = 50


def page(tx: Tx, wanted: Filter) -> list[JobRow]:
    """One page of jobs."""
    return [JobRow.of(row) for row in tx.rows(_page(wanted))]


def _page(wanted: Filter) -> Select[tuple[object, ...]]:
    query = select(jobs)
    if not wanted.all and not wanted.statuses:
        query = query.where(jobs.c.schedule_state != ScheduleState.DONE)
    if wanted.statuses:
        query = query.where(jobs.c.status.in_([str(one) for one in wanted.statuses]))
    if wanted.name is not None:
        query = query.where(jobs.c.name == wanted.name)
    return query.order_by(jobs.c.job_id.desc()).limit(wanted.limit)


def tasks_of_all(tx: Tx, job_ids: Sequence[int]) -> dict[int, list[TaskRow]]:
    """The tasks of several jobs, in order, by job."""
    found: dict[int, list[TaskRow]] = {job_id: [] for job_id in job_ids}
    for first in range(0, len(job_ids), _CHUNK):
        some = job_ids[first : first + _CHUNK]
        query = select(tasks).where(tasks.c.job_id.in_(some))
        for row in tx.rows(query.order_by(tasks.c.job_id, tasks.c.task_id)):
            found[row["job_id"]].append(TaskRow.of(row))
    return found


def newest_attempts(tx: Tx, rows: Sequence[JobRow]) -> dict[int, AttemptRow]:
    """The newest attempt of each job that has had a controller, by job."""
    wanted = {row.job_id: row.attempt for row in rows if row.attempt}
    ids = list(wanted)
    found: dict[int, AttemptRow] = {}
    for first in range(0, len(ids), _CHUNK):
        some = ids[first : first + _CHUNK]
        query = select(attempts).where(attempts.c.job_id.in_(some)).order_by(attempts.c.attempt)
        for row in tx.rows(query):
            if row["kind"] != "FENCE":
                found[row["job_id"]] = AttemptRow.of(row)
    return found


def record_of(tx: Tx, job_id: int) -> list[HistoryRow]:
    """Everything that happened to a job, in order."""
    return [HistoryRow.of(row) for row in tx.rows(_RECORD, job_id=job_id)]


def unfinished_ids(tx: Tx, name: str | None = None) -> list[int]:
    """Ids of jobs that are not DONE, oldest first; all, or those of one name."""
    if name is None:
        found = tx.rows(_UNFINISHED.order_by(jobs.c.job_id))
    else:
        found = tx.rows(_UNFINISHED_NAMED.order_by(jobs.c.job_id), name=name)
    return [row["job_id"] for row in found]


def ahead_of(tx: Tx, job: JobRow) -> list[int]:
    """Ids of the jobs that a pass considers before ``job``, in that order."""
    found = tx.rows(_AHEAD, state=job.schedule_state, priority=job.priority, seq=job.queue_seq or 0)
    return [row["job_id"] for row in found]


def counts(tx: Tx) -> dict[ScheduleState, int]:
    """How many jobs are in each state."""
    return {ScheduleState(row["schedule_state"]): row["count"] for row in tx.rows(_COUNTS)}
