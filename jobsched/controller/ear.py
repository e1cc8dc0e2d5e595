"""How a controller with a single thread waits: for its task, and for all else that concerns it.

Owns the duties of such a wait: messages, the nursery's life, the length of logs. Most controllers
drive one task at a time. A second thread would only wait beside the first, and cost them a tenth of
their memory; so the one that drives the task hears of everything itself, also between two steps of
a launch, by asking whether it is to :class:`Stop`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from jobsched import wake
from jobsched.clock import Clock
from jobsched.controller.lifeline import Lifeline
from jobsched.logfiles.trim import Trimmer
from jobsched.wake import Inbox

#: Seconds between looks at the logs of a task that runs: it may flood them.
LOOK_SECONDS: Final = 10.0
#: Seconds after which whoever waits looks at the database, even if nobody wrote: but a net.
LONGEST_SECONDS: Final = 60.0

#: Ends this process, having another wait for these descriptors, at most so many seconds.
Rest: TypeAlias = Callable[[Sequence[int], float | None], None]


class Ear:
    """One thread's way to hear of everything."""

    def __init__(
        self, inbox: Inbox, lifeline: Lifeline, trimmer: Trimmer, clock: Clock,
        *, rest: Rest, patience: float,
    ) -> None:  # fmt: skip
        """``rest`` is called after ``patience`` seconds without news."""
        self._inbox, self._lifeline, self._trimmer = inbox, lifeline, trimmer
        self._clock, self._rest, self._patience = clock, rest, patience
        self._quiet_since = clock.monotonic()

    def wait(self, seconds: float | None, descriptors: Iterable[int] = ()) -> None:
        """Wait for a message, until one of ``descriptors`` is readable, or so many seconds.

        ``None``: until there is news, but for a look now and then.
        """
        self._lifeline.has_begun()
        wanted = list(descriptors)
        most = LONGEST_SECONDS if seconds is None else min(seconds, LONGEST_SECONDS)
        began = self._clock.monotonic()
        while True:
            now = self._clock.monotonic()
            left = max(0.0, began + most - now)
            heard = [self._inbox.fileno(), *self._lifeline.descriptors(), *wanted]
            ready = wake.wait(heard, min(left, LOOK_SECONDS, self._patience))
            self._lifeline.look()
            self._trimmer.look()
            if self._inbox.drain() or not set(wanted).isdisjoint(ready):
                self._quiet_since = now
                return
            if not left:
                return
            self._may_rest(wanted, None if seconds is None else began + seconds)

    def _may_rest(self, wanted: Sequence[int], until: float | None) -> None:
        """Rest if there has been nothing for long, nor will be; not while this process ticks."""
        now = self._clock.monotonic()
        left = None if until is None else until - now
        is_long = left is None or left > self._patience
        if is_long and now - self._quiet_since >= self._patience and self._lifeline.descriptors():
            self._quiet_since = now  # not again for as long, where it cannot
            self._rest(wanted, left)

    def wait_for_message(self) -> None:
        """Wait until there may be one."""
        self.wait(None)

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
