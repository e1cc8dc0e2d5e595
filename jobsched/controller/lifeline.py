"""Who ticks for a controller: the nursery that forked it, or, once that is gone, itself.

Owns the moment of the change. A controller that ticks has a thread more, and wakes now and then;
hundreds that wait for their slots or tasks are to cost nothing.
"""

from __future__ import annotations

import os

from jobsched import wake
from jobsched.context import Context
from jobsched.scheduler.ticker import Ticker


class Lifeline:
    """``descriptor`` reads end-of-file once the nursery is gone; ``None``: there is none."""

    def __init__(self, descriptor: int | None, context: Context) -> None:
        self._descriptor, self._context = descriptor, context
        self._ticker = Ticker(context).start() if descriptor is None else None

    def descriptors(self) -> list[int]:
        """What to wait on; readable when there is something to :meth:`look` at."""
        return [] if self._descriptor is None else [self._descriptor]

    def look(self) -> None:
        """Begin to tick if the nursery is gone."""
        if self._descriptor is not None and wake.wait([self._descriptor], 0.0):
            os.close(self._descriptor)
            self._descriptor = None
            self._ticker = Ticker(self._context).start()

    def close(self) -> None:
        """Let others tick."""
        if self._ticker is not None:
            self._ticker.stop()
