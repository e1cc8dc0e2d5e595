"""Who sees to jobs that nobody drives: whether somebody ticks, and how long an attendant stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jobsched import lock, process
from jobsched.context import Context
from jobsched.scheduler import aftercare, office
from jobsched.scheduler.attendant import Need
from jobsched.scheduler.ending import cancel
from jobsched.scheduler.ticker import Ticker
from jobsched.states import TaskStatus
from jobsched.store import moves
from jobsched.testing import FakeClock
from tests.support import wait_until
from tests.world import InProcessStarter, World

HOLD = """
import fcntl, sys, time
held = open(sys.argv[1], "w")
fcntl.flock(held, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


def holding(path: Path) -> subprocess.Popen[str]:
    """A process that holds a lock and does nothing."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


@pytest.mark.parametrize("name", ["tick_lock", "deputy_lock"])
def test_an_office_is_filled_by_who_works(context: Context, name: str) -> None:
    """Not by nobody, and not by a process that is stopped."""
    path = getattr(context.home, name)
    assert not office.is_filled(context)
    with holding(path) as child:
        assert office.is_filled(context)
        child.send_signal(signal.SIGSTOP)
        wait_until(lambda: process.is_stopped(child.pid), 10, "it to be stopped")
        assert not office.is_filled(context)
        child.send_signal(signal.SIGCONT)
        wait_until(lambda: office.is_filled(context), 10, "it to go on")
        child.kill()


def test_a_deputy_does_not_wait_for_who_is_stopped(context: Context) -> None:
    """It ticks in the stead of a stopped holder at its second look."""
    with holding(context.home.tick_lock) as child:
        child.send_signal(signal.SIGSTOP)
        wait_until(lambda: process.is_stopped(child.pid), 10, "it to be stopped")
        before = context.home.tick_lock.stat().st_mtime
        ticker = Ticker(context).start()
        wait_until(lambda: context.home.tick_lock.stat().st_mtime != before, 3.5, "a tick")
        ticker.stop()
        child.kill()


def forsaken(world: World, starter: InProcessStarter) -> int:
    """A cancelled job with a cluster, whose controller has died."""
    job = world.submit("run: sleep 60\n")
    with world.context.db.write() as tx:
        moves.set_task(tx, job, 0, cluster=f"{job}-0-1", region="here", candidate=0, torn_down=0)
    starter.die(starter.claims[0])
    cancel(world.context, [job])
    return job


def test_an_attendant_stays_until_jobs_are_ended(world: World, starter: InProcessStarter) -> None:
    """It is needed while a job is to be ended by nobody; and no longer."""
    need = Need(world.context)
    assert not need.is_there()
    job = forsaken(world, starter)
    assert aftercare.endings(world.context) == [job]
    assert need.is_there()
    world.sweep()
    assert world.job(job).is_done
    assert not need.is_there()


def test_an_attendant_does_not_stay_for_ever(world: World, starter: InProcessStarter) -> None:
    """What cannot be ended in five minutes is left to whoever comes by; what is new is not."""
    clock = world.context.clock = FakeClock()
    need = Need(world.context)
    forsaken(world, starter)
    assert need.is_there()
    clock.sleep(299)
    assert need.is_there()
    clock.sleep(2)
    assert not need.is_there()
    forsaken(world, starter)
    assert need.is_there()
    world.sweep()


class Leaving(InProcessStarter):
    """Counts the attendants that were wanted."""

    left = 0

    def leave_attendant(self) -> None:
        """One more."""
        self.left += 1


def test_an_attendant_is_left_where_nobody_ticks(world: World) -> None:
    """By a cancel that could not end all; not by one that did, nor where somebody ticks."""
    starter = Leaving()
    world.context.starter = starter
    job = forsaken(world, starter)
    assert world.statuses(job) == [TaskStatus.CANCELLING]
    assert starter.left == 1
    held = lock.try_lock(world.home.tick_lock)
    assert held is not None
    cancel(world.context, [job])
    os.close(held)
    assert starter.left == 1
    world.sweep()
    cancel(world.context, [job])
    assert starter.left == 1
