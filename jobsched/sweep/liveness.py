"""Whether a job's controller lives: the lock says so, the process table says who.

Owns the three answers. Where it cannot be told the answer is ``None``, and nothing is destroyed.
"""

from __future__ import annotations

from dataclasses import dataclass

from jobsched import lock, process
from jobsched.context import Context
from jobsched.lock import Grip
from jobsched.process import Identity
from jobsched.store.rows import AttemptRow, JobRow
from jobsched.sweep.fence import identity_of


@dataclass(frozen=True, slots=True)
class Liveness:
    """Whether the newest controller of a job lives."""

    #: ``None``: it cannot be told.
    alive: bool | None
    #: For ``None``: PIDs that hold the lock of an attempt whose own process has ended.
    holders: tuple[int, ...] = ()
    #: Its PID where it lives but was stopped by a signal: it does nothing, and hears of nothing.
    stopped: int | None = None


def liveness(context: Context, job: JobRow, attempt: AttemptRow | None) -> Liveness:
    """Look now. ``attempt``: the newest that was a controller's."""
    if attempt is None:
        return Liveness(alive=False)
    path = context.home.attempt_lock(job.job_id, attempt.attempt)
    match lock.probe(path):
        case Grip.FREE:
            return Liveness(alive=False)
        case Grip.UNKNOWN:
            return Liveness(alive=None)
        case Grip.HELD:
            who = identity_of(attempt)
            if who is None or process.is_same(who) is not False:
                return Liveness(alive=True, stopped=_stopped(who))
            holders = tuple(process.holders(path))
            # It may have ended, lock and all, between the two looks.
            is_free = lock.probe(path) is Grip.FREE
            return Liveness(alive=False) if is_free else Liveness(alive=None, holders=holders)


def _stopped(who: Identity | None) -> int | None:
    is_stopped = who is not None and process.is_same(who) and process.is_stopped(who.pid)
    return who.pid if who is not None and is_stopped else None
