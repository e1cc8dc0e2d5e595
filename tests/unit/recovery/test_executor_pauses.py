"""The pauses between tries: how long they are, and what ends one sooner."""

from __future__ import annotations

import pytest

from jobsched.config import RecoveryConfig
from jobsched.errors import PrecheckFailed
from jobsched.recovery import (
    Launched,
    WaitCode,
)
from tests.unit.recovery.fakes import (
    R1,
    R2,
    World,
    full,
    full_for,
)


def test_pauses_lie_between_tries_outside_the_slot() -> None:
    """Each try has the slot to itself; pauses are 60, 96, 154, 246, 300 s, 40 % more or less."""
    world = full_for(6)
    assert isinstance(world.executor().launch(), Launched)
    pauses = world.waits
    expected = [60, 96, 153.6, 245.76, 300, 300]
    assert len(pauses) == len(expected)
    for seconds, middle in zip(pauses, expected, strict=True):
        assert 0.6 * middle <= seconds <= 1.4 * middle
    assert len(set(pauses)) == len(pauses)
    assert world.backend.launched_in_slot == [True] * 7
    assert world.slot.entered == 7
    assert not world.slot.taken


def test_the_pause_is_stored_before_it_begins() -> None:
    """While it waits, the row says until when, why, and in a sentence."""
    world, seen = full_for(1), []
    world.on_wait = lambda: seen.append(world.row)
    world.executor().launch()
    (row,) = seen
    assert row.tries == 1
    assert row.backoff_code is WaitCode.BACKOFF
    assert row.backoff_reason == "R1: no room"
    assert row.backoff_until == pytest.approx(1_000_000 + world.waits[0])
    assert not row.has_cluster
    assert world.row.backoff_until is None


def test_a_wait_for_room_ends_when_room_appears() -> None:
    """Where the backend tells that there is room, no pause is waited out."""
    world = full_for(1, knows_room=True)
    world.backend.roomy = {"R1"}
    assert isinstance(world.executor().launch(), Launched)
    assert (len(world.waits), world.was_short, world.clock.ticks) == (1, True, 0)


def test_a_wait_for_room_does_not_end_while_there_is_none() -> None:
    """Room in a region where the task may not go is none, however often somebody asks."""
    world = full_for(2, knows_room=True)
    world.backend.roomy = {"R2"}
    assert isinstance(world.executor().launch(), Launched)
    assert (len(world.waits), world.was_short) == (2, False)
    assert world.clock.ticks == pytest.approx(sum(world.waits))


def test_room_does_not_end_a_pause_after_another_failure() -> None:
    """Who pauses because something broke does so to the end, though there is room."""
    world = World(regions=(R1,), script={"R1": [OSError("disk")]})
    world.backend.roomy = {"R1"}
    assert isinstance(world.executor().launch(), Launched)
    assert world.was_short is False


def test_a_try_that_came_too_late_for_room_spends_nothing() -> None:
    """Somebody else took it: the same pause goes on, with the same count of tries."""
    world, seen = full_for(4, knows_room=True), []
    world.settings = RecoveryConfig(max_launch_retries=1)
    world.backend.roomy = {"R1"}
    world.on_wait = lambda: seen.append((world.row.tries, world.row.backoff_until))
    assert isinstance(world.executor().launch(), Launched)
    assert len(set(seen)) == 1
    assert seen[0][0] == 1


def test_room_that_is_never_to_be_had_is_not_rushed_for() -> None:
    """A backend that always says "room" and never has any is asked once a second, not more."""
    world = full_for(10, knows_room=True)
    world.backend.roomy = {"R1"}
    assert isinstance(world.executor().launch(), Launched)
    assert len(world.backend.trace) == 11
    assert world.clock.ticks >= 9 * 1.0


def test_a_place_that_refused_the_task_has_no_room_for_it() -> None:
    """Beside a full region one that cannot serve the task after all does not end its wait."""
    refusal = PrecheckFailed(["not here"])
    world = World(regions=(R1, R2),
                  script={"R1": [full(knows_room=True)] * 2, "R2": [refusal, refusal]})  # fmt: skip
    world.backend.roomy = {"R2"}
    assert isinstance(world.executor().launch(), Launched)
    assert (len(world.waits), world.was_short) == (2, False)
