"""Telling those who wait for room that some was given back.

Owns who is told. A message is only a hint to look: whoever gets one asks the backend whether the
room is what it waits for.
"""

from __future__ import annotations

from jobsched import wake
from jobsched.context import Context
from jobsched.store import reads


def room_freed(context: Context) -> None:
    """Wake the controllers of tasks that wait for room on their backend."""
    with context.db.read() as tx:
        waiting = reads.room_waiters(tx)
    for job_id, attempt in waiting:
        wake.notify(context.home.wake_fifo(job_id, attempt))
