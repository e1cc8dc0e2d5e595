"""Whether somebody watches for deaths: the office of the one who ticks, seen from outside.

Owns the answers. A lock that is held proves little: its holder may have been stopped. A sign of
life is cheap to see; to look through the process table is dear, and done only where something is
amiss.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from jobsched import lock, process
from jobsched.context import Context
from jobsched.lock import Grip

#: Seconds without a sign of life after which whoever holds the tick lock is taken to be stopped.
_SILENCE: Final = 10.0


def shows_life(context: Context) -> bool:
    """Whether somebody ticks who is not stopped: each tick touches the lock's file."""
    if lock.probe(context.home.tick_lock) is not Grip.HELD:
        return False
    with suppress(OSError):
        touched = context.home.tick_lock.stat().st_mtime
        return abs(context.clock.now() - touched) < _SILENCE
    return False


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
