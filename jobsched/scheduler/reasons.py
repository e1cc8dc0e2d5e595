"""Why a job is where it is: one sentence that is always true, from what is stored and seen.

``reason_for`` is a pure function of :class:`Facts`; ``gather`` collects them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum, unique
from typing import Final

from jobsched.context import Context
from jobsched.errors import NotFound
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import reads, views
from jobsched.store.database import Tx
from jobsched.store.rows import JobRow, Limits, TaskRow
from jobsched.sweep.liveness import Liveness, liveness
from jobsched.text import safe

#: Ids that a sentence names.
_NAMED: Final = 3


@unique
class ReasonCode(StrEnum):
    """What a job waits for, or what it does."""

    LAUNCH_LIMIT = "LAUNCH_LIMIT"
    ALIVE_LIMIT = "ALIVE_LIMIT"
    PAUSED = "PAUSED"
    HELD = "HELD"
    BACKOFF = "BACKOFF"
    DEPENDS_ON = "DEPENDS_ON"
    NO_ROOM = "NO_ROOM"
    STARTING = "STARTING"
    NOT_SUBMITTED = "NOT_SUBMITTED"
    UNKNOWN_LIVENESS = "UNKNOWN_LIVENESS"
    CANCELLING = "CANCELLING"
    CLEANUP = "CLEANUP"
    RUNNING = "RUNNING"
    DONE = "DONE"


#: Codes of jobs that wait for nothing.
NOT_WAITING: Final = frozenset({ReasonCode.RUNNING, ReasonCode.DONE})


@dataclass(frozen=True, slots=True)
class Reason:
    """A code for programs and a sentence for people."""

    code: ReasonCode
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that the reason follows from. Times are Unix seconds."""

    job: JobRow
    tasks: Sequence[TaskRow]
    limits: Limits
    liveness: Liveness
    now: float
    #: Ids of the jobs that a pass considers before this one, in that order.
    ahead: Sequence[int] = ()
    #: Ids of the jobs that must have succeeded before.
    blockers: Sequence[int] = ()


def gather(context: Context, tx: Tx, job: JobRow, now: float) -> Facts:
    """What there is to know of a job now."""
    waits = job.schedule_state in (ScheduleState.WAITING, ScheduleState.ALIVE_WAITING)
    attempt = views.newest_attempts(tx, [job]).get(job.job_id)
    return Facts(
        job=job,
        tasks=reads.tasks_of(tx, job.job_id),
        limits=reads.current_limits(tx),
        liveness=liveness(context, job, attempt) if job.is_alive else Liveness(alive=False),
        now=now,
        ahead=views.ahead_of(tx, job) if waits else (),
        blockers=reads.blockers(tx, job.job_id) if waits else (),
    )


def why(context: Context, job_id: int) -> Reason:
    """The reason of one job. Raises ``NotFound``."""
    if not context.home.exists():
        raise NotFound("job", job_id)
    with context.db.read() as tx:
        job = reads.job(tx, job_id)
        if job is None:
            raise NotFound("job", job_id)
        facts = gather(context, tx, job, context.clock.now())
    return reason_for(facts)


def reason_for(facts: Facts) -> Reason:
    """The one reason, and the sentence. Pure."""
    job = facts.job
    if job.schedule_state is ScheduleState.DONE:
        return _done(facts)
    if job.schedule_state is ScheduleState.INACTIVE:
        text = f"job {job.job_id} was created but not submitted yet"
        return Reason(ReasonCode.NOT_SUBMITTED, text)
    if facts.liveness.alive is None:
        return _unknown(facts)
    if job.cancel_at is not None and not job.status.is_terminal:
        return _cancelling(facts)
    if job.status.is_terminal:
        text = f"job {job.job_id} ended {job.status}; its clusters are being removed"
        return Reason(ReasonCode.CLEANUP, text)
    match job.schedule_state:
        case ScheduleState.WAITING if job.attempt == 0:
            return _first_start(facts)
        case ScheduleState.WAITING:
            return _next_controller(facts)
        case ScheduleState.ALIVE_WAITING:
            return _next_launch(facts)
        case _:
            return _under_way(facts)


def _done(facts: Facts) -> Reason:
    job = facts.job
    because = f": {safe(job.failure_reason)}" if job.failure_reason else ""
    return Reason(
        ReasonCode.DONE, f"job {job.job_id} ended {job.status} {_at(job.ended_at)}{because}"
    )


def _unknown(facts: Facts) -> Reason:
    job = facts.job
    pids = ", ".join(map(str, facts.liveness.holders))
    by = f" (the controller has ended, but PID {pids} holds its lock)" if pids else ""
    return Reason(
        ReasonCode.UNKNOWN_LIVENESS,
        f"whether the controller of job {job.job_id} lives cannot be told{by};"
        f" `jobsched requeue {job.job_id}` replaces it",
    )


def _cancelling(facts: Facts) -> Reason:
    job = facts.job
    left = sum(not task.status.is_terminal for task in facts.tasks)
    who = "its controller" if facts.liveness.alive else "the next pass"
    return Reason(
        ReasonCode.CANCELLING,
        f"cancelled {_at(job.cancel_at)}; {who} is ending {left} of {len(facts.tasks)} tasks",
    )


def _first_start(facts: Facts) -> Reason:
    job, limits = facts.job, facts.limits
    if job.hold:
        return _held(facts)
    if facts.blockers:
        return Reason(
            ReasonCode.DEPENDS_ON,
            f"it may start when {_jobs(facts.blockers)} {_have(facts.blockers)} succeeded",
        )
    if job.not_before is not None and job.not_before > facts.now:
        return _put_off(facts)
    if limits.paused:
        return Reason(ReasonCode.PAUSED, "starts of new jobs are paused (jobsched limits --resume)")
    if limits.alive_room == 0:
        return Reason(
            ReasonCode.ALIVE_LIMIT,
            f"{limits.alive_used} of {limits.alive} jobs that may be alive are{_front(facts)}",
        )
    if limits.launch_room == 0:
        return _launch_limit(facts)
    return Reason(ReasonCode.STARTING, "the next scheduling pass starts it")


def _next_controller(facts: Facts) -> Reason:
    job = facts.job
    if job.hold == 2:  # noqa: PLR2004 -- HELD_BY_REBOOT
        text = f"held after a restart of the machine; `jobsched release {job.job_id}` goes on"
        return Reason(ReasonCode.HELD, text)
    if job.not_before is not None and job.not_before > facts.now:
        return _put_off(facts)
    return Reason(ReasonCode.STARTING, "its controller died; the next pass starts another")


def _next_launch(facts: Facts) -> Reason:
    if facts.job.hold:
        return _held(facts)
    if facts.limits.launch_room == 0:
        return _launch_limit(facts)
    return Reason(ReasonCode.STARTING, "the next scheduling pass grants it a launch slot")


def _under_way(facts: Facts) -> Reason:
    waiting = [task for task in facts.tasks if task.backoff_until is not None]
    running = [task for task in facts.tasks if task.status is TaskStatus.RUNNING]
    if running:
        where = ", ".join(f"{safe(task.name)} in {safe(task.region or '?')}" for task in running)
        text = f"running {where}" if len(running) <= _NAMED else f"running {len(running)} tasks"
        return Reason(ReasonCode.RUNNING, text)
    if waiting:
        return _backoff(waiting[0], facts.now)
    doing = [task for task in facts.tasks if task.status in _LOOKING]
    if doing:
        text = f"task {safe(doing[0].name)} is {doing[0].status}: looking for a cluster"
        return Reason(ReasonCode.STARTING, text)
    return Reason(ReasonCode.STARTING, "its controller is starting")


_LOOKING: Final = frozenset({TaskStatus.STARTING, TaskStatus.RECOVERING})


def _backoff(task: TaskRow, now: float) -> Reason:
    until = task.backoff_until or now
    code = ReasonCode.NO_ROOM if task.backoff_code == "NO_ROOM" else ReasonCode.BACKOFF
    why_failed = safe(task.backoff_reason or "the last try failed")
    again = f"try {task.tries + 1} {_at(until)}, in {max(0.0, until - now):.0f} s"
    sooner = " or as soon as there is room" if code is ReasonCode.NO_ROOM else ""
    return Reason(code, f"task {safe(task.name)} waits: {why_failed}; {again}{sooner}")


def _put_off(facts: Facts) -> Reason:
    until = facts.job.not_before or facts.now
    left = max(0.0, until - facts.now)
    text = f"its controller did not stay alive; the next is started {_at(until)}, in {left:.0f} s"
    return Reason(ReasonCode.BACKOFF, text)


def _held(facts: Facts) -> Reason:
    return Reason(ReasonCode.HELD, f"held; `jobsched release {facts.job.job_id}` lets it go on")


def _launch_limit(facts: Facts) -> Reason:
    limits = facts.limits
    return Reason(
        ReasonCode.LAUNCH_LIMIT,
        f"{limits.launching_used} of {limits.launch} launch slots are taken{_front(facts)}",
    )


def _front(facts: Facts) -> str:
    if not facts.ahead:
        return "; it is the next in line"
    return f"; in front of it: {_jobs(facts.ahead)}"


def _jobs(ids: Sequence[int]) -> str:
    named = ", ".join(map(str, ids[:_NAMED]))
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return f"job{'s' if len(ids) > 1 else ''} {named}{more}"


def _have(ids: Sequence[int]) -> str:
    return "have" if len(ids) > 1 else "has"


def _at(moment: float | None) -> str:
    if moment is None:
        return "at an unknown time"
    return datetime.fromtimestamp(moment, UTC).astimezone().strftime("at %H:%M:%S on %Y-%m-%d")
