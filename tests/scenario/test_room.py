"""Waiting for room: as often as the gaps allow, and at once when room appears."""

from __future__ import annotations

import re
import time

from jobsched import wake
from jobsched.scheduler.ending import cancel, job_done
from jobsched.scheduler.ticker import sweep
from jobsched.states import TaskStatus
from tests.scenario.conftest import MakeWorld
from tests.world import World

T = TaskStatus
FOREVER = "run: sleep 300\n"
ONE_HERE = "[local.regions.here]\nclusters = 1\n"


def waiting(world: World, job_id: int, tries: int = 1) -> bool:
    """Whether the job's only task waits for room, after so many tries at least."""
    (task,) = world.tasks(job_id)
    return task.backoff_code == "NO_ROOM" and task.tries >= tries


def tries_of(world: World, job_id: int) -> int:
    """How often the job's controllers have tried to launch in vain, by their log."""
    log = world.home.controller_log(job_id).read_text()
    return len(re.findall(r"launch of cluster \S+ in \S+ failed", log))


def occupied(world: World, region: str = "here") -> int:
    """A job that takes all the room of a region."""
    job = world.submit(f"resources: {{infra: local/{region}}}\n{FOREVER}", name=f"in-{region}")
    world.until_status(job, T.RUNNING)
    return job


def test_no_more_tries_than_the_gaps_allow(make_world: MakeWorld) -> None:
    """Beside a full region the second pause is waited out like the first, and so is the third."""
    world = make_world(ONE_HERE, gap=1)
    occupied(world)
    job, began = world.submit(FOREVER), time.monotonic()
    world.until(lambda: waiting(world, job, tries=3), "the third try")
    took = time.monotonic() - began
    assert took >= 0.6 * (1 + 1.6), "pauses of 1 s and 1.6 s, at most 40 % less each"
    assert tries_of(world, job) == 3
    assert world.history(job).count(("ALIVE_WAITING", "LAUNCHING")) == 2


def test_room_that_appears_ends_the_wait_at_once(make_world: MakeWorld) -> None:
    """The waiter has it long before its pause of five minutes would have ended."""
    world = make_world(ONE_HERE, gap=300)
    first = occupied(world)
    job = world.submit(FOREVER)
    world.until(lambda: waiting(world, job), "want of room")
    cancel(world.context, [first])
    world.until_status(job, T.RUNNING, timeout=20)


def test_what_happens_elsewhere_spends_no_try(make_world: MakeWorld) -> None:
    """Launches and ends in another region, and room there, are nothing to who waits for this."""
    world = make_world(f"{ONE_HERE}[local.regions.there]\nclusters = 1\n", gap=300)
    first = occupied(world)
    job = world.submit(f"resources: {{infra: local/here}}\n{FOREVER}")
    world.until(lambda: waiting(world, job), "want of room")
    for _ in range(2):
        other = world.submit("resources: {infra: local/there}\nrun: 'true'\n", name="other")
        world.until_done(other)
    wake.notify(world.home.wake_fifo(job, 1))
    cancel(world.context, [first])
    world.until_status(job, T.RUNNING, timeout=20)
    assert (world.tasks(job)[0].launches, tries_of(world, job)) == (2, 1)


def test_waiters_do_not_wake_each_other(make_world: MakeWorld) -> None:
    """Each keeps its own pace beside a full region; room is had by one, and costs no other a try.

    With one retry allowed, a wake-up that counted as a try would soon end them all.
    """
    world = make_world(ONE_HERE, gap=300)
    settings = world.home.config_file
    one_retry = "[recovery]\nmax_launch_retries = 1"
    settings.write_text(settings.read_text().replace("[recovery]", one_retry))
    first = occupied(world)
    jobs = [world.submit(FOREVER, name=f"w{number}") for number in range(3)]
    world.until(lambda: all(waiting(world, job) for job in jobs), "want of room")
    assert [tries_of(world, job) for job in jobs] == [1, 1, 1]
    cancel(world.context, [first])
    world.until(lambda: T.RUNNING in [world.tasks(job)[0].status for job in jobs], "the next")
    left = [job for job in jobs if world.tasks(job)[0].status is not T.RUNNING]
    world.until(lambda: all(waiting(world, job) for job in left), "the others to wait on")
    assert [world.tasks(job)[0].tries for job in left] == [1, 1]


def test_room_given_back_without_a_controller_ends_the_wait(make_world: MakeWorld) -> None:
    """Also where a sweep takes what a job that was ended by force has left."""
    world = make_world(ONE_HERE, gap=300)
    first = occupied(world)
    job = world.submit(FOREVER)
    world.until(lambda: waiting(world, job), "want of room")
    job_done(world.context, first)
    sweep(world.context)
    world.until_status(job, T.RUNNING, timeout=20)
