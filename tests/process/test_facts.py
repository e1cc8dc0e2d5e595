"""What reasons follow from, as it is found: who is next, who lives, what a blocker waits for."""

from __future__ import annotations

import os
import random
import signal
import subprocess

import pytest

from jobsched import process
from jobsched.api import ReasonCode, Scheduler
from jobsched.context import Context
from jobsched.scheduler.passes import run_pass
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import limits, moves, views
from jobsched.sweep.liveness import Liveness, liveness
from tests.world import InProcessStarter, World

S, T, C = ScheduleState, TaskStatus, ReasonCode
ONE = "run: 'true'\n"
LONG = "run: exec sleep 300\n"
WAITING = {S.WAITING, S.ALIVE_WAITING}


def put_limits(context: Context, **values: int) -> None:
    """Set limits without the pass that would follow."""
    with context.locked() as held, context.db.write() as tx:
        for name, value in values.items():
            limits.put(tx, held, name.upper(), value, context.by(), auto=False)


@pytest.mark.parametrize("seed", range(12))
def test_who_is_said_to_be_next_is_next(
    door: Scheduler, world: World, starter: InProcessStarter, seed: int
) -> None:
    """A pass moves exactly those jobs of which it was said that the next pass would."""
    rng = random.Random(seed)  # noqa: S311 - the same each time
    door.set_limits(launch=0, alive=30)
    jobs = [world.submit(ONE, name=f"j{n}", priority=rng.choice([0, 0, 5])) for n in range(12)]
    door.set_limits(launch=5)
    running = [claim.job_id for claim in starter.claims]
    assert len(running) == 5
    put_limits(world.context, launch=0)
    for job in running[:3]:
        step(world, job, S.ALIVE, S.ALIVE_WAITING)
    for job in running[3:4]:
        step(world, job, S.ALIVE)
    for job in rng.sample(jobs, 3):
        door.hold(job)
    alive, launch = rng.randrange(3, 9), rng.randrange(1, 7)
    put_limits(world.context, alive=alive, launch=launch, paused=int(seed % 6 == 0))
    before = {job["job_id"]: job for job in door.queue()}
    promised = {
        job for job, seen in before.items()
        if seen["waiting_reason"] == C.STARTING and seen["schedule_state"] in WAITING
    }  # fmt: skip
    run_pass(world.context)
    moved = {
        job["job_id"] for job in door.queue()
        if job["schedule_state"] != before[job["job_id"]]["schedule_state"]
    }  # fmt: skip
    assert moved == promised
    codes = {door.why(job).code for job in jobs if job not in moved and job not in running}
    assert codes <= {C.LAUNCH_LIMIT, C.ALIVE_LIMIT, C.HELD, C.PAUSED}


def step(world: World, job_id: int, *states: ScheduleState) -> None:
    """Move a job as its controller would."""
    context = world.context
    for to in states:
        with context.locked() as held, context.db.write() as tx:
            moves.schedule(tx, held, moves.owned(tx, job_id, context.by()), to, context.by())


def test_ids_in_front(door: Scheduler, world: World, starter: InProcessStarter) -> None:
    """The sentence names the first few before it and how many there are."""
    door.set_limits(launch=1)
    jobs = [world.submit(ONE, name=f"j{n}") for n in range(6)]
    first = world.submit(ONE, name="urgent", priority=9)
    assert [claim.job_id for claim in starter.claims] == jobs[:1]
    told = door.why(jobs[5]).text
    named = ", ".join(map(str, [first, *jobs[1:3]]))
    assert told.endswith(f"1 of 1 launch slots are taken; in front of it: jobs {named} and 2 more")
    assert door.why(first).text.endswith("it is next in line")


def test_what_a_blocker_waits_for(door: Scheduler, world: World, starter: InProcessStarter) -> None:
    """One look further: why the job that is waited for is not done."""
    path = world.root.parent / "x.yaml"
    path.write_text(ONE)
    door.set_limits(launch=1)
    running, held = (made.job_id for made in door.submit([path, path], hold=False))
    door.hold(held)
    (last,) = door.submit([path], after=[held, running])
    assert [claim.job_id for claim in starter.claims] == [running]
    reason = door.why(last.job_id)
    assert reason.code is C.DEPENDS_ON
    assert f"jobs {running}, {held} have succeeded" in reason.text
    assert reason.text.endswith(f"job {running} is PENDING (STARTING)")


def look(world: World, job_id: int) -> Liveness:
    """Whether the job's controller lives."""
    with world.context.db.read() as tx:
        attempt = views.newest_attempts(tx, [job_id]).get(job_id)
    return liveness(world.context, world.job(job_id), attempt)


def test_alive_stopped_and_dead(unwatched: World) -> None:
    """A controller lives while its lock is held, also a stopped one; killed, it is gone at once."""
    world, door = unwatched, Scheduler(context=unwatched.context)
    job = world.submit(LONG)
    pid = world.controller(job)
    world.until_status(job, T.RUNNING)
    assert look(world, job) == Liveness(alive=True)
    os.kill(pid, signal.SIGSTOP)
    world.until(
        lambda: look(world, job) == Liveness(alive=True, stopped=pid), "it to be seen as stopped"
    )
    os.kill(pid, signal.SIGKILL)
    world.until(lambda: look(world, job) == Liveness(alive=False), "the lock to be free")
    reason = door.why(job)
    assert reason.code is C.RUNNING
    assert "its controller has died" in reason.text
    seen = door.show(job)
    assert (seen["controller_pid"], seen["controller_alive"]) == (pid, False)


def test_never_started(door: Scheduler, world: World) -> None:
    """Where no controller was started none lives."""
    door.set_limits(paused=True)
    assert look(world, world.submit(ONE)) == Liveness(alive=False)


def test_somebody_else_holds_the_lock(
    door: Scheduler, world: World, starter: InProcessStarter
) -> None:
    """Its process has ended, but the lock is held: unknown, and the sentence names the holder."""
    job = world.submit(ONE)
    (claim,) = starter.claims
    assert look(world, job) == Liveness(alive=True), "nobody is recorded yet: being started"
    with subprocess.Popen(["true"]) as gone:
        pid = gone.pid
    with world.context.db.write() as tx:
        moves.set_attempt(tx, job, 1, pid=pid, start_ticks=1, pid_ns=process.me().pid_ns)
    assert look(world, job) == Liveness(alive=None, holders=(os.getpid(),))
    reason = door.why(job)
    assert reason.code is C.UNKNOWN_LIVENESS
    assert str(os.getpid()) in reason.text
    seen = door.show(job)
    assert (seen["controller_alive"], seen["waiting_reason"]) == (None, "UNKNOWN_LIVENESS")
    starter.die(claim)
    assert look(world, job) == Liveness(alive=False)


def test_lock_that_cannot_be_looked_at(
    door: Scheduler, world: World, starter: InProcessStarter
) -> None:
    """Where it cannot be told the answer is that, not a guess."""
    job = world.submit(ONE)
    path = world.home.attempt_lock(job, 1)
    path.rename(path.with_suffix(".aside"))
    path.symlink_to(path.with_suffix(".aside"))
    assert look(world, job) == Liveness(alive=None)
    assert door.why(job).code is C.UNKNOWN_LIVENESS
    path.unlink()
    path.with_suffix(".aside").rename(path)
    assert look(world, job) == Liveness(alive=True)
    assert [claim.job_id for claim in starter.claims] == [job]


def test_no_room_and_backoff(world: World, door: Scheduler) -> None:
    """What a task waits for between two tries, until when, and that room would end it sooner."""
    world.home.config_file.write_text(
        "[recovery]\nretry_gap_seconds = 300\n[local.regions.here]\nclusters = 1\n"
    )
    first = world.submit(LONG, name="first")
    world.until_status(first, T.RUNNING)
    second = world.submit(LONG, name="second")
    world.until(lambda: door.why(second).code is C.NO_ROOM, "the second to wait for room")
    text = door.why(second).text
    assert "try 2 at" in text
    assert text.endswith("or as soon as there is room")
    door.cancel([first])
    world.until_status(second, T.RUNNING)


def test_cancelling_and_cleanup(door: Scheduler, world: World, starter: InProcessStarter) -> None:
    """A cancelled job is ended by its controller; once it has its outcome the cleanup is left."""
    job = world.submit(ONE)
    context = world.context
    (task,) = world.tasks(job)
    with context.db.write() as tx:
        moves.status(tx, task, T.STARTING, context.by())
        moves.set_task(tx, job, 0, cluster=f"{job}-0-1", torn_down=0)
    door.cancel([job])
    reason = door.why(job)
    assert (reason.code, "its controller ends 1 of its 1 tasks" in reason.text) == (
        C.CANCELLING, True,
    )  # fmt: skip
    (task,) = world.tasks(job)
    with context.db.write() as tx:
        moves.status(tx, task, T.CANCELLED, context.by())
    reason = door.why(job)
    assert reason.code is C.CLEANUP
    assert f"its controller removes cluster {job}-0-1" in reason.text
    assert [claim.job_id for claim in starter.claims] == [job]
