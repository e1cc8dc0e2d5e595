"""A controller that only waits is relieved by a small process: nothing else changes by that."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from jobsched import process
from jobsched.scheduler.ending import cancel
from jobsched.scheduler.operate import set_limits
from jobsched.states import ScheduleState, TaskStatus
from tests.scenario.conftest import MakeWorld
from tests.world import World

RESTS = "[controller]\nrest_after_seconds = 0.3\n"
WAITS = "run: while [ ! -e {go} ]; do sleep 0.05; done\n"
SAID = "there is nothing to do but wait: PID "


@pytest.fixture(name="world")
def _world(make_world: MakeWorld) -> World:
    return make_world(RESTS)


def rests(world: World, job: int) -> list[int]:
    """The processes that have begun to rest for a job, by its log, in order."""
    lines = world.home.controller_log(job).read_text().splitlines()
    return [int(line.split(SAID)[1].split()[0]) for line in lines if SAID in line]


def until_it_rests(world: World, job: int, times: int = 1) -> int:
    """Wait until a process rests for the job, and no other one is left; its PID."""
    lock = world.home.attempt_lock(job, world.job(job).attempt)
    world.until(
        lambda: (
            len(rests(world, job)) == times
            and process.holders(lock) == [rests(world, job)[-1]] == [world.controller(job)]
        ),
        f"job {job} to rest",
    )
    return world.controller(job)


@pytest.fixture(name="resting")
def _resting(world: World, tmp_path: Path) -> int:
    """A job whose task runs until ``go`` is there, and whose controller rests."""
    job = world.submit(WAITS.format(go=tmp_path / "go"))
    world.until_status(job, TaskStatus.RUNNING)
    until_it_rests(world, job)
    return job


def test_the_end_of_the_task_wakes_it(world: World, tmp_path: Path, resting: int) -> None:
    """It ends the job as the one before would have, and as the same attempt."""
    (tmp_path / "go").touch()
    done = world.until_done(resting)
    assert (str(done.status), done.attempt) == ("SUCCEEDED", 1)
    assert len(rests(world, resting)) == 1


def test_a_cancel_wakes_it(world: World, resting: int) -> None:
    """At once, as any other controller."""
    cancel(world.context, [resting])
    assert str(world.until_done(resting, timeout=8).status) == "CANCELLED"
    assert world.job(resting).attempt == 1


def test_its_death_is_a_controllers(world: World, tmp_path: Path, resting: int) -> None:
    """It is noticed, and another attempt adopts the task."""
    before = world.tasks(resting)[0].cluster
    world.kill_controller(resting)
    world.until(lambda: world.job(resting).attempt == 2, "another attempt")
    (tmp_path / "go").touch()
    assert str(world.until_done(resting).status) == "SUCCEEDED"
    assert world.tasks(resting)[0].cluster == before


def test_whoever_is_left_ticks(world: World, tmp_path: Path, resting: int) -> None:
    """Without a nursery they wait on; one becomes a controller again, and notices deaths."""
    second = world.submit(WAITS.format(go=tmp_path / "go"), name="second")
    world.until_status(second, TaskStatus.RUNNING)
    until_it_rests(world, second)
    os.kill(process.holders(world.home.nursery_lock)[0], signal.SIGKILL)
    by_pid = {world.controller(job): job for job in (resting, second)}
    ticking: list[int] = []

    def one_ticks() -> bool:
        ticking[:] = [pid for pid in process.holders(world.home.tick_lock) if pid in by_pid]
        return bool(ticking)

    world.until(one_ticks, "one of them to tick", timeout=20)
    (other,) = [job for pid, job in by_pid.items() if pid not in ticking]
    world.kill_controller(other)
    world.until(lambda: world.job(other).attempt == 2, "another attempt")
    (tmp_path / "go").touch()
    for job in (resting, second):
        assert str(world.until_done(job).status) == "SUCCEEDED"


def test_one_that_waits_for_a_slot_rests_and_is_woken_by_it(
    world: World, tmp_path: Path, resting: int
) -> None:
    """What it was about is in the rows: it recovers the task that was lost."""
    set_limits(world.context, launch=0)
    cluster = world.tasks(resting)[0].cluster
    assert cluster is not None
    world.context.backend().preempt(cluster)
    world.until_state(resting, ScheduleState.ALIVE_WAITING)
    until_it_rests(world, resting, times=2)
    set_limits(world.context, launch=1)
    world.until(lambda: world.tasks(resting)[0].recovery_count == 1, "the recovery")
    (tmp_path / "go").touch()
    done = world.until_done(resting)
    assert (str(done.status), done.attempt) == ("SUCCEEDED", 1)


def test_one_that_has_a_deadline_wakes_for_it(make_world: MakeWorld, tmp_path: Path) -> None:
    """The pause between two tries, here; the task's longest time is another."""
    world = make_world(RESTS, gap=2.0)
    job = world.submit(f"""\
        max_duration: 4s
        run: while [ ! -e {tmp_path / "go"} ]; do sleep 0.05; done
        """)
    world.until_status(job, TaskStatus.RUNNING)
    until_it_rests(world, job)
    done = world.until_done(job)
    assert str(done.status) == "FAILED"
    assert "max_duration of 4 s has passed" in (world.tasks(job)[0].failure_reason or "")
