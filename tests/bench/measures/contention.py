"""Eight programs submit at once, as fast as they can, while controllers start."""

from __future__ import annotations

from typing import Final

from jobsched.states import ScheduleState
from tests.bench.goals import at_most
from tests.bench.site import Bench
from tests.bench.stats import quantile
from tests.bench.table import Measure, Numbers, Row

_PROGRAMS: Final = 8
_EACH, _FEW = 25, 3


def _once(bench: Bench) -> Numbers:
    each = bench.size(_EACH, _FEW)
    with bench.site() as site:
        children = [site.child() for _ in range(_PROGRAMS)]
        children[0].ask("limits")
        children[0].ask("submit", file=site.noop, count=1)
        site.wait_for_count(ScheduleState.DONE, 1)
        for child in children:  # what a program loads with its first submit is not what is measured
            child.ask("validate", file=site.noop)
        site.settle()
        for child in children:
            child.tell("submit", file=site.noop, count=each)
        took = [1000 * one for child in children for one in child.hear()["took"]]
        site.wait_for_count(ScheduleState.DONE, 1 + each * _PROGRAMS)
        site.require_succeeded(1 + each * _PROGRAMS)
        return {
            "contention.p50": quantile(took, 0.5),
            "contention.p99": quantile(took, 0.99),
            "contention.max": max(took),
        }


_WHAT: Final = f"{_PROGRAMS} programs submit at once while controllers start"

MEASURES: Final = (
    Measure(
        "contention",
        _once,
        (
            Row("contention.p50", f"{_WHAT}, p50", "ms", None, 680),
            Row("contention.p99", "the same, p99", "ms", at_most(50), 5970),
        ),
        ("contention",),
    ),
)
