"""The launch slot, from the side of the controller that wants it.

Owns the way in (ask, wait to be woken) and the way out (always, whatever happened inside). Grants
nothing: a pass does. Nothing here has to survive a loss of power, for no controller does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from jobsched import wake
from jobsched.context import Context
from jobsched.errors import Cancelled, IllegalMove, StaleAttempt
from jobsched.lock import Held
from jobsched.scheduler.outcome import Change
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.patience import patiently
from jobsched.states import ScheduleState
from jobsched.store import moves, reads
from jobsched.store.rows import JobRow
from jobsched.store.tx import Tx
from jobsched.wake import Inbox

#: Seconds after which a waiting controller looks by itself, should a message have been lost: often
#: enough that this does not matter, and so rarely that hundreds who wait cost nothing.
LOOK_SECONDS: Final = 30.0

#: Waits until there may be a message.
Waiter = Callable[[], None]


@contextmanager
def scheduled_launch(
    context: Context, job_id: int, *, waiter: Waiter | None = None
) -> Iterator[None]:
    """Hold the job's launch slot for the block; waits until a pass grants it.

    The slot is given back however the block ends. Only for the job's controller, and not nested.
    A store or a lock that cannot be had for a while is waited for: on the way in, while waiting,
    and on the way out.
    Raises ``Cancelled`` if the job is or becomes cancelled while waiting, ``StaleAttempt`` if
    another attempt took over, ``NoAttempt`` for anybody else.
    """
    attempt = context.mine(job_id, "launch for it")
    if job_id in context.in_slot:
        raise IllegalMove(f"job {job_id}", "inside scheduled_launch", "inside it once more")
    if not _granted(context, job_id, attempt):  # a first start begins with its slot
        patiently(context.clock, lambda: _ask(context, job_id, attempt))
        _wait(context, job_id, attempt, waiter)
    context.in_slot.add(job_id)
    try:
        yield
    finally:
        context.in_slot.discard(job_id)
        patiently(context.clock, lambda: _leave(context, job_id, attempt))


def _ask(context: Context, job_id: int, attempt: int) -> None:
    """Say that a slot is wanted."""
    with context.locked() as held, context.db.write(durable=False) as tx:
        job = _mine(moves.owned(tx, job_id, context.by(attempt=attempt)))
        if job.schedule_state is ScheduleState.ALIVE:
            by = context.by(attempt=attempt)
            moves.schedule(tx, held, job, ScheduleState.ALIVE_WAITING, by)


def _wait(context: Context, job_id: int, attempt: int, waiter: Waiter | None) -> None:
    _pass(context)
    if _granted(context, job_id, attempt):
        return
    if waiter is not None:
        while not _granted(context, job_id, attempt):
            waiter()
        return
    inbox = Inbox(context.home.wake_fifo(job_id, attempt))
    try:
        while not _granted(context, job_id, attempt):
            wake.wait([inbox.fileno()], LOOK_SECONDS)
            inbox.drain()
            _pass(context)
    finally:
        inbox.close()


def _pass(context: Context) -> None:
    patiently(context.clock, lambda: run_pass(context))


def _granted(context: Context, job_id: int, attempt: int) -> bool:
    job = patiently(context.clock, lambda: _job(context, job_id))
    if job is None or job.attempt != attempt or job.is_done:
        raise StaleAttempt(job_id, attempt, job.attempt if job else None)
    if job.cancel_at is not None:
        withdraw(context, job_id, attempt)
        raise Cancelled(job_id)
    return job.schedule_state is ScheduleState.LAUNCHING


def _job(context: Context, job_id: int) -> JobRow | None:
    with context.db.read() as tx:
        return reads.job(tx, job_id)


def withdraw(context: Context, job_id: int, attempt: int) -> None:
    """Take back the wish for a slot, or the slot: be ALIVE. Patient, too."""
    patiently(context.clock, lambda: _withdraw(context, job_id, attempt))


def _withdraw(context: Context, job_id: int, attempt: int) -> None:
    with context.locked() as held, context.db.write(durable=False) as tx:
        by = context.by(attempt=attempt)
        job = moves.owned(tx, job_id, by)
        if job.schedule_state in (ScheduleState.ALIVE_WAITING, ScheduleState.LAUNCHING):
            moves.schedule(tx, held, job, ScheduleState.ALIVE, by)


def _leave(context: Context, job_id: int, attempt: int) -> None:
    def give_back(tx: Tx, held: Held) -> None:
        by = context.by(attempt=attempt)
        job = moves.owned(tx, job_id, by)
        if job.schedule_state is ScheduleState.LAUNCHING:
            moves.schedule(tx, held, job, ScheduleState.ALIVE, by)

    run_pass(context, change=Change(give_back))


def _mine(job: JobRow) -> JobRow:
    if job.is_done:
        raise StaleAttempt(job.job_id, job.attempt)
    if job.cancel_at is not None:
        raise Cancelled(job.job_id)
    return job
