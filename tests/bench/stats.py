"""Medians, quantiles and spreads: arithmetic alone, so that it can be tested."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple


class Spread(NamedTuple):
    """What several repeats have given."""

    median: float
    least: float
    most: float
    repeats: int


def spread(values: Sequence[float]) -> Spread | None:
    """The median and the extremes; ``None`` of nothing."""
    if not values:
        return None
    return Spread(statistics.median(values), min(values), max(values), len(values))


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of ``values`` lie, between two of them by a straight line.

    Raises ``ValueError`` of nothing.
    """
    if not values:
        raise ValueError("nothing has no quantiles")
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(values: Sequence[float]) -> float:
    """The quantile of a half."""
    return quantile(values, 0.5)


def ratios(upper: Sequence[float], lower: Sequence[float]) -> list[float]:
    """Of each repeat that has both: how often ``lower`` goes into ``upper``."""
    return [above / below for above, below in zip(upper, lower, strict=False) if below]


def shown(value: float) -> str:
    """A number with three digits that count, thousands marked."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
