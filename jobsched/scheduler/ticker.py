"""The tick: one process, of all that live long, watches for deaths and sweeps now and then.

Owns the election (whoever gets ``tick.lock``), what the holder watches and how often it sweeps. Any
process that may write and lives long makes a :class:`Ticker` and calls it from its own wait; losing
the holder costs at most :data:`SWEEP_SECONDS`.
"""

from __future__ import annotations

import logging
import os
import threading
from typing import Final, Self

from jobsched import lock, process, wake
from jobsched.context import Context
from jobsched.errors import JobschedError
from jobsched.scheduler.ending import send_stop
from jobsched.scheduler.passes import run_pass
from jobsched.store import reads
from jobsched.store.rows import AttemptRow, JobRow
from jobsched.sweep.fence import end_attempt, identity_of
from jobsched.sweep.orphans import Removed, remove_orphans

log = logging.getLogger(__name__)

#: Seconds between looks of the holder, and between tries of the others to become it.
SWEEP_SECONDS: Final = 2.0
#: Seconds between searches for orphan clusters.
_ORPHAN_SECONDS: Final = 30.0
#: Seconds beyond twice the grace that our own controller gets to end a cancelled job.
_OWN_MARGIN: Final = 10.0
#: Seconds that an ending process waits for a sweep of its own to finish.
_STOP_SECONDS: Final = 5.0


class Ticker:
    """One process's part in ticking, in a thread of its own: :meth:`start` it, and :meth:`stop` it.

    Those that do not hold the lock sleep in the kernel's queue for it and cost nothing.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._watched: dict[tuple[int, int], int] = {}
        self._due = self._orphans_due = 0.0
        self._stop_read, self._stop_write = os.pipe()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)

    def start(self) -> Self:
        """Begin to contend for the lock."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Let another process tick; waits for a sweep under way."""
        self._stopping = True
        os.write(self._stop_write, b"!")
        self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        """Wait for the lock, then tick until stopped."""
        descriptor = lock.wait_for(self._context.home.tick_lock)
        try:
            while not self._stopping:
                self._guarded_tick()
                left = max(0.0, self._due - self._context.clock.monotonic())
                wake.wait([self._stop_read, *self._watched.values()], left)
        finally:
            for watched in self._watched.values():
                os.close(watched)
            os.close(descriptor)

    def _guarded_tick(self) -> None:
        """A sweep that failed (a full disk, a held lock) is tried again at the next tick."""
        try:
            self.tick()
        except JobschedError as error:
            log.warning("sweep failed: %s", error)

    def tick(self) -> None:
        """Sweep once, now."""
        now = self._context.clock.monotonic()
        self._due = now + SWEEP_SECONDS
        run_pass(self._context, settling=True)
        self._press_cancels()
        self._watch()
        self._bring_forward()
        if now >= self._orphans_due:
            self._orphans_due = now + _ORPHAN_SECONDS
            remove_orphans(self._context)

    def _press_cancels(self) -> None:
        """Ask controllers of cancelled jobs to stop; those that do not in time are ended."""
        for job, attempt in self._alive():
            if job.cancel_at is None:
                continue
            grace = self._context.config.backend.stop_grace_seconds
            if attempt.kind != "COMMAND":
                grace = 2 * grace + _OWN_MARGIN
            elif attempt.stop_sent_at is None:
                send_stop(self._context, attempt)
                continue
            since = max(job.cancel_at, attempt.stop_sent_at or 0.0, attempt.started_at)
            if self._context.clock.now() - since > grace:
                end_attempt(self._context, attempt, within=1.0)
                self._due = 0.0

    def _watch(self) -> None:
        """Hold a descriptor of every living controller, and of none other."""
        alive = {(job.job_id, job.attempt): attempt for job, attempt in self._alive()}
        for key in self._watched.keys() - alive.keys():
            os.close(self._watched.pop(key))
        for key in alive.keys() - self._watched.keys():
            who = identity_of(alive[key])
            descriptor = None if who is None else process.pidfd(who)
            if descriptor is not None:
                self._watched[key] = descriptor

    def _bring_forward(self) -> None:
        """Be back in time for the next start that was put off."""
        now = self._context.clock.now()
        with self._context.db.read() as tx:
            due = reads.next_due(tx, now)
        if due is not None:
            self._due = min(self._due, self._context.clock.monotonic() + max(0.0, due - now))

    def _alive(self) -> list[tuple[JobRow, AttemptRow]]:
        with self._context.db.read() as tx:
            return [
                (job, attempt)
                for job in reads.alive_jobs(tx)
                if (attempt := reads.attempt(tx, job.job_id, job.attempt)) is not None
            ]


def sweep(context: Context) -> list[Removed]:
    """Everything that a tick does, at once, whoever else ticks; what was removed."""
    run_pass(context, settling=True)
    removed = remove_orphans(context)
    run_pass(context, settling=True)
    return removed


