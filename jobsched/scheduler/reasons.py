"""Why a job is where it is: one sentence that is always true, as a pure function of facts.

Owns the codes, their order of precedence and the sentences. Reads nothing (``facts`` does): the
same facts always give the same reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum, unique
from typing import Final

from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.rows import HELD_BY_REBOOT, AttemptRow, JobRow, Limits, TaskRow
from jobsched.store.views import Ahead, Blocker
from jobsched.sweep.liveness import Liveness
from jobsched.text import safe

#: Ids (or tasks) that a sentence names; of more it gives the number.
NAMED: Final = 3


@unique
class ReasonCode(StrEnum):
    """What a job waits for, or what it does."""

    #: As many jobs launch as may.
    LAUNCH_LIMIT = "LAUNCH_LIMIT"
    #: As many jobs are alive as may be.
    ALIVE_LIMIT = "ALIVE_LIMIT"
    #: Starts of new jobs are paused.
    PAUSED = "PAUSED"
    #: Held, by an operator or after a reboot.
    HELD = "HELD"
    #: The next try, or the next controller, comes later.
    BACKOFF = "BACKOFF"
    #: A job that must succeed before has not yet.
    DEPENDS_ON = "DEPENDS_ON"
    #: The backend has no room now, and will tell when it has.
    NO_ROOM = "NO_ROOM"
    #: Nothing keeps it: it is being started, or the next pass starts it.
    STARTING = "STARTING"
    #: Created, but not submitted.
    NOT_SUBMITTED = "NOT_SUBMITTED"
    #: Whether its controller lives cannot be told.
    UNKNOWN_LIVENESS = "UNKNOWN_LIVENESS"
    CANCELLING = "CANCELLING"
    #: The outcome is written; what is left of it is being removed.
    CLEANUP = "CLEANUP"
    RUNNING = "RUNNING"
    DONE = "DONE"


#: What sees to a job whose controller has died, and who can have it at once.
_NEXT: Final = "the next scheduling pass (`jobsched sweep` makes one)"
#: Who does without being asked.
_WATCHER: Final = "the process of jobsched that watches for deaths"
#: Codes of jobs that wait for nothing.
NOT_WAITING: Final = frozenset({ReasonCode.RUNNING, ReasonCode.DONE})


@dataclass(frozen=True, slots=True)
class Reason:
    """A code for programs and a sentence for people: one line, safe to print."""

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
    #: The newest that was a controller's.
    attempt: AttemptRow | None = None
    #: The jobs that must have succeeded before and have not yet.
    blockers: Sequence[Blocker] = ()
    #: What the first of them waits for, where it was looked at.
    blocker_code: ReasonCode | None = None
    #: Whether somebody ticks; looked for only where a job is to be ended and its controller cannot.
    is_watched: bool = False
    #: Whether a controller of it has ever come as far as a call into the library.
    has_called: bool = True
    #: Whether a pass made now would grant it what it waits for.
    is_next: bool = False
    #: Jobs that a pass resumes, and starts, before this one; ``None``: nobody has looked.
    resumes_ahead: Ahead | None = None
    starts_ahead: Ahead | None = None
    #: Where an automatic alive limit comes from; empty: nobody has looked, or it is set by hand.
    alive_sum: str = ""


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
    if job.status.is_terminal:
        return _cleanup(facts)
    if job.cancel_at is not None:
        return _cancelling(facts)
    match job.schedule_state:
        case ScheduleState.WAITING if job.attempt == 0:
            return _first_start(facts)
        case ScheduleState.WAITING:
            return _next_controller(facts)
        case ScheduleState.ALIVE_WAITING if facts.liveness.alive:
            return _next_launch(facts)
        case _:
            return _under_way(facts)


def _done(facts: Facts) -> Reason:
    job = facts.job
    why = (job.failure_reason or "").partition("\n")[0]  # below that is the evidence
    because = f": {safe(why)}" if why else ""
    text = f"job {job.job_id} ended {job.status} {_at(job.ended_at)}{because}"
    return Reason(ReasonCode.DONE, text)


def _unknown(facts: Facts) -> Reason:
    job_id, pids = facts.job.job_id, facts.liveness.holders
    if pids:
        what = f"its process has ended, but {_listed('PID', pids)} still holds its lock"
    else:
        what = "its lock cannot be looked at, or who holds it cannot be seen"
    text = (
        f"whether the controller of job {job_id} lives cannot be told: {what};"
        f" `jobsched requeue {job_id}` ends it and starts the next"
    )
    return Reason(ReasonCode.UNKNOWN_LIVENESS, text)


def _cleanup(facts: Facts) -> Reason:
    job = facts.job
    clusters = [safe(task.cluster or "") for task in facts.tasks if task.has_cluster]
    errors = [safe(task.cleanup_error) for task in facts.tasks if task.cleanup_error]
    what = f"removes {_listed('cluster', clusters)}" if clusters else "ends it"
    trouble = f" (so far: {errors[-1]})" if errors and clusters else ""
    text = f"job {job.job_id} has ended {job.status}; {_who(facts)} {what}{trouble}"
    return Reason(ReasonCode.CLEANUP, text)


def _cancelling(facts: Facts) -> Reason:
    job = facts.job
    left = sum(not task.status.is_terminal for task in facts.tasks)
    text = (
        f"job {job.job_id} was cancelled {_at(job.cancel_at)};"
        f" {_who(facts)} ends {left} of its {len(facts.tasks)} tasks"
    )
    return Reason(ReasonCode.CANCELLING, text)


def _who(facts: Facts) -> str:
    """Who ends what is left: never a controller that is not there, or that is stopped."""
    job_id, pid = facts.job.job_id, facts.liveness.stopped
    if pid is None and facts.liveness.alive:
        return "its controller"
    if pid is None:
        return _WATCHER if facts.is_watched else f"whoever makes {_NEXT}"
    stopped = f"its controller (PID {pid}) is stopped;"
    if facts.is_watched and facts.job.cancel_at is not None:
        return f"{stopped} {_WATCHER} ends it within seconds, then"
    return f"{stopped} `jobsched requeue {job_id}` ends it, then whoever makes {_NEXT}"


def _first_start(facts: Facts) -> Reason:
    job, limits = facts.job, facts.limits
    if job.hold:
        return _held(facts)
    if facts.blockers:
        return _depends(facts)
    if _is_put_off(facts):
        return _put_off(facts)
    if limits.paused:
        return _paused(facts)
    if facts.is_next:
        text = f"job {job.job_id} waits for nothing but the next scheduling pass, which starts it"
        return Reason(ReasonCode.STARTING, text)
    if limits.alive_room <= limits.launch_room:
        return _alive_limit(facts)
    return _launch_limit(facts)


def _paused(facts: Facts) -> Reason:
    job_id = facts.job.job_id
    text = f"job {job_id} waits: starts of new jobs are paused (`jobsched limits --resume`)"
    return Reason(ReasonCode.PAUSED, text)


def _next_controller(facts: Facts) -> Reason:
    """Of a job whose controller has ended; an operator's hold does not matter.

    Neither do limits and pause, unless no controller of it has ever got anywhere.
    """
    job = facts.job
    if job.hold & HELD_BY_REBOOT:
        text = (
            f"job {job.job_id} is held since the machine was restarted;"
            f" `jobsched release {job.job_id}` lets it go on"
        )
        return Reason(ReasonCode.HELD, text)
    if _is_put_off(facts):
        return _put_off(facts)
    if not facts.has_called and not facts.is_next:
        return _paused(facts) if facts.limits.paused else _alive_limit(facts)
    text = f"{_ended(facts)}; {_NEXT} starts the next"
    return Reason(ReasonCode.STARTING, text)


def _next_launch(facts: Facts) -> Reason:
    if facts.job.hold:
        return _held(facts)
    if facts.is_next:
        text = f"job {facts.job.job_id} gets a launch slot from the next scheduling pass"
        return Reason(ReasonCode.STARTING, text)
    return _launch_limit(facts)


def _under_way(facts: Facts) -> Reason:
    """Of a job that has (or had a moment ago) a controller at work on it."""
    job_id, gone = facts.job.job_id, _idle(facts)
    running = [task for task in facts.tasks if task.status is TaskStatus.RUNNING]
    if running:
        where = [f"{safe(task.name)} in {safe(task.region or '?')}" for task in running]
        return Reason(ReasonCode.RUNNING, f"job {job_id} runs {_listed('task', where)}{gone}")
    if gone:
        return Reason(ReasonCode.STARTING, f"job {job_id} is {facts.job.status}{gone}")
    resting = [task for task in facts.tasks if task.backoff_until is not None]
    if resting:
        return _backoff(facts, min(resting, key=lambda task: task.backoff_until or 0.0))
    stopping = [safe(t.name) for t in facts.tasks if t.status is TaskStatus.CANCELLING]
    if stopping:
        text = f"job {job_id}: {_listed('task', stopping)} is being ended"
        return Reason(ReasonCode.CANCELLING, text)
    return Reason(ReasonCode.STARTING, _looking(facts))


def _idle(facts: Facts) -> str:
    """What keeps its controller from working on it, if anything does, and what helps."""
    job_id, pid = facts.job.job_id, facts.liveness.stopped
    if not facts.liveness.alive:
        return f"; its controller has died, and {_NEXT} sees to it"
    if pid is None:
        return ""
    return (
        f"; its controller (PID {pid}) is stopped and does nothing: `kill -CONT {pid}` lets it go"
        f" on, `jobsched requeue {job_id}` replaces it"
    )


def _looking(facts: Facts) -> str:
    job = facts.job
    for task in facts.tasks:
        if task.status in (TaskStatus.STARTING, TaskStatus.RECOVERING):
            what = f"its controller gets task {safe(task.name)} a cluster, try {task.tries + 1}"
            return f"job {job.job_id} is {task.status}: {what}"
    if facts.attempt is None or facts.attempt.called_at is None:
        return f"the controller of job {job.job_id} is being started"
    which = "next" if any(task.status.is_terminal for task in facts.tasks) else "first"
    return f"the controller of job {job.job_id} is about to begin with its {which} task"


def _backoff(facts: Facts, task: TaskRow) -> Reason:
    code = ReasonCode.NO_ROOM if task.backoff_code == ReasonCode.NO_ROOM else ReasonCode.BACKOFF
    failed = safe(task.backoff_reason or "the last try failed")
    sooner = ", or as soon as there is room" if code is ReasonCode.NO_ROOM else ""
    text = (
        f"task {safe(task.name)} of job {facts.job.job_id} waits: {failed};"
        f" try {task.tries + 1} {_due(task.backoff_until, facts.now)}{sooner}"
    )
    return Reason(code, text)


def _is_put_off(facts: Facts) -> bool:
    return facts.job.not_before is not None and facts.job.not_before > facts.now


def _put_off(facts: Facts) -> Reason:
    job = facts.job
    which = "the next one is started" if job.attempt else "it is tried again"
    text = f"{_ended(facts)}; {which} {_due(job.not_before, facts.now)}"
    return Reason(ReasonCode.BACKOFF, text)


def _ended(facts: Facts) -> str:
    """What became of the last start of a controller, as far as that is known."""
    job_id, attempt = facts.job.job_id, facts.attempt
    if not facts.job.attempt:
        return (
            f"job {job_id} could not be started: the lock of its first attempt is held by somebody,"
            " or cannot be used"
        )
    how = f" ({safe(attempt.end_reason)})" if attempt is not None and attempt.end_reason else ""
    if attempt is not None and attempt.called_at is None and attempt.pid is None:
        return f"the last start of a controller of job {job_id} came to nothing{how}"
    return f"the controller of job {job_id} has ended{how}"


def _held(facts: Facts) -> Reason:
    job_id = facts.job.job_id
    text = f"job {job_id} is held; `jobsched release {job_id}` lets it go on"
    return Reason(ReasonCode.HELD, text)


def _depends(facts: Facts) -> Reason:
    ids = [one.job_id for one in facts.blockers]
    first = facts.blockers[0]
    if first.status is None:
        now = f"job {first.job_id} is no longer known"
    else:
        code = facts.blocker_code
        now = f"job {first.job_id} is {first.status}"
        if code is not None and str(code) != str(first.status):
            now += f" ({code})"
    have = "have" if len(ids) > 1 else "has"
    text = f"job {facts.job.job_id} may start once {_listed('job', ids)} {have} succeeded; {now}"
    return Reason(ReasonCode.DEPENDS_ON, text)


def _alive_limit(facts: Facts) -> Reason:
    limits = facts.limits
    whence = f"; the limit is automatic: {facts.alive_sum}" if facts.alive_sum else ""
    text = (
        f"job {facts.job.job_id} waits: {limits.alive_used} of {limits.alive} jobs that may be"
        f" alive are{whence}{_behind(facts.starts_ahead)}"
    )
    return Reason(ReasonCode.ALIVE_LIMIT, text)


def _launch_limit(facts: Facts) -> Reason:
    limits = facts.limits
    text = (
        f"job {facts.job.job_id} waits: {limits.launching_used} of {limits.launch} launch slots are"
        f" taken{_behind(facts.resumes_ahead, facts.starts_ahead)}"
    )
    return Reason(ReasonCode.LAUNCH_LIMIT, text)


def _behind(*lines: Ahead | None) -> str:
    """Who is in front; nothing where nobody has looked."""
    seen = [line for line in lines if line is not None]
    if not seen:
        return ""
    first = [job_id for line in seen for job_id in line.first]
    count = sum(line.count for line in seen)
    return f"; in front of it: {_listed('job', first, count)}" if count else "; it is next in line"


def _listed(kind: str, items: Sequence[object], count: int | None = None) -> str:
    """The first few of ``count`` things, and how many more there are."""
    total = len(items) if count is None else count
    named = ", ".join(str(item) for item in items[:NAMED])
    more = total - len(items[:NAMED])
    return f"{kind}{'s' if total > 1 else ''} {named}{f' and {more} more' if more > 0 else ''}"


def _due(moment: float | None, now: float) -> str:
    left = 0.0 if moment is None else max(0.0, moment - now)
    return f"{_at(moment)}, in {left:.0f} s"


def _at(moment: float | None) -> str:
    """A moment in the time zone of whoever asks."""
    if moment is None:
        return "at an unknown time"
    try:
        local = datetime.fromtimestamp(moment, UTC).astimezone()
    except (OverflowError, ValueError, OSError):
        return f"at {moment:.0f}"  # no clock of this machine gave that; say what is stored
    return local.strftime("at %H:%M:%S on %Y-%m-%d")
