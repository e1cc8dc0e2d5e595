"""What a number has to reach: at most so much, at least so much, or so many times the reference.

Owns the judgement and its wording.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tests.bench.stats import shown


class Kind(Enum):
    """How the bound is meant."""

    AT_MOST = "<="
    AT_LEAST = ">="
    #: At least so many times what the reference has reached.
    TIMES = "x"
    #: At most such a part of what the reference takes.
    PART = "1/"


@dataclass(frozen=True, slots=True)
class Goal:
    """One bound. ``aim``: what would be good beyond it, never judged."""

    kind: Kind
    bound: float
    aim: float | None = None

    def is_reached(self, value: float, factor: float | None) -> bool | None:
        """Whether ``value``, ``factor`` times better than the reference, will do.

        ``None`` where that hangs on a reference that is not there.
        """
        if self.kind is Kind.AT_MOST:
            return value <= self.bound
        if self.kind is Kind.AT_LEAST:
            return value >= self.bound
        return None if factor is None else factor >= self.bound

    @property
    def more_is_better(self) -> bool:
        """Whether a larger number is the better one."""
        return self.kind not in (Kind.AT_MOST, Kind.PART)

    def __str__(self) -> str:
        aim = "" if self.aim is None else f", aim {shown(self.aim)}"
        if self.kind is Kind.TIMES:
            return f"{shown(self.bound)} x the reference{aim}"
        if self.kind is Kind.PART:
            return f"1/{shown(self.bound)} of the reference{aim}"
        return f"{self.kind.value} {shown(self.bound)}{aim}"


def at_most(bound: float, aim: float | None = None) -> Goal:
    """No more than that."""
    return Goal(Kind.AT_MOST, bound, aim)


def at_least(bound: float, aim: float | None = None) -> Goal:
    """No less than that."""
    return Goal(Kind.AT_LEAST, bound, aim)


def part(bound: float, aim: float | None = None) -> Goal:
    """At most one ``bound``-th of what the reference takes."""
    return Goal(Kind.PART, bound, aim)


def times(bound: float, aim: float | None = None) -> Goal:
    """So many times the reference."""
    return Goal(Kind.TIMES, bound, aim)
