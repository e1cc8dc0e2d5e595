"""When a task that is lost again and again, just after it began, has to pause. Pure.

A recovery that costs no budget follows at once, for it is rare. Where the cause stays (a place that
ends whatever is started there, a program that ends at once with an exit code that is to be
recovered from) that would be a busy loop for ever. What is remembered lives in memory: a controller
that takes over begins anew, which errs on the side of going on. The pause itself is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Self

#: A run that lasted so many seconds was no failed start.
SETTLED_SECONDS: Final = 10.0
#: Short runs in a row that are followed by another one at once.
AT_ONCE: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What is remembered of a task's runs. Times are monotonic seconds."""

    #: When the present run began; ``None``: unknown, so that it counts as a long one.
    began: float | None = None
    #: Runs in a row that were short.
    short_runs: int = 0

    def start(self, at: float) -> Self:
        """A run begins."""
        return replace(self, began=at)

    def end(self, at: float) -> Self:
        """The run is over."""
        is_short = self.began is not None and at - self.began < SETTLED_SECONDS
        return replace(self, began=None, short_runs=self.short_runs + 1 if is_short else 0)

    @property
    def pauses(self) -> int:
        """How many pauses in a row the next one makes; 0: none is due."""
        return max(0, self.short_runs - AT_ONCE)
