"""A controller that dies at any point, and the next one that goes on from what is stored."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from jobsched.models import ClusterState
from jobsched.recovery import Cause, Launched, Outcome, StrategyExecutor
from tests.unit.recovery.fakes import R1, Crash, Faults, World, full, task

#: More than any of the stories below has effects.
MANY = 60


def go_on(world: World, faults: Faults, begin: Callable[[StrategyExecutor], Outcome]) -> Outcome:
    """What a controller does with a task that is STARTING or RECOVERING: adopt it, or launch."""
    executor = world.executor(faults)
    cluster = world.row.cluster
    if world.row.adoptable and world.backend.probe(str(cluster)).state is ClusterState.UP:
        return executor.started()
    return begin(executor)


def launch_story() -> World:
    """A first launch: one try finds nothing and leaves a wreck, the second succeeds in R2."""
    script: dict[str, list[Exception]] = {
        "R1": [full(), full()],
        "R2": [RuntimeError("half made")],
        "R3": [full()],
    }
    return World(script=script)


def recovery_story(strategy: str, cause: Cause) -> World:
    """A task that is RECOVERING, with its old cluster still there, and little room elsewhere."""
    script: dict[str, list[Exception]] = {
        "R1": [full(), RuntimeError("half made")],
        "R2": [full()],
        "R3": [full()],
    }
    world = World(task(strategy, restarts=3), script=script)
    world.run_in(R1)
    world.store(world.row.recovering(cause, spends=cause is Cause.USER_ERROR))
    return world


def effects_of(world: World, begin: Callable[[StrategyExecutor], Outcome]) -> int:
    """How many effects the story has when nothing goes wrong."""
    faults = Faults()
    go_on(world, faults, begin)
    assert faults.count < MANY
    return faults.count


def crash_at_each_point(
    story: Callable[[], World], begin: Callable[[StrategyExecutor], Outcome]
) -> list[World]:
    """The story once for each effect, cut before or after it, then told to its end."""
    worlds = []
    for at in range(1, effects_of(story(), begin) + 1):
        for after in (False, True):
            world = story()
            with pytest.raises(Crash):
                go_on(world, Faults(at, after=after), begin)
            assert not world.slot.taken
            if not runs(world):
                assert isinstance(go_on(world, Faults(), begin), Launched)
            worlds.append(world)
    return worlds


def runs(world: World) -> bool:
    """Whether the store says that the task is running."""
    return world.row.started_at is not None and world.row.cause is None


def check_the_end(world: World) -> None:
    """One program runs, on the cluster that is stored, and nothing else is left."""
    assert list(world.backend.clusters) == [world.row.cluster]
    assert world.backend.running == [world.row.cluster]
    assert world.backend.most_running == 1
    assert world.row.cause is None
    assert world.row.tries == 0


def test_a_launch_survives_a_crash_at_any_point() -> None:
    """Whenever the controller dies, the next one ends with exactly one cluster."""
    for world in crash_at_each_point(launch_story, StrategyExecutor.launch):
        check_the_end(world)
        assert world.row.recovery_count == world.row.restart_count == 0


@pytest.mark.parametrize("strategy", ["EAGER_NEXT_REGION", "FAILOVER"])
def test_a_recovery_survives_a_crash_at_any_point(strategy: str) -> None:
    """One preemption is one recovery, however often its controller dies."""
    worlds = crash_at_each_point(
        lambda: recovery_story(strategy, Cause.PREEMPTED), StrategyExecutor.recover
    )
    for world in worlds:
        check_the_end(world)
        assert world.row.recovery_count == 1
        assert world.row.restart_count == 0


@pytest.mark.parametrize("strategy", ["EAGER_NEXT_REGION", "FAILOVER", "NONE"])
def test_a_restart_survives_a_crash_at_any_point(strategy: str) -> None:
    """One restart is spent once, however often its controller dies."""
    worlds = crash_at_each_point(
        lambda: recovery_story(strategy, Cause.USER_ERROR), StrategyExecutor.recover
    )
    for world in worlds:
        check_the_end(world)
        assert world.row.recovery_count == 0
        assert world.row.restart_count == world.row.restarts_spent == 1


def test_a_controller_that_dies_again_and_again_makes_progress() -> None:
    """Each lives for a few effects only; still the task comes to run once."""
    world = recovery_story("FAILOVER", Cause.PREEMPTED)
    for _ in range(200):
        with suppress(Crash):
            go_on(world, Faults(4), StrategyExecutor.recover)
            break
        if runs(world):
            break
    check_the_end(world)
