"""What an operator may do, as values: planned from what is shown, held back, perhaps undone.

Owns which action is possible for which job, and why not. Does nothing by itself (``applying``
does), and does not count what it would hit (``blast`` does).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from typing import Final

from jobsched.api import Expected
from jobsched.states import ScheduleState
from jobsched_tui.data.frame import Gauge, JobLine, LimitsLine

#: Seconds that an action is held before it is done, so that it can still be dropped.
GRACE: Final = 5.0

PRIORITIES: Final = range(-1000, 1001)
LIMITS: Final = range(1_000_001)
AUTO: Final = "auto"

_WHOLE: Final = re.compile("[0-9]{1,9}")


@unique
class Kind(StrEnum):
    """What is done."""

    CANCEL = "cancel"
    #: By force: fences the controller, cleans nothing up.
    DONE = "done"
    REQUEUE = "requeue"
    #: A new job from what is stored of another.
    RERUN = "rerun"
    HOLD = "hold"
    RELEASE = "release"
    PRIORITY = "priority"
    LIMITS = "limits"
    PAUSE = "pause"
    RESUME = "resume"
    SWEEP = "sweep"


#: Those that take something away that no other action brings back.
DESTRUCTIVE: Final = frozenset({Kind.CANCEL, Kind.DONE, Kind.REQUEUE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A job that is acted upon, as it was shown."""

    job_id: int
    name: str
    #: ``None``: however it stands by then.
    expect: Expected | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Limits and pause to be set, or as they were. ``None``: left alone."""

    launch: int | str | None = None
    alive: int | str | None = None
    paused: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One action on some jobs, or on the limits; not done yet."""

    kind: Kind
    targets: tuple[Target, ...] = ()
    #: Kept in the history.
    reason: str | None = None
    #: For PRIORITY: by job.
    priorities: Mapping[int, int] = field(default_factory=dict)
    #: For LIMITS, PAUSE and RESUME; what was before.
    setting: Setting = field(default_factory=Setting)
    before: Setting = field(default_factory=Setting)
    #: For RERUN: values that are not stored any more.
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def job_ids(self) -> tuple[int, ...]:
        """Whom it is about, in order."""
        return tuple(target.job_id for target in self.targets)

    def because(self, reason: str | None) -> Plan:
        """The same with a reason."""
        return replace(self, reason=reason)

    def only(self, job_ids: Collection[int]) -> Plan:
        """The same for some of its jobs."""
        kept = tuple(target for target in self.targets if target.job_id in job_ids)
        return replace(self, targets=kept)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an action is not possible for a job; for none where ``job_id`` is ``None``."""

    job_id: int | None
    why: str


@dataclass(frozen=True, slots=True)
class Planned:
    """What can be done of what was asked, and what cannot. ``plan`` is ``None``: nothing can."""

    plan: Plan | None
    refusals: tuple[Refusal, ...] = ()


_Objection = Callable[[JobLine], str | None]


def _planned(
    kind: Kind, lines: Sequence[JobLine], objection: _Objection, reason: str | None
) -> Planned:
    targets, refusals = [], []
    for line in lines:
        why = objection(line)
        if why is None:
            targets.append(target(line))
        else:
            refusals.append(Refusal(line.job_id, why))
    plan = Plan(kind=kind, targets=tuple(targets), reason=reason) if targets else None
    return Planned(plan, tuple(refusals))


def target(line: JobLine) -> Target:
    """A job as it is shown, with the expectation that it stands so when it is acted upon."""
    return Target(
        job_id=line.job_id,
        name=line.name,
        expect=Expected(line.attempt, line.state),
        priority=line.priority,
    )


def plan_cancel(lines: Sequence[JobLine], reason: str | None = None) -> Planned:
    """Ask for their end."""
    return _planned(Kind.CANCEL, lines, _has_ended, reason)


def plan_done(lines: Sequence[JobLine], reason: str | None = None) -> Planned:
    """End them by force."""
    return _planned(Kind.DONE, lines, _is_done, reason)


def plan_requeue(lines: Sequence[JobLine], reason: str | None = None) -> Planned:
    """End their controllers, and start the next."""
    return _planned(Kind.REQUEUE, lines, _never_started, reason)


def plan_rerun(lines: Sequence[JobLine], secrets: Mapping[str, str] | None = None) -> Planned:
    """Submit them once more. Nothing is done to them, however they stand by then."""
    planned = _planned(Kind.RERUN, lines, _never_submitted, None)
    if planned.plan is None:
        return planned
    free = tuple(replace(one, expect=None) for one in planned.plan.targets)
    return replace(planned, plan=replace(planned.plan, targets=free, secrets=secrets or {}))


def plan_hold(lines: Sequence[JobLine], reason: str | None = None) -> Planned:
    """Let them launch nothing."""
    return _planned(Kind.HOLD, lines, _is_held, reason)


def plan_release(lines: Sequence[JobLine], reason: str | None = None) -> Planned:
    """End their hold."""
    return _planned(Kind.RELEASE, lines, _is_not_held, reason)


def plan_priority(lines: Sequence[JobLine], priority: int, reason: str | None = None) -> Planned:
    """Give them a priority."""
    if priority not in PRIORITIES:
        return Planned(None, (Refusal(None, f"a priority is -1000 to 1000, not {priority}"),))

    def objection(line: JobLine) -> str | None:
        same = f"job {line.job_id} has priority {priority} already"
        return _is_done(line) or (same if line.priority == priority else None)

    planned = _planned(Kind.PRIORITY, lines, objection, reason)
    if planned.plan is None:
        return planned
    wanted = dict.fromkeys(planned.plan.job_ids, priority)
    return replace(planned, plan=replace(planned.plan, priorities=wanted))


def _is_done(line: JobLine) -> str | None:
    return f"job {line.job_id} is DONE" if line.state is ScheduleState.DONE else None


def _has_ended(line: JobLine) -> str | None:
    if line.status.is_terminal and line.state is not ScheduleState.DONE:
        return f"job {line.job_id} has ended {line.status}; what is left of it is being removed"
    return _is_done(line)


def _never_started(line: JobLine) -> str | None:
    never = f"job {line.job_id} was never started" if line.attempt == 0 else None
    return _is_done(line) or never


def _never_submitted(line: JobLine) -> str | None:
    if line.submitted_at is not None:
        return None
    return f"job {line.job_id} was never submitted: nothing is stored of it"


def _is_held(line: JobLine) -> str | None:
    return _is_done(line) or (f"job {line.job_id} is held already" if line.held else None)


def _is_not_held(line: JobLine) -> str | None:
    return _is_done(line) or (None if line.held else f"job {line.job_id} is not held")


def plan_limits(
    now: LimitsLine,
    *,
    launch: str | None = None,
    alive: str | None = None,
    paused: bool | None = None,
) -> Planned:
    """Set what is given and different: limits as typed, a number or ``auto``, and the pause."""
    setting, before = Setting(), Setting()
    try:
        wanted_launch, wanted_alive = parse_limit(launch), parse_limit(alive)
    except ValueError as error:
        return Planned(None, (Refusal(None, str(error)),))
    if wanted_launch not in (None, _as_set(now.launch)):
        setting = replace(setting, launch=wanted_launch)
        before = replace(before, launch=_as_set(now.launch))
    if wanted_alive not in (None, _as_set(now.alive)):
        setting = replace(setting, alive=wanted_alive)
        before = replace(before, alive=_as_set(now.alive))
    if paused not in (None, now.paused):
        setting, before = replace(setting, paused=paused), replace(before, paused=now.paused)
    if setting == Setting():
        return Planned(None, (Refusal(None, "the limits are so already"),))
    return Planned(Plan(kind=Kind.LIMITS, setting=setting, before=before))


def plan_pause(now: LimitsLine) -> Planned:
    """Start no new jobs."""
    return _pausing(now, Kind.PAUSE, "starts are paused already")


def plan_resume(now: LimitsLine) -> Planned:
    """Start new jobs again."""
    return _pausing(now, Kind.RESUME, "starts are not paused")


def _pausing(now: LimitsLine, kind: Kind, already: str) -> Planned:
    paused = kind is Kind.PAUSE
    if now.paused is paused:
        return Planned(None, (Refusal(None, already),))
    before = Setting(paused=now.paused)
    return Planned(Plan(kind=kind, setting=Setting(paused=paused), before=before))


def plan_sweep() -> Planned:
    """Take back what the dead left, remove orphans."""
    return Planned(Plan(kind=Kind.SWEEP))


def parse_limit(typed: str | None) -> int | str | None:
    """A limit as typed: a number or ``auto``; ``None`` stays. Raises ``ValueError``."""
    if typed is None:
        return None
    word = typed.strip().lower()
    if word == AUTO:
        return AUTO
    if not _WHOLE.fullmatch(word) or int(word) not in LIMITS:
        raise ValueError(f"a limit is a number from 0 to 1000000 or auto, not {typed.strip()!r}")
    return int(word)


def _as_set(gauge: Gauge) -> int | str:
    return AUTO if gauge.auto else gauge.limit


def inverse(plan: Plan, done: Collection[int] | None = None) -> Plan | None:
    """What undoes it, for the jobs to which it was done (all, if not said).

    ``None`` where nothing would truly do so: what has been ended or started stays so.
    """
    undone = plan if done is None else plan.only(done)
    free = tuple(replace(one, expect=None) for one in undone.targets)
    match plan.kind:
        case Kind.HOLD if free:
            return Plan(kind=Kind.RELEASE, targets=free)
        case Kind.PRIORITY if free:
            before = {one.job_id: one.priority for one in free}
            return Plan(kind=Kind.PRIORITY, targets=free, priorities=before)
        case Kind.LIMITS | Kind.PAUSE | Kind.RESUME:
            kinds = {Kind.PAUSE: Kind.RESUME, Kind.RESUME: Kind.PAUSE}
            kind = kinds.get(plan.kind, Kind.LIMITS)
            return Plan(kind=kind, setting=plan.before, before=plan.setting)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Pending:
    """An action that is held until a moment; dropping it is undoing it."""

    plan: Plan
    #: On the clock that never steps back.
    due: float

    def is_due(self, monotonic: float) -> bool:
        """Whether it is to be done now."""
        return monotonic >= self.due

    def seconds_left(self, monotonic: float) -> float:
        """How long it can still be dropped."""
        return max(0.0, self.due - monotonic)


def put_off(plan: Plan, monotonic: float, grace: float = GRACE) -> Pending:
    """Hold it for ``grace`` seconds; 0: it is due at once."""
    return Pending(plan, monotonic + max(0.0, grace))
