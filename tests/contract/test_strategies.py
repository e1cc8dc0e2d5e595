"""What every registered recovery strategy keeps to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.models import Placement
from jobsched.recovery import (
    STRATEGIES,
    Cause,
    Fail,
    Launched,
    Recover,
    RecoveryRow,
    Strategy,
    WaitCode,
    strategy_named,
)
from tests.unit.recovery.fakes import R1, R2, R3, World, full, row_at, task

PLACES = st.builds(
    Placement, region=st.sampled_from(["R1", "R2", "R3", "R4"]), candidate=st.integers(0, 3)
)
PLACEMENTS = st.lists(PLACES, unique=True, min_size=1, max_size=8)
CAUSES = st.sampled_from([None, *Cause])


def row_of(left: Placement, cause: Cause | None, tries: int) -> RecoveryRow:
    """The row of a task in that recovery, or at its first launch."""
    row = RecoveryRow() if cause is None else row_at(left).recovering(cause)
    return replace(row, tries=tries)


def world_of(strategy: Strategy, **script: int) -> World:
    """Three regions; so many launches fail in each."""
    spec = task(strategy.name, restarts=1)
    return World(spec, script={name: [full()] * times for name, times in script.items()})


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.name)
class TestStrategy:
    """Behaviours that do not depend on which strategy it is."""

    def test_it_is_registered_under_its_name(self, strategy: Strategy) -> None:
        """The name that it gives itself finds it."""
        assert strategy_named(strategy.name.lower()) == strategy
        assert strategy.name == strategy.name.upper()

    @given(left=PLACES, cause=CAUSES, tries=st.integers(0, 9), places=PLACEMENTS)
    def test_a_try_goes_to_allowed_places_only_and_to_one_at_least(
        self,
        strategy: Strategy,
        left: Placement,
        cause: Cause | None,
        tries: int,
        places: list[Placement],
    ) -> None:
        """No place twice, none that is not allowed, and never nothing."""
        order = strategy.next_try(row_of(left, cause, tries), places)
        assert order
        assert len(set(order)) == len(order)
        assert set(order) <= set(places)

    @given(left=PLACES, cause=CAUSES, tries=st.integers(0, 9), places=PLACEMENTS)
    def test_the_choice_is_a_pure_function(
        self,
        strategy: Strategy,
        left: Placement,
        cause: Cause | None,
        tries: int,
        places: list[Placement],
    ) -> None:
        """The same row and places give the same answer, and neither is changed."""
        row, before = row_of(left, cause, tries), list(places)
        first = strategy.next_try(row, places)
        assert strategy.next_try(row, tuple(places)) == first
        assert places == before

    @given(places=PLACEMENTS, tries=st.integers(0, 9))
    def test_a_first_launch_keeps_the_users_order(
        self, strategy: Strategy, places: list[Placement], tries: int
    ) -> None:
        """Before the task ran anywhere there is nothing to prefer or avoid."""
        assert strategy.next_try(row_of(R1, None, tries), places) == tuple(places)

    @given(left=PLACES, cause=CAUSES, places=PLACEMENTS)
    def test_every_place_gets_its_turn(
        self, strategy: Strategy, left: Placement, cause: Cause | None, places: list[Placement]
    ) -> None:
        """No place is left out for ever: a few tries cover them all."""
        covered: set[Placement] = set()
        for tries in range(5):
            covered |= set(strategy.next_try(row_of(left, cause, tries), places))
        assert covered == set(places)

    @given(cause=CAUSES, tries=st.integers(0, 9), place=PLACES)
    def test_the_only_place_is_never_blocked(
        self, strategy: Strategy, cause: Cause | None, tries: int, place: Placement
    ) -> None:
        """A task that one place alone can serve is tried there, lost or not."""
        assert strategy.next_try(row_of(place, cause, tries), [place]) == (place,)

    @given(left=PLACES, places=PLACEMENTS)
    def test_after_an_error_the_same_place_comes_first(
        self, strategy: Strategy, left: Placement, places: list[Placement]
    ) -> None:
        """The place was not at fault."""
        order = strategy.next_try(row_of(left, Cause.USER_ERROR, 0), [*places, left])
        assert order[0] == left

    def test_a_launch_takes_the_first_place_with_room(self, strategy: Strategy) -> None:
        """One pass, one slot, no pause."""
        world = world_of(strategy, R1=1)
        assert world.executor().launch() == Launched("7-0-2", R2)
        assert world.slot.entered == 1
        assert world.waits == []

    def test_pauses_are_outside_the_slot_and_stored(self, strategy: Strategy) -> None:
        """No room anywhere: the pause and the number of tries are in the row while it waits."""
        world, seen = world_of(strategy, R1=2, R2=2, R3=2), []
        world.on_wait = lambda: seen.append((world.row.tries, world.row.backoff_code))
        assert isinstance(world.executor().launch(), Launched)
        assert seen == [(1, WaitCode.BACKOFF), (2, WaitCode.BACKOFF)]

    @pytest.mark.parametrize("region", [R1, R2, R3])
    def test_a_preemption_is_recovered_or_ends_the_task(
        self, strategy: Strategy, region: Placement
    ) -> None:
        """One new cluster and one more recovery, or a failure that tells why; never both."""
        world = world_of(strategy)
        world.run_in(region)
        world.lose()
        executor = world.executor()
        verdict = executor.judge(world.backend.probe("7-0-1"))
        if not strategy.recovers:
            assert isinstance(verdict, Fail)
            return
        assert isinstance(verdict, Recover)
        world.store(verdict.row)
        assert isinstance(executor.recover(verdict.row), Launched)
        assert world.row.recovery_count == 1
        assert world.row.restarts_spent == 0
        assert len(world.backend.clusters) == 1

    def test_a_restart_removes_the_old_cluster_first(self, strategy: Strategy) -> None:
        """The old run is gone before the new one is launched; two never run side by side."""
        world = world_of(strategy)
        world.run_in(R2)
        row = world.row.recovering(Cause.USER_ERROR, spends=True)
        world.store(row)
        assert world.executor().recover(row) == Launched("7-0-2", R2)
        assert world.backend.most_running == 1
        assert list(world.backend.clusters) == ["7-0-2"]
