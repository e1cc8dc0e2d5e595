"""Requeues that came to nothing: whoever asked for one was killed before the attempt was ended.

Owns when the note that an attempt ends on purpose is taken back, so that no later death of its
controller goes unpaid. Ends nothing and starts nothing.
"""

from __future__ import annotations

from typing import Final

from jobsched import lock
from jobsched.context import Context
from jobsched.lock import Grip
from jobsched.store import moves, reads

#: Seconds after which an attempt that still lives was not ended: a requeue does so at once.
_LATE: Final = 10.0


class Notes:
    """The notes of a home, as one sees them who looks now and then; not thread-safe."""

    def __init__(self, context: Context) -> None:
        self._context = context
        #: Since when each (job, attempt) has been seen to have one.
        self._since: dict[tuple[int, int], float] = {}

    def look(self) -> None:
        """Take back those that are late: of attempts that are neither dead nor replaced."""
        now = self._context.clock.monotonic()
        with self._context.db.read() as tx:
            noted = reads.noted(tx)
        self._since = {key: self._since.get(key, now) for key in noted}
        for (job_id, attempt), since in self._since.items():
            if now - since > _LATE:
                self._take_back(job_id, attempt)

    def _take_back(self, job_id: int, attempt: int) -> None:
        with self._context.db.write() as tx:
            is_there = (job_id, attempt) in reads.noted(tx)
            path = self._context.home.attempt_lock(job_id, attempt)
            if is_there and lock.probe(path) is Grip.HELD:
                moves.set_attempt(tx, job_id, attempt, end_reason=None)
