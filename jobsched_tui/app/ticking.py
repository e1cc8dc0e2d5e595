"""The console's part in the promise that slots of the dead are free within seconds.

Owns how often a scheduling pass is run while the console is open. Every pass begins by taking back
what the dead left; where a controller lives, its own ticking has done so before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from jobsched.api import Scheduler
from jobsched.errors import JobschedError

#: Seconds between passes: less than the five in which slots are to be free again.
_EVERY: Final = 4.0


class Ticking:
    """Passes over one home, in a thread of their own. ``is_due``: whether one could do anything."""

    def __init__(self, door: Scheduler, is_due: Callable[[], bool]) -> None:
        self._door, self._is_due = door, is_due
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticking", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; waits for a pass under way, a moment."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_EVERY)

    def _run(self) -> None:
        while not self._stopping.wait(_EVERY):
            if self._is_due():
                # What keeps a pass from running keeps frames from being read, and they say so.
                with suppress(JobschedError, OSError):
                    self._door.maybe_schedule_next_jobs()
