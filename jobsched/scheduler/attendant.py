"""``python -m jobsched.scheduler.attendant``: ticks while a controller of the user's own lives.

Such a controller knows nothing of ticking, so whoever starts one leaves this process behind. It
holds a lock of its own (one is enough), and leaves when no such controller lives any more.
"""

from __future__ import annotations

import os
from pathlib import Path

from jobsched import lock
from jobsched.context import Context, open_context
from jobsched.errors import JobschedError
from jobsched.scheduler.ticker import SWEEP_SECONDS, Ticker
from jobsched.store import reads


def is_needed(context: Context) -> bool:
    """Whether a controller of the user's own lives."""
    with context.db.read() as tx:
        return any(
            attempt.kind == "COMMAND"
            for job in reads.alive_jobs(tx)
            if (attempt := reads.attempt(tx, job.job_id, job.attempt)) is not None
        )


def main() -> int:
    """Tick until nobody needs it; the exit code."""
    context = open_context(actor="attendant")
    while is_needed(context):
        held = lock.try_lock(context.home.attendant_lock)
        if held is None:
            break
        ticker = Ticker(context).start()
        while _still_needed(context):
            context.clock.sleep(SWEEP_SECONDS)
        ticker.stop()
        os.close(held)  # and look once more: one may have been started who saw us still there
    return 0


def _still_needed(context: Context) -> bool:
    try:
        return is_needed(context)
    except JobschedError:
        return Path(context.home.database).exists()


if __name__ == "__main__":
    status = main()
    os._exit(status)
