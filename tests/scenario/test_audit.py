"""The checker over a real home: what the product does is sound, what was forged is found."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing

import pytest

from jobsched import audit
from jobsched.audit import Invariant
from jobsched.clock import SystemClock
from jobsched.scheduler.ending import cancel, job_done
from jobsched.scheduler.operate import requeue
from jobsched.states import ScheduleState, TaskStatus
from tests.support import wait_until
from tests.world import World, is_held

SHORT = "run: 'true'\n"
LONG = "run: sleep 600\n"


def lived_in(world: World) -> list[int]:
    """A job that succeeded after its controller was killed, a cancelled, a forced and a running."""
    world.tick()
    killed, cancelled, forced, running = (
        world.submit(LONG, name=name) for name in ("killed", "cancelled", "forced", "running")
    )
    for job_id in (killed, cancelled, forced, running):
        world.until_status(job_id, TaskStatus.RUNNING)
    world.kill_controller(killed)
    world.until(lambda: world.job(killed).attempt == 2, "another controller")
    cancel(world.context, [killed, cancelled])
    job_done(world.context, forced, reason="by force")
    short = world.submit(SHORT, name="short")
    for job_id in (killed, cancelled, forced, short):
        world.until_done(job_id)
    return [killed, cancelled, forced, running, short]


def test_a_lived_in_home_is_sound(world: World) -> None:
    """A killed controller, a cancel, a forced end and a job that runs break nothing."""
    killed, cancelled, forced, running, short = lived_in(world)
    world.until_sound()
    assert audit.check(world.context).rows > 0
    assert [world.job(job_id).attempt for job_id in (killed, cancelled, forced)] == [2, 1, 2]
    assert world.job(running).schedule_state is ScheduleState.ALIVE
    assert world.statuses(short) == ["SUCCEEDED"]


class Later(SystemClock):
    """Ten seconds ahead."""

    def now(self) -> float:
        """The time in ten seconds."""
        return super().now() + 10


def test_an_ended_attempt_that_is_stopped(world: World) -> None:
    """A fenced controller that SIGSTOP holds is named once it has had its time to be gone."""
    job_id = world.submit(LONG)
    world.until_status(job_id, TaskStatus.RUNNING)
    stopped = world.stop_controller(job_id)
    assert requeue(world.context, job_id, end=lambda _attempt: [stopped]) == [stopped]
    world.until(lambda: world.attempt(job_id).called_at, "the second attempt")
    usual, world.context.clock = world.context.clock, Later()
    [found] = audit.check(world.context).violations
    world.context.clock = usual
    assert found.invariant is Invariant.LIVENESS
    assert "job 1: attempt 1 ended 1" in found.text
    assert f"but PID {stopped} still holds its lock" in found.text
    os.kill(stopped, signal.SIGCONT)
    wait_until(lambda: not is_held(world.home, job_id, 1), 10, "it to stop itself")
    world.until_sound()


def test_what_was_forged_is_found(world: World) -> None:
    """An outcome that is changed past every guard is named, with the history, until put back."""
    job_id = world.submit(SHORT)
    world.tick()
    world.until_done(job_id)
    world.until_sound()
    write_past_the_guards(world, "UPDATE tasks SET status = 'FAILED'")
    found = {violation.invariant for violation in audit.check(world.context).violations}
    assert found == {Invariant.RECORD}
    with pytest.raises(AssertionError, match=r"(?s)RECORD: job 1: task 0 .* to_value=SUCCEEDED"):
        world.until_sound(timeout=0)
    write_past_the_guards(world, "UPDATE tasks SET status = 'SUCCEEDED'")
    world.until_sound()


def write_past_the_guards(world: World, statement: str) -> None:
    """Tamper with the database."""
    with closing(sqlite3.connect(world.home.database)) as raw, raw:
        raw.execute(statement)
