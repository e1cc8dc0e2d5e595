"""``wait``, and the waiting of others: what is shown meanwhile, and the exit code at the end.

Owns the four exit codes of an outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from jobsched.api import WaitResult
from jobsched.cli.call import Call
from jobsched.cli.formatting import counts, plural
from jobsched.states import TaskStatus

FAILED: Final = 100
UNFINISHED: Final = 101
NOT_FOUND: Final = 102
CANCELLED: Final = 103
#: Of several outcomes, the first of these that occurs.
_ORDER: Final = (NOT_FOUND, UNFINISHED, FAILED, CANCELLED)


def wait(call: Call) -> int:
    """Wait for jobs to be DONE."""
    return until_done(call, call.arguments.job_ids, timeout=call.arguments.timeout)


def until_done(
    call: Call, job_ids: Iterable[int], *, timeout: float | None = None, quiet: bool = False
) -> int:
    """Wait, say how each job ended (unless ``quiet``), and return the exit code for it."""
    wanted = list(dict.fromkeys(job_ids))
    results = watch(call, wanted, timeout=timeout, ends=quiet)
    for job_id in wanted:
        result = results[job_id]
        if result.status is None:
            call.terminal.error(f"job {job_id} not found")
        elif not quiet:
            call.terminal.say(_ended(job_id, result))
    return worst(outcome(result) for result in results.values())


def watch(
    call: Call, job_ids: Sequence[int], *, timeout: float | None = None, ends: bool = True
) -> Mapping[int, WaitResult]:
    """Wait, showing what changes: in a line that is rewritten, or a line for each change.

    ``ends``: also the outcomes, for a caller who does not tell them.
    """
    call.on_interrupt = f"interrupted; {_they_go_on(job_ids)}"
    told: dict[int, str] = {}

    with call.terminal.busy(f"waiting for {plural(len(job_ids), 'job')}") as progress:

        def on_change(job_id: int, status: TaskStatus) -> None:
            told[job_id] = status
            if call.terminal.err_is_tty:
                progress.say(_in_short(told))
            elif ends or not status.is_terminal:
                call.terminal.note(f"job {job_id}: {status}")

        return call.door.wait(job_ids, timeout=timeout, on_change=on_change)


def outcome(result: WaitResult) -> int:
    """The exit code for one job."""
    if result.status is None:
        return NOT_FOUND
    if not result.done:
        return UNFINISHED
    if result.status is TaskStatus.SUCCEEDED:
        return 0
    return CANCELLED if result.status is TaskStatus.CANCELLED else FAILED


def _ended(job_id: int, result: WaitResult) -> str:
    if result.done:
        return f"Job {job_id} finished: {result.status}"
    return f"Job {job_id} is not DONE yet: {result.status}"


def _in_short(told: Mapping[int, str]) -> str:
    """The newest status of what is waited for: of one job in words, of several counted."""
    if len(told) == 1:
        return "".join(f"job {job_id}: {status}" for job_id, status in told.items())
    return counts(told.values())


def _they_go_on(job_ids: Sequence[int]) -> str:
    if len(job_ids) == 1:
        return f"job {job_ids[0]} keeps running"
    return f"the {len(job_ids)} jobs keep running"


def worst(codes: Iterable[int]) -> int:
    """The exit code for several jobs."""
    found = set(codes)
    return next((code for code in _ORDER if code in found), 0)
