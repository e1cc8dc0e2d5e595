"""How submitting, a pass, and a page grow with the number of jobs that are there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from jobsched.states import ScheduleState
from tests.bench import oldrows
from tests.bench.child import Child
from tests.bench.measures.commands import cost
from tests.bench.site import Bench, Site
from tests.bench.stats import quantile
from tests.bench.table import Curve

#: Jobs that have ended, and jobs that wait, are curves of their own.
KINDS: Final = {"done": ScheduleState.DONE, "waiting": ScheduleState.WAITING}
_SIZES: Final = (1, 10, 100, 1_000, 10_000, 100_000)
_FEW_SIZES: Final = (1, 10, 100)
_SUBMITS, _FEW_SUBMITS = 200, 20
_LOOKS, _FEW_LOOKS = 50, 5


def _points(bench: Bench) -> Iterator[dict[str, float]]:
    for size in _FEW_SIZES if bench.quick else _SIZES:
        bench.say(f"{size:,} jobs")
        point: dict[str, float] = {"jobs": size}
        for kind in KINDS:
            with bench.site() as site:
                _fill(site, KINDS[kind], size)
                child = site.child()
                if kind == "done":
                    point |= _pages(bench, site, child)
                point |= {f"{kind} {name}": one for name, one in _acts(bench, site, child).items()}
        yield point


def _fill(site: Site, state: ScheduleState, size: int) -> None:
    """Make a home with so many jobs in that state, in which none can start any more."""
    child = site.child()
    child.ask("limits", alive=int(state is ScheduleState.DONE))
    child.ask("submit", file=site.noop, count=1)
    site.wait_for_count(state, 1)
    site.settle()
    child.ask("limits", alive=0)
    site.close()
    if size > 1:
        oldrows.multiply(site.home / "jobsched.db", 1, size - 1)


def _pages(bench: Bench, site: Site, child: Child) -> dict[str, float]:
    pages = child.ask("pages", count=bench.size(_LOOKS, _FEW_LOOKS))
    whole = cost(bench, "--home", str(site.home), "queue", "--all")
    return {
        "page": 1000 * quantile(pages, 0.5),
        "command": whole["wall"],
        "command CPU": whole["cpu"],
        "command memory": whole["memory"],
    }


def _acts(bench: Bench, site: Site, child: Child) -> dict[str, float]:
    passes = child.ask("passes", count=bench.size(_LOOKS, _FEW_LOOKS))
    child.ask("submit", file=site.noop, count=1)  # loads what the others need
    count = bench.size(_SUBMITS, _FEW_SUBMITS)
    took = child.ask("submit", file=site.noop, count=count)["took"]
    return {
        "submit p50": 1000 * quantile(took, 0.5),
        "submit p99": 1000 * quantile(took, 0.99),
        "pass": 1000 * quantile(passes, 0.5),
    }


CURVES: Final = (Curve("growth-jobs", _points),)
