"""What goes over everything, page by page: the audit, the past, the removal of whole jobs."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import bindparam, delete, exists, func, select

from jobsched.states import ScheduleState
from jobsched.store.catalogue.schema import attempts, dependencies, history, jobs, snapshots, tasks
from jobsched.store.catalogue.terms import ALIVE, IDS

# The audit.


def _in_range(table: Any, *names: str) -> Any:
    return select(*(table.c[name] for name in names)).where(
        (table.c.job_id > bindparam("after")) & (table.c.job_id <= bindparam("upto"))
    )


#: As ``record.Event`` has them.
_EVENT: Final = (
    "seq", "kind", "job_id", "task_id", "subject", "from_value", "to_value", "attempt",
)  # fmt: skip

STATE: Final = select(jobs.c.schedule_state, jobs.c.attempt).where(
    jobs.c.job_id == bindparam("job_id")
)
STATUSES: Final = select(tasks.c.task_id, tasks.c.status).where(
    tasks.c.job_id == bindparam("job_id")
)
AUDITED_JOBS: Final = (
    select(
        jobs.c.job_id, jobs.c.schedule_state, jobs.c.status,
        jobs.c.attempt, jobs.c.cancel_at, jobs.c.ended_at,
    )
    .where(jobs.c.job_id > bindparam("after"))
    .order_by(jobs.c.job_id)
    .limit(bindparam("most"))
)  # fmt: skip
AUDITED_TASKS: Final = _in_range(
    tasks, "job_id", "task_id", "status", "counts",
    "ended_at", "cluster", "torn_down", "cleanup_error",
).order_by(tasks.c.job_id, tasks.c.task_id)  # fmt: skip
AUDITED_ATTEMPTS: Final = _in_range(attempts, "job_id", "attempt", "kind", "ended_at").order_by(
    attempts.c.job_id, attempts.c.attempt
)
EVENTS: Final = _in_range(history, *_EVENT).order_by(history.c.job_id, history.c.seq)
#: What changes a limit, or how much of one is used.
LIMIT_EVENTS: Final = (
    select(*(history.c[name] for name in _EVENT))
    .where(history.c.seq > bindparam("after"))
    .where(
        (history.c.kind == "LIMIT")
        | (history.c.kind == "SCHEDULE")
        & (history.c.from_value.in_(ALIVE) | history.c.to_value.in_(ALIVE))
    )
    .order_by(history.c.seq)
    .limit(bindparam("most"))
)
EVENT_COUNT: Final = select(func.count().label("rows")).select_from(history)
TOO_EARLY: Final = (
    select(dependencies.c.job_id, dependencies.c.on_job_id)
    .join(jobs, jobs.c.job_id == dependencies.c.job_id)
    .where((dependencies.c.satisfied == 0) & jobs.c.schedule_state.in_(ALIVE))
    .order_by(dependencies.c.job_id, dependencies.c.on_job_id)
)

# The past.

THEN: Final = (
    select(
        history.c.seq, history.c.at, history.c.kind, history.c.job_id, history.c.task_id,
        history.c.subject, history.c.to_value, history.c.attempt, history.c.reason,
    )
    .where(history.c.job_id.in_(IDS) & (history.c.seq <= bindparam("upto")))
    .order_by(history.c.job_id, history.c.seq)
)  # fmt: skip
#: What each job's priority was before the first change after a row: only changes are recorded.
LATER_PRIORITY: Final = (
    select(history.c.job_id, history.c.from_value, func.min(history.c.seq))
    .where(history.c.job_id.in_(IDS) & (history.c.seq > bindparam("upto")))
    .where((history.c.kind == "ACTION") & (history.c.subject == "PRIORITY"))
    .group_by(history.c.job_id)
)
FIXED: Final = select(jobs.c.job_id, jobs.c.name, jobs.c.priority).where(jobs.c.job_id.in_(IDS))
FIXED_TASKS: Final = select(tasks.c.job_id, tasks.c.task_id, tasks.c.name, tasks.c.counts).where(
    tasks.c.job_id.in_(IDS)
)
#: 0 for rows of no job; and so no index of jobs tempts SQLite to go through all of it.
CHANGED_SINCE: Final = (
    select(func.coalesce(history.c.job_id, 0)).where(history.c.seq > bindparam("upto")).distinct()
)
#: Of no job: what an index finds.
LIMITS_UPTO: Final = (
    select(history.c.subject, history.c.to_value)
    .where(history.c.job_id.is_(None) & (history.c.seq <= bindparam("upto")))
    .where(history.c.kind == "LIMIT")
    .order_by(history.c.seq)
)
#: As ``past.COPIED`` has them.
COPIED_JOBS: Final = (
    select(
        jobs.c.job_id, jobs.c.name, jobs.c.schedule_state, jobs.c.status, jobs.c.attempt,
        jobs.c.priority, jobs.c.hold, jobs.c.queue_seq, jobs.c.created_at, jobs.c.submitted_at,
        jobs.c.started_at, jobs.c.ended_at, jobs.c.cancel_at, jobs.c.failure_reason,
    )
    .where(jobs.c.job_id > bindparam("after"))
    .order_by(jobs.c.job_id)
    .limit(bindparam("most"))
)  # fmt: skip
SUBMITTED: Final = select(jobs.c.job_id).where(jobs.c.queue_seq.is_not(None))

# Removal.

_waiter = jobs.alias("waiter")
#: Whether an unfinished job still waits for it. One that was ended instead of started does not.
_AWAITED: Final = exists().where(
    (dependencies.c.on_job_id == jobs.c.job_id)
    & (dependencies.c.satisfied == 0)
    & (dependencies.c.job_id == _waiter.c.job_id)
    & (_waiter.c.schedule_state != ScheduleState.DONE)
)
#: By id, so that each batch goes on where the last one stopped. That ``ended_at`` is set says DONE;
#: to ask for the state would have all DONE jobs sorted for every batch.
PRUNABLE: Final = (
    select(jobs.c.job_id)
    .where((jobs.c.job_id > bindparam("after")) & (jobs.c.job_id <= bindparam("newest")))
    .where((jobs.c.ended_at <= bindparam("before")) & ~_AWAITED)
    .order_by(jobs.c.job_id)
    .limit(bindparam("most"))
)
NEWEST_BUT: Final = (
    select(jobs.c.job_id)
    .where(jobs.c.ended_at.is_not(None))
    .order_by(jobs.c.job_id.desc())
    .limit(1)
    .offset(bindparam("keep"))
)
DELETE_TASKS: Final = delete(tasks).where(tasks.c.job_id.in_(IDS))
DELETE_ATTEMPTS: Final = delete(attempts).where(attempts.c.job_id.in_(IDS))
DELETE_SNAPSHOTS: Final = delete(snapshots).where(snapshots.c.job_id.in_(IDS))
DELETE_DEPENDENCIES: Final = delete(dependencies).where(dependencies.c.job_id.in_(IDS))
DELETE_HISTORY: Final = delete(history).where(history.c.job_id.in_(IDS))
DELETE_JOBS: Final = delete(jobs).where(jobs.c.job_id.in_(IDS))
PRUNED: Final = select(history.c.job_id).where(
    history.c.job_id.in_(IDS) & (history.c.kind == "PRUNED")
)
UNFINISHED_OF: Final = select(jobs.c.job_id).where(
    jobs.c.job_id.in_(IDS) & jobs.c.ended_at.is_(None)
)
ENDED_OF: Final = select(jobs.c.job_id).where(
    jobs.c.job_id.in_(IDS) & (jobs.c.ended_at <= bindparam("before"))
)
