"""What a person should look at: where the database, the processes and the logs disagree, or fail.

Owns the judgement, one small function for each trouble, and the command that is suggested. Pure:
reads nothing and acts on nothing. Sentences name moments, not ages, so that they stand still.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from jobsched.states import ALIVE_STATES, ScheduleState, TaskStatus
from jobsched_tui.data.frame import Attention, JobLine, TaskLine, Trouble
from jobsched_tui.data.pulse import Pulse


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What was seen of one job beside its row. ``None``: nobody has looked, or it is not known."""

    #: What runs under its controller's PID now, if that is another process.
    usurper: str | None = None
    #: State of the controller's process (R S D T Z), and since when it is in it.
    process_state: str | None = None
    process_state_since: float | None = None
    #: Since when it is in its schedule state.
    state_since: float | None = None
    #: Processes and clusters of a job that is DONE.
    left_pids: Sequence[int] = ()
    left_clusters: Sequence[str] = ()
    #: When it last printed or computed anything, and how long it used to be silent.
    pulse: Pulse | None = None
    #: Jobs that it waits for; ``None``: no longer known.
    blockers: Mapping[int, TaskStatus | None] = field(default_factory=dict)
    #: The history row with which it ended.
    ended_seq: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LockHolder:
    """Who holds the scheduler lock."""

    pid: int
    since: float
    state: str = "S"
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """What was seen of a home beside its rows."""

    jobs: Mapping[int, Sample] = field(default_factory=dict)
    lock: LockHolder | None = None
    #: Seconds that a launch takes here.
    median_launch: float | None = None
    #: The newest history row that the operator has seen.
    seen_seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Seconds from which on something is a trouble."""

    #: In the kernel, or a zombie: for a moment that is normal.
    hung: float = 30.0
    #: Launching: at least so long, and so many times the median.
    launching: float = 120.0
    launching_times: float = 5.0
    #: What a job leaves is stopped within its grace; the sweep comes after that.
    left: float = 20.0
    #: Silent and idle: at least so long, and so many times its own median gap.
    silent: float = 600.0
    silent_times: float = 3.0
    lock: float = 10.0


@dataclass(frozen=True, slots=True)
class _Case:
    """All that one job is judged by."""

    line: JobLine
    sample: Sample
    samples: Samples
    now: float
    limits: Thresholds
    #: Since when each trouble of this job has been known.
    known: Mapping[Trouble, float | None]

    def since(self, trouble: Trouble, at: float | None = None) -> float:
        """When it began: as far as known, else when it was first seen."""
        if at is not None:
            return at
        before = self.known.get(trouble)
        return self.now if before is None else before

    def found(self, trouble: Trouble, text: str, command: str, since: float) -> Attention:
        return Attention(
            trouble=trouble, text=text, command=command, job_id=self.line.job_id, since=since
        )


def judge(
    lines: Sequence[JobLine],
    samples: Samples,
    now: float,
    thresholds: Thresholds | None = None,
    previous: Sequence[Attention] = (),
) -> tuple[Attention, ...]:
    """Everything to look at, the most urgent first; ``previous`` tells since when it is known."""
    limits = thresholds or Thresholds()
    known: dict[int | None, dict[Trouble, float | None]] = {}
    for one in previous:
        known.setdefault(one.job_id, {})[one.trouble] = one.since
    cases = [
        _Case(line, samples.jobs.get(line.job_id, Sample()), samples, now, limits,
              known.get(line.job_id, {}))
        for line in lines
    ]  # fmt: skip
    found = [one for case in cases for one in _of(case)]
    found += _lock(samples.lock, now, limits)
    return tuple(sorted(found, key=lambda one: (_URGENCY[one.trouble], one.job_id or 0)))


def _of(case: _Case) -> Iterator[Attention]:
    for rule in _RULES:
        found = rule(case)
        if found is not None:
            yield found


def _dead(case: _Case) -> Attention | None:
    line = case.line
    if line.state not in ALIVE_STATES or line.alive is not False or line.pid is None:
        return None
    trouble = Trouble.DEAD if case.sample.usurper is None else Trouble.REUSED
    since = case.since(trouble)
    text = (
        f"job {line.job_id} is {line.state}, but its controller, pid {line.pid}, is gone"
        f" (known since {_at(since)})"
    )
    if case.sample.usurper is not None:
        text += f": pid {line.pid} now belongs to {case.sample.usurper}"
    return case.found(trouble, text, f"jobsched requeue {line.job_id}", since)


def _unknown(case: _Case) -> Attention | None:
    line = case.line
    if line.state is ScheduleState.DONE or line.alive is not None:
        return None
    since = case.since(Trouble.UNKNOWN)
    text = line.why or (
        f"whether the controller of job {line.job_id} lives cannot be told, since {_at(since)}"
    )
    return case.found(Trouble.UNKNOWN, text, f"jobsched requeue {line.job_id}", since)


def _stopped(case: _Case) -> Attention | None:
    line, state, since = case.line, case.sample.process_state, case.sample.process_state_since
    if not line.alive or state is None or state not in _STOPPED:
        return None
    since = case.since(Trouble.STOPPED, since)
    if state != "T" and case.now - since <= case.limits.hung:
        return None
    what, command = _STOPPED[state]
    text = (
        f"the controller of job {line.job_id}, pid {line.pid}, {what} since {_at(since)};"
        f" the job is {line.state}"
    )
    return case.found(
        Trouble.STOPPED, text, command.format(pid=line.pid, job_id=line.job_id), since
    )


def _slot(case: _Case) -> Attention | None:
    line, since, median = case.line, case.sample.state_since, case.samples.median_launch
    if line.state is not ScheduleState.LAUNCHING or since is None or not line.alive:
        return None
    if case.now - since <= max(
        case.limits.launching, case.limits.launching_times * (median or 0.0)
    ):
        return None
    usual = "" if median is None else f"; the median launch here takes {median:.0f} s"
    text = f"job {line.job_id} holds a launch slot since {_at(since)}{usual}"
    return case.found(Trouble.SLOT, text, f"jobsched logs {line.job_id} --controller", since)


def _orphan(case: _Case) -> Attention | None:
    line, sample = case.line, case.sample
    if line.state is not ScheduleState.DONE or not (sample.left_pids or sample.left_clusters):
        return None
    if line.ended_at is not None and case.now - line.ended_at <= case.limits.left:
        return None
    left = [f"cluster {name}" for name in sample.left_clusters]
    left += [f"pid {pid}" for pid in sample.left_pids]
    since = case.since(Trouble.ORPHAN, line.ended_at)
    text = f"job {line.job_id} is DONE since {_at(since)}, but left {_listed(left)}"
    return case.found(Trouble.ORPHAN, text, "jobsched sweep", since)


def _stuck(case: _Case) -> Attention | None:
    line, pulse = case.line, case.sample.pulse
    if line.status is not TaskStatus.RUNNING or not line.alive or pulse is None:
        return None
    since = pulse.quiet_since
    if since is None:
        return None
    bound = max(case.limits.silent, case.limits.silent_times * (pulse.gap or 0.0))
    if case.now - since <= bound:
        return None
    usual = f"; it used to print every {pulse.gap:.0f} s" if pulse.gap else ""
    text = f"job {line.job_id} prints nothing and computes nothing since {_at(since)}{usual}"
    return case.found(Trouble.STUCK, text, f"jobsched logs {line.job_id} -n 50", since)


def _blocked(case: _Case) -> Attention | None:
    line = case.line
    if line.state is not ScheduleState.WAITING:
        return None
    for job_id, status in case.sample.blockers.items():
        if status is None or (status.is_terminal and status is not TaskStatus.SUCCEEDED):
            ended = "is no longer known" if status is None else f"ended {status}"
            text = f"job {line.job_id} waits for job {job_id}, which {ended}"
            since = case.since(Trouble.BLOCKED)
            return case.found(Trouble.BLOCKED, text, f"jobsched cancel {line.job_id}", since)
    return None


def _cleanup(case: _Case) -> Attention | None:
    line = case.line
    broken = [task for task in line.tasks if task.cleanup_error]
    if not broken or not _is_news(case):
        return None
    text = f"job {line.job_id}, task {broken[0].name}: {broken[0].cleanup_error}"
    since = case.since(Trouble.CLEANUP, broken[0].ended_at)
    return case.found(Trouble.CLEANUP, text, "jobsched sweep", since)


def _failed(case: _Case) -> Attention | None:
    line = case.line
    if line.state is not ScheduleState.DONE or not line.status.is_failure or not _is_news(case):
        return None
    since = case.since(Trouble.FAILED, line.ended_at)
    reason = line.failure_reason or "no reason given"
    text = f"job {line.job_id} ended {line.status} at {_at(since)}: {reason}"
    return case.found(Trouble.FAILED, text, _logs(line), since)


def _is_news(case: _Case) -> bool:
    """Whether the job is not DONE, or ended after the operator last looked."""
    seq = case.sample.ended_seq
    return case.line.state is not ScheduleState.DONE or (
        seq is not None and seq > case.samples.seen_seq
    )


def _lock(holder: LockHolder | None, now: float, limits: Thresholds) -> Iterator[Attention]:
    if holder is None or (now - holder.since <= limits.lock and holder.state != "T"):
        return
    stopped = ", which is stopped" if holder.state == "T" else ""
    text = (
        f"the scheduler lock is held since {_at(holder.since)} by pid {holder.pid}"
        f" ({holder.command or 'unknown'}){stopped}: nothing can be scheduled"
    )
    command = f"kill -CONT {holder.pid}" if stopped else f"ps -fp {holder.pid}"
    yield Attention(trouble=Trouble.LOCK, text=text, command=command, since=holder.since)


def _logs(line: JobLine) -> str:
    failed = next((task for task in line.tasks if task.status.is_failure), None)
    return f"jobsched logs {line.job_id}{_task(failed, line.tasks)} -n 50"


def _task(task: TaskLine | None, tasks: Sequence[TaskLine]) -> str:
    return f" --task {task.task_id}" if task is not None and len(tasks) > 1 else ""


def _listed(items: Sequence[str]) -> str:
    more = len(items) - _NAMED
    return ", ".join(items[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _at(moment: float) -> str:
    """A time of day where the machine is."""
    try:
        return datetime.fromtimestamp(moment, UTC).astimezone().strftime("%H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return "an unknown time"


#: Things that a sentence names; of more it gives the number.
_NAMED: Final = 3
#: What a state of the controller's process means, and what helps.
_STOPPED: Final = {
    "T": ("is stopped", "kill -CONT {pid}"),
    "D": ("hangs in the kernel", "jobsched why {job_id}"),
    "Z": ("has ended, but was not collected by its parent,", "jobsched requeue {job_id}"),
}
_RULES: Final[tuple[Callable[[_Case], Attention | None], ...]] = (
    _dead,
    _unknown,
    _stopped,
    _slot,
    _orphan,
    _stuck,
    _blocked,
    _cleanup,
    _failed,
)
_URGENCY: Final = {
    trouble: place
    for place, trouble in enumerate(
        (
            Trouble.LOCK,  # nothing can be scheduled meanwhile
            Trouble.DEAD,
            Trouble.REUSED,
            Trouble.UNKNOWN,
            Trouble.STOPPED,
            Trouble.SLOT,
            Trouble.ORPHAN,
            Trouble.STUCK,
            Trouble.BLOCKED,
            Trouble.CLEANUP,
            Trouble.FAILED,
        )
    )
}
