"""What a command leaves behind it: a schedule that is up to date, and somebody to finish the rest.

Owns that no command waits for the end of processes which it was not told to wait for. To end a job
that has no controller may take its grace, and its callbacks a minute each. A command that did it
would be ended by a Ctrl-C, and the next one begin anew, with another SIGTERM. So it is left to
whoever ticks; where nobody does, to an attendant that stays until it is done.
"""

from __future__ import annotations

import logging

from jobsched import lock
from jobsched.context import Context
from jobsched.errors import LockTimeout, StoreError
from jobsched.lock import Grip
from jobsched.scheduler import office
from jobsched.scheduler.outcome import Change
from jobsched.scheduler.passes import run_pass
from jobsched.store import reads
from jobsched.store.rows import JobRow
from jobsched.store.tx import Tx
from jobsched.sweep.liveness import liveness

log = logging.getLogger(__name__)


def follow_up(context: Context) -> None:
    """Run a pass after a change that is committed: what keeps it from running undoes nothing.

    Whoever makes the next pass does what this one could not.
    """
    _follow(context, None)


def carry_through(context: Context, change: Change) -> None:
    """Make ``change`` in the transaction of the pass that follows from it.

    What keeps the change from being made, and from being as durable as it asks for, is raised; what
    goes wrong after that is as in :func:`follow_up`.
    """
    _follow(context, change)


def _follow(context: Context, change: Change | None) -> None:
    try:
        run_pass(context, settling=False, change=change)
        if office.shows_life(context):
            return
        is_needed = bool(endings(context)) and not office.is_filled(context)
    except (StoreError, LockTimeout) as error:
        if change is not None and not change.is_kept:
            raise
        log.warning("what was asked is stored, but no scheduling pass could be made: %s", error)
        return
    if is_needed and context.starter is not None:
        try:
            context.starter.leave_attendant()
        except OSError as error:
            log.warning("nobody could be left behind to end jobs: %s", error)


def endings(context: Context) -> list[int]:
    """Ids of jobs that are to be ended and have no controller that could do it."""
    with context.db.read() as tx:
        waiting = [job.job_id for job in reads.unsettled(tx)]
        alive = reads.ending_jobs(tx)
        return waiting + [job.job_id for job in alive if _is_forsaken(context, tx, job)]


def _is_forsaken(context: Context, tx: Tx, job: JobRow) -> bool:
    if lock.probe(context.home.attempt_lock(job.job_id, job.attempt)) is Grip.FREE:
        return True
    attempt = reads.attempt(tx, job.job_id, job.attempt)
    return liveness(context, job, attempt).stopped is not None
