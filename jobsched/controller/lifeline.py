"""A controller's links to the nursery that forked it: who ticks, and how far the controller is.

Owns the moment from which on a controller ticks itself: once the nursery is gone. One that ticks
has a thread more, and wakes now and then; hundreds that wait for their slots or tasks are to cost
nothing. A nursery that is told how far its controllers are has only so many begin at once.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple

from jobsched import wake
from jobsched.context import Context
from jobsched.scheduler.ticker import Ticker


class Links(NamedTuple):
    """Descriptors that a controller has from the nursery."""

    #: Reads end-of-file once that is gone.
    lifeline: int
    #: Where a controller that has begun writes its PID, in four bytes.
    begun: int


class Lifeline:
    """``links``: to the nursery; ``None``: there is none."""

    def __init__(self, links: Links | None, context: Context) -> None:
        self._links, self._context = links, context
        self._is_beginning = True
        self._ticker = Ticker(context).start() if links is None else None

    def descriptors(self) -> list[int]:
        """What to wait on; readable when there is something to :meth:`look` at."""
        return [] if self._links is None else [self._links.lifeline]

    def look(self) -> None:
        """Begin to tick if the nursery is gone."""
        if self._links is not None and wake.wait([self._links.lifeline], 0.0):
            for descriptor in self._links:
                os.close(descriptor)
            self._links = None
            self._ticker = Ticker(self._context).start()

    def has_begun(self) -> None:
        """Say, once, that what this controller does now is to wait."""
        if self._links is not None and self._is_beginning:
            self._is_beginning = False
            with suppress(OSError):  # it is gone, or has no time: it does not need to know
                os.write(self._links.begun, os.getpid().to_bytes(4))

    def close(self) -> None:
        """Let others tick."""
        if self._ticker is not None:
            self._ticker.stop()
