"""The only place that writes a schedule state or a status.

Owns every move of both machines: it checks the move against the table in ``states``, guards the
UPDATE by the state that it moves from (and by the attempt, for a controller), writes the history
row in the same transaction and keeps the job's status in step with its tasks. Does not decide
*whether* to move, starts nothing and signals nobody: effects follow the commit, by the caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from jobsched.errors import IllegalMove, NotFound, StaleAttempt
from jobsched.lock import Held
from jobsched.process import Identity
from jobsched.states import (
    SCHEDULE_MOVES,
    ScheduleState,
    TaskStatus,
    job_status,
    status_sources,
)
from jobsched.store import reads, sql
from jobsched.store.rows import JobRow, TaskRow
from jobsched.store.tx import Tx, setting

#: ``reason`` of a task that ``job_done`` ends without being told how it ended.
NO_OUTCOME: Final = "ended without an outcome"


@dataclass(frozen=True, slots=True)
class By:
    """Who moves, when and why: what a history row says besides the move."""

    actor: str
    now: float
    #: For a controller: its attempt; every write is then void unless it is the job's newest.
    attempt: int | None = None
    reason: str | None = None

    def because(self, reason: str | None) -> By:
        """The same mover with another reason."""
        return By(self.actor, self.now, self.attempt, reason)


def record(
    tx: Tx,
    by: By,
    kind: str,
    *,
    job_id: int | None = None,
    task_id: int | None = None,
    subject: str | None = None,
    from_value: str | None = None,
    to_value: str | None = None,
    attempt: int | None = None,
) -> int:
    """Append one history row; its ``seq``."""
    return tx.insert(
        sql.ADD_HISTORY,
        at=by.now,
        kind=kind,
        job_id=job_id,
        task_id=task_id,
        subject=subject,
        from_value=from_value,
        to_value=to_value,
        attempt=attempt,
        actor=by.actor,
        reason=by.reason,
    )


def create(tx: Tx, name: str, task_names: Sequence[str], by: By) -> int:
    """A new INACTIVE job with PENDING tasks; its id."""
    job_id = tx.insert(
        sql.ADD_JOB,
        name=name,
        schedule_state=ScheduleState.INACTIVE,
        status=TaskStatus.PENDING,
        created_at=by.now,
    )
    record(tx, by, "SCHEDULE", job_id=job_id, to_value=ScheduleState.INACTIVE, attempt=0)
    for task_id, task_name in enumerate(task_names):
        tx.change(
            sql.ADD_TASK, job_id=job_id, task_id=task_id, name=task_name, status=TaskStatus.PENDING
        )
        record(
            tx, by, "STATUS", job_id=job_id, task_id=task_id, to_value=TaskStatus.PENDING, attempt=0
        )
    return job_id


def owned(tx: Tx, job_id: int, by: By) -> JobRow:
    """The job, if ``by`` may act for it. Raises ``NotFound`` or ``StaleAttempt``."""
    job = reads.job(tx, job_id)
    if job is None:
        raise NotFound("job", job_id)
    if by.attempt is not None and job.attempt != by.attempt:
        raise StaleAttempt(job_id, by.attempt, job.attempt)
    return job


def schedule(tx: Tx, held: Held, job: JobRow, to: ScheduleState, by: By, **columns: Any) -> int:
    """Move a job to ``to``, setting ``columns`` with it; the ``seq`` of the history row.

    ``columns`` may raise the attempt. Raises ``IllegalMove`` if the table has no such move, and
    ``StaleAttempt`` if the row is not as ``job`` says it is.
    """
    held.require()
    if to not in SCHEDULE_MOVES[job.schedule_state]:
        raise IllegalMove(f"job {job.job_id}", job.schedule_state, to)
    changed = tx.change(
        setting(sql.MOVE_JOB, tuple(sorted(columns))),
        guard_job=job.job_id,
        guard_state=job.schedule_state,
        guard_attempt=job.attempt,
        new_state=to,
        **columns,
    )
    if changed != 1:
        raise StaleAttempt(job.job_id, job.attempt)
    return record(
        tx,
        by,
        "SCHEDULE",
        job_id=job.job_id,
        from_value=job.schedule_state,
        to_value=to,
        attempt=columns.get("attempt", job.attempt),
    )


def status(
    tx: Tx, task: TaskRow, to: TaskStatus, by: By, *, ending_job: bool = False, **columns: Any
) -> TaskRow:
    """Move a task to ``to``, setting ``columns`` with it, and its job's status along; its row then.

    The caller has made sure, in this transaction, that ``by`` may act for the job (:func:`owned`).
    A reason of ``by`` becomes the failure reason of a failure or cancel. Raises ``IllegalMove``.
    """
    if task.status not in status_sources(to, ending_job=ending_job):
        raise IllegalMove(f"task {task.task_id} of job {task.job_id}", task.status, to)
    if to.is_terminal:
        columns.setdefault("ended_at", by.now)
        columns |= {"backoff_until": None, "backoff_code": None, "backoff_reason": None}
        if to is not TaskStatus.SUCCEEDED:
            columns.setdefault("failure_reason", by.reason)
    if task.started_at is None and to in _STARTED:
        columns.setdefault("started_at", by.now)
    changed = tx.change(
        setting(sql.MOVE_TASK, tuple(sorted(columns))),
        guard_job=task.job_id,
        guard_task=task.task_id,
        guard_status=task.status,
        new_status=to,
        **columns,
    )
    if changed != 1:
        raise IllegalMove(f"task {task.task_id} of job {task.job_id}", "no longer there", to)
    record(
        tx,
        by,
        "STATUS",
        job_id=task.job_id,
        task_id=task.task_id,
        from_value=task.status,
        to_value=to,
        attempt=_attempt(tx, task.job_id) if by.attempt is None else by.attempt,
    )
    rows = refresh_status(tx, task.job_id)
    return next(row for row in rows if row.task_id == task.task_id)


_STARTED: Final = frozenset({TaskStatus.RUNNING, TaskStatus.RECOVERING})


def _attempt(tx: Tx, job_id: int) -> int | None:
    job = reads.job(tx, job_id)
    return None if job is None else job.attempt


def refresh_status(tx: Tx, job_id: int) -> list[TaskRow]:
    """Make the job's status and failure reason follow from its tasks; their rows."""
    rows = reads.tasks_of(tx, job_id)
    status = job_status([(task.status, bool(task.counts), task.ended_at) for task in rows])
    failed = sorted(
        (task for task in rows if task.counts and task.ended_at and task.failure_reason),
        key=lambda task: (not task.status.is_failure, task.ended_at, task.task_id),
    )
    reason = failed[0].failure_reason if failed and status.is_terminal else None
    tx.change(sql.SET_STATUS, guard_job=job_id, new_status=status, failure_reason=reason)
    return rows


def done(
    tx: Tx, held: Held, job: JobRow, by: By, *,
    to: TaskStatus | None = None, attempt: int | None = None,
) -> list[int]:  # fmt: skip
    """End a job: unfinished tasks get ``to`` (CANCELLED if not said), then DONE.

    ``attempt`` raises the job's attempt with the same write, which fences whoever acted for it.

    Jobs that wait for it are released, or ended too if it did not succeed. Returns the ids of all
    jobs that are DONE now, this one first.
    """
    if to is not None and not to.is_terminal:
        raise IllegalMove(f"an unfinished task of job {job.job_id}", "unfinished", to)
    ended: list[int] = []
    ending = [(job, to, by, job.attempt if attempt is None else attempt)]
    while ending:
        current, outcome, mover, fence = ending.pop()
        status_now = outcome or TaskStatus.CANCELLED
        finished = _end(tx, held, current, mover, to=status_now, attempt=fence)
        ended.append(current.job_id)
        if finished is TaskStatus.SUCCEEDED:
            tx.change(sql.SATISFY, guard_on=current.job_id)
            continue
        # Whoever acts for this job acts for none of those that were to follow it.
        why = By(
            by.actor, by.now,
            reason=f"job {current.job_id}, which it was to follow, ended {finished}",
        )  # fmt: skip
        ending += [
            (follower, None, why, follower.attempt)
            for follower in reads.dependents(tx, current.job_id)
        ]
    return ended


def _end(tx: Tx, held: Held, job: JobRow, by: By, *, to: TaskStatus, attempt: int) -> TaskStatus:
    unfinished = by if by.reason or to is not TaskStatus.CANCELLED else by.because(NO_OUTCOME)
    for task in reads.tasks_of(tx, job.job_id):
        if not task.status.is_terminal:
            status(tx, task, to, unfinished, ending_job=True)
    schedule(tx, held, job, ScheduleState.DONE, by, ended_at=by.now, attempt=attempt)
    tx.change(sql.END_ATTEMPT, guard_job=job.job_id, ended_at=by.now)
    return job_status(
        [(task.status, bool(task.counts), task.ended_at) for task in reads.tasks_of(tx, job.job_id)]
    )


def when_cancelled(task: TaskRow) -> TaskStatus:
    """What a cancel makes of an unfinished task: over at once only where nothing of it began."""
    never_began = task.status is TaskStatus.PENDING and not task.has_cluster
    return TaskStatus.CANCELLED if never_began else TaskStatus.CANCELLING


def set_job(tx: Tx, job_id: int, **columns: Any) -> None:
    """Set columns of a job that are neither its state nor its status."""
    _refuse(columns, "schedule_state", "status", "attempt")
    names = tuple(sorted(columns))
    tx.change(setting(sql.SET_JOB, names), guard_job=job_id, **columns)


def set_task(tx: Tx, job_id: int, task_id: int, **columns: Any) -> None:
    """Set columns of a task other than its status."""
    _refuse(columns, "status")
    if columns:
        update = setting(sql.SET_TASK, tuple(sorted(columns)))
        tx.change(update, guard_job=job_id, guard_task=task_id, **columns)


def set_attempt(tx: Tx, job_id: int, attempt: int, **columns: Any) -> int:
    """Set columns of an attempt; how many rows that were."""
    update = setting(sql.SET_ATTEMPT, tuple(sorted(columns)))
    return tx.change(update, guard_job=job_id, guard_attempt=attempt, **columns)


def add_attempt(tx: Tx, job_id: int, attempt: int, *, kind: str, now: float, boot_id: str) -> None:
    """Note that an attempt begins."""
    tx.change(
        sql.ADD_ATTEMPT,
        job_id=job_id,
        attempt=attempt,
        kind=kind,
        started_at=now,
        boot_id=boot_id or None,
    )


def next_seq(tx: Tx) -> int:
    """The number that the next history row will have, at least; for use inside a write."""
    row = tx.row(sql.LAST_SEQ)
    return 1 + int((row and row["last"]) or 0)


def first_call(tx: Tx, job_id: int, attempt: int, now: float, me: Identity | None) -> None:
    """Note that an attempt's process has called us, and who it is if the starter could not say."""
    pid, ticks, namespace = (me.pid, me.start_ticks, me.pid_ns) if me else (None, None, None)
    tx.change(
        sql.FIRST_CALL, guard_job=job_id, guard_attempt=attempt, now=now,
        my_pid=pid, my_ticks=ticks, my_ns=namespace,
    )  # fmt: skip


def _refuse(columns: dict[str, Any], *guarded: str) -> None:
    found = sorted(columns.keys() & set(guarded))
    if found:
        raise IllegalMove(", ".join(found), "guarded", "set without a move")
