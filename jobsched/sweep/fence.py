"""Ending the processes of an attempt that has lost its right to act, or is about to.

Owns signals to controllers. Signals only a process whose identity matches the record, or that is
seen to hold the attempt's lock; the database is somebody else's business.
"""

from __future__ import annotations

import os
import signal
from typing import Final

from jobsched import lock, process
from jobsched.context import Context
from jobsched.lock import Grip
from jobsched.process import Identity
from jobsched.store.rows import AttemptRow

#: Seconds between looks at a lock that is about to be free.
_LOOK: Final = 0.01


def identity_of(attempt: AttemptRow) -> Identity | None:
    """The recorded process of an attempt, if it is known."""
    if attempt.pid is None or attempt.start_ticks is None:
        return None
    return Identity(
        pid=attempt.pid,
        start_ticks=attempt.start_ticks,
        boot_id=attempt.boot_id or "",
        pid_ns=attempt.pid_ns or 0,
    )


def ask_to_stop(attempt: AttemptRow) -> bool:
    """Send SIGTERM (and SIGCONT, so that a stopped process gets it); whether it was sent."""
    who = identity_of(attempt)
    if who is None or not process.signal(who, signal.SIGTERM):
        return False
    process.signal(who, signal.SIGCONT)
    return True


def end_attempt(context: Context, attempt: AttemptRow, *, within: float) -> list[int]:
    """Kill the attempt's process and whoever else holds its lock; PIDs that would not end.

    Waits at most ``within`` seconds for the lock to be free.
    """
    path = context.home.attempt_lock(attempt.job_id, attempt.attempt)
    deadline = context.clock.monotonic() + within
    who = identity_of(attempt)
    if who is not None:
        _kill(who)
    while lock.probe(path) is not Grip.FREE:
        holders = process.holders(path)
        for pid in holders:
            found = process.identify(pid)
            if found is not None:
                _kill(found)
        if context.clock.monotonic() > deadline:
            return holders
        context.clock.sleep(_LOOK)
    return []


def _kill(who: Identity) -> None:
    """SIGKILL, to anybody but ourselves."""
    if who.pid != os.getpid():
        process.signal(who, signal.SIGKILL)
