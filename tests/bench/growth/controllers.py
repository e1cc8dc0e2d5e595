"""How memory, CPU and a pass grow with the number of controllers that live and watch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from jobsched.states import ScheduleState
from tests.bench import procfs
from tests.bench.child import Child
from tests.bench.meter import Meter
from tests.bench.site import Bench, Site, others
from tests.bench.stats import quantile
from tests.bench.table import Curve

_SIZES: Final = (1, 10, 100, 500, 1_000, 2_000)
_FEW_SIZES: Final = (1, 5, 10)
_SECONDS, _SHORT = 10, 2
#: Seconds to come to rest, at most: thousands that watch may never be quiet together.
_SETTLE: Final = 5.0
#: Sooner than usual, for there are many sizes.
_RESTS_AFTER: Final = 5.0
_RESTS: Final = f"[controller]\nrest_after_seconds = {_RESTS_AFTER}\n"
_PASSES, _FEW_PASSES = 50, 5
_MIB: Final = 1024 * 1024
#: Bytes that a controller, its task and their shells take at most; and that are left to everybody
#: else: where less would be left, the curve ends.
_WITH_TASK, _LEFT = 10 * 1024**2, 3 * 1024**3


def _points(bench: Bench) -> Iterator[dict[str, float]]:
    sizes = _FEW_SIZES if bench.quick else _SIZES
    with bench.site() as site:
        site.home.mkdir(mode=0o700)
        (site.home / "config.toml").write_text(_RESTS, encoding="utf-8")
        child = site.child()
        child.ask("limits", alive=sizes[-1])
        for there, size in pairwise((0, *sizes)):
            if procfs.available_bytes() - _WITH_TASK * (size - there) < _LEFT:
                bench.say(f"the machine has no memory for {size:,} controllers")
                break
            bench.say(f"{size:,} controllers")
            child.ask("submit", file=site.sleep, count=size - there)
            site.wait_for_count(ScheduleState.ALIVE, size, 600)
            site.settle(_SETTLE)
            site.until_rest(size, _RESTS_AFTER)
            yield _point(bench, site, child, size)


def _point(bench: Bench, site: Site, child: Child, size: int) -> dict[str, float]:
    pids = site.controllers(size)
    with Meter() as meter:
        time.sleep(bench.size(_SECONDS, _SHORT))
    memory = procfs.proportional_bytes(pids)
    beside = procfs.proportional_bytes(others(pids))
    passes = child.ask("passes", count=bench.size(_PASSES, _FEW_PASSES))
    return {
        "controllers": size,
        "memory": (memory + beside) / _MIB,
        "memory of each": memory / size / _MIB,
        "CPU": 100 * meter.cpu / meter.wall,
        "pass": 1000 * quantile(passes, 0.5),
    }


CURVES: Final = (Curve("growth-controllers", _points),)
