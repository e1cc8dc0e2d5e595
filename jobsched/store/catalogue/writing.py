"""Everything that is written, but for the removal of whole jobs."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, func, insert, select, update

from jobsched.store.catalogue.schema import (
    attempts,
    dependencies,
    history,
    jobs,
    limits,
    snapshots,
    tasks,
)
from jobsched.store.catalogue.terms import MORE, columns_of

_THIS_JOB: Final = jobs.c.job_id == bindparam("guard_job")
_THIS_TASK: Final = (tasks.c.job_id == bindparam("guard_job")) & (
    tasks.c.task_id == bindparam("guard_task")
)
_THIS_ATTEMPT: Final = (attempts.c.job_id == bindparam("guard_job")) & (
    attempts.c.attempt == bindparam("guard_attempt")
)

MOVE_JOB: Final = (
    update(jobs)
    .where(_THIS_JOB)
    .where(jobs.c.schedule_state == bindparam("guard_state"))
    .where(jobs.c.attempt == bindparam("guard_attempt"))
    .values(name=MORE, schedule_state=bindparam("new_state"))
)
MOVE_TASK: Final = (
    update(tasks)
    .where(_THIS_TASK & (tasks.c.status == bindparam("guard_status")))
    .values(name=MORE, status=bindparam("new_status"))
)
SET_JOB: Final = update(jobs).where(_THIS_JOB).values(name=MORE)
SET_TASK: Final = update(tasks).where(_THIS_TASK).values(name=MORE)
SET_ATTEMPT: Final = update(attempts).where(_THIS_ATTEMPT).values(kind=MORE)
SET_STATUS: Final = (
    update(jobs)
    .where(_THIS_JOB)
    .values(status=bindparam("new_status"), failure_reason=bindparam("failure_reason"))
)
END_ATTEMPT: Final = (
    update(attempts)
    .where((attempts.c.job_id == bindparam("guard_job")) & attempts.c.ended_at.is_(None))
    .values(ended_at=bindparam("ended_at"))
)
FIRST_CALL: Final = (
    update(attempts)
    .where(_THIS_ATTEMPT & attempts.c.called_at.is_(None))
    .values(
        called_at=bindparam("now"),
        pid=func.coalesce(attempts.c.pid, bindparam("my_pid")),
        start_ticks=func.coalesce(attempts.c.start_ticks, bindparam("my_ticks")),
        pid_ns=func.coalesce(attempts.c.pid_ns, bindparam("my_ns")),
    )
)
SATISFY: Final = (
    update(dependencies)
    .where(dependencies.c.on_job_id == bindparam("guard_on"))
    .values(satisfied=1)
)
SET_LIMIT: Final = (
    update(limits)
    .where(limits.c.name == bindparam("which"))
    .values(value=bindparam("value"), auto=bindparam("auto"))
)

ADD_JOB: Final = insert(jobs).values(columns_of("name", "schedule_state", "status", "created_at"))
ADD_TASK: Final = insert(tasks).values(columns_of("job_id", "task_id", "name", "status"))
ADD_ATTEMPT: Final = insert(attempts).values(
    columns_of("job_id", "attempt", "kind", "started_at", "boot_id")
)
ADD_HISTORY: Final = insert(history).values(
    columns_of(
        "at", "kind", "job_id", "task_id", "subject",
        "from_value", "to_value", "attempt", "actor", "reason",
    )
)  # fmt: skip
ADD_LIMIT: Final = insert(limits).values(columns_of("name", "value", "auto"))
ADD_SNAPSHOT: Final = insert(snapshots).values(columns_of("job_id", "yaml", "dag", "env", "source"))
ADD_DEPENDENCY: Final = insert(dependencies).values(columns_of("job_id", "on_job_id", "satisfied"))
LAST_SEQ: Final = select(func.max(history.c.seq).label("last"))
