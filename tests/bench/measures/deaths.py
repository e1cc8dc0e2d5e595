"""How long a controller can be dead, killed in an instant, before its job's row says so.

With its nursery there; without one, where another controller has to notice; and where nothing of
jobsched lives at all, so that the next command does, counted from the moment it is given.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from typing import Final

from jobsched.states import ScheduleState
from tests.bench import procfs
from tests.bench.child import environment
from tests.bench.goals import at_most
from tests.bench.site import Bench, Site, console_script, others
from tests.bench.stats import quantile
from tests.bench.table import Measure, Numbers, Row

_JOBS, _FEW = 40, 6
_WITHOUT, _ONE = 3, 1


def _once(bench: Bench) -> Numbers:
    count, rounds = bench.size(_JOBS, _FEW), bench.size(_WITHOUT, _ONE)
    chance = random.Random(bench.repeat)  # noqa: S311 - pauses, not secrets
    with bench.site() as site:
        child = site.child()
        child.ask("limits", alive=count)
        child.ask("submit", file=site.sleep, count=count)
        child.quit()
        site.wait_for_count(ScheduleState.ALIVE, count)
        site.settle()
        attended = []
        for job_id in range(1, count + 1):
            time.sleep(0.02 + 0.1 * chance.random())
            attended.append(_noticed(site, job_id, []))
        alone = []
        for job_id in range(1, rounds + 1):
            site.wait_for_count(ScheduleState.ALIVE, count)
            site.settle()
            time.sleep(2 * chance.random())
            alone.append(_noticed(site, job_id, others(site.controllers(count))))
        site.wait_for_count(ScheduleState.ALIVE, count)
        site.settle()
        return {
            "deaths.p50": 1000 * quantile(attended, 0.5),
            "deaths.p99": 1000 * quantile(attended, 0.99),
            "deaths.alone": 1000 * max(alone),
            "deaths.command": 1000 * _noticed_by_command(site, count),
        }


def _noticed(site: Site, job_id: int, together_with: list[int]) -> float:
    """Kill a job's controller; seconds until the job was put back, by the row's own time."""
    before = site.door.show(job_id)
    pids = _ours([*together_with, before["controller_pid"]])
    at = time.time()
    _kill(pids)
    site.wait_for(
        lambda: site.door.show(job_id)["attempt"] > before["attempt"], "a death to be noticed", 60
    )
    return _put_back(site, job_id, before["history"][-1]["seq"]) - at


def _noticed_by_command(site: Site, count: int) -> float:
    """Kill everything, and have a command look; seconds until the last job was put back."""
    controllers = site.controllers(count)
    before = {
        job_id: site.door.show(job_id)["history"][-1]["seq"] for job_id in range(1, count + 1)
    }
    _kill(_ours([*others(controllers), *controllers]))
    time.sleep(0.5)
    at = time.time()
    command = [console_script(), "--home", str(site.home), "sweep"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment())
    return max(_put_back(site, job_id, seq) for job_id, seq in before.items()) - at


def _put_back(site: Site, job_id: int, after: int) -> float:
    """When the job was WAITING again. Raises ``LookupError`` if it was not."""
    for row in site.door.show(job_id)["history"]:
        if row["seq"] > after and row["task_id"] is None and row["to"] == "WAITING":
            return float(row["at"])
    raise LookupError(f"job {job_id} was not put back")


def _ours(pids: list[int]) -> list[int]:
    """No PID is killed that is not below this program."""
    known = {one.pid for one in procfs.living()}
    return [pid for pid in pids if pid in known]


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


MEASURES: Final = (
    Measure(
        "deaths",
        _once,
        (
            Row("deaths.p50", "death of a controller noticed, p50", "ms"),
            Row("deaths.p99", "the same, p99", "ms", at_most(250), 300_000),
            Row("deaths.alone", "the same, the nursery killed with it, slowest", "ms",
                at_most(5000), 300_000),
            Row("deaths.command", f"{_JOBS} deaths that nobody saw, by the next command", "ms",
                at_most(5000), 300_000),
        ),
    ),
)  # fmt: skip
