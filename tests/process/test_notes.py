"""A requeue whose maker was killed: the next death of the controller is paid for as any other."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jobsched.scheduler.notes import Notes
from jobsched.scheduler.operate import note_requeue, requeue
from jobsched.store.rows import AttemptRow
from jobsched.store.sql import Sql
from jobsched.testing import FakeClock
from tests.support import measured
from tests.world import InProcessStarter, World, is_held

SLEEP = "run: exec sleep 300\n"
#: Asks for a requeue, and is killed before it ends the attempt.
KILLED = """
import os, signal, sys
from jobsched import Scheduler
from jobsched.scheduler import operate

operate.requeue(
    Scheduler(sys.argv[1]).context, 1, end=lambda attempt: os.kill(os.getpid(), signal.SIGKILL)
)
"""


def noted(world: World) -> str | None:
    """What is said of the end of the job's attempt."""
    return world.attempt(1).end_reason


@pytest.fixture
def halved(world: World, tmp_path: Path) -> World:
    """A world with a job that runs, and a requeue of it that came to nothing."""
    assert world.submit(SLEEP) == 1
    world.controller(1)
    child = subprocess.run(
        [sys.executable, "-c", KILLED, str(world.home.root)], check=False,
        env=measured({"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}),
    )  # fmt: skip
    assert child.returncode == -signal.SIGKILL
    assert noted(world) == "requeued by an operator"
    return world


def test_a_later_death_is_paid_for(halved: World) -> None:
    """Once the note is taken back, whoever kills the controller spends a requeue."""
    clock = halved.context.clock = FakeClock()
    notes = Notes(halved.context)
    notes.look()
    clock.sleep(9)
    notes.look()
    assert noted(halved) == "requeued by an operator", "it may be under way"
    clock.sleep(2)
    notes.look()
    assert noted(halved) is None
    halved.kill_controller(1)
    halved.until(lambda: not is_held(halved.home, 1, 1), "the controller to be gone")
    halved.sweep()
    assert halved.job(1).attempt == 2
    assert halved.job(1).requeues == 1


def test_whoever_ticks_takes_it_back(halved: World) -> None:
    """Within seconds, without being asked: the controller itself ticks."""
    halved.until(lambda: noted(halved) is None, "the note to be taken back", 25)
    assert halved.job(1).attempt == 1


def test_what_has_ended_or_was_replaced_keeps_its_note(
    world: World, starter: InProcessStarter
) -> None:
    """It did end on purpose: that is not to be paid for, however late somebody looks."""
    world.submit(SLEEP)
    attempt = world.attempt(1)
    clock = world.context.clock = FakeClock()
    notes = Notes(world.context)
    note_requeue(world.context, attempt, "on purpose")
    notes.look()
    starter.die(starter.claims[0])
    clock.sleep(60)
    notes.look()
    assert noted(world) == "on purpose"
    world.sweep()
    assert (world.job(1).attempt, world.job(1).requeues) == (2, 0)

    def end(attempt: AttemptRow) -> list[int]:
        del attempt
        notes.look()
        starter.die(starter.claims[0])
        return []

    requeue(world.context, 1, end=end)
    notes.look()
    clock.sleep(60)
    notes.look()
    assert (world.job(1).attempt, world.job(1).requeues) == (3, 0)
    with world.context.db.read() as tx:
        rows = tx.tuples(Sql("SELECT attempt, end_reason FROM attempts ORDER BY attempt"))
    assert rows == [(1, "on purpose"), (2, "requeued by an operator"), (3, None)]
