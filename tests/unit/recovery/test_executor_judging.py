"""Judging observations one after another."""

from __future__ import annotations

import pytest

from jobsched.models import ClusterState, Observation
from jobsched.recovery import (
    KeepWatching,
    Launched,
    Recover,
)
from tests.unit.recovery.fakes import (
    R1,
    World,
)

UP = Observation(state=ClusterState.UP)

UNKNOWN = Observation(state=ClusterState.UNKNOWN)


def test_judging_remembers_the_probes_before() -> None:
    """Failed probes add up over calls, and an answer starts them anew."""
    world = World(certain=False)
    world.run_in(R1)
    executor = world.executor()
    for expected in (1, 2, 3):
        got = executor.judge(UNKNOWN)
        assert isinstance(got, KeepWatching)
        assert got.watch.failed_probes == expected
        world.clock.sleep(15)
    executor.judge(UP)
    got = executor.judge(UNKNOWN)
    assert isinstance(got, KeepWatching)
    assert got.watch.failed_probes == 1


@pytest.mark.parametrize("step", [-3600.0, 3600.0])
def test_a_step_of_the_wall_clock_is_no_silence(step: float) -> None:
    """An hour more or less on the wall does not count towards the budget of time."""
    world = World(certain=False)
    world.run_in(R1)
    executor = world.executor()
    for _ in range(400):
        world.clock.wall += step
        assert isinstance(executor.judge(UNKNOWN), KeepWatching)
        world.clock.sleep(1)


def test_a_recovery_starts_the_window_of_probes_anew() -> None:
    """Silence before a recovery does not count against the cluster after it."""
    world = World(certain=False)
    world.run_in(R1)
    executor = world.executor()
    got = executor.judge(UNKNOWN)
    while isinstance(got, KeepWatching):
        world.clock.sleep(15)
        got = executor.judge(UNKNOWN)
    assert isinstance(got, Recover)
    world.store(got.row)
    assert isinstance(executor.recover(got.row), Launched)
    after = executor.judge(UNKNOWN)
    assert isinstance(after, KeepWatching)
    assert after.watch.failed_probes == 1
