"""The same to several jobs: one that cannot be done does not keep the others from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from jobsched.cli.call import Call
from jobsched.errors import IllegalMove, NotFound
from jobsched.states import ScheduleState


def each(call: Call, job_ids: Iterable[int], act: Callable[[int], str], *, what: str) -> int:
    """Do it to each, saying what ``act`` returns; 1 if it could not be done to one.

    ``what`` completes "it cannot be ... any more", for a job that is DONE.
    """
    code = 0
    for job_id in dict.fromkeys(job_ids):
        try:
            call.terminal.say(act(job_id))
        except NotFound as error:
            call.terminal.error(str(error))
            code = 1
        except IllegalMove as error:
            call.terminal.error(_refusal(error, what))
            code = 1
    return code


def _refusal(error: IllegalMove, what: str) -> str:
    if error.current == ScheduleState.DONE:
        return f"{error.what} is DONE: it cannot be {what} any more"
    return str(error)
