"""What an operator does to a job or to the limits, besides ending it.

Each is one guarded transaction with an audit row; effects follow the commit. Bulk forms take ids.
``expect`` is how a job must stand for it, else ``Changed`` is raised and nothing was done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from jobsched import wake
from jobsched.bounds import MOST_JOBS, PRIORITIES
from jobsched.context import Context
from jobsched.errors import IllegalMove, InvalidInput, NotFound, StoreError
from jobsched.lock import Held
from jobsched.scheduler.aftercare import follow_up
from jobsched.scheduler.expected import Expected, require_expected
from jobsched.states import ScheduleState
from jobsched.store import limits, moves, reads
from jobsched.store.moves import By
from jobsched.store.rows import HELD, HELD_BY_REBOOT, AttemptRow, JobRow, Limits
from jobsched.store.tx import Tx
from jobsched.sweep.fence import end_attempt

#: Seconds to wait for a killed controller to be gone.
_KILL_SECONDS: Final = 2.0


def set_hold(
    context: Context,
    job_id: int,
    *,
    held: bool,
    reason: str | None = None,
    expect: Expected | None = None,
) -> None:
    """Hold a job (no pass moves it into LAUNCHING) or release it.

    Raises ``NotFound``, or ``IllegalMove`` for one that is DONE.
    """
    with context.locked(), context.db.write() as tx:
        job = _unfinished(tx, job_id, expect)
        by = context.by(reason)
        hold = job.hold | HELD if held else 0
        if hold != job.hold:
            subject = "HOLD" if held else "RELEASE"
            moves.record(tx, by, "ACTION", job_id=job_id, subject=subject, attempt=job.attempt)
            moves.set_job(tx, job_id, hold=hold)
    follow_up(context)


def set_priority(
    context: Context,
    job_id: int,
    priority: int,
    reason: str | None = None,
    *,
    expect: Expected | None = None,
) -> None:
    """Change a job's priority; read by the next pass.

    Raises ``InvalidInput``, ``NotFound``, or ``IllegalMove`` for one that is DONE.
    """
    if priority not in PRIORITIES:
        raise InvalidInput(f"a priority is {PRIORITIES[0]} to {PRIORITIES[-1]}, not {priority}")
    with context.locked(), context.db.write() as tx:
        job = _unfinished(tx, job_id, expect)
        if job.priority != priority:
            moves.record(
                tx, context.by(reason), "ACTION", job_id=job_id, subject="PRIORITY",
                from_value=str(job.priority), to_value=str(priority), attempt=job.attempt,
            )  # fmt: skip
            moves.set_job(tx, job_id, priority=priority)
    follow_up(context)


def requeue(
    context: Context,
    job_id: int,
    reason: str | None = None,
    *,
    end: Callable[[AttemptRow], list[int]] | None = None,
    expect: Expected | None = None,
) -> list[int]:
    """End the job's attempt, also a stopped one, and start the next; spends no budget.

    Should this process be killed before it could end the attempt, ``notes`` takes the note back.
    PIDs that could not be ended: they are fenced, and stop by themselves should they go on.
    ``end``: ends the processes of an attempt; those that it could not.
    Raises ``NotFound``, ``IllegalMove`` for a job that has no attempt to replace.
    """
    why = reason or "requeued by an operator"
    with context.db.read() as tx:
        job = _started(tx, job_id, expect)
        attempt = reads.attempt(tx, job_id, job.attempt)
    left: list[int] = []
    running = attempt if job.is_alive else None
    if running is not None:
        left = _end_for_requeue(context, running, why, end or _kill(context), expect)
        expect = None  # what moves now moves because its controller was ended
    with context.locked() as held, context.db.write() as tx:
        found, by = _started(tx, job_id, expect), context.by(why)
        if running is None:
            _record_requeue(tx, by, job_id, job.attempt)
        _put_back(tx, held, found, job.attempt, by)
    if attempt is not None:
        wake.notify(context.home.wake_fifo(job_id, attempt.attempt))
    follow_up(context)
    return left


def _kill(context: Context) -> Callable[[AttemptRow], list[int]]:
    return lambda attempt: end_attempt(context, attempt, within=_KILL_SECONDS)


def _end_for_requeue(
    context: Context,
    attempt: AttemptRow,
    why: str,
    end: Callable[[AttemptRow], list[int]],
    expect: Expected | None,
) -> list[int]:
    """Note that the attempt ends on purpose, so that no budget pays for it, then end it.

    The scheduler lock is not needed for that, and may be what a stopped controller holds; if it
    holds the database as well, it must be ended before anything can be noted.
    """
    try:
        note_requeue(context, attempt, why, expect=expect)
    except StoreError:
        left = end(attempt)
        note_requeue(context, attempt, why)
        return left
    return end(attempt)


def note_requeue(
    context: Context, attempt: AttemptRow, why: str, *, expect: Expected | None = None
) -> None:
    """Write down that an operator has the attempt replaced."""
    with context.db.write() as tx:
        if expect is not None:
            _unfinished(tx, attempt.job_id, expect)
        _record_requeue(tx, context.by(why), attempt.job_id, attempt.attempt)
        moves.set_attempt(tx, attempt.job_id, attempt.attempt, end_reason=why)


def _record_requeue(tx: Tx, by: By, job_id: int, attempt: int) -> None:
    moves.record(tx, by, "ACTION", job_id=job_id, subject="REQUEUE", attempt=attempt)


def _put_back(tx: Tx, held: Held, job: JobRow, attempt: int, by: By) -> None:
    """Let the job wait for its next attempt, unless a pass has done so already."""
    if job.attempt != attempt:
        return
    if job.is_alive and not job.is_ending:
        moves.set_attempt(tx, job.job_id, attempt, ended_at=by.now)
        moves.schedule(tx, held, job, ScheduleState.WAITING, by, not_before=None)
    elif not job.is_alive:
        moves.set_job(tx, job.job_id, not_before=None, hold=job.hold & ~HELD_BY_REBOOT)


def _started(tx: Tx, job_id: int, expect: Expected | None = None) -> JobRow:
    job = _unfinished(tx, job_id, expect)
    if job.attempt == 0:
        raise IllegalMove(f"job {job_id}", job.schedule_state, "requeued: it was never started")
    return job


def set_limits(
    context: Context,
    *,
    launch: int | str | None = None,
    alive: int | str | None = None,
    paused: bool | None = None,
    reason: str | None = None,
) -> Limits:
    """Change limits (a number, or ``"auto"``) or the pause; what is in force afterwards.

    Lowering a limit stops nothing that runs. Raises ``InvalidInput``.
    """
    context.ensure_home()
    auto_limits = context.auto_limits()
    with context.locked() as held, context.db.write() as tx:
        by, used = context.by(reason), reads.current_limits(tx).alive_used
        automatic = {limits.LAUNCH: auto_limits.launch, limits.ALIVE: auto_limits.room(used).limit}
        for name, wanted in ((limits.LAUNCH, launch), (limits.ALIVE, alive)):
            if wanted is not None:
                auto = wanted == "auto"
                value = automatic[name] if auto else _limit(wanted)
                limits.put(tx, held, name, value, by, auto=auto)
        if paused is not None:
            limits.put(tx, held, limits.PAUSED, int(paused), by, auto=False)
    follow_up(context)
    with context.db.read() as tx:
        return reads.current_limits(tx)


def _limit(value: int | str) -> int:
    try:
        number = int(value)
    except ValueError:
        number = -1
    if not 0 <= number <= MOST_JOBS:
        raise InvalidInput(f"a limit is a number from 0 to {MOST_JOBS} or auto, not {value!r}")
    return number


def _unfinished(tx: Tx, job_id: int, expect: Expected | None = None) -> JobRow:
    job = reads.job(tx, job_id)
    if job is None:
        raise NotFound("job", job_id)
    require_expected(job, expect)
    if job.is_done:
        raise IllegalMove(f"job {job_id}", job.schedule_state, "changed any more")
    return job
