"""A controller goes on when the store cannot be written for a while."""

from __future__ import annotations

import pytest

from jobsched.errors import LockTimeout, StoreError
from jobsched.scheduler.patience import patiently


class Clock:
    """A clock that only notes how long one slept."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> float:
        """Never."""
        return 0.0

    def monotonic(self) -> float:
        """Never."""
        return 0.0

    def sleep(self, seconds: float) -> None:
        """Note it."""
        self.slept.append(seconds)


def test_what_passes_is_tried_again() -> None:
    """A full disk and a held lock are waited out, with growing pauses."""
    clock = Clock()
    troubles = [StoreError("full", passes=True), LockTimeout("lock", 1.0)] * 4

    def act() -> str:
        if troubles:
            raise troubles.pop()
        return "done"

    assert patiently(clock, act) == "done"
    assert clock.slept == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]


def test_what_stays_is_raised() -> None:
    """A database of a newer version does not become older by waiting."""
    clock = Clock()

    def act() -> None:
        raise StoreError("newer")

    with pytest.raises(StoreError, match="newer"):
        patiently(clock, act)
    assert clock.slept == []
