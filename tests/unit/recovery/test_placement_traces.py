"""Where the tries of each strategy go, seen by a backend with three regions."""

from __future__ import annotations

from typing import Any

import pytest

from jobsched.errors import PrecheckFailed
from jobsched.models import Placement
from jobsched.recovery import Cause, Fail, Launched
from jobsched.states import TaskStatus
from tests.unit.recovery.fakes import R1, R2, R3, World, full, task


def preempted(strategy: str, placement: Placement = R1, **backend: Any) -> World:
    """A world in which the task has just been preempted there."""
    world = World(task(strategy), **backend)
    world.run_in(placement)
    world.lose()
    return world


def failing(**times: int) -> dict[str, list[Exception]]:
    """So many launches fail in each region for lack of room."""
    return {region: [full() for _ in range(count)] for region, count in times.items()}


@pytest.mark.parametrize("strategy", ["EAGER_NEXT_REGION", "FAILOVER", "NONE"])
def test_a_first_launch_goes_through_all_places_in_order(strategy: str) -> None:
    """One try is one pass over all placements, in one slot."""
    world = World(task(strategy), script=failing(R1=1, R2=1))
    assert world.executor().launch() == Launched("7-0-3", R3)
    assert world.backend.trace == ["R1", "R2", "R3"]
    assert world.slot.entered == 1
    assert world.waits == []


def test_eager_leaves_the_lost_region_for_the_end() -> None:
    """EAGER_NEXT_REGION: R2, then R3, and R1 only when both had no room; then all of it again."""
    world = preempted("EAGER_NEXT_REGION", script=failing(R1=1, R2=2, R3=1))
    assert world.executor().recover() == Launched("7-0-6", R3)
    assert world.backend.trace == ["R2", "R3", "R1", "R2", "R3"]
    assert len(world.waits) == 1


def test_eager_goes_to_the_next_region_at_once() -> None:
    """A recovery from R1 that finds room in R2 never asks R1."""
    world = preempted("EAGER_NEXT_REGION")
    assert world.executor().recover() == Launched("7-0-2", R2)
    assert world.backend.trace == ["R2"]


def test_eager_from_another_region_begins_with_the_most_preferred() -> None:
    """Lost in R2: R1 comes first again, R2 last."""
    world = preempted("EAGER_NEXT_REGION", R2, script=failing(R1=1, R3=1))
    assert world.executor().recover() == Launched("7-0-4", R2)
    assert world.backend.trace == ["R1", "R3", "R2"]


def test_eager_moves_all_candidates_of_the_lost_region_back() -> None:
    """A region is lost as a whole, not only the candidate that ran there."""
    spot, large = Placement(region="R1", candidate=0), Placement(region="R1", candidate=2)
    other = Placement(region="R2", candidate=1)
    world = preempted("EAGER_NEXT_REGION", spot, regions=(spot, large, other))
    assert world.executor().recover() == Launched("7-0-2", other)


def test_failover_stays_three_tries_in_the_region() -> None:
    """FAILOVER: R1, R1, R1 with a pause after each, then anywhere in the user's order."""
    world = preempted("FAILOVER", script=failing(R1=4, R2=1))
    assert world.executor().recover() == Launched("7-0-7", R3)
    assert world.backend.trace == ["R1", "R1", "R1", "R1", "R2", "R3"]
    assert len(world.waits) == 3
    assert world.slot.entered == 4


def test_failover_returns_to_its_region_if_it_can() -> None:
    """Room in the same region at the second try: it never leaves."""
    world = preempted("FAILOVER", R2, script=failing(R2=1))
    assert world.executor().recover() == Launched("7-0-3", R2)
    assert world.backend.trace == ["R2", "R2"]


def test_failover_counts_its_three_tries_anew_in_each_recovery() -> None:
    """A second preemption, now in another region, stays in that one first."""
    world = preempted("FAILOVER", script=failing(R1=4))
    first = world.executor().recover()
    assert first == Launched("7-0-6", R2)
    world.lose()
    world.backend.trace.clear()
    world.backend.script = failing(R2=2)
    assert world.executor().recover() == Launched("7-0-9", R2)
    assert world.backend.trace == ["R2", "R2", "R2"]


@pytest.mark.parametrize("strategy", ["EAGER_NEXT_REGION", "FAILOVER"])
def test_a_pinned_region_is_never_blocked(strategy: str) -> None:
    """A task that only one region can serve goes back there at the first try."""
    world = preempted(strategy, R2, regions=(R2,), script=failing(R2=4))
    assert world.executor().recover() == Launched("7-0-6", R2)
    assert world.backend.trace == ["R2"] * 5


@pytest.mark.parametrize("strategy", ["EAGER_NEXT_REGION", "FAILOVER"])
def test_a_region_that_is_no_longer_there_is_not_waited_for(strategy: str) -> None:
    """If the lost region cannot serve the task any more, the others are tried at once."""
    world = preempted(strategy, regions=(R2, R3))
    assert world.executor().recover() == Launched("7-0-2", R2)
    assert world.waits == []


@pytest.mark.parametrize("strategy", ["EAGER_NEXT_REGION", "FAILOVER", "NONE"])
def test_a_restart_after_an_error_begins_in_the_same_place(strategy: str) -> None:
    """After an error the same placement comes first, without a pause."""
    world = World(task(strategy, restarts=1))
    world.run_in(R2)
    world.lose()
    row = world.row.recovering(Cause.USER_ERROR, spends=True)
    world.store(row)
    assert world.executor().recover(row) == Launched("7-0-2", R2)
    assert world.backend.trace == ["R2"]
    assert world.waits == []
    assert world.row.recovery_count == 0
    assert world.row.restart_count == 1


@pytest.mark.parametrize("strategy", ["EAGER_NEXT_REGION", "NONE"])
def test_a_restart_whose_place_is_taken_goes_elsewhere_at_once(strategy: str) -> None:
    """Nothing is wrong with the other places: they follow in the same try."""
    world = World(task(strategy), script=failing(R2=1))
    world.run_in(R2)
    assert world.executor().recover(world.row.recovering(Cause.USER_ERROR)) == Launched("7-0-3", R1)
    assert world.waits == []


def test_without_recovery_a_preemption_ends_the_task() -> None:
    """NONE: asked to recover from a loss, it fails the task and launches nothing."""
    got = preempted("NONE").executor().recover()
    assert isinstance(got, Fail)
    assert got.status is TaskStatus.FAILED


def test_a_place_that_can_never_serve_does_not_use_up_a_try() -> None:
    """FAILOVER in a region that turns out impossible goes on to the others in the same try."""
    world = preempted("FAILOVER", script={"R1": [PrecheckFailed(["no access"])]})
    assert world.executor().recover() == Launched("7-0-3", R2)
    assert world.backend.trace == ["R1", "R2"]
    assert world.waits == []


def test_places_that_can_never_serve_end_the_task_with_all_reasons() -> None:
    """No placement is left: FAILED_PRECHECKS names what each said, and no pause follows."""
    script: dict[str, list[Exception]] = {
        region: [PrecheckFailed([f"{region} says no"])] for region in ("R1", "R2", "R3")
    }
    world = preempted("FAILOVER", script=script)
    got = world.executor().recover()
    assert got == Fail(
        TaskStatus.FAILED_PRECHECKS, "R1: R1 says no; R2: R2 says no; R3: R3 says no"
    )
    assert world.waits == []
    assert world.backend.clusters == {}
