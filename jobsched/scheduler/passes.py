"""The scheduling pass: take back what the dead left, claim all that fits, start and wake.

Owns the order of things. All decisions of a pass are one transaction under the scheduler lock,
begun only where there is something to decide, and shared with the change that they follow from;
every effect (a start, a wake-up, the end of a job that nobody drives) comes after the commit and
outside the lock, so that nobody waits behind a start.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from jobsched import config, lock, process, wake
from jobsched.context import Context
from jobsched.context import Starter as AnyStarter
from jobsched.errors import JobschedError, LockTimeout, StartFailed, StoreError
from jobsched.home import write_private
from jobsched.lock import Held
from jobsched.machine.auto import Auto
from jobsched.nursery.handing import Claim
from jobsched.scheduler import office
from jobsched.scheduler.outcome import Change, Outcome
from jobsched.scheduler.outlook import is_quiet
from jobsched.scheduler.pick import restarts_allowed, starts_allowed
from jobsched.scheduler.starter import DEFAULT_COMMAND, Starter
from jobsched.states import ScheduleState
from jobsched.store import limits, moves, reads
from jobsched.store.moves import By
from jobsched.store.rows import JobRow
from jobsched.store.tx import Tx
from jobsched.sweep.reap import take_back
from jobsched.sweep.settle import settle

log = logging.getLogger(__name__)

#: Controllers claimed in one transaction: each holds a descriptor until it is started.
_BATCH: Final = 64
#: Seconds after which a submission is on disk: whoever made it waits for that and nothing else.
_SYNCED_SECONDS: Final = 1.0
#: Seconds until a start that failed for want of a process or memory is tried again.
_SHORTAGE_PAUSE: Final = 2.0
#: Seconds that one may have waited for the lock and still go by what was seen before that.
_LONG_WAIT: Final = 0.1


def run_pass(
    context: Context, *, settling: bool | None = None,
    thorough: bool | None = None, suspects: Iterable[int] = (), change: Change | None = None,
) -> list[int]:  # fmt: skip
    """Bring the schedule up to date: afterwards nothing waits beside free capacity.

    ``settling``: whether to end jobs that no controller drives, which may take as long as their
    processes do; by default only where nobody ticks who would. ``thorough``: whether to look at
    every controller, whether it lives; by default only where nobody ticks, who watches them.
    ``suspects``: jobs that are looked at anyway. ``change``: made first; what it raises, too.
    Returns the ids of jobs that are to be ended and were not.
    """
    starter = _starter(context)
    if settling is None or thorough is None:
        ticking = office.shows_life(context)
        settling = not ticking if settling is None else settling
        thorough = not ticking if thorough is None else thorough
    while True:
        ended = starter.reap()
        context.endings.update(ended)
        suspects = {*suspects, *(job_id for job_id, _ in ended)}
        looked_at = None if thorough else suspects
        if change is None and is_quiet(context, looked_at):
            return []
        first, change = change or Change(), None
        outcome = _decide(context, starter, looked_at, first)
        spoilt = _carry_out(context, starter, outcome, first)
        suspects = spoilt.jobs
        left = outcome.to_settle
        if settling:
            left = [job_id for job_id in left if not settle(context, job_id, telling=False)]
        settled = len(left) < len(outcome.to_settle)
        if spoilt.by_shortage or not (outcome.is_cut or outcome.put_off or suspects or settled):
            return left


def _starter(context: Context) -> AnyStarter:
    if context.starter is None:
        wanted = context.config.submit.pass_env
        context.starter = Starter(
            context.home,
            forking=context.config.controller.nursery,
            env={name: value for name, value in config.environ().items() if name in wanted},
        )
    return context.starter


def _decide(
    context: Context, starter: AnyStarter, suspects: Iterable[int] | None, change: Change
) -> Outcome:
    """Make the change, and decide upon it: what goes wrong in that undoes nothing of the change."""
    outcome = Outcome()
    refusal = starter.refusal()
    if refusal is not None:
        log.warning("no controller is started: %s", refusal)
    # What takes files to answer is asked before the lock is taken.
    auto, is_long = _automatic(context), context.db.needs_checkpoint()
    with context.locked() as held:
        if is_long:
            _fold(context)
        if held.waited > _LONG_WAIT:
            auto = _automatic(context)
        try:
            with context.db.write(durable=change.durable, after=outcome) as tx:
                change.make(tx, held)
                most = _BATCH if refusal is None else 0
                choose = partial(_choose, tx, held, context, outcome)
                outcome.failure = tx.apart(lambda: choose(suspects=suspects, auto=auto, most=most))
                if outcome.failure is not None:
                    outcome.drop()
        except BaseException:
            outcome.drop()
            change.undo()
            raise
    return outcome


def _automatic(context: Context) -> Auto:
    """What the machine admits, looked at now if it is likely to be asked for."""
    auto = context.auto_limits()
    return auto.look() if context.follows_machine else auto


def _choose(
    tx: Tx, held: Held, context: Context, outcome: Outcome, *,
    suspects: Iterable[int] | None, auto: Auto, most: int,
) -> None:  # fmt: skip
    """Take back what the dead left, then claim all that fits: ``most`` of each kind."""
    by = By("scheduler", context.clock.now())
    outcome.to_settle = take_back(tx, held, context, by, suspects)
    in_force = limits.refresh(tx, held, auto, by)
    context.follows_machine = in_force.is_auto
    claim = partial(_claim, tx, held, context, by=by, outcome=outcome)
    requeued = reads.requeued(tx, by.now, most)
    for job in requeued:
        claim(job, to=ScheduleState.ALIVE)
    for job in reads.resumes(tx, in_force.launch_room):
        moves.schedule(tx, held, job, ScheduleState.LAUNCHING, by)
        outcome.resumed.append(job)
    room = restarts_allowed(in_force, requeued=len(requeued))
    restarts = reads.restarts(tx, by.now, min(room, most))
    for job in restarts:
        claim(job, to=ScheduleState.ALIVE)
    room = starts_allowed(
        in_force, requeued=len(requeued), restarted=len(restarts), resumed=len(outcome.resumed)
    )
    starts = reads.starts(tx, by.now, min(room, most))
    for job in starts:
        claim(job, to=ScheduleState.LAUNCHING)
    outcome.is_cut = _BATCH in (len(requeued), len(restarts), len(starts))


def _fold(context: Context) -> None:
    """Fold a long log into the database; what keeps it from that keeps nobody else."""
    try:
        context.db.checkpoint()
    except StoreError as error:
        log.warning("the database's log could not be folded into it: %s", error)


def _claim(
    tx: Tx, held: Held, context: Context, job: JobRow, *,
    to: ScheduleState, by: By, outcome: Outcome,
) -> None:  # fmt: skip
    """Lock the next attempt's file, then take the attempt: a crash in between leaves no gap."""
    attempt = job.attempt + 1
    descriptor = _lock_attempt(context, job.job_id, attempt)
    if descriptor is None:
        moves.set_job(tx, job.job_id, not_before=by.now + _SHORTAGE_PAUSE)
        outcome.put_off.append(job.job_id)
        return
    outcome.claims.append(Claim(job.job_id, attempt, descriptor))
    submitted_at = by.now if job.submitted_at is None else job.submitted_at
    outcome.is_fresh |= abs(by.now - submitted_at) < _SYNCED_SECONDS
    if job.attempt:
        context.home.wake_fifo(job.job_id, job.attempt).unlink(missing_ok=True)
    kind = "COMMAND" if context.config.controller.command else "DEFAULT"
    moves.add_attempt(tx, job.job_id, attempt, kind=kind, now=by.now, boot_id=process.boot_id())
    started_at = by.now if job.started_at is None else job.started_at
    moves.schedule(tx, held, job, to, by, attempt=attempt, started_at=started_at, not_before=None)


def _lock_attempt(context: Context, job_id: int, attempt: int) -> int | None:
    """The lock of an attempt that begins; ``None`` if it is not to be had, which is logged.

    One such job must not keep all others from being scheduled.
    """
    try:
        descriptor = lock.try_lock(context.home.attempt_lock(job_id, attempt))
    except StoreError as error:
        log.warning("job %d cannot be started now: %s", job_id, error)
        return None
    if descriptor is None:
        log.warning(
            "job %d cannot be started now: somebody holds the lock of its attempt %d",
            job_id, attempt,
        )  # fmt: skip
    return descriptor


@dataclass
class _Spoilt:
    """Claims of a pass that came to nothing."""

    #: For a reason of their own; the next round takes them back.
    jobs: set[int] = field(default_factory=set)
    #: For want of processes or memory: another round now would fare no better.
    by_shortage: bool = False


def _carry_out(context: Context, starter: AnyStarter, outcome: Outcome, change: Change) -> _Spoilt:
    """Do what was decided. Whatever happens, no lock of a claim stays with this process."""
    started: list[tuple[Claim, int]] = []
    try:
        for job in outcome.resumed:
            with suppress(OSError):  # it looks by itself now and then
                wake.notify(context.home.wake_fifo(job.job_id, job.attempt))
        _wait_for_disk(context, outcome)
        change.is_kept = True
        if outcome.failure is not None:
            raise outcome.failure
        return _start_all(context, starter, outcome.claims, started)
    finally:
        for claim in outcome.claims:
            os.close(claim.lock_fd)
        _record_pids(context, started)


def _wait_for_disk(context: Context, outcome: Outcome) -> None:
    """Nothing is started for a job that a power cut would take back; nobody's turn is lost."""
    try:
        outcome.wait(otherwise=context.db.sync)
    except BaseException as error:
        with suppress(StoreError, LockTimeout):
            _give_back(context, outcome.claims, str(error) or "whoever was to start it was stopped")
        raise


def _start_all(
    context: Context, starter: AnyStarter, claims: list[Claim], started: list[tuple[Claim, int]]
) -> _Spoilt:
    """Start controllers; what is taken out of ``claims`` is no longer ours to close."""
    spoilt = _Spoilt()
    if not claims:
        return spoilt
    context.ensure_home()  # folders that somebody has removed
    if not context.config.controller.command:
        claims[:] = starter.start_together(claims)
    while claims:
        claim = claims.pop(0)
        try:
            started.append((claim, _start(context, starter, claim)))
        except StartFailed as failure:
            context.endings[claim.job_id, claim.attempt] = str(failure)
            if failure.transient:
                spoilt.by_shortage = True
                _give_back(context, [claim, *claims], str(failure))
                break
            spoilt.jobs.add(claim.job_id)
    if started and context.config.controller.command:
        try:
            starter.leave_attendant()
        except OSError as error:
            log.warning("nobody could be left behind to tick for them: %s", error)
    return spoilt


def _start(context: Context, starter: AnyStarter, claim: Claim) -> int:
    """Start one controller with the environment that was stored with its job."""
    try:
        with context.db.read() as tx:
            stored = reads.snapshot(tx, claim.job_id)
        env = json.loads(stored["env"]) if stored else {}
        command = list(context.config.controller.command)
        if command and stored:
            command.append(_write_dag(context, claim.job_id, stored["yaml"]))
    except (JobschedError, OSError, ValueError) as error:
        os.close(claim.lock_fd)
        raise StartFailed(
            f"cannot start the controller of job {claim.job_id}: {error}", transient=False
        ) from error
    return starter.start(claim, command or DEFAULT_COMMAND, env)


def _write_dag(context: Context, job_id: int, text: str) -> str:
    path = context.home.dag_file(job_id)
    write_private(path, text)
    return str(path)


def _give_back(context: Context, claims: Iterable[Claim], why: str) -> None:
    """Undo claims of controllers that cannot be started now, if nobody has done so before."""
    with context.locked() as held, context.db.write(durable=False) as tx:
        by = By("scheduler", context.clock.now(), reason=why)
        for claim in claims:
            job = reads.job(tx, claim.job_id)
            if job is None or job.attempt != claim.attempt or not job.is_alive or job.cancel_at:
                continue
            moves.set_attempt(tx, claim.job_id, claim.attempt, ended_at=by.now, end_reason=why)
            pause = by.now + _SHORTAGE_PAUSE
            moves.schedule(tx, held, job, ScheduleState.WAITING, by, not_before=pause)


def _record_pids(context: Context, started: list[tuple[Claim, int]]) -> None:
    """Note who was started, for showing and signalling; a crash before this loses only that."""
    found = [(claim, process.identify(pid)) for claim, pid in started]
    known = [(claim, identity) for claim, identity in found if identity is not None]
    if not known:
        return
    with suppress(StoreError), context.db.write(durable=False) as tx:
        for claim, who in known:
            moves.set_attempt(
                tx, claim.job_id, claim.attempt,
                pid=who.pid, start_ticks=who.start_ticks, pid_ns=who.pid_ns,
            )  # fmt: skip
