"""The catalogue's statements as SQLite's driver takes them. Made by ``make sql``.

``{more}`` takes the columns that an UPDATE sets besides; ``__[POSTCOMPILE_...]`` a list of values.
"""

from __future__ import annotations

from typing import Final, NewType

Sql = NewType("Sql", str)

# scheduling

JOB: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.schedule_state, jobs.status, jobs.attempt, "
    "jobs.priority, jobs.hold, jobs.queue_seq, jobs.created_at, jobs.submitted_at, "
    "jobs.started_at, jobs.ended_at, jobs.cancel_at, jobs.cancel_reason, jobs.not_before, "
    "jobs.requeues, jobs.failed_starts, jobs.failure_reason FROM jobs WHERE jobs.job_id = "
    ":job_id"
)
TASKS: Final = Sql(
    "SELECT tasks.job_id, tasks.task_id, tasks.name, tasks.status, tasks.counts, "
    "tasks.cluster, tasks.region, tasks.candidate, tasks.torn_down, tasks.launches, "
    "tasks.tries, tasks.backoff_until, tasks.backoff_code, tasks.backoff_reason, tasks.cause, "
    "tasks.lost_launch, tasks.lost_region, tasks.lost_candidate, tasks.exit_code, "
    "tasks.recovery_count, tasks.restart_count, tasks.restarts_spent, tasks.started_at, "
    "tasks.ended_at, tasks.failure_reason, tasks.cleanup_error, tasks.callback_seq FROM tasks "
    "WHERE tasks.job_id = :job_id ORDER BY tasks.task_id"
)
TASK: Final = Sql(
    "SELECT tasks.job_id, tasks.task_id, tasks.name, tasks.status, tasks.counts, "
    "tasks.cluster, tasks.region, tasks.candidate, tasks.torn_down, tasks.launches, "
    "tasks.tries, tasks.backoff_until, tasks.backoff_code, tasks.backoff_reason, tasks.cause, "
    "tasks.lost_launch, tasks.lost_region, tasks.lost_candidate, tasks.exit_code, "
    "tasks.recovery_count, tasks.restart_count, tasks.restarts_spent, tasks.started_at, "
    "tasks.ended_at, tasks.failure_reason, tasks.cleanup_error, tasks.callback_seq FROM tasks "
    "WHERE tasks.job_id = :job_id AND tasks.task_id = :task_id"
)
ATTEMPT: Final = Sql(
    "SELECT attempts.job_id, attempts.attempt, attempts.kind, attempts.started_at, "
    "attempts.boot_id, attempts.pid, attempts.start_ticks, attempts.pid_ns, "
    "attempts.called_at, attempts.stop_sent_at, attempts.ended_at, attempts.end_reason FROM "
    "attempts WHERE attempts.job_id = :job_id AND attempts.attempt = :attempt"
)
NOTED: Final = Sql(
    "SELECT attempts.job_id, attempts.attempt FROM attempts JOIN jobs ON jobs.job_id = "
    "attempts.job_id AND jobs.attempt = attempts.attempt WHERE jobs.schedule_state IN "
    "('ALIVE', 'ALIVE_WAITING', 'LAUNCHING') AND attempts.end_reason IS NOT NULL AND "
    "attempts.ended_at IS NULL"
)
SNAPSHOT: Final = Sql(
    "SELECT snapshots.job_id, snapshots.yaml, snapshots.dag, snapshots.env, snapshots.source "
    "FROM snapshots WHERE snapshots.job_id = :job_id"
)
LIMITS: Final = Sql(
    "SELECT limits.name, limits.value, limits.auto FROM limits"
)
ALIVE_JOBS: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.schedule_state, jobs.status, jobs.attempt, "
    "jobs.priority, jobs.hold, jobs.queue_seq, jobs.created_at, jobs.submitted_at, "
    "jobs.started_at, jobs.ended_at, jobs.cancel_at, jobs.cancel_reason, jobs.not_before, "
    "jobs.requeues, jobs.failed_starts, jobs.failure_reason FROM jobs WHERE "
    "jobs.schedule_state IN ('ALIVE', 'ALIVE_WAITING', 'LAUNCHING') ORDER BY jobs.job_id"
)
ALIVE_ATTEMPTS: Final = Sql(
    "SELECT attempts.job_id, attempts.attempt, attempts.kind, attempts.started_at, "
    "attempts.boot_id, attempts.pid, attempts.start_ticks, attempts.pid_ns, "
    "attempts.called_at, attempts.stop_sent_at, attempts.ended_at, attempts.end_reason FROM "
    "attempts JOIN jobs ON jobs.job_id = attempts.job_id AND jobs.attempt = attempts.attempt "
    "WHERE jobs.schedule_state IN ('ALIVE', 'ALIVE_WAITING', 'LAUNCHING') ORDER BY "
    "attempts.job_id"
)
ENDING: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.schedule_state, jobs.status, jobs.attempt, "
    "jobs.priority, jobs.hold, jobs.queue_seq, jobs.created_at, jobs.submitted_at, "
    "jobs.started_at, jobs.ended_at, jobs.cancel_at, jobs.cancel_reason, jobs.not_before, "
    "jobs.requeues, jobs.failed_starts, jobs.failure_reason FROM jobs WHERE "
    "jobs.schedule_state IN ('ALIVE', 'ALIVE_WAITING', 'LAUNCHING') AND (jobs.cancel_at IS NOT "
    "NULL OR jobs.status IN ('CANCELLED', 'FAILED', 'FAILED_CONTROLLER', 'FAILED_NO_RESOURCE', "
    "'FAILED_PRECHECKS', 'FAILED_SETUP', 'SUCCEEDED')) ORDER BY jobs.job_id"
)
ALIVE_COUNTS: Final = Sql(
    "SELECT jobs.schedule_state, count(*) AS count FROM jobs WHERE jobs.schedule_state IN "
    "('ALIVE', 'ALIVE_WAITING', 'LAUNCHING') GROUP BY jobs.schedule_state"
)
STATUS_CHANGES: Final = Sql(
    "SELECT history.seq, history.at, history.kind, history.job_id, history.task_id, "
    "history.subject, history.from_value, history.to_value, history.attempt, history.actor, "
    "history.reason FROM history WHERE history.job_id = :job_id AND history.seq > :after AND "
    "history.task_id = :task_id AND history.kind = 'STATUS' ORDER BY history.seq"
)
DEPENDENTS: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.schedule_state, jobs.status, jobs.attempt, "
    "jobs.priority, jobs.hold, jobs.queue_seq, jobs.created_at, jobs.submitted_at, "
    "jobs.started_at, jobs.ended_at, jobs.cancel_at, jobs.cancel_reason, jobs.not_before, "
    "jobs.requeues, jobs.failed_starts, jobs.failure_reason FROM jobs JOIN dependencies ON "
    "dependencies.job_id = jobs.job_id WHERE dependencies.on_job_id = :job_id AND "
    "dependencies.satisfied = 0 AND jobs.schedule_state != 'DONE' ORDER BY jobs.job_id"
)
REQUEUED: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.schedule_state, jobs.status, jobs.attempt, "
    "jobs.priority, jobs.hold, jobs.queue_seq, jobs.created_at, jobs.submitted_at, "
    "jobs.started_at, jobs.ended_at, jobs.cancel_at, jobs.cancel_reason, jobs.not_before, "
    "jobs.requeues, jobs.failed_starts, jobs.failure_reason FROM jobs WHERE "
    "jobs.schedule_state = 'WAITING' AND jobs.attempt > 0 AND jobs.hold < 2 AND jobs.cancel_at "
    "IS NULL AND (jobs.not_before IS NULL OR jobs.not_before <= :now OR jobs.not_before > :now "
    "+ 60.0) AND (EXISTS (SELECT * FROM attempts WHERE attempts.job_id = jobs.job_id AND "
    "attempts.called_at IS NOT NULL)) ORDER BY jobs.priority DESC, jobs.queue_seq LIMIT :most "
    "OFFSET 0"
)
RESTARTS: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.schedule_state, jobs.status, jobs.attempt, "
    "jobs.priority, jobs.hold, jobs.queue_seq, jobs.created_at, jobs.submitted_at, "
    "jobs.started_at, jobs.ended_at, jobs.cancel_at, jobs.cancel_reason, jobs.not_before, "
    "jobs.requeues, jobs.failed_starts, jobs.failure_reason FROM jobs WHERE "
    "jobs.schedule_state = 'WAITING' AND jobs.attempt > 0 AND jobs.hold < 2 AND jobs.cancel_at "
    "IS NULL AND (jobs.not_before IS NULL OR jobs.not_before <= :now OR jobs.not_before > :now "
    "+ 60.0) AND NOT (EXISTS (SELECT * FROM attempts WHERE attempts.job_id = jobs.job_id AND "
    "attempts.called_at IS NOT NULL)) ORDER BY jobs.priority DESC, jobs.queue_seq LIMIT :most "
    "OFFSET 0"
)
RESUMES: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.schedule_state, jobs.status, jobs.attempt, "
    "jobs.priority, jobs.hold, jobs.queue_seq, jobs.created_at, jobs.submitted_at, "
    "jobs.started_at, jobs.ended_at, jobs.cancel_at, jobs.cancel_reason, jobs.not_before, "
    "jobs.requeues, jobs.failed_starts, jobs.failure_reason FROM jobs WHERE "
    "jobs.schedule_state = 'ALIVE_WAITING' AND jobs.hold = 0 AND jobs.cancel_at IS NULL ORDER "
    "BY jobs.priority DESC, jobs.queue_seq LIMIT :most OFFSET 0"
)
STARTS: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.schedule_state, jobs.status, jobs.attempt, "
    "jobs.priority, jobs.hold, jobs.queue_seq, jobs.created_at, jobs.submitted_at, "
    "jobs.started_at, jobs.ended_at, jobs.cancel_at, jobs.cancel_reason, jobs.not_before, "
    "jobs.requeues, jobs.failed_starts, jobs.failure_reason FROM jobs WHERE "
    "jobs.schedule_state = 'WAITING' AND jobs.attempt = 0 AND jobs.hold = 0 AND jobs.cancel_at "
    "IS NULL AND (jobs.not_before IS NULL OR jobs.not_before <= :now OR jobs.not_before > :now "
    "+ 60.0) AND NOT (EXISTS (SELECT * FROM dependencies WHERE dependencies.job_id = "
    "jobs.job_id AND dependencies.satisfied = 0)) ORDER BY jobs.priority DESC, jobs.queue_seq "
    "LIMIT :most OFFSET 0"
)
UNSETTLED: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.schedule_state, jobs.status, jobs.attempt, "
    "jobs.priority, jobs.hold, jobs.queue_seq, jobs.created_at, jobs.submitted_at, "
    "jobs.started_at, jobs.ended_at, jobs.cancel_at, jobs.cancel_reason, jobs.not_before, "
    "jobs.requeues, jobs.failed_starts, jobs.failure_reason FROM jobs WHERE "
    "jobs.schedule_state = 'WAITING' AND jobs.attempt > 0 AND jobs.cancel_at IS NOT NULL ORDER "
    "BY jobs.job_id"
)
ROOM_WAITERS: Final = Sql(
    "SELECT DISTINCT jobs.job_id, jobs.attempt FROM jobs JOIN tasks ON tasks.job_id = "
    "jobs.job_id WHERE tasks.backoff_code = 'NO_ROOM'"
)
NEXT_DUE: Final = Sql(
    "SELECT min(jobs.not_before) AS next_due FROM jobs WHERE jobs.schedule_state = 'WAITING' "
    "AND jobs.not_before > :now"
)

# writing

MOVE_JOB: Final = Sql(
    "UPDATE jobs SET {more}, schedule_state=:new_state WHERE jobs.job_id = :guard_job AND "
    "jobs.schedule_state = :guard_state AND jobs.attempt = :guard_attempt"
)
MOVE_TASK: Final = Sql(
    "UPDATE tasks SET {more}, status=:new_status WHERE tasks.job_id = :guard_job AND "
    "tasks.task_id = :guard_task AND tasks.status = :guard_status"
)
SET_JOB: Final = Sql(
    "UPDATE jobs SET {more} WHERE jobs.job_id = :guard_job"
)
SET_TASK: Final = Sql(
    "UPDATE tasks SET {more} WHERE tasks.job_id = :guard_job AND tasks.task_id = :guard_task"
)
SET_ATTEMPT: Final = Sql(
    "UPDATE attempts SET {more} WHERE attempts.job_id = :guard_job AND attempts.attempt = "
    ":guard_attempt"
)
SET_STATUS: Final = Sql(
    "UPDATE jobs SET status=:new_status, failure_reason=:failure_reason WHERE jobs.job_id = "
    ":guard_job"
)
END_ATTEMPT: Final = Sql(
    "UPDATE attempts SET ended_at=:ended_at WHERE attempts.job_id = :guard_job AND "
    "attempts.ended_at IS NULL"
)
FIRST_CALL: Final = Sql(
    "UPDATE attempts SET pid=coalesce(attempts.pid, :my_pid), "
    "start_ticks=coalesce(attempts.start_ticks, :my_ticks), pid_ns=coalesce(attempts.pid_ns, "
    ":my_ns), called_at=:now WHERE attempts.job_id = :guard_job AND attempts.attempt = "
    ":guard_attempt AND attempts.called_at IS NULL"
)
SATISFY: Final = Sql(
    "UPDATE dependencies SET satisfied=1 WHERE dependencies.on_job_id = :guard_on"
)
SET_LIMIT: Final = Sql(
    "UPDATE limits SET value=:value, auto=:auto WHERE limits.name = :which"
)
ADD_JOB: Final = Sql(
    "INSERT INTO jobs (name, schedule_state, status, created_at) VALUES (:name, "
    ":schedule_state, :status, :created_at)"
)
ADD_TASK: Final = Sql(
    "INSERT INTO tasks (job_id, task_id, name, status) VALUES (:job_id, :task_id, :name, "
    ":status)"
)
ADD_ATTEMPT: Final = Sql(
    "INSERT INTO attempts (job_id, attempt, kind, started_at, boot_id) VALUES (:job_id, "
    ":attempt, :kind, :started_at, :boot_id)"
)
ADD_HISTORY: Final = Sql(
    "INSERT INTO history (at, kind, job_id, task_id, subject, from_value, to_value, attempt, "
    "actor, reason) VALUES (:at, :kind, :job_id, :task_id, :subject, :from_value, :to_value, "
    ":attempt, :actor, :reason)"
)
ADD_LIMIT: Final = Sql(
    "INSERT INTO limits (name, value, auto) VALUES (:name, :value, :auto)"
)
ADD_SNAPSHOT: Final = Sql(
    "INSERT INTO snapshots (job_id, yaml, dag, env, source) VALUES (:job_id, :yaml, :dag, "
    ":env, :source)"
)
ADD_DEPENDENCY: Final = Sql(
    "INSERT INTO dependencies (job_id, on_job_id, satisfied) VALUES (:job_id, :on_job_id, "
    ":satisfied)"
)
LAST_SEQ: Final = Sql(
    "SELECT max(history.seq) AS last FROM history"
)

# viewing

PAGE: Final = Sql(
    "SELECT jobs.job_id FROM jobs ORDER BY jobs.job_id DESC LIMIT :most OFFSET 0"
)
PAGE_NAMED: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.name = :name ORDER BY jobs.job_id DESC LIMIT "
    ":most OFFSET 0"
)
PAGE_OF_STATE: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.schedule_state = :state ORDER BY jobs.job_id DESC "
    "LIMIT :most OFFSET 0"
)
PAGE_OF_STATE_NAMED: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.schedule_state = :state AND jobs.name = :name "
    "ORDER BY jobs.job_id DESC LIMIT :most OFFSET 0"
)
PAGE_OF_STATUS: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.status = :status ORDER BY jobs.job_id DESC LIMIT "
    ":most OFFSET 0"
)
PAGE_OF_STATUS_NAMED: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.status = :status AND jobs.name = :name ORDER BY "
    "jobs.job_id DESC LIMIT :most OFFSET 0"
)
JOBS_OF: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.schedule_state, jobs.status, jobs.attempt, "
    "jobs.priority, jobs.hold, jobs.queue_seq, jobs.created_at, jobs.submitted_at, "
    "jobs.started_at, jobs.ended_at, jobs.cancel_at, jobs.cancel_reason, jobs.not_before, "
    "jobs.requeues, jobs.failed_starts, jobs.failure_reason FROM jobs WHERE jobs.job_id IN "
    "(__[POSTCOMPILE_ids]) ORDER BY jobs.job_id DESC"
)
ALL_KEYS: Final = Sql(
    "SELECT -jobs.job_id FROM jobs ORDER BY jobs.job_id DESC"
)
KEYS_OF_STATES: Final = Sql(
    "SELECT -jobs.job_id FROM jobs WHERE jobs.schedule_state IN (__[POSTCOMPILE_states]) ORDER "
    "BY jobs.job_id DESC"
)
KEYS_OF: Final = Sql(
    "SELECT -jobs.job_id FROM jobs WHERE jobs.job_id IN (__[POSTCOMPILE_ids])"
)
TASKS_OF: Final = Sql(
    "SELECT tasks.job_id, tasks.task_id, tasks.name, tasks.status, tasks.counts, "
    "tasks.cluster, tasks.region, tasks.candidate, tasks.torn_down, tasks.launches, "
    "tasks.tries, tasks.backoff_until, tasks.backoff_code, tasks.backoff_reason, tasks.cause, "
    "tasks.lost_launch, tasks.lost_region, tasks.lost_candidate, tasks.exit_code, "
    "tasks.recovery_count, tasks.restart_count, tasks.restarts_spent, tasks.started_at, "
    "tasks.ended_at, tasks.failure_reason, tasks.cleanup_error, tasks.callback_seq FROM tasks "
    "WHERE tasks.job_id IN (__[POSTCOMPILE_ids]) ORDER BY tasks.job_id, tasks.task_id"
)
NEWEST_ATTEMPTS: Final = Sql(
    "SELECT attempts.job_id, attempts.attempt, attempts.kind, attempts.started_at, "
    "attempts.boot_id, attempts.pid, attempts.start_ticks, attempts.pid_ns, "
    "attempts.called_at, attempts.stop_sent_at, attempts.ended_at, attempts.end_reason FROM "
    "attempts JOIN (SELECT attempts.job_id AS job_id, max(attempts.attempt) AS attempt FROM "
    "attempts WHERE attempts.job_id IN (__[POSTCOMPILE_ids]) AND attempts.kind != 'FENCE' "
    "GROUP BY attempts.job_id) AS anon_1 ON attempts.job_id = anon_1.job_id AND "
    "attempts.attempt = anon_1.attempt"
)
CALLED_OF: Final = Sql(
    "SELECT DISTINCT attempts.job_id FROM attempts WHERE attempts.job_id IN "
    "(__[POSTCOMPILE_ids]) AND attempts.called_at IS NOT NULL"
)
BLOCKERS: Final = Sql(
    "SELECT dependencies.job_id, dependencies.on_job_id, jobs.status FROM dependencies LEFT "
    "OUTER JOIN jobs ON jobs.job_id = dependencies.on_job_id WHERE dependencies.job_id IN "
    "(__[POSTCOMPILE_ids]) AND dependencies.satisfied = 0 ORDER BY dependencies.job_id, "
    "dependencies.on_job_id"
)
SOURCES: Final = Sql(
    "SELECT snapshots.job_id, snapshots.source FROM snapshots"
)
SOURCES_OF: Final = Sql(
    "SELECT snapshots.job_id, snapshots.source FROM snapshots WHERE snapshots.job_id IN "
    "(__[POSTCOMPILE_ids])"
)
RECORD: Final = Sql(
    "SELECT history.seq, history.at, history.kind, history.job_id, history.task_id, "
    "history.subject, history.from_value, history.to_value, history.attempt, history.actor, "
    "history.reason FROM history WHERE history.job_id = :job_id ORDER BY history.seq"
)
UNFINISHED_JOBS: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.schedule_state IN ('INACTIVE', 'WAITING', "
    "'LAUNCHING', 'ALIVE', 'ALIVE_WAITING')"
)
UNFINISHED_NAMED: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.schedule_state IN ('INACTIVE', 'WAITING', "
    "'LAUNCHING', 'ALIVE', 'ALIVE_WAITING') AND jobs.name = :name"
)
RESUMES_WAITING: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.schedule_state = 'ALIVE_WAITING' AND jobs.hold = "
    "0 AND jobs.cancel_at IS NULL ORDER BY jobs.priority DESC, jobs.queue_seq LIMIT :most "
    "OFFSET 0"
)
RESUMES_WAITING_COUNT: Final = Sql(
    "SELECT count(*) AS count FROM jobs WHERE jobs.schedule_state = 'ALIVE_WAITING' AND "
    "jobs.hold = 0 AND jobs.cancel_at IS NULL"
)
RESUMES_BEFORE: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.schedule_state = 'ALIVE_WAITING' AND jobs.hold = "
    "0 AND jobs.cancel_at IS NULL AND (jobs.priority > :priority OR jobs.priority = :priority "
    "AND jobs.queue_seq < :place) ORDER BY jobs.priority DESC, jobs.queue_seq LIMIT :most "
    "OFFSET 0"
)
RESUMES_BEFORE_COUNT: Final = Sql(
    "SELECT count(*) AS count FROM jobs WHERE jobs.schedule_state = 'ALIVE_WAITING' AND "
    "jobs.hold = 0 AND jobs.cancel_at IS NULL AND (jobs.priority > :priority OR jobs.priority "
    "= :priority AND jobs.queue_seq < :place)"
)
STARTS_BEFORE: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.schedule_state = 'WAITING' AND jobs.attempt = 0 "
    "AND jobs.hold = 0 AND jobs.cancel_at IS NULL AND (jobs.not_before IS NULL OR "
    "jobs.not_before <= :now OR jobs.not_before > :now + 60.0) AND NOT (EXISTS (SELECT * FROM "
    "dependencies WHERE dependencies.job_id = jobs.job_id AND dependencies.satisfied = 0)) AND "
    "(jobs.priority > :priority OR jobs.priority = :priority AND jobs.queue_seq < :place) "
    "ORDER BY jobs.priority DESC, jobs.queue_seq LIMIT :most OFFSET 0"
)
STARTS_BEFORE_COUNT: Final = Sql(
    "SELECT count(*) AS count FROM jobs WHERE jobs.schedule_state = 'WAITING' AND jobs.attempt "
    "= 0 AND jobs.hold = 0 AND jobs.cancel_at IS NULL AND (jobs.not_before IS NULL OR "
    "jobs.not_before <= :now OR jobs.not_before > :now + 60.0) AND NOT (EXISTS (SELECT * FROM "
    "dependencies WHERE dependencies.job_id = jobs.job_id AND dependencies.satisfied = 0)) AND "
    "(jobs.priority > :priority OR jobs.priority = :priority AND jobs.queue_seq < :place)"
)
COUNTS: Final = Sql(
    "SELECT jobs.schedule_state, count(*) AS count FROM jobs GROUP BY jobs.schedule_state"
)
FAILED_COUNT: Final = Sql(
    "SELECT count(*) AS count_1 FROM jobs WHERE jobs.status IN ('FAILED', 'FAILED_CONTROLLER', "
    "'FAILED_NO_RESOURCE', 'FAILED_PRECHECKS', 'FAILED_SETUP')"
)
FAILED_NOT_DONE: Final = Sql(
    "SELECT count(*) FILTER (WHERE jobs.status IN ('FAILED', 'FAILED_CONTROLLER', "
    "'FAILED_NO_RESOURCE', 'FAILED_PRECHECKS', 'FAILED_SETUP')) AS anon_1 FROM jobs WHERE "
    "jobs.schedule_state IN ('INACTIVE', 'WAITING', 'LAUNCHING', 'ALIVE', 'ALIVE_WAITING')"
)
FIRST_WAITING: Final = Sql(
    "SELECT jobs.submitted_at FROM jobs WHERE jobs.schedule_state = 'WAITING' AND "
    "jobs.queue_seq = (SELECT min(jobs.queue_seq) AS min_1 FROM jobs WHERE jobs.schedule_state "
    "= 'WAITING')"
)
FOLLOWERS: Final = Sql(
    "SELECT dependencies.on_job_id, dependencies.job_id FROM dependencies JOIN jobs AS "
    "follower ON follower.job_id = dependencies.job_id WHERE dependencies.on_job_id IN "
    "(__[POSTCOMPILE_ids]) AND dependencies.satisfied = 0 AND follower.schedule_state != "
    "'DONE' ORDER BY dependencies.on_job_id, dependencies.job_id"
)
BLOCKED: Final = Sql(
    "SELECT dependencies.job_id, dependencies.on_job_id, leader.status FROM dependencies JOIN "
    "jobs AS follower ON follower.job_id = dependencies.job_id LEFT OUTER JOIN jobs AS leader "
    "ON leader.job_id = dependencies.on_job_id WHERE follower.schedule_state = 'WAITING' AND "
    "dependencies.satisfied = 0 AND (leader.job_id IS NULL OR leader.status IN ('CANCELLED', "
    "'FAILED', 'FAILED_CONTROLLER', 'FAILED_NO_RESOURCE', 'FAILED_PRECHECKS', 'FAILED_SETUP')) "
    "ORDER BY dependencies.job_id, dependencies.on_job_id"
)
LATEST: Final = Sql(
    "SELECT max(history.seq) AS max_1 FROM history"
)
CHANGES_AFTER: Final = Sql(
    "SELECT history.seq, history.at, history.kind, history.job_id, history.task_id, "
    "history.subject, history.from_value, history.to_value, history.attempt, history.actor, "
    "history.reason FROM history WHERE history.seq > :after ORDER BY history.seq LIMIT :most "
    "OFFSET 0"
)
CHANGES_BEFORE: Final = Sql(
    "SELECT history.seq, history.at, history.kind, history.job_id, history.task_id, "
    "history.subject, history.from_value, history.to_value, history.attempt, history.actor, "
    "history.reason FROM history WHERE history.seq < :before AND history.kind IN "
    "(__[POSTCOMPILE_kinds]) ORDER BY history.seq DESC LIMIT :most OFFSET 0"
)
LIMIT_CHANGES: Final = Sql(
    "SELECT history.seq, history.at, history.kind, history.job_id, history.task_id, "
    "history.subject, history.from_value, history.to_value, history.attempt, history.actor, "
    "history.reason FROM history WHERE history.job_id IS NULL AND history.seq > :after AND "
    "history.kind = 'LIMIT' ORDER BY history.seq"
)
NEWEST_UPTO: Final = Sql(
    "SELECT history.seq, history.at FROM history WHERE history.seq <= :upto ORDER BY "
    "history.seq DESC LIMIT 1 OFFSET 0"
)
USES: Final = Sql(
    "SELECT history.at, history.from_value, history.to_value FROM history WHERE history.seq > "
    ":after AND history.kind = 'SCHEDULE' AND (history.from_value IN ('ALIVE', "
    "'ALIVE_WAITING', 'LAUNCHING') OR history.to_value IN ('ALIVE', 'ALIVE_WAITING', "
    "'LAUNCHING')) ORDER BY history.seq"
)

# auditing

STATE: Final = Sql(
    "SELECT jobs.schedule_state, jobs.attempt FROM jobs WHERE jobs.job_id = :job_id"
)
STATUSES: Final = Sql(
    "SELECT tasks.task_id, tasks.status FROM tasks WHERE tasks.job_id = :job_id"
)
AUDITED_JOBS: Final = Sql(
    "SELECT jobs.job_id, jobs.schedule_state, jobs.status, jobs.attempt, jobs.cancel_at, "
    "jobs.ended_at FROM jobs WHERE jobs.job_id > :after ORDER BY jobs.job_id LIMIT :most "
    "OFFSET 0"
)
AUDITED_TASKS: Final = Sql(
    "SELECT tasks.job_id, tasks.task_id, tasks.status, tasks.counts, tasks.ended_at, "
    "tasks.cluster, tasks.torn_down, tasks.cleanup_error FROM tasks WHERE tasks.job_id > "
    ":after AND tasks.job_id <= :upto ORDER BY tasks.job_id, tasks.task_id"
)
AUDITED_ATTEMPTS: Final = Sql(
    "SELECT attempts.job_id, attempts.attempt, attempts.kind, attempts.ended_at FROM attempts "
    "WHERE attempts.job_id > :after AND attempts.job_id <= :upto ORDER BY attempts.job_id, "
    "attempts.attempt"
)
EVENTS: Final = Sql(
    "SELECT history.seq, history.kind, history.job_id, history.task_id, history.subject, "
    "history.from_value, history.to_value, history.attempt FROM history WHERE history.job_id > "
    ":after AND history.job_id <= :upto ORDER BY history.job_id, history.seq"
)
LIMIT_EVENTS: Final = Sql(
    "SELECT history.seq, history.kind, history.job_id, history.task_id, history.subject, "
    "history.from_value, history.to_value, history.attempt FROM history WHERE history.seq > "
    ":after AND (history.kind = 'LIMIT' OR history.kind = 'SCHEDULE' AND (history.from_value "
    "IN ('ALIVE', 'ALIVE_WAITING', 'LAUNCHING') OR history.to_value IN ('ALIVE', "
    "'ALIVE_WAITING', 'LAUNCHING'))) ORDER BY history.seq LIMIT :most OFFSET 0"
)
EVENT_COUNT: Final = Sql(
    "SELECT count(*) AS rows FROM history"
)
TOO_EARLY: Final = Sql(
    "SELECT dependencies.job_id, dependencies.on_job_id FROM dependencies JOIN jobs ON "
    "jobs.job_id = dependencies.job_id WHERE dependencies.satisfied = 0 AND "
    "jobs.schedule_state IN ('ALIVE', 'ALIVE_WAITING', 'LAUNCHING') ORDER BY "
    "dependencies.job_id, dependencies.on_job_id"
)
THEN: Final = Sql(
    "SELECT history.seq, history.at, history.kind, history.job_id, history.task_id, "
    "history.subject, history.to_value, history.attempt, history.reason FROM history WHERE "
    "history.job_id IN (__[POSTCOMPILE_ids]) AND history.seq <= :upto ORDER BY history.job_id, "
    "history.seq"
)
LATER_PRIORITY: Final = Sql(
    "SELECT history.job_id, history.from_value, min(history.seq) AS min_1 FROM history WHERE "
    "history.job_id IN (__[POSTCOMPILE_ids]) AND history.seq > :upto AND history.kind = "
    "'ACTION' AND history.subject = 'PRIORITY' GROUP BY history.job_id"
)
FIXED: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.priority FROM jobs WHERE jobs.job_id IN "
    "(__[POSTCOMPILE_ids])"
)
FIXED_TASKS: Final = Sql(
    "SELECT tasks.job_id, tasks.task_id, tasks.name, tasks.counts FROM tasks WHERE "
    "tasks.job_id IN (__[POSTCOMPILE_ids])"
)
CHANGED_SINCE: Final = Sql(
    "SELECT DISTINCT coalesce(history.job_id, 0) AS coalesce_1 FROM history WHERE history.seq "
    "> :upto"
)
LIMITS_UPTO: Final = Sql(
    "SELECT history.subject, history.to_value FROM history WHERE history.job_id IS NULL AND "
    "history.seq <= :upto AND history.kind = 'LIMIT' ORDER BY history.seq"
)
COPIED_JOBS: Final = Sql(
    "SELECT jobs.job_id, jobs.name, jobs.schedule_state, jobs.status, jobs.attempt, "
    "jobs.priority, jobs.hold, jobs.queue_seq, jobs.created_at, jobs.submitted_at, "
    "jobs.started_at, jobs.ended_at, jobs.cancel_at, jobs.failure_reason FROM jobs WHERE "
    "jobs.job_id > :after ORDER BY jobs.job_id LIMIT :most OFFSET 0"
)
SUBMITTED: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.queue_seq IS NOT NULL"
)
PRUNABLE: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.job_id > :after AND jobs.job_id <= :newest AND "
    "jobs.ended_at <= :before AND NOT (EXISTS (SELECT * FROM dependencies, jobs AS waiter "
    "WHERE dependencies.on_job_id = jobs.job_id AND dependencies.satisfied = 0 AND "
    "dependencies.job_id = waiter.job_id AND waiter.schedule_state != 'DONE')) ORDER BY "
    "jobs.job_id LIMIT :most OFFSET 0"
)
NEWEST_BUT: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.ended_at IS NOT NULL ORDER BY jobs.job_id DESC "
    "LIMIT 1 OFFSET :keep"
)
DELETE_TASKS: Final = Sql(
    "DELETE FROM tasks WHERE tasks.job_id IN (__[POSTCOMPILE_ids])"
)
DELETE_ATTEMPTS: Final = Sql(
    "DELETE FROM attempts WHERE attempts.job_id IN (__[POSTCOMPILE_ids])"
)
DELETE_SNAPSHOTS: Final = Sql(
    "DELETE FROM snapshots WHERE snapshots.job_id IN (__[POSTCOMPILE_ids])"
)
DELETE_DEPENDENCIES: Final = Sql(
    "DELETE FROM dependencies WHERE dependencies.job_id IN (__[POSTCOMPILE_ids])"
)
DELETE_HISTORY: Final = Sql(
    "DELETE FROM history WHERE history.job_id IN (__[POSTCOMPILE_ids])"
)
DELETE_JOBS: Final = Sql(
    "DELETE FROM jobs WHERE jobs.job_id IN (__[POSTCOMPILE_ids])"
)
PRUNED: Final = Sql(
    "SELECT history.job_id FROM history WHERE history.job_id IN (__[POSTCOMPILE_ids]) AND "
    "history.kind = 'PRUNED'"
)
UNFINISHED_OF: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.job_id IN (__[POSTCOMPILE_ids]) AND jobs.ended_at "
    "IS NULL"
)
ENDED_OF: Final = Sql(
    "SELECT jobs.job_id FROM jobs WHERE jobs.job_id IN (__[POSTCOMPILE_ids]) AND jobs.ended_at "
    "<= :before"
)

# schema

TABLES: Final = {
    "history": Sql(
        "CREATE TABLE history ( seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, at FLOAT NOT "
        "NULL, kind TEXT NOT NULL, job_id INTEGER, task_id INTEGER, subject TEXT, from_value "
        "TEXT, to_value TEXT, attempt INTEGER, actor TEXT NOT NULL, reason TEXT, CONSTRAINT "
        "kind_known CHECK (kind IN ('SCHEDULE', 'STATUS', 'LIMIT', 'ACTION', 'PRUNED')) )"
    ),
    "jobs": Sql(
        "CREATE TABLE jobs ( job_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name TEXT NOT "
        "NULL, schedule_state TEXT NOT NULL, status TEXT NOT NULL, attempt INTEGER DEFAULT '0' "
        "NOT NULL, priority INTEGER DEFAULT '0' NOT NULL, hold INTEGER DEFAULT '0' NOT NULL, "
        "queue_seq INTEGER, created_at FLOAT NOT NULL, submitted_at FLOAT, started_at FLOAT, "
        "ended_at FLOAT, cancel_at FLOAT, cancel_reason TEXT, not_before FLOAT, requeues "
        "INTEGER DEFAULT '0' NOT NULL, failed_starts INTEGER DEFAULT '0' NOT NULL, "
        "failure_reason TEXT, CONSTRAINT schedule_state_known CHECK (schedule_state IN "
        "('ALIVE', 'ALIVE_WAITING', 'DONE', 'INACTIVE', 'LAUNCHING', 'WAITING')), CONSTRAINT "
        "status_known CHECK (status IN ('CANCELLED', 'CANCELLING', 'FAILED', "
        "'FAILED_CONTROLLER', 'FAILED_NO_RESOURCE', 'FAILED_PRECHECKS', 'FAILED_SETUP', "
        "'PENDING', 'RECOVERING', 'RUNNING', 'STARTING', 'SUCCEEDED')), CONSTRAINT "
        "priority_in_range CHECK (priority BETWEEN -1000 AND 1000), CONSTRAINT hold_known "
        "CHECK (hold IN (0, 1, 2, 3)), CONSTRAINT attempt_not_negative CHECK (attempt >= 0), "
        "CONSTRAINT done_exactly_when_ended CHECK ((schedule_state = 'DONE') = (ended_at IS "
        "NOT NULL)), CONSTRAINT done_has_an_outcome CHECK (schedule_state != 'DONE' OR status "
        "IN ('CANCELLED', 'FAILED', 'FAILED_CONTROLLER', 'FAILED_NO_RESOURCE', "
        "'FAILED_PRECHECKS', 'FAILED_SETUP', 'SUCCEEDED')), CONSTRAINT alive_has_attempt CHECK "
        "(NOT (schedule_state IN ('ALIVE', 'ALIVE_WAITING', 'LAUNCHING')) OR attempt > 0), "
        "CONSTRAINT submitted_has_a_place CHECK (schedule_state = 'INACTIVE' OR schedule_state "
        "= 'DONE' OR queue_seq IS NOT NULL) )"
    ),
    "limits": Sql(
        "CREATE TABLE limits ( name TEXT NOT NULL, value INTEGER NOT NULL, auto INTEGER NOT "
        "NULL, PRIMARY KEY (name), CONSTRAINT name_known CHECK (name IN ('LAUNCH', 'ALIVE', "
        "'PAUSED')), CONSTRAINT value_in_range CHECK (value >= 0 AND auto IN (0, 1)) )"
    ),
    "attempts": Sql(
        "CREATE TABLE attempts ( job_id INTEGER NOT NULL, attempt INTEGER NOT NULL, kind TEXT "
        "NOT NULL, started_at FLOAT NOT NULL, boot_id TEXT, pid INTEGER, start_ticks INTEGER, "
        "pid_ns INTEGER, called_at FLOAT, stop_sent_at FLOAT, ended_at FLOAT, end_reason TEXT, "
        "PRIMARY KEY (job_id, attempt), CONSTRAINT kind_known CHECK (kind IN ('DEFAULT', "
        "'COMMAND', 'FENCE')), CONSTRAINT pid_with_start_time CHECK ((pid IS NULL) = "
        "(start_ticks IS NULL)), FOREIGN KEY(job_id) REFERENCES jobs (job_id) )"
    ),
    "dependencies": Sql(
        "CREATE TABLE dependencies ( job_id INTEGER NOT NULL, on_job_id INTEGER NOT NULL, "
        "satisfied INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (job_id, on_job_id), FOREIGN "
        "KEY(job_id) REFERENCES jobs (job_id) )"
    ),
    "snapshots": Sql(
        "CREATE TABLE snapshots ( job_id INTEGER NOT NULL, yaml TEXT NOT NULL, dag TEXT NOT "
        "NULL, env TEXT NOT NULL, source TEXT NOT NULL, PRIMARY KEY (job_id), FOREIGN "
        "KEY(job_id) REFERENCES jobs (job_id) )"
    ),
    "tasks": Sql(
        "CREATE TABLE tasks ( job_id INTEGER NOT NULL, task_id INTEGER NOT NULL, name TEXT NOT "
        "NULL, status TEXT NOT NULL, counts INTEGER DEFAULT '1' NOT NULL, cluster TEXT, region "
        "TEXT, candidate INTEGER, torn_down INTEGER DEFAULT '1' NOT NULL, launches INTEGER "
        "DEFAULT '0' NOT NULL, tries INTEGER DEFAULT '0' NOT NULL, backoff_until FLOAT, "
        "backoff_code TEXT, backoff_reason TEXT, cause TEXT, lost_launch INTEGER, lost_region "
        "TEXT, lost_candidate INTEGER, exit_code INTEGER, recovery_count INTEGER DEFAULT '0' "
        "NOT NULL, restart_count INTEGER DEFAULT '0' NOT NULL, restarts_spent INTEGER DEFAULT "
        "'0' NOT NULL, started_at FLOAT, ended_at FLOAT, failure_reason TEXT, cleanup_error "
        "TEXT, callback_seq INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (job_id, task_id), "
        "CONSTRAINT status_known CHECK (status IN ('CANCELLED', 'CANCELLING', 'FAILED', "
        "'FAILED_CONTROLLER', 'FAILED_NO_RESOURCE', 'FAILED_PRECHECKS', 'FAILED_SETUP', "
        "'PENDING', 'RECOVERING', 'RUNNING', 'STARTING', 'SUCCEEDED')), CONSTRAINT "
        "ended_when_terminal CHECK ((status IN ('CANCELLED', 'FAILED', 'FAILED_CONTROLLER', "
        "'FAILED_NO_RESOURCE', 'FAILED_PRECHECKS', 'FAILED_SETUP', 'SUCCEEDED')) = (ended_at "
        "IS NOT NULL)), CONSTRAINT torn_down_known CHECK (torn_down IN (0, 1)), CONSTRAINT "
        "cluster_named_while_it_is CHECK (torn_down = 1 OR cluster IS NOT NULL), CONSTRAINT "
        "started_when_running CHECK (status NOT IN ('RUNNING', 'RECOVERING') OR started_at IS "
        "NOT NULL), FOREIGN KEY(job_id) REFERENCES jobs (job_id) )"
    ),
}
INDEXES: Final = (
    Sql(
        "CREATE INDEX history_of_job ON history (job_id, seq)"
    ),
    Sql(
        "CREATE INDEX jobs_by_name ON jobs (name, job_id)"
    ),
    Sql(
        "CREATE INDEX jobs_by_state ON jobs (schedule_state, priority DESC, queue_seq)"
    ),
    Sql(
        "CREATE INDEX jobs_by_status ON jobs (status, job_id)"
    ),
    Sql(
        "CREATE INDEX jobs_ending ON jobs (schedule_state, job_id) WHERE schedule_state IN "
        "('ALIVE', 'ALIVE_WAITING', 'LAUNCHING') AND (cancel_at IS NOT NULL OR status IN "
        "('CANCELLED', 'FAILED', 'FAILED_CONTROLLER', 'FAILED_NO_RESOURCE', "
        "'FAILED_PRECHECKS', 'FAILED_SETUP', 'SUCCEEDED'))"
    ),
    Sql(
        "CREATE INDEX jobs_put_off ON jobs (schedule_state, not_before) WHERE schedule_state = "
        "'WAITING' AND not_before IS NOT NULL"
    ),
    Sql(
        "CREATE INDEX jobs_waiting_again ON jobs (schedule_state, priority DESC, queue_seq) "
        "WHERE schedule_state = 'WAITING' AND attempt > 0"
    ),
    Sql(
        "CREATE INDEX dependencies_on ON dependencies (on_job_id, satisfied)"
    ),
    Sql(
        "CREATE INDEX tasks_in_backoff ON tasks (backoff_code, job_id) WHERE backoff_code IS "
        "NOT NULL"
    ),
)
