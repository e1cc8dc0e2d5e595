"""Eight programs submit at once, as fast as they can, while controllers start.

In one call for each job, as the command line does, and then in the two that embedding programs may
make, each of which has its own turn with the disk.
"""

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
    numbers = {}
    for way, by_file in (("", True), ("two ", False)):
        took = _took(bench, by_file=by_file)
        numbers[f"contention.{way}p50"] = quantile(took, 0.5)
        numbers[f"contention.{way}p99"] = quantile(took, 0.99)
    return numbers


def _took(bench: Bench, *, by_file: bool) -> list[float]:
    """Milliseconds of each submission."""
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
            child.tell("submit", file=site.noop, count=each, by_file=by_file)
        took = [1000 * one for child in children for one in child.hear()["took"]]
        site.wait_for_count(ScheduleState.DONE, 1 + each * _PROGRAMS)
        site.require_succeeded(1 + each * _PROGRAMS)
        return took


_WHAT: Final = (
    f"{_PROGRAMS} programs submit at once, in one call, while controllers start (reference: in two)"
)

MEASURES: Final = (
    Measure(
        "contention",
        _once,
        (
            Row("contention.p50", f"{_WHAT}, p50", "ms", None, 680),
            Row("contention.p99", "the same, p99", "ms", at_most(50), 5970),
            Row("contention.two p50", "the same in two calls, p50", "ms"),
            Row("contention.two p99", "the same, p99", "ms"),
        ),
        ("contention",),
    ),
)
