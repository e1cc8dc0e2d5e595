"""The thread of a controller that tells its tasks' callbacks what has changed.

Owns that telling goes on while the job does, whatever goes wrong with it, and that it keeps no job
from being DONE for good.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Final, Protocol

from jobsched.clock import Clock, SystemClock
from jobsched.errors import NotFound, StaleAttempt
from jobsched.scheduler.patience import patiently

log = logging.getLogger(__name__)

#: Seconds before another try after an error that nobody expects, and tries until more news.
_PAUSE: Final = 1.0
_TRIES: Final = 5


class Told(Protocol):
    """What can be told; the real one is ``sweep.callbacks.Callbacks``."""

    def catch_up(self) -> None:
        """Tell what has not been told yet."""
        ...


class CallbackThread:
    """Runs the callbacks of a job's tasks beside them, one after the other."""

    def __init__(self, callbacks: Sequence[Told], clock: Clock | None = None) -> None:
        self._callbacks, self._clock = callbacks, clock or SystemClock()
        self._news, self._ending = threading.Event(), threading.Event()
        self._news.set()  # the controller before this one may not have told all
        self._thread = threading.Thread(target=self._run, name="callbacks", daemon=True)
        self._thread.start()

    def tell(self) -> None:
        """Something has changed."""
        self._news.set()

    def finish(self) -> None:
        """Return when all that was committed has been told, or cannot be."""
        self._ending.set()
        self._news.set()
        self._thread.join()

    def _run(self) -> None:
        ending = False
        while not ending:
            self._news.wait()
            self._news.clear()
            ending = self._ending.is_set()
            for one in self._callbacks:
                self._catch_up(one)

    def _catch_up(self, one: Told) -> None:
        """Wait for the store as the tasks do; of other errors the next news gives another try."""
        for _ in range(_TRIES):
            try:
                return patiently(self._clock, one.catch_up)
            except (StaleAttempt, NotFound):
                return None  # the main thread will notice, too
            except Exception:  # whatever it is, it must end neither the thread nor the job
                log.exception("an event_callback could not be told; trying again")
            self._clock.sleep(_PAUSE)
        return None
