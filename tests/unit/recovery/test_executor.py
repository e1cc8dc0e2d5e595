"""The loop of tries: slot, pauses, clean-up, cancel, and going on from a stored row."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from jobsched.config import RecoveryConfig
from jobsched.errors import BackendError, Cancelled, Fenced, PrecheckFailed, StaleAttempt
from jobsched.models import ClusterState, LaunchRequest, Observation
from jobsched.recovery import (
    Cause,
    Fail,
    KeepWatching,
    Launched,
    MemoryRecorder,
    Recover,
    RecoveryRow,
    StrategyExecutor,
    Succeed,
    WaitCode,
)
from jobsched.states import TaskStatus
from tests.unit.recovery.fakes import (
    JOB,
    R1,
    R2,
    FakeBackend,
    FakeClock,
    World,
    ended,
    full,
    row_at,
    task,
)

UP = Observation(state=ClusterState.UP)
UNKNOWN = Observation(state=ClusterState.UNKNOWN)


def full_for(tries: int, *, knows_room: bool = False) -> World:
    """One region that has no room in the first so many tries."""
    errors: list[Exception] = [full(knows_room=knows_room) for _ in range(tries)]
    return World(regions=(R1,), script={"R1": errors})


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


def assert_equal(left: object, right: object) -> None:
    """For a lambda."""
    assert left == right


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


def cut_in_pause(world: World, number: int) -> None:
    """The controller dies as its n-th pause begins."""

    def die() -> None:
        if len(world.waits) == number:
            raise KeyboardInterrupt

    world.on_wait = die
    with pytest.raises(KeyboardInterrupt):
        world.executor().launch()
    world.on_wait = lambda: None


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


def test_max_duration_ends_a_recovery_that_finds_no_room() -> None:
    """The pause ends at the deadline, and with it the task."""
    world = World(task(max_duration=500.0), regions=(R1,))
    world.backend.script = {"R1": [full() for _ in range(99)]}
    world.run_in(R1)
    got = world.executor().recover()
    assert isinstance(got, Fail)
    assert got.status is TaskStatus.FAILED_NO_RESOURCE
    assert world.clock.ticks == pytest.approx(500.0)


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
