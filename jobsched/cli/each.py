"""The same to several jobs: one that cannot be done does not keep the others from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from jobsched.cli.call import Call
from jobsched.errors import IllegalMove, NotFound


def each(call: Call, job_ids: Iterable[int], act: Callable[[int], str]) -> int:
    """Do it to each, saying what ``act`` returns; 1 if it could not be done to one."""
    code = 0
    for job_id in dict.fromkeys(job_ids):
        try:
            call.terminal.say(act(job_id))
        except (NotFound, IllegalMove) as error:
            call.terminal.error(str(error))
            code = 1
    return code
