"""Whether somebody watches for deaths: the office of the one who ticks, seen from outside.

Owns the answer. A lock that is held proves little: its holder may have been stopped. Looks through
the process table, so it is asked only where something is amiss.
"""

from __future__ import annotations

from pathlib import Path

from jobsched import lock, process
from jobsched.context import Context
from jobsched.lock import Grip


def is_filled(context: Context) -> bool:
    """Whether a process that is not stopped ticks, or is the deputy who soon will."""
    return any(
        lock.probe(path) is Grip.HELD and not is_held_by_stopped(path)
        for path in (context.home.tick_lock, context.home.deputy_lock)
    )


def is_held_by_stopped(path: Path) -> bool:
    """Whether all that hold the lock at ``path``, as far as they can be seen, are stopped."""
    holders = process.holders(path)
    return bool(holders) and all(map(process.is_stopped, holders))
