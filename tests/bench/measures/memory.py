"""What controllers occupy that watch a task each; and what they use, which should be nothing.

Proportional set size: memory that processes share is divided among them. The nursery, and the two
that tick beside it, are one row of their own; tasks, and the shells that run them, are in none.
"""

from __future__ import annotations

import time
from typing import Final

from jobsched.states import ScheduleState
from tests.bench import procfs
from tests.bench.goals import at_most
from tests.bench.meter import Meter
from tests.bench.site import Bench, others
from tests.bench.table import Measure, Numbers, Row

_JOBS, _FEW = 200, 20
_MINUTE, _MOMENT = 60, 2
HOUR: Final = 3600.0
#: Seconds without news after which controllers rest.
_RESTS_AFTER: Final = 30.0
_MIB: Final = 1024 * 1024


def _once(bench: Bench) -> Numbers:
    count = bench.size(_JOBS, _FEW)
    with bench.site() as site:
        child = site.child()
        child.ask("limits", alive=count)
        child.ask("submit", file=site.sleep, count=count)
        child.quit()
        site.wait_for_count(ScheduleState.ALIVE, count)
        site.settle()
        active = site.controllers(count)
        at_first = procfs.proportional_bytes(active)
        pids = active if bench.quick else site.until_rest(count, _RESTS_AFTER)
        at_rest = procfs.proportional_bytes(pids)
        beside = procfs.proportional_bytes(others(pids))
        with Meter() as meter:
            time.sleep(bench.size(_MINUTE, _MOMENT))
        later = {"watching.later": procfs.proportional_bytes(pids) / count / _MIB}
        if bench.hour:
            time.sleep(HOUR)
            # By then each has become a controller again, to look by itself, and rests anew.
            now = site.until_rest(count, _RESTS_AFTER)
            later["watching.hour"] = procfs.proportional_bytes(now) / count / _MIB
        return {
            "watching.first": at_first / count / _MIB,
            "watching.memory": at_rest / count / _MIB,
            "watching.beside": beside / _MIB,
            "watching.cpu": 100 * meter.cpu / meter.wall,
            **later,
        }


MEASURES: Final = (
    Measure(
        "memory",
        _once,
        (
            Row("watching.first", f"memory of a controller that just launched, of {_JOBS}", "MiB"),
            Row("watching.memory", "the same once it only watches (after 30 s)", "MiB",
                at_most(3), 116),
            Row("watching.later", "the same a minute later", "MiB", at_most(3)),
            Row("watching.hour", "the same an hour later", "MiB", at_most(3)),
            Row("watching.beside", "the nursery and the two that tick, together", "MiB"),
            Row("watching.cpu", f"CPU of {_JOBS} that watch, and of these three", "% of a core"),
        ),
        ("memory",),
    ),
)  # fmt: skip
