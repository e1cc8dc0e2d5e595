"""The living controllers as the one who ticks sees them: descriptors of their deaths, late stops.

Owns which processes are watched and when a cancelled job's controller has had its time.
"""

from __future__ import annotations

import os
from typing import Final

from jobsched import process
from jobsched.context import Context
from jobsched.scheduler.ending import send_stop
from jobsched.store import reads
from jobsched.store.rows import AttemptRow, JobRow
from jobsched.sweep.fence import end_attempt, identity_of

#: Seconds beyond twice the grace that our own controller gets to end a cancelled job.
_OWN_MARGIN: Final = 10.0


class Watcher:
    """Watches all living controllers of a home; not thread-safe."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._watched: dict[tuple[int, int], int] = {}

    def descriptors(self) -> list[int]:
        """One for each controller that can be watched: readable when it has died."""
        return list(self._watched.values())

    def refresh(self) -> None:
        """Watch those that live now, and none other; end those that overstay a cancel."""
        alive = self._alive()
        self._press(alive)
        present = {(job.job_id, job.attempt): attempt for job, attempt in alive}
        for key in self._watched.keys() - present.keys():
            os.close(self._watched.pop(key))
        for key in present.keys() - self._watched.keys():
            who = identity_of(present[key])
            descriptor = None if who is None else process.pidfd(who)
            if descriptor is not None:
                self._watched[key] = descriptor

    def press_cancels(self) -> None:
        """End the controllers of cancelled jobs that have not stopped in time."""
        self._press(self._alive())

    def close(self) -> None:
        """Watch nobody any more."""
        for descriptor in self._watched.values():
            os.close(descriptor)
        self._watched.clear()

    def _press(self, alive: list[tuple[JobRow, AttemptRow]]) -> None:
        for job, attempt in alive:
            if job.cancel_at is None:
                continue
            if attempt.kind == "COMMAND" and attempt.stop_sent_at is None:
                send_stop(self._context, attempt)
            elif self._is_overdue(job, attempt):
                end_attempt(self._context, attempt, within=1.0)

    def _is_overdue(self, job: JobRow, attempt: AttemptRow) -> bool:
        grace = self._context.config.backend.stop_grace_seconds
        if attempt.kind != "COMMAND":
            grace = 2 * grace + _OWN_MARGIN
        since = max(job.cancel_at or 0.0, attempt.stop_sent_at or 0.0, attempt.started_at)
        return self._context.clock.now() - since > grace

    def _alive(self) -> list[tuple[JobRow, AttemptRow]]:
        with self._context.db.read() as tx:
            return [
                (job, attempt)
                for job in reads.alive_jobs(tx)
                if (attempt := reads.attempt(tx, job.job_id, job.attempt)) is not None
            ]
