"""What hundreds of controllers cost that wait for a launch slot.

Each has run its first task and wants to launch the second. No launch is allowed, so all wait, and
nothing happens; that should cost nothing.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from jobsched.states import ScheduleState
from tests.bench import procfs
from tests.bench.goals import at_most
from tests.bench.meter import Meter
from tests.bench.site import Bench
from tests.bench.table import Measure, Numbers, Row

_JOBS, _FEW = 500, 20
_SECONDS, _SHORT = 30, 3
#: Seconds without news after which controllers rest.
_RESTS_AFTER: Final = 30.0
_MIB: Final = 1024 * 1024
#: Opening the gate to read it waits for who opens it to write.
_TWO_STEPS: Final = "name: two\n---\nname: first\nrun: cat {gate}\n---\nname: second\nrun: 'true'\n"


def _once(bench: Bench) -> Numbers:
    count = bench.size(_JOBS, _FEW)
    with bench.site() as site:
        gate = site.root / "gate"
        os.mkfifo(gate)
        file = site.file("two.yaml", _TWO_STEPS.format(gate=gate))
        child = site.child()
        child.ask("limits", alive=count)
        child.ask("submit", file=file, count=count, by_file=True)
        child.quit()
        site.wait_for_count(ScheduleState.ALIVE, count)
        site.settle()
        site.door.set_limits(launch=0)
        _open(gate)
        site.wait_for_count(ScheduleState.ALIVE_WAITING, count)
        site.settle()
        active = site.controllers(count)
        at_first = procfs.proportional_bytes(active)
        pids = active if bench.quick else site.until_rest(count, _RESTS_AFTER)
        with Meter() as meter:
            time.sleep(bench.size(_SECONDS, _SHORT))
        return {
            "waiting.first": at_first / count / _MIB,
            "waiting.cpu": 100 * meter.cpu / meter.wall,
            "waiting.memory": procfs.proportional_bytes(pids) / count / _MIB,
        }


def _open(gate: Path) -> None:
    """Let all pass who stand there."""
    os.close(os.open(gate, os.O_WRONLY))


MEASURES: Final = (
    Measure(
        "waiting",
        _once,
        (
            Row("waiting.first", f"memory of a controller that asks for a slot, of {_JOBS}", "MiB"),
            Row("waiting.memory", "the same once it has waited (30 s)", "MiB", at_most(3), 116),
            Row("waiting.cpu", f"CPU of {_JOBS} controllers that wait, all together", "% of a core",
                at_most(1), 29),
        ),
        ("waking", "memory"),
    ),
)  # fmt: skip
