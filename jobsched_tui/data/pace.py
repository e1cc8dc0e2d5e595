"""How often something dear is done: as often as wanted, but never more than a part of the time.

Owns that arithmetic alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Self

#: Times of what it took that it rests: at most a twentieth of a core goes into any one thing.
_REST: Final = 20.0


class Pace:
    """One thing's pace: use it as a context around the thing, when :meth:`is_due`.

    ``every``: seconds between two times by itself.
    """

    def __init__(self, monotonic: Callable[[], float], every: float) -> None:
        self._monotonic, self._every = monotonic, every
        self._began = self._due = self._rested = monotonic()

    def is_due(self) -> bool:
        """Whether it is time."""
        return self._monotonic() >= self._due

    def hurry(self) -> None:
        """Do it as soon as it has rested, not only when its time has come."""
        self._due = min(self._due, self._rested)

    def __enter__(self) -> Self:
        self._began = self._monotonic()
        return self

    def __exit__(self, *error: object) -> None:
        now = self._monotonic()
        self._rested = now + _REST * (now - self._began)
        self._due = max(self._rested, now + self._every)


class Allowance:
    """A few at once, and then only so many a second."""

    def __init__(self, monotonic: Callable[[], float], *, each_second: float, most: int) -> None:
        self._monotonic = monotonic
        self._gap, self._saved = 1 / each_second, (most - 1) / each_second
        self._next = monotonic() - self._saved

    def spend(self) -> None:
        """One was used, allowed or not."""
        self._next = max(self._next, self._monotonic() - self._saved) + self._gap

    def wait(self) -> float:
        """Seconds until the next one is allowed; 0: now."""
        return max(0.0, self._next - self._monotonic())
