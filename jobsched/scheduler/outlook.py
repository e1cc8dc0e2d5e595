"""Whether a pass would change anything: asked of one moment, without the scheduler lock.

Owns that a pass with nothing to do costs a few reads and keeps nobody waiting. As good as the pass
itself: whatever comes after the moment that was looked at, its author's own pass sees. Changes
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from jobsched import lock
from jobsched.context import Context
from jobsched.lock import Grip
from jobsched.scheduler.pick import restarts_allowed, starts_allowed
from jobsched.store import limits, reads
from jobsched.store.tx import Tx
from jobsched.sweep.reap import suspected


def is_quiet(context: Context, suspects: Iterable[int] | None) -> bool:
    """Whether a pass made now would find nothing to do.

    ``suspects``: whose controllers it would look at; ``None``: all.
    """
    if context.db.needs_checkpoint():
        return False
    with context.db.read() as tx:
        return not (_moves_any(context, tx) or _finds_dead(context, tx, suspects))


def _moves_any(context: Context, tx: Tx) -> bool:
    """Whether a limit is out of date, or a job is to be ended or next: asked as a pass asks."""
    now = context.clock.now()
    in_force = reads.current_limits(tx)
    return bool(
        (in_force.is_auto and limits.outdated(in_force, context.auto_limits()))
        or reads.unsettled(tx)
        or reads.requeued(tx, now, 1)
        or reads.resumes(tx, min(1, in_force.launch_room))
        or reads.restarts(tx, now, min(1, restarts_allowed(in_force, requeued=0)))
        or reads.starts(tx, now, min(1, starts_allowed(in_force, requeued=0, resumed=0)))
    )


def _finds_dead(context: Context, tx: Tx, suspects: Iterable[int] | None) -> bool:
    return any(
        lock.probe(context.home.attempt_lock(job.job_id, job.attempt)) is Grip.FREE
        for job in suspected(tx, suspects)
    )
