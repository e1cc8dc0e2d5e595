"""The checker over a real home: what the product does is sound, what was forged is found."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from jobsched import audit
from jobsched.audit import Invariant
from jobsched.scheduler.ending import cancel, job_done
from jobsched.states import ScheduleState, TaskStatus
from tests.world import World

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
