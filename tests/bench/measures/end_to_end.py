"""Real jobs from the first submit to the last DONE: how many a second, and the CPU time of each.

A job has a controller, a local cluster, a task that runs ``true``, an outcome and its cleanup. One
job is run before, so that a nursery is there. The clock stops with the last DONE, as the script for
the reference has it; CPU is that of all processes until none is left but those that were there
before, of the one that submits, too. It submits in one call for each job, as the command line does.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from jobsched.states import ScheduleState
from tests.bench import procfs
from tests.bench.goals import part, times
from tests.bench.meter import Meter, collect
from tests.bench.site import Bench
from tests.bench.stats import quantile
from tests.bench.table import Measure, Numbers, Row

_JOBS, _FEW = 200, 20
_WHAT: Final = "real jobs end to end, submitted in one call each"


def _once(bench: Bench, where: str, base: Path | None) -> Numbers:
    count = bench.size(_JOBS, _FEW)
    with bench.site(base) as site:
        child = site.child()
        child.ask("limits")
        child.ask("submit", file=site.noop, count=1)
        site.wait_for_count(ScheduleState.DONE, 1)
        site.settle()
        resident = len(procfs.living())
        with Meter() as meter:
            child.tell("submit", file=site.noop, count=count, by_file=True)
            site.wait_for_count(ScheduleState.DONE, 1 + count, 600)
            ended = time.monotonic()
            site.wait_for(lambda: _is_over(resident), "its processes to be gone", 60)
            answer = child.hear()
        site.require_succeeded(1 + count)
        took = [1000 * one for one in answer["took"]]
        return {
            f"{where}.rate": count / (ended - answer["began"]),
            f"{where}.cpu": 1000 * meter.cpu / count,
            f"{where}.submit p50": quantile(took, 0.5),
            f"{where}.submit p99": quantile(took, 0.99),
        }


def _is_over(resident: int) -> bool:
    collect()
    return len(procfs.living()) <= resident


def _rows(where: str, text: str) -> tuple[Row, ...]:
    return (
        Row(f"{where}.rate", f"{_WHAT}, {text}", "jobs/s", times(100, 200), 1.36),
        Row(f"{where}.cpu", f"CPU of such a job, {text}", "ms", part(100, 8), 1440),
    )


def _on_disk(bench: Bench) -> Numbers:
    return _once(bench, "disk", None)


def _in_memory(bench: Bench) -> Numbers:
    base = bench.in_memory()
    if base is None:
        raise FileNotFoundError("this machine has no /dev/shm")
    return _once(bench, "tmpfs", base)


MEASURES: Final = (
    Measure("jobs", _on_disk, _rows("disk", "home on disk"), ("end to end",)),
    Measure("jobs-tmpfs", _in_memory, _rows("tmpfs", "home on tmpfs"), ("end to end",)),
)
