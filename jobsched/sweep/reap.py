"""Controllers that died: what becomes of their jobs.

``judge`` is a pure function of the rows and what was seen; ``take_back`` applies its verdicts
inside the transaction of a scheduling pass. Touches no process and no cluster.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from jobsched import lock, process
from jobsched.config import ControllerConfig
from jobsched.context import Context
from jobsched.lock import Grip, Held
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves, reads
from jobsched.store.moves import By
from jobsched.store.rows import HELD_BY_REBOOT, LONGEST_PAUSE, AttemptRow, JobRow
from jobsched.store.tx import Tx
from jobsched.sweep.evidence import evidence, how_it_ended

#: Seconds of life after which a controller counts as healthy, and earlier requeues are forgotten.
HEALTHY_SECONDS: Final = 3600.0
#: Seconds of life below which a controller died young, and seconds before the next one then.
_YOUNG_SECONDS: Final = 10.0
_YOUNG_PAUSE: Final = 1.0
#: Seconds before the second start of a controller that never got to its first call; then doubled.
_FIRST_PAUSE: Final = 1.0


@dataclass(frozen=True, slots=True)
class Requeue:
    """Start another controller."""

    requeues: int
    failed_starts: int
    reason: str
    not_before: float | None = None
    hold: bool = False


@dataclass(frozen=True, slots=True)
class Doom:
    """The budget is spent: the unfinished tasks end FAILED_CONTROLLER."""

    reason: str


@dataclass(frozen=True, slots=True)
class Finish:
    """Its outcome is settled, or a cancel is asked for: no controller is needed to end it."""


Verdict = Requeue | Doom | Finish


def judge(
    job: JobRow, attempt: AttemptRow | None, settings: ControllerConfig, *,
    now: float, boot_id: str, seen_to_end: bool = False,
) -> Verdict:  # fmt: skip
    """What becomes of an alive job whose controller is gone; ``seen_to_end``: seen to end. Pure.

    One of which nothing was ever seen was not started: whoever was about to has died.
    """
    if job.is_ending:
        return Finish()
    if attempt is not None and attempt.boot_id not in (None, boot_id):
        hold = settings.on_reboot == "hold"
        return Requeue(job.requeues, job.failed_starts, "the machine was restarted", hold=hold)
    if attempt is not None and attempt.end_reason is not None:
        return Requeue(job.requeues, job.failed_starts, attempt.end_reason)  # by an operator
    if attempt is None or attempt.called_at is None:
        if attempt is not None and attempt.pid is None and not seen_to_end:
            why = "nobody was left to start its controller"
            return Requeue(job.requeues, job.failed_starts, why, not_before=now + _FIRST_PAUSE)
        return _failed_start(job, settings, now)
    lived = now - attempt.started_at
    requeues = 1 if lived >= HEALTHY_SECONDS else job.requeues + 1
    if requeues > settings.max_requeues:
        return Doom(f"its controller died {requeues} times ({settings.max_requeues} are allowed)")
    # The first is replaced at once; one that keeps dying young must not keep the machine busy.
    pause = _YOUNG_PAUSE if requeues > 1 and lived < _YOUNG_SECONDS else 0.0
    return Requeue(
        requeues,
        0,
        f"controller died after {lived:.0f} s",
        not_before=now + pause if pause else None,
    )


def _failed_start(job: JobRow, settings: ControllerConfig, now: float) -> Verdict:
    failed = job.failed_starts + 1
    if failed >= settings.max_failed_starts:
        return Doom(f"its controller ended {failed} times before it made its first call")
    pause = min(LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (failed - 1))
    return Requeue(job.requeues, failed, "controller did not start", not_before=now + pause)


def take_back(
    tx: Tx, held: Held, context: Context, by: By, suspects: Iterable[int] | None = None
) -> list[int]:
    """Free what dead controllers hold; ids of jobs that are to be settled without a controller.

    ``suspects``: the jobs that are looked at, where somebody else looks at all of them.
    """
    to_settle = [job.job_id for job in reads.unsettled(tx)]
    boot_id = process.boot_id()
    for job in suspected(tx, suspects):
        if lock.probe(context.home.attempt_lock(job.job_id, job.attempt)) is not Grip.FREE:
            continue
        attempt = reads.attempt(tx, job.job_id, job.attempt)
        verdict = judge(
            job, attempt, context.config.controller, now=by.now, boot_id=boot_id,
            seen_to_end=(job.job_id, job.attempt) in context.endings,
        )  # fmt: skip
        if not _apply(tx, held, context, job, verdict=verdict, by=by):
            to_settle.append(job.job_id)
    return to_settle


def suspected(tx: Tx, suspects: Iterable[int] | None) -> list[JobRow]:
    """Those of ``suspects`` that are alive; ``None``: all alive jobs."""
    if suspects is None:
        return reads.alive_jobs(tx)
    found = (reads.job(tx, job_id) for job_id in sorted(set(suspects)))
    return [job for job in found if job is not None and job.is_alive]


def _apply(tx: Tx, held: Held, context: Context, job: JobRow, *, verdict: Verdict, by: By) -> bool:
    """Whether the job goes on with another controller."""
    match verdict:
        case Requeue():
            moves.set_attempt(
                tx, job.job_id, job.attempt, ended_at=by.now, end_reason=verdict.reason
            )
            moves.schedule(
                tx, held, job, ScheduleState.WAITING, by.because(verdict.reason),
                requeues=verdict.requeues,
                failed_starts=verdict.failed_starts,
                not_before=verdict.not_before,
                hold=job.hold | HELD_BY_REBOOT if verdict.hold else job.hold,
            )  # fmt: skip
            return True
        case Doom():
            sentence = f"{verdict.reason}; {how_it_ended(context, job)}"
            reason = f"{sentence}\n{evidence(context, job)}"  # one sentence, then what is behind it
            moves.set_attempt(tx, job.job_id, job.attempt, ended_at=by.now, end_reason=sentence)
            _to_alive(tx, held, job, by.because(verdict.reason))
            for task in reads.tasks_of(tx, job.job_id):
                if not task.status.is_terminal:
                    moves.status(
                        tx, task, TaskStatus.FAILED_CONTROLLER, by.because(sentence),
                        failure_reason=reason,
                    )  # fmt: skip
        case Finish():
            _to_alive(tx, held, job, by.because("controller is gone; ending the job without it"))
    return False


def _to_alive(tx: Tx, held: Held, job: JobRow, by: By) -> None:
    """Give back the launch slot (or the wish for one) of a job that will launch nothing more."""
    if job.schedule_state is not ScheduleState.ALIVE:
        moves.schedule(tx, held, job, ScheduleState.ALIVE, by)
