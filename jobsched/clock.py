"""Time, handed in: the only module that reads a clock or sleeps.

Wall time (Unix seconds) is for what is stored and shown; the monotonic clock is for measuring waits
inside one process, so that a step of the wall clock never ends or prolongs one.
"""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """What the rest of jobsched knows about time."""

    def now(self) -> float:
        """Wall time in Unix seconds."""
        ...

    def monotonic(self) -> float:
        """Seconds on a clock that never steps back; comparable inside one process only."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait ``seconds`` (nothing if not positive)."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now(self) -> float:
        """Wall time in Unix seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait ``seconds`` (nothing if not positive)."""
        if seconds > 0:
            time.sleep(seconds)
