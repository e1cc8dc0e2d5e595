"""How memory, CPU and a pass grow with the number of controllers that live and watch."""

from __future__ import annotations

import time
from typing import Final

from jobsched.states import ScheduleState
from tests.bench import procfs
from tests.bench.meter import Meter
from tests.bench.site import Bench, Site, others
from tests.bench.stats import quantile
from tests.bench.table import Curve

_SIZES: Final = (1, 10, 100, 250, 500, 1_000, 1_500, 2_000)
_FEW_SIZES: Final = (1, 5, 10)
_SECONDS, _SHORT = 10, 2
_PASSES, _FEW_PASSES = 50, 5
_MIB: Final = 1024 * 1024
#: Bytes of memory that are left to everybody else: where less would be left, the curve ends.
_LEFT: Final = 4 * 1024**3


def _points(bench: Bench) -> list[dict[str, float]]:
    sizes = _FEW_SIZES if bench.quick else _SIZES
    found: list[dict[str, float]] = []
    with bench.site() as site:
        child = site.child()
        child.ask("limits", alive=sizes[-1])
        for size in sizes:
            before = procfs.available_bytes()
            there = int(found[-1]["controllers"]) if found else 0
            bench.say(f"{size:,} controllers")
            child.ask("submit", file=site.sleep, count=size - there)
            site.wait_for_count(ScheduleState.ALIVE, size, 600)
            site.settle()
            found.append(_point(bench, site, size))
            passes = child.ask("passes", count=bench.size(_PASSES, _FEW_PASSES))
            found[-1]["pass"] = 1000 * quantile(passes, 0.5)
            each = (before - procfs.available_bytes()) / (size - there)
            found[-1]["machine memory of each"] = each / _MIB
            if _is_too_much(sizes, size, each):
                bench.say("the machine has no memory for more")
                break
    return found


def _point(bench: Bench, site: Site, size: int) -> dict[str, float]:
    pids = site.controllers(size)
    with Meter() as meter:
        time.sleep(bench.size(_SECONDS, _SHORT))
    memory = procfs.proportional_bytes(pids)
    beside = procfs.proportional_bytes(others(pids))
    return {
        "controllers": size,
        "memory": (memory + beside) / _MIB,
        "memory of each": memory / size / _MIB,
        "CPU": 100 * meter.cpu / meter.wall,
    }


def _is_too_much(sizes: tuple[int, ...], size: int, each: float) -> bool:
    further = [one for one in sizes if one > size]
    return bool(further) and procfs.available_bytes() - each * (further[0] - size) < _LEFT


CURVES: Final = (Curve("growth-controllers", _points),)
