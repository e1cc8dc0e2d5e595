"""Who holds an attempt's lock without being the attempt: nobody may come to harm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobsched.scheduler.ending import cancel, job_done
from jobsched.scheduler.operate import requeue
from jobsched.states import TaskStatus
from jobsched.sweep.fence import end_attempt
from tests.scenario.starting import Program
from tests.world import World, is_held

T = TaskStatus


@pytest.fixture
def program(world: World, tmp_path: Path) -> Iterator[Program]:
    """A program in the middle of its starts."""
    program = Program(world, tmp_path, "run: sleep 300\n")
    yield program
    program.child.kill()
    program.child.wait()


@pytest.mark.parametrize("job", [2, 3])
def test_done_harms_no_starter(
    world: World, program: Program, job: int, caplog: pytest.LogCaptureFixture
) -> None:
    """The job is DONE at once; who holds its lock is named, and what it starts ends by itself."""
    job_done(world.context, job)
    assert world.job(job).is_done
    assert f"PID {program.child.pid} holds the lock" in caplog.text
    assert program.go_on() == (0, "unharmed\n")
    world.until(lambda: not is_held(world.home, job, 1), "the controller to end")
    assert [world.job(other).is_alive for other in {1, 2, 3} - {job}] == [True, True]


def test_requeue_harms_no_starter(world: World, program: Program) -> None:
    """The PID is the answer; the next attempt drives the job, and the first one stops itself."""
    assert requeue(world.context, 2) == [program.child.pid]
    assert program.go_on() == (0, "unharmed\n")
    world.until_status(2, T.RUNNING)
    assert world.job(2).attempt == 2
    world.until(lambda: not is_held(world.home, 2, 1), "the first attempt to end")


def test_who_hands_over_in_time_is_no_obstacle(world: World, program: Program) -> None:
    """The controller that was being started is ended, though nobody knew of it at first."""
    attempt = world.attempt(2)
    assert attempt.pid is None
    program.may_go_on.touch()
    assert end_attempt(world.context, attempt, within=20) == []
    assert program.go_on() == (0, "unharmed\n")


def test_a_cancel_harms_no_starter(world: World, program: Program) -> None:
    """However long the start takes: the controller finds the cancel and ends the job."""
    world.tick()
    cancel(world.context, [2])
    world.context.clock.sleep(3)
    assert program.go_on() == (0, "unharmed\n")
    assert str(world.until_done(2).status) == "CANCELLED"
