"""What a run has found so far, and what of it is good enough.

Owns the collecting and the judging; prints nothing. Samples are kept by repeat, so that a repeat
which failed takes nothing from the others and each of ours is compared with its own neighbour.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeAlias

from tests.bench.stats import Spread, median, ratios, spread
from tests.bench.table import Row

#: By key, by repeat.
Samples: TypeAlias = dict[str, dict[int, float]]


@dataclass
class Results:
    """All samples of one run."""

    machine: dict[str, str]
    quick: bool
    repeats: int
    ours: Samples = field(default_factory=dict)
    reference: Samples = field(default_factory=dict)
    #: By peer, then as above: ``rate`` and ``cpu``.
    peers: dict[str, Samples] = field(default_factory=dict)
    #: Cores that others kept busy and seconds that it took, by measurement.
    foreign: Samples = field(default_factory=dict)
    seconds: Samples = field(default_factory=dict)
    curves: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    #: Why there is no number, by what was tried.
    failures: dict[str, str] = field(default_factory=dict)

    def add(self, samples: Samples, repeat: int, numbers: Mapping[str, float]) -> None:
        """Keep what one repeat gave, in one of the fields above."""
        for key, value in numbers.items():
            samples.setdefault(key, {})[repeat] = value

    def save(self, path: Path) -> None:
        """As JSON, in one step: whoever reads it meanwhile finds a whole file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        new.replace(path)


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the table, filled."""

    row: Row
    ours: Spread | None
    reference: Spread | None
    #: Whether the reference was measured in this run.
    is_live: bool
    #: How many times better than the reference we are.
    factor: float | None
    #: ``None``: there is nothing to be judged.
    reached: bool | None


def line(row: Row, results: Results) -> Line:
    """What was found for ``row``, and whether it will do."""
    ours = results.ours.get(row.key, {})
    live = results.reference.get(row.key, {})
    found = spread(list(ours.values()))
    reference = spread(list(live.values()))
    if reference is None and row.recorded is not None:
        reference = spread([row.recorded])
    factor = _factor(row, ours, live)
    return Line(row, found, reference, bool(live), factor, _reached(row, found, factor))


def _factor(row: Row, ours: Mapping[int, float], live: Mapping[int, float]) -> float | None:
    """From pairs of the same repeat where there are some, else from what was recorded."""
    both = sorted(ours.keys() & live.keys())
    mine = [ours[repeat] for repeat in both] or list(ours.values())
    theirs: Sequence[float] = [live[repeat] for repeat in both]
    if not both:
        theirs = [] if row.recorded is None else [row.recorded] * len(mine)
    more_is_better = row.goal is not None and row.goal.more_is_better
    found = ratios(mine, theirs) if more_is_better else ratios(theirs, mine)
    return median(found) if found else None


def _reached(row: Row, found: Spread | None, factor: float | None) -> bool | None:
    if found is None or row.goal is None:
        return None
    return row.goal.is_reached(found.median, factor)
