"""The thread of a controller that tells its tasks' callbacks what has changed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress

from jobsched.errors import StaleAttempt
from jobsched.sweep.callbacks import Callbacks


class CallbackThread:
    """Runs the callbacks of a job's tasks beside them, one after the other."""

    def __init__(self, callbacks: Sequence[Callbacks]) -> None:
        self._callbacks = callbacks
        self._news, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="callbacks", daemon=True)
        self._thread.start()

    def tell(self) -> None:
        """Something has changed."""
        self._news.set()

    def finish(self) -> None:
        """Return when all that was committed has been told."""
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
                with suppress(StaleAttempt):  # the main thread will notice, too
                    one.catch_up()
