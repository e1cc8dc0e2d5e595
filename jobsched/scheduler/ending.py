"""How jobs end: by their controller, by force, or by a cancel.

Owns the transactions that write an end or the wish for one, and the signals that follow the commit.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from jobsched import lock, wake
from jobsched.context import Context
from jobsched.errors import Changed, IllegalMove, NotFound
from jobsched.lock import Grip, Held
from jobsched.scheduler.aftercare import carry_through, follow_up
from jobsched.scheduler.expected import Expected, require_expected
from jobsched.scheduler.outcome import Change
from jobsched.states import TaskStatus
from jobsched.store import moves, reads
from jobsched.store.moves import By
from jobsched.store.rows import AttemptRow, JobRow
from jobsched.store.tx import Tx
from jobsched.sweep.callbacks import has_untold
from jobsched.sweep.fence import ask_to_stop, end_attempt, fence_clusters

log = logging.getLogger(__name__)

#: Jobs cancelled in one transaction: few enough that nobody waits long behind them.
_BATCH: Final = 100
#: Seconds to wait for a killed controller to be gone.
_KILL_SECONDS: Final = 3.0


def job_done(
    context: Context,
    job_id: int,
    *,
    idempotent: bool = False,
    status: TaskStatus | str | None = None,
    reason: str | None = None,
    expect: Expected | None = None,
) -> None:
    """End a job: unfinished tasks get ``status`` (default CANCELLED), then DONE, then a pass.

    By the job's controller this is its last word. By anybody else it is by force: the attempt is
    fenced in the same transaction, then ended; clusters that it leaves are orphans for the sweep.
    ``expect``: how the job must stand for that, else ``Changed`` is raised.
    Raises ``NotFound``, ``StaleAttempt``, or ``IllegalMove`` if the job is DONE already (nothing
    happens then if ``idempotent``).
    """
    if not context.home.exists():
        raise NotFound("job", job_id)
    to = None if status is None else TaskStatus(status)
    is_controller = context.identity is not None and context.identity.job_id == job_id
    if is_controller:
        _own_end(context, job_id, idempotent=idempotent, to=to, reason=reason)
        return
    ended = _forced_end(context, job_id, idempotent=idempotent, to=to, reason=reason, expect=expect)
    for other in ended:
        context.after_done(other)
    follow_up(context)


def _own_end(
    context: Context, job_id: int, *, idempotent: bool, to: TaskStatus | None, reason: str | None
) -> None:
    attempt = context.mine(job_id, "end it")

    def end(tx: Tx, held: Held) -> None:
        job = _unfinished(tx, job_id, idempotent=idempotent)
        if job is not None:
            by = context.by(reason or job.cancel_reason, attempt=attempt)
            for other in moves.done(tx, held, moves.owned(tx, job_id, by), by, to=to):
                held.afterwards(partial(context.after_done, other))

    # Where this is lost by a power cut, the outcome is not, and whoever finds it ends the job.
    carry_through(context, Change(end))


def _forced_end(
    context: Context, job_id: int, *, idempotent: bool, to: TaskStatus | None,
    reason: str | None, expect: Expected | None,
) -> list[int]:  # fmt: skip
    with context.locked() as held, context.db.write() as tx:
        job = _unfinished(tx, job_id, idempotent=idempotent, expect=expect)
        if job is None:
            return []
        by, tasks = context.by(reason), reads.tasks_of(tx, job_id)
        fenced = reads.attempt(tx, job_id, job.attempt)
        moves.record(tx, by, "ACTION", job_id=job_id, subject="DONE", attempt=job.attempt)
        moves.add_attempt(tx, job_id, job.attempt + 1, kind="FENCE", now=by.now, boot_id="")
        ended = moves.done(tx, held, job, by, to=to, attempt=job.attempt + 1)
    if fenced is not None:
        fence_clusters(context, tasks, job.attempt + 1)
        wake.notify(context.home.wake_fifo(job_id, fenced.attempt))
        for pid in end_attempt(context, fenced, within=_KILL_SECONDS):
            log.warning(
                "job %d is DONE; PID %d holds the lock of its attempt %d, but may change nothing"
                " any more",
                job_id, pid, fenced.attempt,
            )  # fmt: skip
    return ended


def _unfinished(
    tx: Tx, job_id: int, *, idempotent: bool, expect: Expected | None = None
) -> JobRow | None:
    job = reads.job(tx, job_id)
    if job is None:
        raise NotFound("job", job_id)
    require_expected(job, expect)
    if not job.is_done:
        return job
    if idempotent:
        return None
    raise IllegalMove(f"job {job_id}", job.schedule_state, "DONE again")


@dataclass
class Cancelled:
    """What a cancel did, by job id."""

    #: Now DONE.
    ended: list[int] = field(default_factory=list)
    #: CANCELLING: their processes are being stopped.
    stopping: list[int] = field(default_factory=list)
    #: Were DONE, or had their outcome, before.
    finished: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    #: Were not touched: they no longer stand as was expected of them.
    changed: list[Changed] = field(default_factory=list)

    def add(self, other: Cancelled) -> None:
        """Take over what another says."""
        self.ended += other.ended
        self.stopping += other.stopping
        self.finished += other.finished
        self.missing += other.missing
        self.changed += other.changed


@dataclass
class _One(Cancelled):
    """What a cancel did to one job, and the attempt that is to be told."""

    to_stop: AttemptRow | None = None


def cancel(
    context: Context,
    job_ids: Sequence[int],
    reason: str | None = None,
    *,
    expect: Mapping[int, Expected] | None = None,
) -> Cancelled:
    """Ask for the end of jobs: DONE at once where nothing of them lives, else CANCELLING.

    The wish is a fact in the database when this returns, and needs no slot and no start.
    ``expect``: how jobs must stand to be cancelled, by id; those that do not are left as they are.
    """
    result, expected = Cancelled(), expect or {}
    for first in range(0, len(job_ids), _BATCH):
        with context.locked() as held, context.db.write() as tx:
            found = [
                _cancel_one(tx, held, context, job_id, reason, expect=expected.get(job_id))
                for job_id in job_ids[first : first + _BATCH]
            ]
        for one in found:
            result.add(one)
            if one.to_stop is not None:
                send_stop(context, one.to_stop)
    for job_id in result.ended:
        context.after_done(job_id)
    # One that was to follow another ended with it, maybe before its own turn came.
    result.finished = [job_id for job_id in result.finished if job_id not in result.ended]
    follow_up(context)
    return result


def _cancel_one(
    tx: Tx, held: Held, context: Context, job_id: int, reason: str | None, *,
    expect: Expected | None,
) -> _One:  # fmt: skip
    job = reads.job(tx, job_id)
    if job is None:
        return _One(missing=[job_id])
    try:
        require_expected(job, expect)
    except Changed as changed:
        return _One(changed=[changed])
    if job.is_done or job.status.is_terminal:
        return _One(finished=[job_id])
    by = context.by(reason or "cancelled")
    if job.cancel_at is None:
        moves.set_job(tx, job_id, cancel_at=by.now, cancel_reason=by.reason)
        moves.record(tx, by, "ACTION", job_id=job_id, subject="CANCEL", attempt=job.attempt)
    clusters = _cancel_tasks(tx, job_id, by)
    if not clusters and _nobody_is_needed(tx, context, job):
        return _One(ended=moves.done(tx, held, moves.owned(tx, job_id, by), by))
    attempt = reads.attempt(tx, job_id, job.attempt) if job.is_alive else None
    return _One(stopping=[job_id], to_stop=attempt)


def _nobody_is_needed(tx: Tx, context: Context, job: JobRow) -> bool:
    """Whether a cancelled job without clusters can be DONE now: nobody drives it, or is to be told.

    A job that never had a controller has nobody who tells.
    """
    if job.attempt == 0:
        return True
    is_free = lock.probe(context.home.attempt_lock(job.job_id, job.attempt)) is Grip.FREE
    return is_free and not has_untold(tx, job.job_id)


def _cancel_tasks(tx: Tx, job_id: int, by: By) -> bool:
    """Write what a cancel means for each task; whether a cluster of any may exist."""
    clusters = False
    for task in reads.tasks_of(tx, job_id):
        clusters = clusters or task.has_cluster
        if task.status.is_terminal or task.status is TaskStatus.CANCELLING:
            continue
        moves.status(tx, task, moves.when_cancelled(task), by)
    return clusters


def send_stop(context: Context, attempt: AttemptRow) -> None:
    """Tell a controller that its job was cancelled: ours by a message, the user's by SIGTERM.

    Where that cannot be sent (it is only being started), whoever ticks tries again.
    """
    wake.notify(context.home.wake_fifo(attempt.job_id, attempt.attempt))
    if attempt.kind != "COMMAND" or attempt.stop_sent_at is not None:
        return
    if not ask_to_stop(context, attempt):
        return
    with context.db.write() as tx:
        moves.set_attempt(tx, attempt.job_id, attempt.attempt, stop_sent_at=context.clock.now())
