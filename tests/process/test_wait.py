"""Waiting for jobs: until all are DONE, ticking meanwhile, noticing one's own changes, too."""

from __future__ import annotations

import threading

from jobsched.api import Scheduler, WaitResult
from jobsched.scheduler.ending import cancel
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves
from tests.world import InProcessStarter, World, is_held

S, T = ScheduleState, TaskStatus


def test_until_all_are_done(door: Scheduler, world: World) -> None:
    """Each change is told in order, each result is there at the end, an unknown id keeps nobody."""
    good, bad = world.submit("run: 'true'\n", name="good"), world.submit("run: exit 1\n")
    told: list[tuple[int, TaskStatus]] = []
    results = door.wait(
        [good, bad, good, 99], timeout=30, on_change=lambda job, status: told.append((job, status))
    )
    assert results == {
        good: WaitResult(T.SUCCEEDED, done=True),
        bad: WaitResult(T.FAILED, done=True),
        99: WaitResult(None, done=False),
    }
    for job, last in ((good, T.SUCCEEDED), (bad, T.FAILED)):
        seen = [status for one, status in told if one == job]
        assert seen[-1] is last
        assert len(seen) == len(set(seen))
    assert {job for job, _ in told} == {good, bad}


def test_outcome_is_not_the_end(door: Scheduler, world: World, starter: InProcessStarter) -> None:
    """A job with an outcome is waited for until its cleanup has ended, too."""
    job = world.submit("run: 'true'\n")
    assert [claim.job_id for claim in starter.claims] == [job]
    (task,) = world.tasks(job)
    with world.context.db.write() as tx:
        moves.status(tx, task, T.CANCELLED, world.context.by())
    assert door.wait([job], timeout=0.3) == {job: WaitResult(T.CANCELLED, done=False)}


def test_timeout(door: Scheduler, world: World) -> None:
    """Where the job goes on the wait ends, and says where it was."""
    door.set_limits(paused=True)
    job = world.submit("run: 'true'\n")
    assert door.wait([job], timeout=0) == {job: WaitResult(T.PENDING, done=False)}
    assert door.wait([], timeout=5) == {}


def test_notices_its_own_tick(door: Scheduler, world: World) -> None:
    """A job whose controller has died is ended by the waiting process itself, which notices."""
    job = world.submit("run: exec sleep 300\n")
    world.until_status(job, T.RUNNING)
    world.kill_controller(job)
    world.until(lambda: not is_held(world.home, job, 1), "the controller to be gone")
    with world.context.db.write() as tx:
        by = world.context.by("enough")
        moves.set_job(tx, job, cancel_at=by.now, cancel_reason=by.reason)
        moves.record(tx, by, "ACTION", job_id=job, subject="CANCEL", attempt=1)
    results: dict[int, WaitResult] = {}
    waiter = threading.Thread(target=lambda: results.update(door.wait([job], timeout=20)))
    waiter.start()
    waiter.join(15)
    assert not waiter.is_alive(), "the job was ended, but the wait did not notice"
    assert results == {job: WaitResult(T.CANCELLED, done=True)}


def test_cancelled_by_another_process(door: Scheduler, world: World) -> None:
    """What somebody else does while it waits is noticed."""
    job = world.submit("run: exec sleep 300\n")
    world.until_status(job, T.RUNNING)
    other = World(world.root)
    timer = threading.Timer(0.2, lambda: cancel(other.context, [job]))
    timer.start()
    assert door.wait([job], timeout=20) == {job: WaitResult(T.CANCELLED, done=True)}
    timer.join()
    other.context.db.close()
