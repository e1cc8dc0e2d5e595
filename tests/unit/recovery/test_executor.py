"""The loop of tries: names, clean-up, bounds, errors and cancels."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from jobsched.config import RecoveryConfig
from jobsched.errors import BackendError, Cancelled, Fenced, PrecheckFailed, StaleAttempt
from jobsched.models import LaunchRequest
from jobsched.recovery import (
    Fail,
    Launched,
    MemoryRecorder,
    RecoveryRow,
    StrategyExecutor,
    Succeed,
)
from jobsched.states import TaskStatus
from tests.unit.recovery.fakes import (
    JOB,
    R1,
    R2,
    FakeBackend,
    FakeClock,
    World,
    assert_equal,
    ended,
    full,
    full_for,
    task,
)


def test_a_name_is_stored_before_the_cluster_is_made() -> None:
    """When the backend hears of a cluster, the row names it and its place."""
    world, seen = full_for(1), []

    def look(request: LaunchRequest) -> None:
        assert (world.row.cluster, world.row.placement) == (request.cluster, request.placement)
        seen.append((request.cluster, world.row.has_cluster))

    world.backend.on_launch = look
    world.executor().launch()
    assert seen == [("7-0-1", True), ("7-0-2", True)]


def test_the_unexpected_is_cleaned_up_and_retried() -> None:
    """An error that nobody foresaw costs a pause, leaves no cluster, and ends nothing."""
    world = World(regions=(R1,), script={"R1": [RuntimeError("cosmic ray"), OSError("disk")]})
    assert world.executor().launch() == Launched("7-0-3", R1)
    assert list(world.backend.clusters) == ["7-0-3"]
    assert len(world.waits) == 2


def test_a_cluster_that_cannot_be_removed_is_not_forgotten() -> None:
    """Its name stays stored, no other is launched beside it, and the next try removes it first."""
    world = World(script={"R1": [RuntimeError("half made")]})
    world.backend.stuck = [BackendError("busy"), BackendError("busy")]
    names = []
    world.on_wait = lambda: names.append((world.row.cluster, world.row.has_cluster))
    assert world.executor().launch() == Launched("7-0-2", R1)
    assert names == [("7-0-1", True)] * 2
    assert world.backend.trace == ["R1", "R1"]
    assert list(world.backend.clusters) == ["7-0-2"]


def test_nothing_is_launched_while_the_old_run_may_live() -> None:
    """A recovery that cannot prove the old run gone waits, and takes no slot for that."""
    world = World()
    world.run_in(R1)
    world.backend.stuck = [BackendError("PID 5 would not end")]
    world.on_wait = lambda: assert_equal(world.slot.entered, 0)
    assert world.executor().recover() == Launched("7-0-2", R2)
    assert "PID 5 would not end" in next(
        row.backoff_reason for row in world.recorder.rows if row.backoff_reason
    )
    assert world.backend.most_running == 1
    assert list(world.backend.clusters) == ["7-0-2"]


def test_a_success_that_was_not_seen_is_never_run_again() -> None:
    """If the old run turns out to have ended well, that is the outcome, and its record stays."""
    world = World()
    world.run_in(R1)
    end = ended(0, at=world.clock.now() - 1)
    world.backend.clusters["7-0-1"] = end
    assert world.executor().recover() == Succeed(end)
    assert world.backend.trace == []
    assert list(world.backend.clusters) == ["7-0-1"]


def test_a_run_that_was_stopped_has_not_succeeded() -> None:
    """A program that exits with 0 because it was told to stop runs again."""
    world = World()
    world.run_in(R1)
    world.backend.end_on_stop = ended(0, at=world.clock.now() + 0.1)
    assert world.executor().recover() == Launched("7-0-2", R2)


def test_a_failed_precheck_ends_it_at_once() -> None:
    """Known beforehand: no pause, no launch, all reasons; at launch and at recovery."""
    world = World(no_places=[PrecheckFailed(["no such region", "no bucket"])])
    expected = Fail(TaskStatus.FAILED_PRECHECKS, "no such region; no bucket")
    assert world.executor().launch() == expected
    world.run_in(R1)
    world.backend.no_places = [PrecheckFailed(["no such region", "no bucket"])]
    assert world.executor().recover() == expected
    assert world.backend.trace == []
    assert world.waits == []
    assert not world.slot.taken


def test_a_backend_that_cannot_say_where_is_asked_again() -> None:
    """Failing to list placements is no precheck: it is retried."""
    world = World(no_places=[BackendError("timeout")])
    assert isinstance(world.executor().launch(), Launched)
    assert len(world.waits) == 1


@pytest.mark.parametrize("retries", [1, 3])
def test_max_launch_retries_bound_the_tries(retries: int) -> None:
    """N retries after the first try, then FAILED_NO_RESOURCE; the slot is free."""
    world = full_for(99)
    world.settings = RecoveryConfig(max_launch_retries=retries)
    got = world.executor().launch()
    assert isinstance(got, Fail)
    assert got.status is TaskStatus.FAILED_NO_RESOURCE
    assert len(world.backend.trace) == retries + 1
    assert not world.slot.taken
    assert world.backend.clusters == {}


@pytest.mark.parametrize(
    "error", [Cancelled(7), StaleAttempt(7, 1), Fenced("7-0-1", 1, 2), KeyboardInterrupt()]
)
def test_what_ends_the_controllers_work_passes_through(error: BaseException) -> None:
    """It is not retried, frees the slot, and leaves the name of what may exist."""
    world = World()

    def fail(_: LaunchRequest) -> None:
        raise error

    world.backend.on_launch = fail
    with pytest.raises(type(error)):
        world.executor().launch()
    assert not world.slot.taken
    assert world.row.has_cluster
    assert world.waits == []


def test_an_error_of_the_store_is_not_a_failed_try() -> None:
    """If the row cannot be stored nothing is launched and the error is the caller's."""

    class Overtaken(MemoryRecorder):
        def commit(self, row: RecoveryRow) -> None:
            raise StaleAttempt(JOB, 1, row.launches)

    world = World()
    world.recorder = Overtaken(world.spec, JOB)
    with pytest.raises(StaleAttempt):
        world.executor().launch()
    assert world.backend.trace == []
    assert not world.slot.taken


def test_a_cancel_ends_a_pause() -> None:
    """What the wait raises ends the loop at once."""
    world = full_for(9)

    def cancel() -> None:
        raise Cancelled(7)

    world.on_wait = cancel
    with pytest.raises(Cancelled):
        world.executor().launch()
    assert world.backend.trace == ["R1"]


def test_a_cancelled_job_names_no_cluster() -> None:
    """Once the job is cancelled nothing more is launched, not even in the same try."""
    world = World()
    world.stop.set()
    with pytest.raises(Cancelled):
        world.executor().launch()
    assert world.recorder.rows == []
    assert world.backend.trace == []
    assert not world.slot.taken


def test_max_duration_ends_a_recovery_that_finds_no_room() -> None:
    """The pause ends at the deadline, and with it the task."""
    world = World(task(max_duration=500.0), regions=(R1,))
    world.backend.script = {"R1": [full() for _ in range(99)]}
    world.run_in(R1)
    got = world.executor().recover()
    assert isinstance(got, Fail)
    assert got.status is TaskStatus.FAILED_NO_RESOURCE
    assert world.clock.ticks == pytest.approx(500.0)


def test_the_defaults_are_enough_for_a_program_without_a_store() -> None:
    """Backend, slot and clock are all that must be handed in."""
    script: dict[str, list[Exception]] = {region: [full()] for region in ("R1", "R2", "R3")}
    backend, clock = FakeBackend(script=script), FakeClock()
    executor = StrategyExecutor.make(task(), 3, backend=backend, slot=nullcontext, clock=clock)
    assert executor.launch() == Launched("3-0-4", R1)
    assert 36 <= clock.ticks <= 84
    backend.clusters.clear()
    assert executor.recover() == Launched("3-0-5", R2)
    assert executor.row.recovery_count == 1
