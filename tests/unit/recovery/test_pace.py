"""A task that is lost again and again, just after it began, is recovered at once, then less so."""

from __future__ import annotations

import pytest

from jobsched.models import ClusterState, Observation
from jobsched.recovery import Launched, Recover, StrategyExecutor, WaitCode
from tests.unit.recovery.fakes import R1, World, ended, task

GONE = Observation(state=ClusterState.GONE)


def recovered(world: World, executor: StrategyExecutor, seen: Observation) -> list[float]:
    """The pauses of one recovery after a probe that said so; it is stored as a controller does."""
    begun = len(world.waits)
    verdict = executor.judge(seen)
    assert isinstance(verdict, Recover)
    world.store(verdict.row)
    assert isinstance(executor.recover(verdict.row), Launched)
    return world.waits[begun:]


def after(seconds: float, times: int, seen: Observation, world: World) -> list[list[float]]:
    """The pauses of so many recoveries, each so many seconds after the start of the run."""
    executor, pauses = world.executor(), []
    executor.launch()
    for _ in range(times):
        world.clock.sleep(seconds)
        pauses.append(recovered(world, executor, seen))
    return pauses


@pytest.mark.parametrize(
    ("seen", "codes"), [(GONE, ()), (ended(33), (33,))], ids=["preempted", "exit code"]
)
def test_the_sixth_short_run_is_followed_by_a_pause(
    seen: Observation, codes: tuple[int, ...]
) -> None:
    """Five follow at once; then 60, 96, 154 s pass, 40 % more or less, whatever ended the runs."""
    world = World(task(codes=codes), regions=(R1,))
    pauses = after(9.9, 8, seen, world)
    assert pauses[:5] == [[]] * 5
    middles = [sum(each) for each in pauses[5:]]
    assert middles == [pytest.approx(middle, rel=0.4) for middle in (60, 96, 153.6)]


def test_a_run_of_ten_seconds_is_none_that_failed_to_start() -> None:
    """A hundred preemptions in a row, each after some work, are recovered from at once."""
    assert after(10.0, 100, GONE, World(regions=(R1,))) == [[]] * 100


def test_a_long_run_begins_the_count_anew() -> None:
    """After it, five short ones are again followed by another at once."""
    world = World(regions=(R1,))
    executor = world.executor()
    executor.launch()
    pauses = []
    for seconds in (1, 1, 1, 1, 1, 11, 1, 1, 1, 1, 1, 1):
        world.clock.sleep(seconds)
        pauses.append(bool(recovered(world, executor, GONE)))
    assert pauses == [False] * 11 + [True]


def test_restarts_that_are_counted_make_no_pause() -> None:
    """``max_restarts_on_errors`` bounds their number, and promises no backoff."""
    world = World(task(restarts=20), regions=(R1,))
    assert after(0.0, 20, ended(1), world) == [[]] * 20


def test_the_lost_cluster_is_removed_before_the_pause_and_the_pause_is_stored() -> None:
    """Others may have its room; a new controller waits for the rest of the pause."""
    world, seen = World(regions=(R1,)), []
    world.on_wait = lambda: seen.append(world.row)
    after(1.0, 6, GONE, world)
    (row,) = seen
    assert (row.torn_down, row.backoff_code, row.tries) == (True, WaitCode.BACKOFF, 0)
    assert row.backoff_until == pytest.approx(1_000_006 + world.waits[0])
    assert row.backoff_reason == (
        "preempted: cluster 7-0-6 was lost (it is gone); runs in a row of a few seconds: 6"
    )
    assert row.recovery_count == 5
