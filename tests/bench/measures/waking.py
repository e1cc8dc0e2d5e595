"""From the moment at which a controller gives its launch slot back to where the next one has it.

Two controllers of the kind that users write take turns; both are processes of their own, in the
same ``scheduled_launch`` that our own controllers use.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

from jobsched.states import ScheduleState
from tests.bench.goals import at_most
from tests.bench.site import Bench
from tests.bench.stats import quantile
from tests.bench.table import Measure, Numbers, Row

_TURNS, _FEW = 60, 5
_KEEPER: Final = Path(__file__).resolve().parents[1] / "keeper.py"


def _once(bench: Bench) -> Numbers:
    with bench.site() as site:
        turns = site.root / "turns"
        command = [sys.executable, str(_KEEPER), str(bench.size(_TURNS, _FEW)), str(turns)]
        site.home.mkdir(mode=0o700)
        settings = site.home / "config.toml"
        settings.write_text(f"[controller]\ncommand = {json.dumps(command)}\n", encoding="utf-8")
        child = site.child()
        child.ask("limits", launch=1)
        child.ask("submit", file=site.noop, count=2)
        site.wait_for_count(ScheduleState.DONE, 2)
        took = between(*(json.loads(Path(f"{turns}.{one}").read_text("utf-8")) for one in (1, 2)))
        return {
            "waking.p50": 1000 * quantile(took, 0.5),
            "waking.p99": 1000 * quantile(took, 0.99),
        }


def between(one: list[list[float]], other: list[list[float]]) -> list[float]:
    """From each giving back to the next having; the first, in which a process starts, left out."""
    had = sorted([*one[0], *other[0]])
    given = sorted([*one[1], *other[1]])
    return [later - earlier for earlier, later in zip(given[1:], had[2:], strict=False)]


MEASURES: Final = (
    Measure(
        "wake",
        _once,
        (
            Row("waking.p50", "slot given back to the next controller having it, p50", "ms",
                at_most(3), 263),
            Row("waking.p99", "the same, p99", "ms", at_most(15), 505),
        ),
        ("waking",),
    ),
)  # fmt: skip
