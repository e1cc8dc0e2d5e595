"""What a submission costs that starts a controller, until it returns; one at a time."""

from __future__ import annotations

from typing import Final

from tests.bench.goals import at_most
from tests.bench.site import Bench
from tests.bench.stats import quantile
from tests.bench.table import Measure, Numbers, Row

_SUBMITS, _FEW = 60, 5


def _once(bench: Bench) -> Numbers:
    with bench.site() as site:
        child = site.child()
        child.ask("limits")
        asked = {"file": site.noop, "alone": True, "seed": bench.repeat}
        (cold,) = child.ask("submit", count=1, **asked)["took"]
        warm = child.ask("submit", count=bench.size(_SUBMITS, _FEW), **asked)["took"]
        took = [1000 * one for one in warm]
        return {
            "start.p50": quantile(took, 0.5),
            "start.p99": quantile(took, 0.99),
            "start.cold": 1000 * cold,
        }


MEASURES: Final = (
    Measure(
        "start",
        _once,
        (
            Row("start.p50", "submit that starts a controller, p50", "ms", at_most(10), 300),
            Row("start.p99", "the same, p99", "ms"),
            Row("start.cold", "the same where no nursery is there yet", "ms"),
        ),
        ("end to end",),
    ),
)
