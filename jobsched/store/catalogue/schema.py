"""The tables, and the facts that the database itself refuses to have otherwise.

Owns names, types and CHECKs; holds no query. INTEGER, REAL and TEXT only, so that a statement
means the same whether SQLAlchemy runs it or the driver does. A change here needs a step in
``migrations``.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)

from jobsched.states import ALIVE_STATES, TERMINAL, ScheduleState, TaskStatus

metadata: Final = MetaData()


def _one_of(column: str, values: object) -> str:
    listed = ", ".join(f"'{value}'" for value in sorted(values))  # type: ignore[call-overload]
    return f"{column} IN ({listed})"


jobs: Final = Table(
    "jobs",
    metadata,
    Column("job_id", Integer, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),
    Column("schedule_state", Text, nullable=False),
    # Follows from the tasks; kept here so that a page of jobs costs a page. ``check`` compares.
    Column("status", Text, nullable=False),
    Column("attempt", Integer, nullable=False, server_default="0"),
    Column("priority", Integer, nullable=False, server_default="0"),
    # 0 no, 1 by an operator (adoption goes on), 2 after a reboot (adoption waits too).
    Column("hold", Integer, nullable=False, server_default="0"),
    # Place in the order of submission: the history row of its first WAITING.
    Column("queue_seq", Integer),
    Column("created_at", Float, nullable=False),
    Column("submitted_at", Float),
    Column("started_at", Float),
    Column("ended_at", Float),
    Column("cancel_at", Float),
    Column("cancel_reason", Text),
    # No start before this moment: the pause after a controller that would not start.
    Column("not_before", Float),
    Column("requeues", Integer, nullable=False, server_default="0"),
    Column("failed_starts", Integer, nullable=False, server_default="0"),
    Column("failure_reason", Text),
    CheckConstraint(_one_of("schedule_state", ScheduleState), name="schedule_state_known"),
    CheckConstraint(_one_of("status", TaskStatus), name="status_known"),
    CheckConstraint("priority BETWEEN -1000 AND 1000", name="priority_in_range"),
    CheckConstraint("hold IN (0, 1, 2, 3)", name="hold_known"),
    CheckConstraint("attempt >= 0", name="attempt_not_negative"),
    CheckConstraint(
        "(schedule_state = 'DONE') = (ended_at IS NOT NULL)", name="done_exactly_when_ended"
    ),
    CheckConstraint(
        f"schedule_state != 'DONE' OR {_one_of('status', TERMINAL)}", name="done_has_an_outcome"
    ),
    CheckConstraint(
        f"NOT ({_one_of('schedule_state', ALIVE_STATES)}) OR attempt > 0", name="alive_has_attempt"
    ),
    CheckConstraint(
        "schedule_state = 'INACTIVE' OR schedule_state = 'DONE' OR queue_seq IS NOT NULL",
        name="submitted_has_a_place",
    ),
    Index("jobs_by_status", "status", "job_id"),
    Index("jobs_by_name", "name", "job_id"),
    sqlite_autoincrement=True,
)
# As a pass takes them: it reads as many as it has room for, however many wait.
Index("jobs_by_state", jobs.c.schedule_state, jobs.c.priority.desc(), jobs.c.queue_seq)
# Few jobs among many, each for a question that every pass or tick asks. What they are "where" must
# stand in the question in the same words; and they begin with the state, for SQLite prefers an
# index of which it knows the first column.
Index(
    "jobs_waiting_again", jobs.c.schedule_state, jobs.c.priority.desc(), jobs.c.queue_seq,
    sqlite_where=(jobs.c.schedule_state == ScheduleState.WAITING) & (jobs.c.attempt > 0),
)  # fmt: skip
Index(
    "jobs_put_off", jobs.c.schedule_state, jobs.c.not_before,
    sqlite_where=(jobs.c.schedule_state == ScheduleState.WAITING) & jobs.c.not_before.is_not(None),
)  # fmt: skip
#: Alive, and to be ended: cancelled, or with an outcome.
ENDS: Final = jobs.c.schedule_state.in_(sorted(ALIVE_STATES)) & (
    jobs.c.cancel_at.is_not(None) | jobs.c.status.in_(sorted(TERMINAL))
)
Index("jobs_ending", jobs.c.schedule_state, jobs.c.job_id, sqlite_where=ENDS)

tasks: Final = Table(
    "tasks",
    metadata,
    Column("job_id", ForeignKey("jobs.job_id"), primary_key=True, type_=Integer),
    Column("task_id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("status", Text, nullable=False),
    # 0: an auxiliary task of a job group, which never counts for the job's outcome.
    Column("counts", Integer, nullable=False, server_default="1"),
    # The cluster of the newest launch, its place, and whether it has been removed again.
    Column("cluster", Text),
    Column("region", Text),
    Column("candidate", Integer),
    Column("torn_down", Integer, nullable=False, server_default="1"),
    Column("launches", Integer, nullable=False, server_default="0"),
    # Failed tries since this launch or recovery began, and until when the next one waits.
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("backoff_until", Float),
    Column("backoff_code", Text),
    Column("backoff_reason", Text),
    # Of the recovery under way: why, which launch was lost, and where that was.
    Column("cause", Text),
    Column("lost_launch", Integer),
    Column("lost_region", Text),
    Column("lost_candidate", Integer),
    Column("exit_code", Integer),
    Column("recovery_count", Integer, nullable=False, server_default="0"),
    Column("restart_count", Integer, nullable=False, server_default="0"),
    # Those of the restarts that count against max_restarts_on_errors.
    Column("restarts_spent", Integer, nullable=False, server_default="0"),
    Column("started_at", Float),
    Column("ended_at", Float),
    Column("failure_reason", Text),
    # Never an outcome: what went wrong after the outcome was settled.
    Column("cleanup_error", Text),
    # The newest history row that its event_callback has been told of.
    Column("callback_seq", Integer, nullable=False, server_default="0"),
    CheckConstraint(_one_of("status", TaskStatus), name="status_known"),
    CheckConstraint(
        f"({_one_of('status', TERMINAL)}) = (ended_at IS NOT NULL)", name="ended_when_terminal"
    ),
    CheckConstraint("torn_down IN (0, 1)", name="torn_down_known"),
    CheckConstraint("torn_down = 1 OR cluster IS NOT NULL", name="cluster_named_while_it_is"),
    CheckConstraint(
        "status NOT IN ('RUNNING', 'RECOVERING') OR started_at IS NOT NULL",
        name="started_when_running",
    ),
)
Index(
    "tasks_in_backoff", tasks.c.backoff_code, tasks.c.job_id,
    sqlite_where=tasks.c.backoff_code.is_not(None),
)  # fmt: skip

attempts: Final = Table(
    "attempts",
    metadata,
    Column("job_id", ForeignKey("jobs.job_id"), primary_key=True, type_=Integer),
    Column("attempt", Integer, primary_key=True),
    # DEFAULT: our own controller; COMMAND: the user's; FENCE: nobody's, a forced done.
    Column("kind", Text, nullable=False),
    Column("started_at", Float, nullable=False),
    Column("boot_id", Text),
    # Of the controller, once it has made its first call; before that what the starter saw.
    Column("pid", Integer),
    Column("start_ticks", Integer),
    Column("pid_ns", Integer),
    Column("called_at", Float),
    # When a stop was sent to it because of a cancel.
    Column("stop_sent_at", Float),
    Column("ended_at", Float),
    Column("end_reason", Text),
    CheckConstraint("kind IN ('DEFAULT', 'COMMAND', 'FENCE')", name="kind_known"),
    CheckConstraint("(pid IS NULL) = (start_ticks IS NULL)", name="pid_with_start_time"),
)

snapshots: Final = Table(
    "snapshots",
    metadata,
    Column("job_id", ForeignKey("jobs.job_id"), primary_key=True, type_=Integer),
    # The file as submitted, secrets blanked; the parsed DAG; the submitter's environment.
    Column("yaml", Text, nullable=False),
    Column("dag", Text, nullable=False),
    Column("env", Text, nullable=False),
    Column("source", Text, nullable=False),
)

dependencies: Final = Table(
    "dependencies",
    metadata,
    Column("job_id", ForeignKey("jobs.job_id"), primary_key=True, type_=Integer),
    Column("on_job_id", Integer, primary_key=True),
    # 1 once that job is DONE as SUCCEEDED.
    Column("satisfied", Integer, nullable=False, server_default="0"),
    Index("dependencies_on", "on_job_id", "satisfied"),
)

history: Final = Table(
    "history",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    # SCHEDULE and STATUS: moves; LIMIT: a change of a limit; ACTION: an operator's; PRUNED.
    Column("kind", Text, nullable=False),
    Column("job_id", Integer),
    Column("task_id", Integer),
    # For LIMIT and ACTION: which.
    Column("subject", Text),
    Column("from_value", Text),
    Column("to_value", Text),
    Column("attempt", Integer),
    Column("actor", Text, nullable=False),
    Column("reason", Text),
    CheckConstraint(
        "kind IN ('SCHEDULE', 'STATUS', 'LIMIT', 'ACTION', 'PRUNED')", name="kind_known"
    ),
    Index("history_of_job", "job_id", "seq"),
    sqlite_autoincrement=True,
)

limits: Final = Table(
    "limits",
    metadata,
    # LAUNCH, ALIVE; and PAUSED, whose value is 0 or 1.
    Column("name", Text, primary_key=True),
    Column("value", Integer, nullable=False),
    Column("auto", Integer, nullable=False),
    CheckConstraint("name IN ('LAUNCH', 'ALIVE', 'PAUSED')", name="name_known"),
    CheckConstraint("value >= 0 AND auto IN (0, 1)", name="value_in_range"),
)
