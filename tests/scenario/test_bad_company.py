"""One job, one process or one folder in a bad way: everybody else goes on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

import pytest

from jobsched import lock
from jobsched.errors import StoreError
from jobsched.nursery.handing import Claim
from jobsched.scheduler.operate import set_limits
from jobsched.scheduler.passes import run_pass
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves, reads
from tests.world import InProcessStarter, World

S, T = ScheduleState, TaskStatus
ONE = "run: 'true'\n"


def test_a_job_that_cannot_be_claimed_keeps_nobody_waiting(world: World) -> None:
    """Others start, the submission is told as stored, and the job follows once it can."""
    world.context.starter = InProcessStarter()
    set_limits(world.context, launch=0)
    first, second = (world.submit(ONE, name=name) for name in ("first", "second"))
    held = lock.try_lock(world.home.attempt_lock(first, 1))
    assert held is not None
    set_limits(world.context, launch=2)
    third = world.submit(ONE, name="third")
    states = [world.job(job).schedule_state for job in (first, second, third)]
    assert states == [S.WAITING, S.LAUNCHING, S.LAUNCHING]
    os.close(held)
    set_limits(world.context, launch=3)
    world.until(
        lambda: run_pass(world.context) == [] and world.job(first).schedule_state is S.LAUNCHING,
        "the first to be claimed",
    )


@pytest.mark.parametrize("folder", ["attempts", "logs", "wake", "jobs"])
def test_a_folder_that_somebody_removed(world: World, folder: str) -> None:
    """It is made anew by whoever needs it, and the job runs."""
    shutil.rmtree(world.root / folder)
    job = world.submit(ONE)
    world.tick()
    assert world.until_done(job).status is T.SUCCEEDED


@pytest.mark.parametrize(("ahead", "due"), [(30.0, False), (3_600.0, True), (-1.0, True)])
def test_a_pause_that_a_clock_set_back_prolonged(world: World, ahead: float, due: bool) -> None:
    """No start is put off longer than the longest pause, whatever became of the clock."""
    set_limits(world.context, paused=True)
    job = world.submit(ONE)
    now = world.context.clock.now()
    with world.context.db.write() as tx:
        moves.set_job(tx, job, not_before=now + ahead)
        assert [one.job_id for one in reads.starts(tx, now, 9)] == ([job] if due else [])


class Full(InProcessStarter):
    """A starter on a disk that has just become full."""

    def start(self, claim: Claim, command: Sequence[str], env: object) -> int:
        """Fail as the store does."""
        super().start(claim, command, env)
        raise StoreError("the disk is full", passes=True)


def test_a_pass_that_cannot_be_made_undoes_no_submission(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """What was stored is told as stored; the log says what was in the way."""
    world.context.starter = Full()
    job = world.submit(ONE)
    assert world.job(job).name == "job"
    assert "the disk is full" in caplog.text
    world.context.starter = None
