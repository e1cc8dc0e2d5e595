"""How a controller with a single thread waits: for its task, and for all else that concerns it.

Owns the duties of such a wait: messages, the nursery's life, the length of logs. Most controllers
drive one task at a time. A second thread would only wait beside the first, and cost them a tenth of
their memory; so the one that drives the task hears of everything itself, also between two steps of
a launch, by asking whether it is to :class:`Stop`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Final

from jobsched import wake
from jobsched.clock import Clock
from jobsched.controller.lifeline import Lifeline
from jobsched.logfiles.trim import Trimmer
from jobsched.wake import Inbox

#: Seconds between looks at the logs of a task that runs: it may flood them.
_LOOK_SECONDS: Final = 10.0
#: Seconds after which whoever waits looks at the database, even if nobody wrote: but a net.
_LONGEST_SECONDS: Final = 60.0


class Ear:
    """One thread's way to hear of everything."""

    def __init__(self, inbox: Inbox, lifeline: Lifeline, trimmer: Trimmer, clock: Clock) -> None:
        self._inbox, self._lifeline, self._trimmer = inbox, lifeline, trimmer
        self._clock = clock

    def wait(self, seconds: float | None, descriptors: Iterable[int] = ()) -> None:
        """Wait for a message, until one of ``descriptors`` is readable, or so many seconds."""
        wanted = list(descriptors)
        seconds = _LONGEST_SECONDS if seconds is None else min(seconds, _LONGEST_SECONDS)
        until = self._clock.monotonic() + seconds
        while True:
            left = max(0.0, until - self._clock.monotonic())
            heard = [self._inbox.fileno(), *self._lifeline.descriptors(), *wanted]
            ready = wake.wait(heard, min(left, _LOOK_SECONDS))
            self._lifeline.look()
            self._trimmer.look()
            if self._inbox.drain() or not left or not set(wanted).isdisjoint(ready):
                return

    def glance(self) -> bool:
        """Whether a message has come; for one who has no time to wait."""
        self._lifeline.look()
        return self._inbox.drain()


class Stop(threading.Event):
    """Whether what is under way is to end; asks for itself, since nobody else is there to set it.

    ``is_cancelled`` is called where a message has come.
    """

    def __init__(self, ear: Ear, is_cancelled: Callable[[], bool]) -> None:
        super().__init__()
        self._ear, self._is_cancelled = ear, is_cancelled

    def is_set(self) -> bool:
        """Ask now."""
        if not super().is_set() and self._ear.glance() and self._is_cancelled():
            self.set()
        return super().is_set()
