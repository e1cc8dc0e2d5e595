"""What a submission costs that only enters the queue, in a new home and in one with a long past.

As many jobs are alive as may be, really, so that none can start and whoever submits has to see to
it that they all live.
"""

from __future__ import annotations

from typing import Final

from jobsched.states import ScheduleState
from tests.bench import oldrows
from tests.bench.goals import at_most
from tests.bench.site import Bench, Site
from tests.bench.stats import quantile
from tests.bench.table import Measure, Numbers, Row

#: Jobs of the past.
OLD, _FEW_OLD = 100_000, 2_000
_ALIVE: Final = 8
_SUBMITS, _FEW = 300, 30


def long_past(bench: Bench, site: Site) -> None:
    """Make a home with very many jobs that are DONE: copies of one that really ran."""
    child = site.child()
    child.ask("limits", alive=_ALIVE)
    child.ask("submit", file=site.noop, count=1)
    site.wait_for_count(ScheduleState.DONE, 1)
    site.close()
    oldrows.multiply(site.home / "jobsched.db", 1, bench.size(OLD, _FEW_OLD) - 1)


def _in_new(bench: Bench) -> Numbers:
    with bench.site() as site:
        return _once(bench, site, "new")


def _in_old(bench: Bench) -> Numbers:
    with bench.kept("old", lambda site: long_past(bench, site)) as site:
        found = _once(bench, site, "old")
        site.door.cancel(site.door.unfinished_ids())
        site.wait_for(lambda: not site.door.unfinished_ids(), "all to be cancelled")
        return found


def _once(bench: Bench, site: Site, where: str) -> Numbers:
    child = site.child()
    child.ask("limits", alive=_ALIVE)
    child.ask("submit", file=site.sleep, count=_ALIVE)
    site.wait_for_count(ScheduleState.ALIVE, _ALIVE)
    site.settle()
    child.ask("submit", file=site.noop, count=1, by_file=True)  # loads what the others need
    asked = {"file": site.noop, "count": bench.size(_SUBMITS, _FEW)}
    took = [1000 * one for one in child.ask("submit", **asked)["took"]]
    by_file = [1000 * one for one in child.ask("submit", by_file=True, **asked)["took"]]
    return {
        f"{where}.p50": quantile(took, 0.5),
        f"{where}.p99": quantile(took, 0.99),
        f"{where}.file p50": quantile(by_file, 0.5),
        f"{where}.file p99": quantile(by_file, 0.99),
    }


def _rows(where: str, text: str, p50: float, p99: float) -> tuple[Row, ...]:
    what = f"submit in one call that has to wait, {text} (reference: in two)"
    return (
        Row(f"{where}.file p50", f"{what}, p50", "ms", at_most(1), p50),
        Row(f"{where}.file p99", "the same, p99", "ms", at_most(3), p99),
        Row(f"{where}.p50", "the same in two calls, each on disk when it returns, p50", "ms"),
        Row(f"{where}.p99", "the same, p99", "ms"),
    )


MEASURES: Final = (
    Measure("submit", _in_new, _rows("new", "no old jobs", 4.1, 4.7), ("submit",)),
    Measure("submit-old", _in_old, _rows("old", f"{OLD:,} old jobs", 21, 22), ("submit",)),
)
