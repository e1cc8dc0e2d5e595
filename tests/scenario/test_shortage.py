"""Starts that come to nothing: limits and pause hold all the same, and nobody keeps a lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import pytest

from jobsched import lock
from jobsched.errors import StartFailed, StoreError
from jobsched.lock import Grip
from jobsched.nursery.handing import Claim
from jobsched.scheduler.operate import set_limits
from jobsched.scheduler.passes import run_pass
from jobsched.states import ScheduleState
from jobsched.store import moves, reads
from jobsched.store.tx import Tx
from tests.scenario.conftest import MakeWorld
from tests.world import InProcessStarter, World

S = ScheduleState
ONE = "run: 'true'\n"


class Short(InProcessStarter):
    """A starter on a machine that has no process to spare, until it has."""

    def __init__(self, *, good: int = 0) -> None:
        super().__init__()
        self.asked, self.good, self.is_short = 0, good, True

    def start(self, claim: Claim, command: Sequence[str], env: object) -> int:
        """Fail as ``fork`` does, from the so many-th start on."""
        self.asked += 1
        if self.is_short and self.asked > self.good:
            os.close(claim.lock_fd)
            raise StartFailed("fork: no process to spare", transient=True)
        return super().start(claim, command, env)


def short_of(world: World, jobs: int, *, good: int = 0, alive: int = 1) -> tuple[Short, list[int]]:
    """So many jobs wait, ``alive`` may be, and only ``good`` starts succeed."""
    starter = world.context.starter = Short(good=good)
    set_limits(world.context, launch=50, alive=0)
    ids = [world.submit(ONE, name=f"j{n}") for n in range(jobs)]
    set_limits(world.context, alive=alive)
    return starter, ids


def later(world: World) -> None:
    """The pause after a failed start is over, for all."""
    with world.context.db.write() as tx:
        for job in (reads.job(tx, n) for n in range(1, 300)):
            if job is not None and job.not_before is not None:
                moves.set_job(tx, job.job_id, not_before=1.0)


def alive(world: World) -> int:
    """How many jobs are."""
    with world.context.db.read() as tx:
        return len(reads.alive_jobs(tx))


def test_one_round_tells_that_nothing_can_be_started_now(world: World) -> None:
    """The rest of the queue is not tried in vain, nor are starts spent on it."""
    starter, jobs = short_of(world, 200, alive=150)
    assert starter.asked == 1
    assert alive(world) == 0
    assert {world.job(job).attempt for job in jobs[64:]} == {0}
    assert {world.job(job).failed_starts for job in jobs} == {0}


@pytest.mark.parametrize("paused", [False, True])
def test_what_was_not_started_is_no_exception_from_the_limits(world: World, paused: bool) -> None:
    """After the shortage as many are alive as may be, in their order; none while starts pause."""
    starter, jobs = short_of(world, 6)
    starter.is_short = False
    later(world)
    if paused:
        set_limits(world.context, paused=True)
    run_pass(world.context)
    assert alive(world) == (0 if paused else 1)
    assert [claim.job_id for claim in starter.claims] == ([] if paused else jobs[:1])


def test_what_was_started_before_the_shortage_stays_so(world: World) -> None:
    """Two of five get their controllers; the others wait, with the limits free for them."""
    starter, jobs = short_of(world, 5, good=2, alive=5)
    states = [world.job(job).schedule_state for job in jobs]
    assert states == [S.LAUNCHING] * 2 + [S.WAITING] * 3
    starter.is_short = False
    later(world)
    run_pass(world.context)
    assert alive(world) == 5


def test_a_controller_that_called_is_replaced_whatever_the_limit(
    world: World, starter_that_calls: InProcessStarter
) -> None:
    """It had work under way: the alive limit may be exceeded for it, as it always could be."""
    set_limits(world.context, launch=5, alive=1)
    job = world.submit(ONE)
    with world.context.db.write() as tx:
        moves.first_call(tx, job, 1, world.context.clock.now(), None)
    set_limits(world.context, alive=0)
    starter_that_calls.die(starter_that_calls.claims[0])
    run_pass(world.context)
    assert (world.job(job).schedule_state, world.job(job).attempt) == (S.ALIVE, 2)


@pytest.fixture
def starter_that_calls(world: World) -> InProcessStarter:
    """The world's starter, which starts no process."""
    starter = world.context.starter = InProcessStarter()
    return starter


@pytest.mark.parametrize("folder", ["callbacks", "tasks"])
def test_what_fails_after_the_claim_keeps_no_lock(world: World, folder: str) -> None:
    """Whatever comes between: what was claimed is free again, and starts once it can."""
    world.context.starter = InProcessStarter()
    set_limits(world.context, launch=0)
    job = world.submit(ONE)
    path = world.root / "logs" / folder
    path.rmdir()
    path.write_text("in the way")
    with pytest.raises(StoreError, match="cannot use"):
        set_and_pass(world)
    assert lock.probe(world.home.attempt_lock(job, 1)) is Grip.FREE
    path.unlink()
    run_pass(world.context)
    assert world.job(job).failed_starts == 0
    later(world)
    run_pass(world.context)
    assert world.context.starter.claims[-1].job_id == job


def set_and_pass(world: World) -> None:
    """Make room, and have one pass fill it."""
    from jobsched.store import limits  # noqa: PLC0415 - named beside its use

    with world.context.locked() as held, world.context.db.write() as tx:
        limits.put(tx, held, limits.LAUNCH, 1, world.context.by(), auto=False)
    run_pass(world.context)


def test_nothing_is_claimed_while_the_settings_have_mistakes(make_world: MakeWorld) -> None:
    """A process that read them when they were sound claims nothing either, and spends no start."""
    world = make_world("[controller]\nnursery = true\n")
    sound = world.home.config_file.read_text()
    set_limits(world.context, launch=0)
    jobs = [world.submit(ONE) for _ in range(3)]
    world.home.config_file.write_text(sound + "[limits]\nlaunch = 'many'\n")
    set_limits(world.context, launch=4)
    assert [(world.job(job).schedule_state, world.job(job).attempt) for job in jobs] == [
        (S.WAITING, 0)
    ] * 3
    world.home.config_file.write_text(sound)
    run_pass(world.context)
    for job in jobs:
        assert world.until_done(job).attempt == 1


def interrupted(tx: Tx, action: Callable[[Tx], object]) -> None:
    """Do something, and have Ctrl-C come then."""
    action(tx)
    raise KeyboardInterrupt


def test_an_interrupt_within_a_transaction_undoes_it_and_nothing_else(world: World) -> None:
    """What was written in it is gone, and the same connection goes on."""
    by = world.context.by()
    with pytest.raises(KeyboardInterrupt), world.context.db.write() as tx:
        interrupted(tx, lambda tx: moves.create(tx, "half", ["t"], by))
    with pytest.raises(KeyboardInterrupt), world.context.db.read() as tx:
        interrupted(tx, reads.alive_jobs)
    world.context.starter = InProcessStarter()
    assert world.submit(ONE, name="whole") == 1
    assert world.job(1).name == "whole"
