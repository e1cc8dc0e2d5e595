"""The tick: one process, of all that live long, watches for deaths and sweeps now and then.

Owns the election, what the one elected does and how often. Any process that may write and lives
long starts a :class:`Ticker`. Losing the one that ticks costs a few seconds, whether it dies or is
stopped.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, Self, TypeVar

from jobsched import lock, wake
from jobsched.context import Context
from jobsched.scheduler import candidacy, office
from jobsched.scheduler.aftercare import follow_up
from jobsched.scheduler.notes import Notes
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.surveyor import Surveyor
from jobsched.scheduler.watcher import Watcher
from jobsched.store import reads
from jobsched.sweep.litter import remove_needless, remove_old_logs
from jobsched.sweep.orphans import Removed, remove_orphans
from jobsched.sweep.settle import settle

log = logging.getLogger(__name__)
T = TypeVar("T")

#: Seconds between sweeps, and between the deputy's looks at whether somebody sweeps.
SWEEP_SECONDS: Final = 2.0
#: Seconds between looks at the lock of every controller, also of those that are watched.
_THOROUGH_SECONDS: Final = 10.0
#: Seconds between searches for orphan clusters.
_ORPHAN_SECONDS: Final = 30.0
#: Seconds between searches for logs that have been kept long enough.
_LOGS_SECONDS: Final = 3600.0
#: Looks without a sign of life after which the deputy sweeps in the holder's stead.
_PATIENCE: Final = 2
#: Jobs that are ended at the same time by one process.
_MOST_ENDINGS: Final = 16
#: Seconds that an ending process waits for a sweep of its own to finish.
_STOP_SECONDS: Final = 5.0


class Ticker:
    """One process's part in ticking, in a thread of its own: :meth:`start` it, and :meth:`stop` it.

    One process holds the tick lock and sweeps. A second, the deputy, looks whether it does, and
    sweeps while it does not (it may have been stopped). All others sleep in the kernel's queue for
    the deputy's lock and cost nothing.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._watcher = Watcher(context)
        self._notes = Notes(context)
        self._surveyor = Surveyor(context)
        self._endings: dict[int, threading.Thread] = {}
        #: The job whose end was tried last.
        self._tried = 0
        self._tidying: threading.Thread | None = None
        self._thorough_due = 0.0
        self._orphans_due = self._logs_due = context.clock.monotonic() + _ORPHAN_SECONDS
        self._read_end, self._write_end = os.pipe()
        #: Whoever uses the write end or closes it: what is closed may be another file by now.
        self._end_of_pipe = threading.Lock()
        self._stopping = threading.Event()
        self._left = threading.Event()

    def start(self) -> Self:
        """Begin to contend."""
        candidacy.stand(self._context.home.deputy_lock, self._serve)
        return self

    def stop(self) -> None:
        """Let another process tick; waits for a sweep under way. Once is enough, and for ever."""
        if self._stopping.is_set():
            return
        elected = not candidacy.withdraw(self._context.home.deputy_lock, self._serve)
        with self._end_of_pipe:
            self._stopping.set()
            if not self._left.is_set():
                os.write(self._write_end, b"!")
        if elected:
            self._left.wait(_STOP_SECONDS)
        else:
            self._leave()

    def tick(self) -> None:
        """Sweep once, now; what takes long goes on in threads of its own."""
        with suppress(OSError):
            os.utime(self._context.home.tick_lock)  # a sign of life for the deputy
        self._watcher.press_cancels()
        self._notes.look()
        self._surveyor.look()
        is_thorough = self._is_thorough()
        if is_thorough:
            self._watcher.remind()
        left = run_pass(
            self._context,
            settling=False,
            thorough=is_thorough,
            suspects=self._watcher.suspects(),
        )
        for job_id in self._in_turn(left):
            self._end(job_id)
        self._watcher.refresh()
        if self._context.clock.monotonic() >= self._orphans_due:
            self._orphans_due = self._context.clock.monotonic() + _ORPHAN_SECONDS
            self._tidying = self._beside(self._tidying, self._tidy)

    def _is_thorough(self) -> bool:
        """Whether it is time to look at every controller: who is watched has not died unnoticed."""
        now = self._context.clock.monotonic()
        if now < self._thorough_due:
            return False
        self._thorough_due = now + _THOROUGH_SECONDS
        return True

    def _serve(self, deputy: int) -> None:
        try:
            try:
                holder = self._wait_for_office()
            finally:
                os.close(deputy)
            if holder is not None:
                self._hold_office(holder)
        finally:
            self._leave()

    def _hold_office(self, holder: int) -> None:
        try:
            while not self._stopping.is_set():
                self._guarded(self.tick)
                wake.wait([self._read_end, *self._watcher.descriptors()], self._pause())
        finally:
            os.close(holder)

    def _leave(self) -> None:
        with self._end_of_pipe:
            if self._left.is_set():
                return
            self._watcher.close()
            os.close(self._read_end)
            os.close(self._write_end)
            self._left.set()

    def _wait_for_office(self) -> int | None:
        """As the deputy: the tick lock's descriptor once it is free, ``None`` when told to stop."""
        seen, silent = 0.0, 0
        while not self._stopping.is_set():
            holder = self._guarded(self._try_office)
            if holder is not None:
                return holder
            sign = self._sign_of_life()
            silent = 0 if sign != seen else silent + 1
            seen = sign
            if silent >= _PATIENCE or (silent and self._guarded(self._holder_is_stopped)):
                self._guarded(self.tick)
                seen = self._sign_of_life()
            wake.wait([self._read_end], SWEEP_SECONDS)
        return None

    def _try_office(self) -> int | None:
        return lock.try_lock(self._context.home.tick_lock)

    def _holder_is_stopped(self) -> bool:
        return office.is_held_by_stopped(self._context.home.tick_lock)

    def _sign_of_life(self) -> float:
        """When the tick lock was last touched; only whether it changes matters, not by how much."""
        with suppress(OSError):
            return self._context.home.tick_lock.stat().st_mtime
        return 0.0

    def _pause(self) -> float:
        """Until the next sweep, or the next start that was put off if that comes first."""
        now = self._context.clock.now()
        with suppress(Exception), self._context.db.read() as tx:  # the sweep will say what is wrong
            due = reads.next_due(tx, now)
            return SWEEP_SECONDS if due is None else max(0.0, min(SWEEP_SECONDS, due - now))
        return SWEEP_SECONDS

    def _guarded(self, action: Callable[[], T]) -> T | None:
        """Whatever fails (a full disk, a held lock) is tried again by the next sweep."""
        try:
            return action()
        except Exception as error:  # noqa: BLE001 -- nothing may end the thread that watches for deaths
            log.warning("sweep failed: %s", error)
            return None

    def _in_turn(self, job_ids: list[int]) -> list[int]:
        """Those after the one that was tried last, then the others.

        So that ends which fail again and again cannot keep any other from being tried.
        """
        return sorted(job_ids, key=lambda job_id: (job_id <= self._tried, job_id))

    def _end(self, job_id: int) -> None:
        """End a job that no controller drives; it may take as long as its processes do."""
        self._endings = {key: one for key, one in self._endings.items() if one.is_alive()}
        if job_id not in self._endings and len(self._endings) < _MOST_ENDINGS:
            self._tried = job_id
            self._endings[job_id] = self._beside(None, lambda: self._settle(job_id))

    def _settle(self, job_id: int) -> None:
        if settle(self._context, job_id):
            run_pass(self._context, settling=False)

    def _tidy(self) -> None:
        """Remove what nobody will ever need."""
        remove_needless(self._context)
        remove_orphans(self._context)
        if self._context.clock.monotonic() >= self._logs_due:
            self._logs_due = self._context.clock.monotonic() + _LOGS_SECONDS
            remove_old_logs(self._context)

    def _beside(
        self, running: threading.Thread | None, action: Callable[[], object]
    ) -> threading.Thread:
        """Run ``action`` in a thread, unless the last one still runs."""
        if running is not None and running.is_alive():
            return running
        thread = threading.Thread(target=self._guarded, args=(action,), daemon=True)
        thread.start()
        return thread


def ticking(context: Context, what: Iterator[T]) -> Iterator[T]:
    """The same as ``what``, ticking while it is iterated, where the home may be written."""
    ticker = Ticker(context).start() if os.access(context.home.root, os.W_OK) else None
    try:
        yield from what
    finally:
        if ticker is not None:
            ticker.stop()


def sweep(context: Context) -> list[Removed]:
    """Everything that ticking does, at once, whoever else ticks; the orphans that were removed."""
    Watcher(context).press_cancels()
    run_pass(context, settling=True, thorough=True)
    removed = remove_orphans(context)
    remove_needless(context)
    remove_old_logs(context)
    run_pass(context, settling=True)
    follow_up(context)
    return removed
