"""What follows a try that put the task nowhere, and how long a task may go on at all. Pure."""

from __future__ import annotations

import random
from collections.abc import Sequence

from jobsched.config import RecoveryConfig
from jobsched.errors import NoCapacity, PrecheckFailed
from jobsched.models import TaskSpec
from jobsched.recovery.backoff import jittered, pause
from jobsched.recovery.base import Fail, Failure, Wait
from jobsched.recovery.row import RecoveryRow, WaitCode
from jobsched.states import TaskStatus


def hopeless(failures: Sequence[Failure]) -> bool:
    """Whether all that went wrong was known beforehand and will not change."""
    return all(isinstance(failure.error, PrecheckFailed) for failure in failures)


def after_failed_try(
    row: RecoveryRow,
    failures: Sequence[Failure],
    now: float,
    rng: random.Random,
    settings: RecoveryConfig,
) -> Wait | Fail:
    """Wait and try again, or give up; ``failures``: everything that went wrong in the try.

    It gives up at once where no placement can ever serve the task, and when a first try and
    ``max_launch_retries`` more have failed. Anything else is worth another try, however unexpected.
    """
    reasons = "; ".join(dict.fromkeys(str(failure) for failure in failures))
    if hopeless(failures):
        return Fail(TaskStatus.FAILED_PRECHECKS, reasons)
    tries = row.tries + 1
    if 0 < settings.max_launch_retries < tries:
        return Fail(TaskStatus.FAILED_NO_RESOURCE, f"no cluster in {tries} tries: {reasons}")
    until = now + jittered(pause(tries, settings), rng)
    code = WaitCode.NO_ROOM if room_would_help(failures) else WaitCode.BACKOFF
    return Wait(row.waiting(tries=tries, until=until, code=code, reason=reasons))


def too_late(row: RecoveryRow, paused: RecoveryRow, failures: Sequence[Failure]) -> Wait | None:
    """The pause ``paused`` goes on after a try that room called before its end.

    Somebody else was quicker. That spends no try: else those behind a busy region would give up
    the sooner, the more often it has room. ``None``: something else went wrong.
    """
    return Wait(row.waiting_like(paused)) if room_would_help(failures) else None


def room_would_help(failures: Sequence[Failure]) -> bool:
    """Whether every place that may serve the task waits for room that will announce itself."""
    errors = [f.error for f in failures if not isinstance(f.error, PrecheckFailed)]
    return all(isinstance(error, NoCapacity) and error.knows_room for error in errors)


def deadline(row: RecoveryRow, task: TaskSpec) -> float | None:
    """Unix seconds at which ``max_duration`` ends; ``None``: never, or the clock has not begun."""
    if task.max_duration is None or row.started_at is None:
        return None
    return row.started_at + task.max_duration


def out_of_time(row: RecoveryRow, task: TaskSpec, now: float) -> Fail | None:
    """The end of a task whose ``max_duration`` passes while it waits to run again.

    The time before its first run does not count.
    """
    end = deadline(row, task)
    if row.cause is None or end is None or now < end:
        return None
    why = row.backoff_reason or "it was to run again"
    return Fail(
        TaskStatus.FAILED_NO_RESOURCE,
        f"max_duration of {task.max_duration:g} s passed without a new cluster: {why}",
    )
