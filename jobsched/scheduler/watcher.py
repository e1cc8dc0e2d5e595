"""The living controllers as the one who ticks sees them: descriptors of their deaths, late stops.

Owns which processes are watched and when a cancelled job's controller has had its time.
"""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from typing import Final

from jobsched import process, wake
from jobsched.context import Context
from jobsched.scheduler.ending import send_stop
from jobsched.states import ScheduleState
from jobsched.store import reads
from jobsched.store.rows import AttemptRow, JobRow
from jobsched.sweep.callbacks import telling_seconds
from jobsched.sweep.fence import end_attempt, identity_of
from jobsched.sweep.liveness import liveness

#: Seconds that a controller which was stopped by a signal gets to go on, once its job is cancelled:
#: with the time between two looks that makes two seconds in the middle.
_STOPPED_SECONDS: Final = 1.0
#: Seconds beyond twice the grace that our own controller gets to end a cancelled job.
_OWN_MARGIN: Final = 10.0
#: Descriptors where the system sets no limit.
_UNBOUNDED: Final = 1_000_000


class Watcher:
    """Watches all living controllers of a home; not thread-safe."""

    def __init__(self, context: Context, most: int | None = None) -> None:
        """``most``: descriptors to use; by default half of what this process may have open."""
        self._context = context
        self._most = _most_descriptors() if most is None else most
        self._watched: dict[tuple[int, int], int] = {}
        #: Jobs whose controllers cannot be watched: it is not known yet who they are, or there are
        #: too many. Each pass looks at them.
        self._unknown: set[int] = set()
        self._dead: set[tuple[int, int]] = set()
        self._seen: tuple[int, int] | None = None

    def descriptors(self) -> list[int]:
        """One for each controller that can be watched: readable when it has died."""
        return list(self._watched.values())

    def suspects(self) -> set[int]:
        """Jobs whose controllers have died, or may have without our hearing of it."""
        return self._unknown | {job_id for job_id, _ in self._readable()}

    def refresh(self) -> None:
        """Watch those that live now, and none other. Costs next to nothing where none changed."""
        gone = self._old_news()
        generation = self._context.db.generation()
        if generation == self._seen and not gone:
            return
        self._seen = generation
        with self._context.db.read() as tx:
            alive = reads.alive_attempts(tx)
        present = {(attempt.job_id, attempt.attempt): attempt for attempt in alive}
        for key in (self._watched.keys() - present.keys()) | gone:
            os.close(self._watched.pop(key))
        self._unknown = set()
        for key in present.keys() - self._watched.keys():
            is_room = len(self._watched) < self._most
            who = identity_of(present[key]) if is_room else None
            descriptor = None if who is None else process.pidfd(who)
            if descriptor is None:
                self._unknown.add(key[0])
            else:
                self._watched[key] = descriptor

    def _readable(self) -> set[tuple[int, int]]:
        readable = set(wake.wait(self._watched.values(), 0.0))
        return {key for key, descriptor in self._watched.items() if descriptor in readable}

    def _old_news(self) -> set[tuple[int, int]]:
        """Those that were dead at the last look already: ending a job may take long, and may wait.

        Not those that are dead for the first time: the pass before may have come too early for it.
        """
        dead = self._readable()
        old, self._dead = self._dead & dead, dead
        return old

    def press_cancels(self) -> None:
        """End the controllers of cancelled jobs that have not stopped in time, or that cannot.

        Before a pass: that settles their jobs, and one that was stopped may hold the lock it needs.
        """
        for job, attempt in self._cancelled():
            if attempt.kind == "COMMAND" and attempt.stop_sent_at is None:
                send_stop(self._context, attempt)
            elif self._is_stopped(job, attempt) or self._is_overdue(job, attempt):
                end_attempt(self._context, attempt, within=1.0)

    def remind(self) -> None:
        """Wake whoever has a slot or is to end, should the message that said so have been lost.

        Its sender may have died between the commit and the message.
        """
        with self._context.db.read() as tx:
            alive = reads.alive_jobs(tx)
        for job in alive:
            if job.cancel_at is not None or job.schedule_state is ScheduleState.LAUNCHING:
                with suppress(OSError):
                    wake.notify(self._context.home.wake_fifo(job.job_id, job.attempt))

    def close(self) -> None:
        """Watch nobody any more."""
        for descriptor in self._watched.values():
            os.close(descriptor)
        self._watched.clear()

    def _is_stopped(self, job: JobRow, attempt: AttemptRow) -> bool:
        """Whether it cannot hear of the cancel, and has not come back in the time given for that.

        One of the user's own was sent SIGCONT with its SIGTERM.
        """
        pending = self._context.clock.now() - (job.cancel_at or 0.0)
        if attempt.kind == "COMMAND" or pending < _STOPPED_SECONDS:
            return False
        return liveness(self._context, job, attempt).stopped is not None

    def _is_overdue(self, job: JobRow, attempt: AttemptRow) -> bool:
        grace = self._context.config.backend.stop_grace_seconds
        if attempt.kind != "COMMAND":
            grace = 2 * grace + _OWN_MARGIN
        since = max(job.cancel_at or 0.0, attempt.stop_sent_at or 0.0, attempt.started_at)
        late = self._context.clock.now() - since - grace
        if late <= 0 or attempt.kind == "COMMAND":
            return late > 0
        return late > telling_seconds(self._context, job)  # it may have ended all, and only tell

    def _cancelled(self) -> list[tuple[JobRow, AttemptRow]]:
        """Alive jobs with a cancel request, and their controllers."""
        with self._context.db.read() as tx:
            return [
                (job, attempt)
                for job in reads.ending_jobs(tx)
                if job.cancel_at is not None
                and (attempt := reads.attempt(tx, job.job_id, job.attempt)) is not None
            ]


def _most_descriptors() -> int:
    """Half of what this process may have open: it needs some for other things."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _UNBOUNDED if soft == resource.RLIM_INFINITY else soft // 2
