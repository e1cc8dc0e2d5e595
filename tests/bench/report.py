"""The results as Markdown that can be pasted: machine, table, peers, what to beware of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tests.bench.meter import MUCH
from tests.bench.reference import PEERS
from tests.bench.registry import BESIDE_PEERS, MEASURES
from tests.bench.results import Line, Results, line
from tests.bench.stats import Spread, shown, spread
from tests.bench.table import Measure

_NONE: Final = "-"
_QUICK: Final = "Quick run: sizes are reduced, and nothing in it may be quoted."


def markdown(results: Results) -> str:
    """Everything but the curves."""
    parts = [_machine(results), *_warnings(results), _table(results), _peers(results)]
    parts += _failures(results)
    return "\n\n".join(parts) + "\n"


def _machine(results: Results) -> str:
    said = "; ".join(f"{name}: {value}" for name, value in results.machine.items())
    return f"Measured on {said}. Cells: median [least..most] of {results.repeats} repeats."


def _warnings(results: Results) -> Iterable[str]:
    if results.quick:
        yield _QUICK
    busy = {
        name: max(by_repeat.values())
        for name, by_repeat in results.foreign.items()
        if max(by_repeat.values(), default=0.0) > MUCH
    }
    if busy:
        told = ", ".join(f"{name} {cores:.2f}" for name, cores in busy.items())
        yield (
            f"Beware: others kept more than {MUCH} cores busy meanwhile, at most: {told}."
            " Times and rates are worse for it; CPU is hardly."
        )


def is_missed(results: Results) -> bool:
    """Whether some number that was found will not do."""
    rows = (row for measure in MEASURES for row in measure.rows)
    return any(line(row, results).reached is False for row in rows)


def _table(results: Results) -> str:
    head = ["what", "unit", "reference", "to reach", "jobsched", "better by", "reached"]
    lines = [
        line(row, results)
        for measure in MEASURES
        for row in measure.rows
        if row.key in results.ours or _has_failed(measure, results)
    ]
    return _grid(head, [_cells(one) for one in lines])


def _has_failed(measure: Measure, results: Results) -> bool:
    """Whether there is no number of it at all."""
    return measure.name in results.failures and not any(
        row.key in results.ours for row in measure.rows
    )


def _cells(found: Line) -> list[str]:
    return [
        found.row.what,
        found.row.unit,
        reference_cell(found.reference, is_live=found.is_live),
        _NONE if found.row.goal is None else str(found.row.goal),
        "failed" if found.ours is None else spread_cell(found.ours),
        _NONE if found.factor is None else f"{shown(found.factor)} x",
        {None: _NONE, True: "yes", False: "NO"}[found.reached],
    ]


def spread_cell(found: Spread) -> str:
    """A median, and the extremes where there are several."""
    if found.repeats == 1:
        return shown(found.median)
    return f"{shown(found.median)} [{shown(found.least)}..{shown(found.most)}]"


def reference_cell(found: Spread | None, *, is_live: bool) -> str:
    """What the reference has reached; whether that was now is said."""
    if found is None:
        return _NONE
    return spread_cell(found) if is_live else f"{shown(found.median)} (recorded)"


def _peers(results: Results) -> str:
    head = ["queue", "jobs/s", "CPU ms a job", "what the difference buys"]
    ours = [spread(list(results.ours.get(key, {}).values())) for key in (BESIDE_PEERS, "disk.cpu")]
    cells = [_NONE if one is None else spread_cell(one) for one in ours]
    buys = "each job has a controller that survives everything but the machine, and a history"
    rows = [["jobsched", *cells, buys]]
    for peer in PEERS:
        live = results.peers.get(peer.name, {})
        rates, loads = (spread(list(live.get(key, {}).values())) for key in ("rate", "cpu"))
        rate = reference_cell(rates or spread([peer.rate]), is_live=rates is not None)
        load = reference_cell(loads or spread([peer.cpu]), is_live=loads is not None)
        rows.append([peer.name, rate, load, peer.buys])
    return _grid(head, rows)


def _failures(results: Results) -> Iterable[str]:
    if results.failures:
        yield "Without a number:\n" + "\n".join(
            f"- {name}: {why}" for name, why in results.failures.items()
        )


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown whose columns stand one below the other in a terminal, too."""
    cells = [head, *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])
