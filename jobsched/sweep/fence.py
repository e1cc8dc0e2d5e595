"""Ending the processes of an attempt that has lost its right to act, or is about to.

Owns signals to controllers, and that what they had begun starts nothing. Signals only a process
whose identity matches the record, or one that holds the attempt's lock and is the attempt's; the
database is somebody else's business.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from jobsched import lock, process
from jobsched.context import Context
from jobsched.errors import JobschedError, StoreError
from jobsched.lock import Grip
from jobsched.process import Identity
from jobsched.store import reads
from jobsched.store.rows import AttemptRow, TaskRow
from jobsched.sweep.owner import is_of

log = logging.getLogger(__name__)

#: Seconds between looks at a lock that is about to be free: at first, and at most.
_LOOK: Final = 0.01
_LONGEST: Final = 0.1


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


def ask_to_stop(context: Context, attempt: AttemptRow) -> bool:
    """Send SIGTERM (and SIGCONT, so that a stopped process gets it); whether it was sent.

    To the recorded process; where that is not known, or gone, to those who hold the attempt's lock
    in its stead.
    """
    who = identity_of(attempt)
    if who is not None and _ask(who):
        return True
    sent = [_ask(one) for one in _own(context, attempt, _holders(context, attempt))]
    return any(sent)


def end_attempt(context: Context, attempt: AttemptRow, *, within: float) -> list[int]:
    """Kill the attempt's process and whoever of it holds its lock; PIDs that hold it still.

    Waits at most ``within`` seconds for the lock to be free. One that holds it and is not the
    attempt's is starting its controller: it is left alone, and has that time to hand the lock over.
    """
    path = context.home.attempt_lock(attempt.job_id, attempt.attempt)
    deadline, pause = context.clock.monotonic() + within, _LOOK
    who = identity_of(attempt)
    if who is not None and lock.probe(path) is not Grip.FREE:
        _kill(who)
    while lock.probe(path) is not Grip.FREE:
        holders = _holders(context, attempt)
        for one in _own(context, attempt, holders):
            _kill(one)
        if context.clock.monotonic() > deadline:
            return holders
        context.clock.sleep(pause)
        pause = min(2 * pause, _LONGEST)
        attempt = _as_recorded(context, attempt)
    return []


def fence_clusters(context: Context, tasks: Iterable[TaskRow], attempt: int) -> None:
    """Let no attempt before ``attempt`` start anything in the clusters that ``tasks`` name.

    Also where none exists yet: one that cannot be ended may be about to make it.
    """
    for task in tasks:
        if task.cluster is not None and task.has_cluster:
            try:
                context.backend().adopt(task.cluster, attempt)
            except JobschedError as error:
                log.warning("cluster %s is not fenced: %s", task.cluster, error)


def _holders(context: Context, attempt: AttemptRow) -> list[int]:
    return process.holders(context.home.attempt_lock(attempt.job_id, attempt.attempt))


def _own(context: Context, attempt: AttemptRow, pids: Iterable[int]) -> list[Identity]:
    """Those of ``pids`` that are the attempt's, but for the caller."""
    leader = identity_of(attempt)
    found = [process.identify(pid) for pid in pids if pid != os.getpid()]
    return [
        one for one in found if one is not None and is_of(context.home, attempt, leader, one.pid)
    ]


def _as_recorded(context: Context, attempt: AttemptRow) -> AttemptRow:
    """The attempt now: who its process is may be known only after that has begun."""
    if attempt.pid is None:
        with suppress(StoreError), context.db.read() as tx:
            return reads.attempt(tx, attempt.job_id, attempt.attempt) or attempt
    return attempt


def _ask(who: Identity) -> bool:
    if not process.signal(who, signal.SIGTERM):
        return False
    process.signal(who, signal.SIGCONT)
    return True


def _kill(who: Identity) -> None:
    """SIGKILL, to anybody but ourselves."""
    if who.pid != os.getpid():
        process.signal(who, signal.SIGKILL)
