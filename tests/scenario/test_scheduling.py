"""Limits, order and slots, with the test acting as every controller."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from jobsched.api import looking
from jobsched.config import AttemptIdentity
from jobsched.context import Context, open_context
from jobsched.errors import Cancelled, IllegalMove, NoAttempt, StaleAttempt
from jobsched.machine import remembered
from jobsched.machine.auto import Auto
from jobsched.machine.footprint import Footprint
from jobsched.machine.memory import Memory
from jobsched.nursery.handing import Claim
from jobsched.scheduler.ending import cancel, job_done
from jobsched.scheduler.operate import set_hold, set_limits, set_priority
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.slot import scheduled_launch
from jobsched.scheduler.submission import create_job, submit_job
from jobsched.states import ScheduleState
from jobsched.store import reads
from tests.scenario.conftest import MakeWorld
from tests.world import InProcessStarter, World

ONE = "run: 'true'\n"
S = ScheduleState


@pytest.fixture(autouse=True)
def starter(world: World) -> InProcessStarter:
    """The world's starter, which starts no process."""
    starter = InProcessStarter()
    world.context.starter = starter
    return starter


def acting(world: World, job_id: int) -> Context:
    """A context that acts as the newest attempt of a job."""
    context = open_context(world.root, actor="controller")
    context.starter = world.context.starter
    context.identity = AttemptIdentity(job_id, world.job(job_id).attempt)
    return context


def state(world: World, job_id: int) -> ScheduleState:
    """Where a job is now."""
    return world.job(job_id).schedule_state


def test_a_limit_that_follows_the_machine_again(world: World) -> None:
    """It is looked at by those, too, who had no reason to while all limits were set by hand."""
    set_limits(world.context, launch=2, alive=3)
    world.submit(ONE)
    assert not world.context.follows_machine
    set_limits(open_context(world.root), alive="auto")
    gib, now = 1024**3, world.context.clock.now()
    seen = remembered.Remembered(
        memory=Memory(total=64 * gib, available=40 * gib, stalled=0.0), alive=0, at=now,
        footprint=Footprint(1024**2, 40, now),
    )  # fmt: skip
    remembered.save(world.home.memory_file, seen)
    run_pass(world.context)
    with world.context.db.read() as tx:
        in_force = reads.current_limits(tx)
    assert (in_force.launch, in_force.alive) == (2, Auto(world.home.memory_file, now).room(1).limit)
    assert in_force.alive > 10_000


def test_one_pass_fills_all_slots(world: World, starter: InProcessStarter) -> None:
    """Raising both limits at once starts as many jobs as they admit, in order of submission."""
    set_limits(world.context, launch=0, alive=10)
    jobs = [world.submit(ONE, name=f"j{i}") for i in range(6)]
    set_limits(world.context, launch=4)
    assert [claim.job_id for claim in starter.claims] == jobs[:4]
    assert [state(world, job) for job in jobs] == [S.LAUNCHING] * 4 + [S.WAITING] * 2


def test_alive_limit_blocks_starts_but_never_a_resume(world: World) -> None:
    """A lower id that the alive limit blocks does not hide a job that wants its slot again."""
    set_limits(world.context, launch=2, alive=1)
    first = create_job(world.context, "first", ["t"])
    second = world.submit(ONE, name="second")
    with scheduled_launch(acting(world, second), second):
        pass
    path = Path(world.root.parent / "first.yaml")
    path.write_text(ONE)
    submit_job(world.context, first, path)
    assert state(world, first) is S.WAITING
    with scheduled_launch(acting(world, second), second):
        assert state(world, second) is S.LAUNCHING
    assert state(world, first) is S.WAITING
    job_done(acting(world, second), second, status="SUCCEEDED")
    assert state(world, first) is S.LAUNCHING


def test_priority_then_submission_order(world: World, starter: InProcessStarter) -> None:
    """Higher priority starts first, read when the decision is made; equal ones in order."""
    set_limits(world.context, launch=0)
    low = world.submit(ONE, name="low", priority=-5)
    normal = world.submit(ONE, name="normal")
    high = world.submit(ONE, name="high", priority=7)
    late = world.submit(ONE, name="late", priority=7)
    set_priority(world.context, low, 1000)
    set_limits(world.context, launch=100)
    assert [claim.job_id for claim in starter.claims] == [low, high, late, normal]


def test_pause_and_hold(world: World) -> None:
    """A pause stops starts alone; a hold stops every move of one job into LAUNCHING."""
    running = world.submit(ONE, name="running")
    controller = acting(world, running)
    with scheduled_launch(controller, running):
        pass
    set_limits(world.context, paused=True)
    waiting = world.submit(ONE, name="waiting")
    assert state(world, waiting) is S.WAITING
    with scheduled_launch(controller, running):
        assert state(world, running) is S.LAUNCHING
    set_hold(world.context, waiting, held=True)
    set_limits(world.context, paused=False)
    assert state(world, waiting) is S.WAITING
    set_hold(world.context, waiting, held=False)
    assert state(world, waiting) is S.LAUNCHING


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_slot_is_free_after_any_exception(world: World, error: type[BaseException]) -> None:
    """Whatever is raised inside, the slot is given back before anybody handles it."""
    set_limits(world.context, launch=1)
    job = world.submit(ONE)
    other = world.submit(ONE, name="other")

    def launch() -> None:
        with scheduled_launch(acting(world, job), job):
            assert state(world, other) is S.WAITING
            raise error

    with pytest.raises(error):
        launch()
    assert (state(world, job), state(world, other)) == (S.ALIVE, S.LAUNCHING)


def test_slot_is_not_nested(world: World) -> None:
    """A second entry by the same controller is refused and costs nothing."""
    job = world.submit(ONE)
    controller = acting(world, job)
    with scheduled_launch(controller, job):
        with pytest.raises(IllegalMove):
            scheduled_launch(controller, job).__enter__()
        assert state(world, job) is S.LAUNCHING
    assert state(world, job) is S.ALIVE


def test_who_has_no_attempt_may_not_launch(world: World) -> None:
    """A process that was not started as the job's controller is refused."""
    job = world.submit(ONE)
    with pytest.raises(NoAttempt), scheduled_launch(world.context, job):
        pytest.fail("entered")
    assert state(world, job) is S.LAUNCHING


def test_a_cancelled_job_does_not_launch(world: World) -> None:
    """The controller that asks for the slot again is told; its wish is withdrawn."""
    job = world.submit(ONE)
    controller = acting(world, job)
    with scheduled_launch(controller, job):
        pass
    cancel(world.context, [job])
    with pytest.raises(Cancelled), scheduled_launch(controller, job):
        pytest.fail("entered")
    assert state(world, job) is S.ALIVE


def test_a_fenced_controller_changes_nothing(world: World, starter: InProcessStarter) -> None:
    """After a forced end the old attempt can neither launch nor end the job again."""
    job = world.submit(ONE)
    controller = acting(world, job)
    starter.die(starter.claims[0])
    job_done(world.context, job, reason="stuck")
    before = world.history(job)
    with pytest.raises(StaleAttempt), scheduled_launch(controller, job):
        pytest.fail("entered")
    job_done(controller, job, idempotent=True)
    with pytest.raises(IllegalMove):
        job_done(controller, job)
    assert world.history(job) == before
    assert world.job(job).attempt == 2


def test_dead_controllers_give_their_slots_back(world: World, starter: InProcessStarter) -> None:
    """The next pass, by anybody, requeues the dead one's job and starts the next in its slot."""
    set_limits(world.context, launch=1, alive=2)
    job = world.submit(ONE)
    other = world.submit(ONE, name="other")
    acting(world, job).mine(job, "be seen")
    starter.die(starter.claims[0])
    run_pass(world.context)
    assert (state(world, job), world.job(job).attempt) == (S.ALIVE, 2)
    assert state(world, other) is S.LAUNCHING
    assert world.job(job).requeues == 1


def has_come(world: World, job: int, attempt: int) -> bool:
    """Whether, after one more pass, the attempt has begun or the job has ended."""
    run_pass(world.context)
    return world.job(job).attempt == attempt or world.job(job).is_done


def test_budget_of_deaths(make_world: MakeWorld) -> None:
    """One death more than allowed ends the job FAILED_CONTROLLER, with the evidence."""
    world = make_world("[controller]\nmax_requeues = 2\n")
    starter = world.context.starter = InProcessStarter()
    job = world.submit(ONE)
    for expected in (2, 3, 4):
        acting(world, job).mine(job, "be seen")
        starter.die(starter.claims[-1])
        world.until(partial(has_come, world, job, expected), f"attempt {expected} or the end")
    row = world.job(job)
    assert (row.schedule_state, str(row.status), row.attempt) == (S.DONE, "FAILED_CONTROLLER", 3)
    sentence, proof = (row.failure_reason or "").split("\n")
    assert sentence == "its controller died 3 times (2 are allowed); killed by the test"
    assert "its log is empty" in proof
    assert looking.why(world.context, job).text.endswith(f": {sentence}")


def test_a_controller_that_never_calls_is_given_up(make_world: MakeWorld) -> None:
    """Three starts without a first call spend their own, smaller budget, with pauses between."""
    world = make_world()
    starter = world.context.starter = InProcessStarter()
    job = world.submit(ONE)
    starter.die(starter.claims[-1])
    run_pass(world.context)
    row = world.job(job)
    assert (row.schedule_state, row.failed_starts) == (S.WAITING, 1)
    assert row.not_before is not None
    for _ in range(2):
        world.until(lambda: run_pass(world.context) is not None and starter.claims, "a start")
        starter.die(starter.claims[-1])
        run_pass(world.context)
    assert str(world.job(job).status) == "FAILED_CONTROLLER"
    assert world.job(job).is_done


def test_lock_is_held_from_the_claim_on(world: World, starter: InProcessStarter) -> None:
    """The attempt's lock is held when the claim is seen, and its descriptor is the starter's."""
    job = world.submit(ONE)
    claim = starter.claims[0]
    assert claim == Claim(job, 1, claim.lock_fd)
    assert os.fstat(claim.lock_fd).st_ino == world.home.attempt_lock(job, 1).stat().st_ino
