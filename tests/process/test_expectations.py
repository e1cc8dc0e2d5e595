"""Compare-and-set: an act that was decided on what was shown is done only if it is still so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jobsched.api import Expected, Scheduler
from jobsched.errors import Changed
from jobsched.scheduler.operate import requeue
from jobsched.states import ScheduleState
from jobsched.store import moves, reads
from jobsched.store.rows import AttemptRow
from tests.world import InProcessStarter, World

S = ScheduleState
ONE = "run: 'true'\n"

Act = Callable[[Scheduler, int, Expected | None], object]

ACTS: dict[str, Act] = {
    "DONE": lambda door, job, expect: door.done(job, reason="why", expect=expect),
    "REQUEUE": lambda door, job, expect: door.requeue(job, reason="why", expect=expect),
    "HOLD": lambda door, job, expect: door.hold(job, reason="why", expect=expect),
    "RELEASE": lambda door, job, expect: door.release(job, reason="why", expect=expect),
    "PRIORITY": lambda door, job, expect: door.set_priority(job, 9, reason="why", expect=expect),
}


def started(door: Scheduler, world: World) -> int:
    """A job at attempt 1 that waits for its next controller; held by an operator."""
    job = world.submit(ONE)
    door.hold(job)
    return job


def snapshot(door: Scheduler, world: World, job: int) -> object:
    """All that an act could have changed."""
    seen = door.show(job)
    return world.job(job), world.attempt(job), seen["history"], seen["actions"]


@pytest.mark.parametrize("what", ACTS)
@pytest.mark.parametrize(
    "stale",
    [Expected(1, S.WAITING), Expected(0, S.LAUNCHING), Expected(2, S.LAUNCHING)],
    ids=["state", "older", "newer"],
)
def test_stale(
    door: Scheduler, world: World, starter: InProcessStarter, what: str, stale: Expected
) -> None:
    """A job that has moved on is not touched, and the error names both then and now."""
    job = started(door, world)
    before = snapshot(door, world, job)
    with pytest.raises(Changed) as caught:
        ACTS[what](door, job, stale)
    assert (caught.value.before, caught.value.now) == (str(stale), "LAUNCHING at attempt 1")
    assert str(caught.value) == (
        f"job {job} was {stale} when it was looked at and is LAUNCHING at attempt 1 now;"
        " nothing was done to it"
    )
    assert snapshot(door, world, job) == before
    assert [claim.job_id for claim in starter.claims] == [job]


@pytest.mark.parametrize("what", ACTS)
def test_fresh(door: Scheduler, world: World, starter: InProcessStarter, what: str) -> None:
    """A job that stands as expected is acted upon, and the history says why."""
    job = started(door, world)
    if what == "REQUEUE":  # its controller is this process: let it be gone already
        starter.die(starter.claims[0])
    if what == "HOLD":
        door.release(job)
    ACTS[what](door, job, Expected(1, S.LAUNCHING))
    newest = door.show(job)["actions"][-1]
    assert (newest["subject"], newest["reason"]) == (what, "why")


def test_requeue_of_a_job_that_waits_is_recorded(
    door: Scheduler, world: World, starter: InProcessStarter
) -> None:
    """Where no controller has to be ended, the act is in the history all the same."""
    job = started(door, world)
    starter.die(starter.claims[0])
    with world.context.locked() as held, world.context.db.write() as tx:
        row, now = reads.job(tx, job), world.context.clock.now()
        assert row is not None
        moves.set_attempt(tx, job, 1, ended_at=now)
        moves.schedule(tx, held, row, S.WAITING, world.context.by(), not_before=now + 3600)
    with pytest.raises(Changed):
        door.requeue(job, expect=Expected(1, S.LAUNCHING))
    door.requeue(job, reason="sooner", expect=Expected(1, S.WAITING))
    newest = door.show(job)["actions"][-1]
    assert (newest["subject"], newest["attempt"], newest["reason"]) == ("REQUEUE", 1, "sooner")
    assert world.job(job).attempt == 2


def test_requeue_ends_nothing_that_is_not_expected(
    door: Scheduler, world: World, starter: InProcessStarter
) -> None:
    """Whether the job has moved on is known before its controller is ended."""
    job, ended = started(door, world), list[AttemptRow]()

    def end(attempt: AttemptRow) -> list[int]:
        ended.append(attempt)
        return []

    with pytest.raises(Changed):
        requeue(world.context, job, end=end, expect=Expected(1, S.ALIVE))
    assert ended == []
    assert world.attempt(job).end_reason is None
    assert [claim.job_id for claim in starter.claims] == [job]


def test_cancel_takes_those_that_are_as_expected(door: Scheduler, world: World) -> None:
    """Of several jobs only those that have moved on are left as they are, and named."""
    door.set_limits(paused=True)
    first, second, third = (world.submit(ONE) for _ in range(3))
    waits = Expected(0, S.WAITING)
    result = door.cancel(
        [first, second, third], expect={first: waits, second: Expected(1, S.ALIVE)}
    )
    assert (result.ended, result.stopping, result.finished) == ([first, third], [], [])
    (changed,) = result.changed
    assert (changed.job_id, changed.before, changed.now) == (
        second, "ALIVE at attempt 1", "WAITING at attempt 0",
    )  # fmt: skip
    assert door.get_job_schedule_state(second) is S.WAITING
    assert not door.cancel_requested(second)


def test_what_is_done_has_moved_on(door: Scheduler, world: World) -> None:
    """A job that ended meanwhile is reported as changed, not as an illegal move."""
    door.set_limits(paused=True)
    job = world.submit(ONE)
    door.cancel([job])
    with pytest.raises(Changed, match="is DONE at attempt 0 now"):
        door.done(job, expect=Expected(0, S.WAITING))
    assert door.cancel([job], expect={job: Expected(0, S.WAITING)}).finished == []
