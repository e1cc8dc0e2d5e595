"""Doing what was planned, through the door: one job that refuses keeps no other back.

Owns the order and what becomes of failures. Runs in a worker thread and knows no screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from jobsched.api import Scheduler
from jobsched.errors import Changed, IllegalMove, InvalidInput, JobschedError, NotFound
from jobsched_tui.data.actions import Kind, Plan, Target

#: Jobs cancelled by one call: few enough that nobody waits long behind them.
BATCH: Final = 100

#: How many jobs are behind us, of how many.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Failure:
    """What could not be done to a job, in the library's words."""

    job_id: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of a plan."""

    #: Jobs to which it was done.
    done: tuple[int, ...] = ()
    failures: tuple[Failure, ...] = ()
    #: Jobs that were not tried: it was stopped, or the home could not be used any more.
    left: tuple[int, ...] = ()
    #: New jobs, for RERUN.
    made: tuple[int, ...] = ()
    #: Sentences that are worth reading although it went well.
    notes: tuple[str, ...] = ()
    #: Why it ended early.
    error: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether everything was done."""
        return not (self.failures or self.left or self.error)

    @property
    def remaining(self) -> tuple[int, ...]:
        """Jobs to which it was not done: what is to be marked for the next try."""
        return (*(failure.job_id for failure in self.failures), *self.left)


@dataclass
class _Tally:
    done: list[int] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    made: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def result(self, left: tuple[int, ...] = (), error: str | None = None) -> Result:
        return Result(
            done=tuple(self.done), failures=tuple(self.failures), left=left,
            made=tuple(self.made), notes=tuple(self.notes), error=error,
        )  # fmt: skip


def _nobody_waits(behind: int, of: int) -> None:
    del behind, of


def _goes_on() -> bool:
    return False


def apply(
    door: Scheduler,
    plan: Plan,
    *,
    progress: Progress = _nobody_waits,
    cancelled: Callable[[], bool] = _goes_on,
) -> Result:
    """Do it. ``cancelled`` is asked before each step; what is done by then stays done.

    Raises nothing that jobsched raises on purpose: it is part of the result.
    """
    tally, tried = _Tally(), 0
    try:
        if not plan.targets:
            _apply_to_all(door, plan, tally)
        for step in _steps(plan):
            if cancelled():
                break
            _apply_step(door, plan, step, tally)
            tried += len(step)
            progress(tried, len(plan.targets))
    except JobschedError as error:
        return tally.result(plan.job_ids[tried:], str(error))
    return tally.result(plan.job_ids[tried:])


def _steps(plan: Plan) -> Iterator[tuple[Target, ...]]:
    size = BATCH if plan.kind is Kind.CANCEL else 1
    for first in range(0, len(plan.targets), size):
        yield plan.targets[first : first + size]


def _apply_step(door: Scheduler, plan: Plan, step: tuple[Target, ...], tally: _Tally) -> None:
    if plan.kind is Kind.CANCEL:
        _cancel(door, plan, step, tally)
        return
    (target,) = step
    try:
        _apply_one(door, plan, target, tally)
    except (Changed, IllegalMove, InvalidInput, NotFound) as error:
        tally.failures.append(Failure(target.job_id, str(error)))
    else:
        tally.done.append(target.job_id)


def _apply_one(door: Scheduler, plan: Plan, target: Target, tally: _Tally) -> None:
    job_id, expect, reason = target.job_id, target.expect, plan.reason
    match plan.kind:
        case Kind.DONE:
            door.done(job_id, reason=reason, expect=expect)
        case Kind.REQUEUE:
            left = door.requeue(job_id, reason=reason, expect=expect)
            tally.notes += [f"process {pid} of job {job_id} could not be ended" for pid in left]
        case Kind.RERUN:
            tally.made.append(door.rerun(job_id, secrets=plan.secrets))
        case Kind.HOLD:
            door.hold(job_id, reason=reason, expect=expect)
        case Kind.RELEASE:
            door.release(job_id, reason=reason, expect=expect)
        case Kind.PRIORITY:
            door.set_priority(job_id, plan.priorities[job_id], reason=reason, expect=expect)
        case kind:
            raise AssertionError(f"{kind} is not about one job")


def _cancel(door: Scheduler, plan: Plan, step: tuple[Target, ...], tally: _Tally) -> None:
    wanted = [target.job_id for target in step]
    expect = {target.job_id: target.expect for target in step if target.expect is not None}
    result = door.cancel(wanted, reason=plan.reason, expect=expect)
    done = {*result.ended, *result.stopping}
    tally.done += [job_id for job_id in wanted if job_id in done]
    tally.failures += [
        *(Failure(changed.job_id, str(changed)) for changed in result.changed),
        *(Failure(job_id, f"job {job_id} had ended before") for job_id in result.finished),
        *(Failure(job_id, str(NotFound("job", job_id))) for job_id in result.missing),
    ]
    along = [job_id for job_id in result.ended if job_id not in wanted]
    tally.notes += [f"job {job_id} ended too: it was to follow one of them" for job_id in along]


def _apply_to_all(door: Scheduler, plan: Plan, tally: _Tally) -> None:
    if plan.kind is Kind.SWEEP:
        removed = door.sweep()
        tally.notes += [
            f"cluster {one.cluster} of job {one.job_id} "
            + ("was removed" if one.error is None else f"could not be removed: {one.error}")
            for one in removed
        ]
        return
    setting = plan.setting
    door.set_limits(
        launch=setting.launch, alive=setting.alive, paused=setting.paused, reason=plan.reason
    )
