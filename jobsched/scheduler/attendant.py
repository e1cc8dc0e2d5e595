"""``python -m jobsched.scheduler.attendant``: ticks while nobody else can be relied upon to.

That is while a controller of the user's own lives, which knows nothing of ticking, and while jobs
are to be ended that have no controller which could do it. Whoever leaves such things behind leaves
this process behind with them. It holds a lock of its own (one is enough), and leaves when it is no
longer needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from jobsched import lock
from jobsched.context import Context, open_context
from jobsched.errors import JobschedError
from jobsched.scheduler import aftercare
from jobsched.scheduler.ticker import SWEEP_SECONDS, Ticker
from jobsched.store import reads
from jobsched.sweep.callbacks import telling_seconds

#: Seconds after which a job that cannot be ended is left to whoever comes by.
_LONGEST_ENDING: Final = 300.0


class Need:
    """Whether an attendant is needed, and since when for what."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._since: dict[int, float] = {}

    def is_there(self) -> bool:
        """Look now."""
        now = self._context.clock.monotonic()
        endings = aftercare.endings(self._context)
        self._since = {job_id: self._since.get(job_id, now) for job_id in endings}
        return _has_own_controllers(self._context) or any(
            now - since < self._longest(job_id) for job_id, since in self._since.items()
        )

    def _longest(self, job_id: int) -> float:
        """Seconds that ending a job may take, with the telling of its callbacks."""
        with self._context.db.read() as tx:
            job = reads.job(tx, job_id)
        telling = 0.0 if job is None else telling_seconds(self._context, job)
        return max(_LONGEST_ENDING, telling)

    def may_be_there(self) -> bool:
        """The same; true where it cannot be told, unless the home is gone."""
        try:
            return self.is_there()
        except JobschedError:
            return Path(self._context.home.database).exists()


def _has_own_controllers(context: Context) -> bool:
    """Whether a controller of the user's own lives, which knows nothing of ticking."""
    with context.db.read() as tx:
        attempts = [reads.attempt(tx, job.job_id, job.attempt) for job in reads.alive_jobs(tx)]
    return any(attempt is not None and attempt.kind == "COMMAND" for attempt in attempts)


def main() -> int:
    """Tick until nobody needs it; the exit code."""
    context = open_context(actor="attendant")
    need = Need(context)
    while need.is_there():
        held = lock.try_lock(context.home.attendant_lock)
        if held is None:
            break
        attend(context, need.may_be_there, lambda: context.clock.sleep(SWEEP_SECONDS))
        os.close(held)  # and look once more: one may have been started who saw us still there
    return 0


def attend(context: Context, is_needed: Callable[[], bool], pause: Callable[[], object]) -> None:
    """Tick while it is needed; ``pause`` waits between two looks at that."""
    ticker = Ticker(context).start()
    while is_needed():
        pause()
    ticker.stop()


if __name__ == "__main__":
    status = main()
    os._exit(status)
