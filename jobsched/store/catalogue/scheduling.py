"""What passes, controllers and sweeps ask: of one job, or of those that are not DONE."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, func, select

from jobsched.states import ScheduleState
from jobsched.store.catalogue.schema import (
    ENDS,
    attempts,
    dependencies,
    history,
    jobs,
    limits,
    snapshots,
    tasks,
)
from jobsched.store.catalogue.terms import ALIVE, DUE, FREE_TO_LAUNCH, HAS_CALLED, ORDER, STARTABLE
from jobsched.store.rows import HELD_BY_REBOOT

JOB: Final = select(jobs).where(jobs.c.job_id == bindparam("job_id"))
TASKS: Final = select(tasks).where(tasks.c.job_id == bindparam("job_id")).order_by(tasks.c.task_id)
TASK: Final = select(tasks).where(
    (tasks.c.job_id == bindparam("job_id")) & (tasks.c.task_id == bindparam("task_id"))
)
ATTEMPT: Final = select(attempts).where(
    (attempts.c.job_id == bindparam("job_id")) & (attempts.c.attempt == bindparam("attempt"))
)
NOTED: Final = (
    select(attempts.c.job_id, attempts.c.attempt)
    .join(jobs, (jobs.c.job_id == attempts.c.job_id) & (jobs.c.attempt == attempts.c.attempt))
    .where(jobs.c.schedule_state.in_(ALIVE))
    .where(attempts.c.end_reason.is_not(None) & attempts.c.ended_at.is_(None))
)
SNAPSHOT: Final = select(snapshots).where(snapshots.c.job_id == bindparam("job_id"))
LIMITS: Final = select(limits.c.name, limits.c.value, limits.c.auto)
ALIVE_JOBS: Final = select(jobs).where(jobs.c.schedule_state.in_(ALIVE)).order_by(jobs.c.job_id)
#: The newest of each: the controllers that live, or were to.
ALIVE_ATTEMPTS: Final = (
    select(attempts)
    .join(jobs, (jobs.c.job_id == attempts.c.job_id) & (jobs.c.attempt == attempts.c.attempt))
    .where(jobs.c.schedule_state.in_(ALIVE))
    .order_by(attempts.c.job_id)
)
#: Those that are to be ended: by their controllers, or by others if these cannot.
ENDING: Final = select(jobs).where(ENDS).order_by(jobs.c.job_id)
ALIVE_COUNTS: Final = (
    select(jobs.c.schedule_state, func.count().label("count"))
    .where(jobs.c.schedule_state.in_(ALIVE))
    .group_by(jobs.c.schedule_state)
)
STATUS_CHANGES: Final = (
    select(history)
    .where((history.c.job_id == bindparam("job_id")) & (history.c.seq > bindparam("after")))
    .where((history.c.task_id == bindparam("task_id")) & (history.c.kind == "STATUS"))
    .order_by(history.c.seq)
)
DEPENDENTS: Final = (
    select(jobs)
    .join(dependencies, dependencies.c.job_id == jobs.c.job_id)
    .where(dependencies.c.on_job_id == bindparam("job_id"))
    .where(dependencies.c.satisfied == 0)
    .where(jobs.c.schedule_state != ScheduleState.DONE)
    .order_by(jobs.c.job_id)
)
_WAITS_AGAIN: Final = (
    select(jobs)
    .where(jobs.c.schedule_state == ScheduleState.WAITING)
    .where((jobs.c.attempt > 0) & (jobs.c.hold < HELD_BY_REBOOT) & jobs.c.cancel_at.is_(None) & DUE)
    .order_by(*ORDER)
    .limit(bindparam("most"))
)
REQUEUED: Final = _WAITS_AGAIN.where(HAS_CALLED)
RESTARTS: Final = _WAITS_AGAIN.where(~HAS_CALLED)
RESUMES: Final = (
    select(jobs)
    .where(jobs.c.schedule_state == ScheduleState.ALIVE_WAITING)
    .where(FREE_TO_LAUNCH)
    .order_by(*ORDER)
    .limit(bindparam("most"))
)
STARTS: Final = select(jobs).where(STARTABLE).order_by(*ORDER).limit(bindparam("most"))
UNSETTLED: Final = (
    select(jobs)
    .where(jobs.c.schedule_state == ScheduleState.WAITING)
    .where((jobs.c.attempt > 0) & jobs.c.cancel_at.is_not(None))
    .order_by(jobs.c.job_id)
)
ROOM_WAITERS: Final = (
    select(jobs.c.job_id, jobs.c.attempt)
    .join(tasks, tasks.c.job_id == jobs.c.job_id)
    .where(tasks.c.backoff_code == "NO_ROOM")
    .distinct()
)
NEXT_DUE: Final = (
    select(func.min(jobs.c.not_before).label("next_due"))
    .where(jobs.c.schedule_state == ScheduleState.WAITING)
    .where(jobs.c.not_before > bindparam("now"))
)
