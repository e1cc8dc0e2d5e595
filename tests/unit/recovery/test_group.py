"""Job groups: all placed together, or none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jobsched.config import RecoveryConfig
from jobsched.errors import BackendError, Cancelled, NoCapacity, PrecheckFailed
from jobsched.models import ClusterState, Observation, Placement
from jobsched.recovery import (
    Fail,
    Launched,
    MemoryRecorder,
    RecoveryRow,
    StrategyExecutor,
    Succeed,
    WaitCode,
    launch_group,
)
from jobsched.states import TaskStatus
from tests.unit.recovery.fakes import JOB, R1, R2, World, ended, full, rng, task


class Group:
    """Tasks ``a``, ``b``, ... of one job in one world, each with a store of its own."""

    def __init__(self, names: str = "ab", **backend: Any) -> None:
        self.world = World(**backend)
        self.specs = [task(task_id=number, name=name) for number, name in enumerate(names)]
        self.recorders = [MemoryRecorder(spec, JOB) for spec in self.specs]

    def members(self) -> list[StrategyExecutor]:
        """New executors, which go on from what is stored."""
        return [
            StrategyExecutor.make(
                spec,
                JOB,
                backend=self.world.backend,
                slot=self.world.slot,
                clock=self.world.clock,
                row=recorder.rows[-1] if recorder.rows else None,
                recorder=recorder,
                wait=self.world.wait,
                settings=self.world.settings,
                stop=self.world.stop,
                rng=rng(1),
            )
            for spec, recorder in zip(self.specs, self.recorders, strict=True)
        ]


def test_all_members_start_in_one_slot() -> None:
    """Room is reserved for all at once, then each is launched under the name it is reserved for."""
    group = Group()
    assert launch_group(group.members()) == [Launched("7-0-1", R1), Launched("7-1-1", R1)]
    assert group.world.slot.entered == 1
    assert group.world.backend.reservations == [["7-0-1", "7-1-1"]]
    assert group.world.backend.reserved_for == {7}
    assert group.world.backend.launched_in_slot == [True, True]
    assert [recorder.rows[-1].started_at for recorder in group.recorders] == [1_000_000.0] * 2


def test_names_are_stored_before_room_is_reserved() -> None:
    """A reservation that a crash leaves behind can be found by name."""
    group = Group(no_reserve=[KeyboardInterrupt()])
    with pytest.raises(KeyboardInterrupt):
        launch_group(group.members())
    assert [recorder.rows[-1].cluster for recorder in group.recorders] == ["7-0-1", "7-1-1"]
    assert all(recorder.rows[-1].has_cluster for recorder in group.recorders)


def test_no_room_for_all_is_room_for_none() -> None:
    """The group waits together for room, outside the slot, with nothing reserved or launched."""
    group = Group(no_reserve=[full(knows_room=True), full()])
    held, codes = [], []

    def look() -> None:
        rows = [recorder.rows[-1] for recorder in group.recorders]
        held.append((set(group.world.backend.reserved), [row.tries for row in rows]))
        codes.append({row.backoff_code for row in rows})

    group.world.on_wait = look
    assert launch_group(group.members()) == [Launched("7-0-3", R1), Launched("7-1-3", R1)]
    assert codes == [{WaitCode.NO_ROOM}, {WaitCode.BACKOFF}]
    assert held == [(set(), [1, 1]), (set(), [2, 2])]


def test_a_group_waits_until_there_is_room_for_all() -> None:
    """Room for none or all ends the wait; a group that comes too late spends no try either."""
    group = Group(no_reserve=[full(knows_room=True)] * 3)
    group.world.backend.roomy = {"R1"}
    tries: list[list[int]] = []
    group.world.on_wait = lambda: tries.append([r.rows[-1].tries for r in group.recorders])
    assert launch_group(group.members()) == [Launched("7-0-4", R1), Launched("7-1-4", R1)]
    assert {tuple(each) for each in tries} == {(1, 1)}
    assert group.world.was_short


def test_one_that_cannot_be_launched_takes_the_others_down() -> None:
    """After a failed launch no member is left, and all are launched again together."""
    group = Group("abc", script={"R1": [RuntimeError("flaky")]})
    backend, seen = group.world.backend, []
    backend.script = {}
    backend.on_launch = lambda request: (
        backend.script.update(R1=[BackendError("flaky")]) if request.cluster == "7-1-1" else None
    )
    group.world.on_wait = lambda: seen.append((list(backend.clusters), set(backend.reserved)))
    outcomes = launch_group(group.members())
    assert outcomes == [Launched(f"7-{number}-2", R1) for number in range(3)]
    assert seen == [([], set())]
    assert sorted(backend.clusters) == ["7-0-2", "7-1-2", "7-2-2"]


def test_a_member_that_nothing_can_serve_fails_the_group() -> None:
    """FAILED_PRECHECKS for all, naming the task; nothing was reserved and nothing waits."""
    group = Group(no_places=[PrecheckFailed(["needs a bucket"])])
    expected = Fail(TaskStatus.FAILED_PRECHECKS, "a: needs a bucket")
    assert launch_group(group.members()) == [expected, expected]
    assert group.world.backend.reservations == []
    assert group.world.waits == []


def test_a_place_that_refuses_a_member_is_left_out() -> None:
    """Learned at launch: another place is tried at once, and the group fails when none is left."""
    group = Group(regions=(R1, R2), script={"R1": [PrecheckFailed(["no access"])]})
    assert launch_group(group.members()) == [Launched("7-0-2", R2), Launched("7-1-2", R1)]
    assert group.world.waits == []
    script: dict[str, list[Exception]] = {
        name: [PrecheckFailed([f"{name} refuses"])] for name in ("R1", "R2")
    }
    refused = Group(regions=(R1, R2), script=script)
    expected = Fail(TaskStatus.FAILED_PRECHECKS, "a: R1: R1 refuses; a: R2: R2 refuses")
    assert launch_group(refused.members()) == [expected, expected]
    assert refused.world.backend.clusters == {}
    assert refused.world.backend.reserved == set()


def test_retries_are_bounded_for_the_group_as_a_whole() -> None:
    """max_launch_retries counts tries of the group."""
    group = Group(no_reserve=[NoCapacity(["no room"]) for _ in range(9)])
    group.world.settings = RecoveryConfig(max_launch_retries=2)
    expected = Fail(TaskStatus.FAILED_NO_RESOURCE, "no cluster in 3 tries: no room")
    assert launch_group(group.members()) == [expected, expected]
    assert group.world.slot.entered == 3


def test_a_new_controller_goes_on_with_the_common_pause() -> None:
    """What is left of the pause is waited out once, and all members count on from the same try."""
    group = Group(no_reserve=[full(), full()])

    def die() -> None:
        raise KeyboardInterrupt

    group.world.on_wait = die
    with pytest.raises(KeyboardInterrupt):
        launch_group(group.members())
    # The crash came before the second member's pause was stored.
    last = group.recorders[1].rows[-1]
    group.recorders[1].rows.append(replace(last, tries=0, backoff_until=None, backoff_code=None))
    group.world.waits.clear()
    tries = []
    group.world.on_wait = lambda: tries.append([r.rows[-1].tries for r in group.recorders])
    launch_group(group.members())
    assert tries == [[1, 0], [2, 2]]
    assert len(group.world.waits) == 2


def test_what_does_not_run_any_more_is_removed_first() -> None:
    """Clusters of a launch that was cut before anything ran are gone before all are placed anew."""
    group = Group()
    for recorder in group.recorders:
        recorder.rows.append(RecoveryRow().launching(f"left-{recorder.task.name}", R1))
        group.world.backend.clusters[f"left-{recorder.task.name}"] = Observation(
            state=ClusterState.UNKNOWN
        )
    launch_group(group.members())
    assert sorted(group.world.backend.clusters) == ["7-0-2", "7-1-2"]
    assert group.world.backend.most_running == 2


def test_a_member_that_had_succeeded_is_left_alone() -> None:
    """Its success is its outcome; the others are placed without it, or there is nothing to do."""
    group, end = Group(), ended(0)
    group.recorders[0].rows.append(RecoveryRow().launching("done", R1))
    group.world.backend.clusters["done"] = end
    assert launch_group(group.members()) == [Succeed(end), Launched("7-1-1", R1)]
    single = Group("a")
    single.recorders[0].rows.append(RecoveryRow().launching("done", R1))
    single.world.backend.clusters["done"] = end
    assert launch_group(single.members()) == [Succeed(end)]
    assert single.world.slot.entered == 0


def test_a_cluster_that_cannot_be_removed_holds_the_group() -> None:
    """Nothing is placed beside a run that may still live."""
    group = Group(stuck=[BackendError("PID 5 lives")])
    group.recorders[1].rows.append(RecoveryRow().launching("old", Placement(region="R2")))
    outcomes = launch_group(group.members())
    assert outcomes == [Launched("7-0-1", R1), Launched("7-1-2", R1)]
    (pause,) = [row for row in group.recorders[0].rows if row.backoff_reason]
    assert pause.backoff_reason == "b: R2: PID 5 lives"


def test_a_cancel_ends_the_group() -> None:
    """Cancelled passes; no member is launched after it and the slot is free."""
    group = Group()
    group.world.stop.set()
    with pytest.raises(Cancelled):
        launch_group(group.members())
    assert group.world.backend.trace == []
    assert not group.world.slot.taken


def test_an_empty_group_has_no_outcomes() -> None:
    """Nothing to launch is nothing to wait for."""
    assert launch_group([]) == []
