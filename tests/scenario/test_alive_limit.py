"""The automatic alive limit, with real controllers: they are measured, and it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsched.api import Capacity, Scheduler
from jobsched.machine import remembered
from jobsched.machine.footprint import ASSUMED
from jobsched.scheduler.watcher import Watcher
from jobsched.states import TaskStatus
from jobsched.store import changes, reads
from tests.scenario.conftest import MakeWorld
from tests.world import World

WAITS = "run: while [ ! -e {go} ]; do sleep 0.05; done\n"
MIB = 1024**2

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="the kernel does not tell shares"
)


def begun(world: World, go: Path, count: int) -> list[int]:
    """Jobs that run until there is a file ``go``."""
    jobs = [world.submit(WAITS.format(go=go)) for _ in range(count)]
    for job in jobs:
        world.until_status(job, TaskStatus.RUNNING)
    return jobs


def let_go(world: World, go: Path) -> None:
    """Let all jobs of a world end."""
    go.touch()
    with world.context.db.read() as tx:
        alive = [job.job_id for job in reads.alive_jobs(tx)]
    for job in alive:
        world.until_done(job)


def measured(world: World, go: Path, count: int) -> Capacity:
    """What is said of this machine once ``count`` controllers have been measured."""
    begun(world, go, count)
    door = Scheduler(context=world.context)
    world.until(lambda: door.capacity().measured_controllers == count, "a measure", timeout=40)
    return door.capacity()


def test_controllers_are_measured_and_the_limit_follows(world: World, tmp_path: Path) -> None:
    """By whoever ticks, for every process to read; the history tells the sum."""
    seen = measured(world, tmp_path / "go", 3)
    assert MIB <= seen.controller_bytes < ASSUMED
    assert "measured on 3 controllers" in seen.alive_sum
    in_file = remembered.load(world.home.memory_file)
    assert in_file is not None
    assert in_file.footprint.controllers == 3

    def sums() -> list[str]:
        with world.context.db.read() as tx:
            rows = changes.limit_changes(tx, 0.0)
        return [row.reason or "" for row in rows if row.subject == "ALIVE"]

    world.until(lambda: "measured on" in sums()[-1], "the limit to follow")
    let_go(world, tmp_path / "go")


def test_a_controller_that_was_not_forked_is_bigger(make_world: MakeWorld, tmp_path: Path) -> None:
    """The number says so by itself; it is what the next one in this home is reckoned with."""
    forking = make_world()
    forked = measured(forking, tmp_path / "go", 2)
    own = make_world("[controller]\nnursery = false\n")
    own.tick()
    alone = measured(own, tmp_path / "go", 2)
    assert alone.controller_bytes > forked.controller_bytes
    for one in (forking, own):
        let_go(one, tmp_path / "go")


def test_more_controllers_than_may_be_watched(world: World, tmp_path: Path) -> None:
    """Those beyond what one may have open are looked at by each pass: no death goes unnoticed."""
    jobs = begun(world, tmp_path / "go", 3)
    watcher = Watcher(world.context, most=2)
    watcher.refresh()
    assert len(watcher.descriptors()) == 2
    assert len(watcher.suspects()) == 1
    assert watcher.suspects() < set(jobs)
    watcher.close()
    let_go(world, tmp_path / "go")
