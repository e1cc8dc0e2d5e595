"""Going on from a stored row: tries, pauses, and clusters that are found."""

from __future__ import annotations

import pytest

from jobsched.recovery import (
    Cause,
    Launched,
)
from tests.unit.recovery.fakes import (
    R1,
    R2,
    World,
    assert_equal,
    cut_in_pause,
    full,
    full_for,
    row_at,
)


def test_a_new_controller_goes_on_with_the_tries_and_the_pause() -> None:
    """What is left of a stored pause is waited out, and the tries go on counting."""
    world = full_for(99)
    cut_in_pause(world, 4)
    assert world.row.tries == 4
    until = world.row.backoff_until
    assert until is not None
    world.clock.sleep(100)
    world.waits.clear()
    left = until - world.clock.now()
    assert left > 0
    world.on_wait = lambda: assert_equal(world.row.tries, 3 + len(world.waits))
    world.backend.script["R1"] = [full()]
    assert isinstance(world.executor().launch(), Launched)
    first, second = world.waits
    assert first == pytest.approx(left)
    assert 0.6 * 300 <= second <= 1.4 * 300


def test_a_pause_that_is_over_is_not_waited_for_again() -> None:
    """A new controller that comes after the deadline tries at once."""
    world = full_for(1)
    cut_in_pause(world, 1)
    world.clock.sleep(1000)
    world.waits.clear()
    assert isinstance(world.executor().launch(), Launched)
    assert world.waits == []


def test_a_clock_that_was_set_back_does_not_prolong_a_pause() -> None:
    """Whatever the stored deadline says now, no wait is longer than a pause can be."""
    world = full_for(1)
    cut_in_pause(world, 1)
    world.clock.wall -= 7 * 86_400
    world.waits.clear()
    assert isinstance(world.executor().launch(), Launched)
    assert world.waits == [pytest.approx(420.0)]


def test_a_cluster_found_running_counts_as_recovered() -> None:
    """Adopted in the middle of a recovery: the recovery is over and counted."""
    world = World()
    row = row_at(R1).recovering(Cause.PREEMPTED).launching("7-0-2", R2)
    world.store(row)
    assert world.executor().started() == Launched("7-0-2", R2)
    assert world.row.recovery_count == 1
    assert world.row.cause is None


def test_nothing_can_be_adopted_without_a_cluster() -> None:
    """A row that names none is the caller's mistake."""
    with pytest.raises(ValueError, match="no cluster"):
        World().executor().started()


def test_the_run_that_a_recovery_left_cannot_be_adopted() -> None:
    """That it is still there when the controller comes back does not end the recovery."""
    world = World()
    world.run_in(R1)
    assert world.row.adoptable
    world.store(world.row.recovering(Cause.PREEMPTED))
    assert not world.row.adoptable
    with pytest.raises(ValueError, match="no cluster"):
        world.executor().started()
    assert world.row.recovery_count == 0
