"""What people look at: pages of jobs and what belongs to them, the history as a stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import BindParameter, bindparam, func, select

from jobsched.states import ScheduleState
from jobsched.store.catalogue.schema import attempts, dependencies, history, jobs, snapshots, tasks
from jobsched.store.catalogue.terms import (
    ALIVE,
    BEFORE,
    FAILED,
    FREE_TO_LAUNCH,
    IDS,
    LOST,
    ORDER,
    STARTABLE,
    UNFINISHED,
)

_STATES: Final[BindParameter[Sequence[str]]] = bindparam("states", expanding=True)
_KINDS: Final[BindParameter[Sequence[str]]] = bindparam("kinds", expanding=True)
_NEWEST_FIRST: Final = jobs.c.job_id.desc()
_IS_NAMED: Final = jobs.c.name == bindparam("name")

# A page: the newest of each kind, which an index finds.

_SOME_IDS: Final = select(jobs.c.job_id).order_by(_NEWEST_FIRST).limit(bindparam("most"))
PAGE: Final = _SOME_IDS
PAGE_NAMED: Final = _SOME_IDS.where(_IS_NAMED)
PAGE_OF_STATE: Final = _SOME_IDS.where(jobs.c.schedule_state == bindparam("state"))
PAGE_OF_STATE_NAMED: Final = PAGE_OF_STATE.where(_IS_NAMED)
PAGE_OF_STATUS: Final = _SOME_IDS.where(jobs.c.status == bindparam("status"))
PAGE_OF_STATUS_NAMED: Final = PAGE_OF_STATUS.where(_IS_NAMED)
JOBS_OF: Final = select(jobs).where(jobs.c.job_id.in_(IDS)).order_by(_NEWEST_FIRST)

# All of them, the newest first, by the key that ``listing`` gives a job in a list without a sort.

ALL_KEYS: Final = select(-jobs.c.job_id).order_by(_NEWEST_FIRST)
KEYS_OF_STATES: Final = ALL_KEYS.where(jobs.c.schedule_state.in_(_STATES))
KEYS_OF: Final = select(-jobs.c.job_id).where(jobs.c.job_id.in_(IDS))

# What belongs to the jobs of a page.

TASKS_OF: Final = (
    select(tasks).where(tasks.c.job_id.in_(IDS)).order_by(tasks.c.job_id, tasks.c.task_id)
)
_NEWEST: Final = (
    select(attempts.c.job_id, func.max(attempts.c.attempt).label("attempt"))
    .where(attempts.c.job_id.in_(IDS) & (attempts.c.kind != "FENCE"))
    .group_by(attempts.c.job_id)
    .subquery()
)
NEWEST_ATTEMPTS: Final = select(attempts).join(
    _NEWEST,
    (attempts.c.job_id == _NEWEST.c.job_id) & (attempts.c.attempt == _NEWEST.c.attempt),
)
CALLED_OF: Final = (
    select(attempts.c.job_id)
    .where(attempts.c.job_id.in_(IDS) & attempts.c.called_at.is_not(None))
    .distinct()
)
BLOCKERS: Final = (
    select(dependencies.c.job_id, dependencies.c.on_job_id, jobs.c.status)
    .join(jobs, jobs.c.job_id == dependencies.c.on_job_id, isouter=True)
    .where(dependencies.c.job_id.in_(IDS) & (dependencies.c.satisfied == 0))
    .order_by(dependencies.c.job_id, dependencies.c.on_job_id)
)
SOURCES: Final = select(snapshots.c.job_id, snapshots.c.source)
SOURCES_OF: Final = SOURCES.where(snapshots.c.job_id.in_(IDS))

# One job's record, names, who is in front.

RECORD: Final = (
    select(history).where(history.c.job_id == bindparam("job_id")).order_by(history.c.seq)
)
UNFINISHED_JOBS: Final = select(jobs.c.job_id).where(jobs.c.schedule_state.in_(UNFINISHED))
UNFINISHED_NAMED: Final = UNFINISHED_JOBS.where(_IS_NAMED)

_WISHES: Final = (jobs.c.schedule_state == ScheduleState.ALIVE_WAITING) & FREE_TO_LAUNCH
_FIRST: Final = select(jobs.c.job_id).order_by(*ORDER).limit(bindparam("most"))
_HOW_MANY: Final = select(func.count().label("count")).select_from(jobs)
RESUMES_WAITING: Final = _FIRST.where(_WISHES)
RESUMES_WAITING_COUNT: Final = _HOW_MANY.where(_WISHES)
RESUMES_BEFORE: Final = _FIRST.where(_WISHES & BEFORE)
RESUMES_BEFORE_COUNT: Final = _HOW_MANY.where(_WISHES & BEFORE)
STARTS_BEFORE: Final = _FIRST.where(STARTABLE & BEFORE)
STARTS_BEFORE_COUNT: Final = _HOW_MANY.where(STARTABLE & BEFORE)

# How many there are.

COUNTS: Final = select(jobs.c.schedule_state, func.count().label("count")).group_by(
    jobs.c.schedule_state
)
FAILED_COUNT: Final = select(func.count()).select_from(jobs).where(jobs.c.status.in_(FAILED))
#: No condition on the status: the index of states is the one to use.
FAILED_NOT_DONE: Final = (
    select(func.count().filter(jobs.c.status.in_(FAILED)))
    .select_from(jobs)
    .where(jobs.c.schedule_state.in_(UNFINISHED))
)
#: The first in the order of submission, which stands in the index of states.
_FIRST_PLACE: Final = (
    select(func.min(jobs.c.queue_seq))
    .where(jobs.c.schedule_state == ScheduleState.WAITING)
    .scalar_subquery()
)
FIRST_WAITING: Final = select(jobs.c.submitted_at).where(
    (jobs.c.schedule_state == ScheduleState.WAITING) & (jobs.c.queue_seq == _FIRST_PLACE)
)

# Who follows whom.

_follower, _leader = jobs.alias("follower"), jobs.alias("leader")
FOLLOWERS: Final = (
    select(dependencies.c.on_job_id, dependencies.c.job_id)
    .join(_follower, _follower.c.job_id == dependencies.c.job_id)
    .where(dependencies.c.on_job_id.in_(IDS) & (dependencies.c.satisfied == 0))
    .where(_follower.c.schedule_state != ScheduleState.DONE)
    .order_by(dependencies.c.on_job_id, dependencies.c.job_id)
)
#: From the few that wait, which an index finds, to whom each of them waits for.
BLOCKED: Final = (
    select(dependencies.c.job_id, dependencies.c.on_job_id, _leader.c.status)
    .join(_follower, _follower.c.job_id == dependencies.c.job_id)
    .join(_leader, _leader.c.job_id == dependencies.c.on_job_id, isouter=True)
    .where(_follower.c.schedule_state == ScheduleState.WAITING)
    .where(dependencies.c.satisfied == 0)
    .where(_leader.c.job_id.is_(None) | _leader.c.status.in_(LOST))
    .order_by(dependencies.c.job_id, dependencies.c.on_job_id)
)

# The history as a stream.

LATEST: Final = select(func.max(history.c.seq))
CHANGES_AFTER: Final = (
    select(history)
    .where(history.c.seq > bindparam("after"))
    .order_by(history.c.seq)
    .limit(bindparam("most"))
)
CHANGES_BEFORE: Final = (
    select(history)
    .where((history.c.seq < bindparam("before")) & history.c.kind.in_(_KINDS))
    .order_by(history.c.seq.desc())
    .limit(bindparam("most"))
)
#: Of no job: what an index finds.
LIMIT_CHANGES: Final = (
    select(history)
    .where(history.c.job_id.is_(None) & (history.c.seq > bindparam("after")))
    .where(history.c.kind == "LIMIT")
    .order_by(history.c.seq)
)
NEWEST_UPTO: Final = (
    select(history.c.seq, history.c.at)
    .where(history.c.seq <= bindparam("upto"))
    .order_by(history.c.seq.desc())
    .limit(1)
)
#: What changes how much of a limit is used.
USES: Final = (
    select(history.c.at, history.c.from_value, history.c.to_value)
    .where((history.c.seq > bindparam("after")) & (history.c.kind == "SCHEDULE"))
    .where(history.c.from_value.in_(ALIVE) | history.c.to_value.in_(ALIVE))
    .order_by(history.c.seq)
)
