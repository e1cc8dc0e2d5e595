"""What a measurement is, and the rows of the table that it fills.

Owns these shapes; the measurements themselves lie in ``measures``, one module each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tests.bench.goals import Goal
from tests.bench.site import Bench

#: Numbers by the keys of rows. Keys that no row has are kept beside the table.
Numbers: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Row:
    """One number."""

    key: str
    what: str
    unit: str
    #: ``None``: shown, and not judged.
    goal: Goal | None = None
    #: What the reference has reached in the same unit when it was measured alone.
    recorded: float | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """One measurement: ``once`` is one repeat of it, in homes of its own."""

    name: str
    once: Callable[[Bench], Numbers]
    rows: tuple[Row, ...]
    #: Names of the runs of the reference that are made beside each repeat.
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Curve:
    """How something grows: ``points`` is measured once, and gives numbers by name, point by point.

    So that those which were measured remain where a further one fails.
    """

    name: str
    points: Callable[[Bench], Iterator[dict[str, float]]]
