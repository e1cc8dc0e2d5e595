"""Job groups of which a part ran already: when a launch failed, or when the controller died."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from jobsched.errors import BackendError, PrecheckFailed
from jobsched.models import ClusterState, LaunchRequest
from jobsched.recovery import (
    Fail,
    Launched,
    MemoryRecorder,
    Outcome,
    StrategyExecutor,
    Succeed,
    launch_group,
)
from jobsched.states import TaskStatus
from tests.unit.recovery.fakes import JOB, R1, R2, Crash, Faults, Faulty, World, ended, rng, task

#: More than a launch of three has effects.
MANY = 40


class Group:
    """Three tasks of one job in one world, each with a store of its own, and their controllers."""

    def __init__(self, **backend: Any) -> None:
        self.world = World(**backend)
        self.backend = self.world.backend
        self.specs = [task(task_id=number, name=name) for number, name in enumerate("abc")]
        self.recorders = [MemoryRecorder(spec, JOB) for spec in self.specs]
        #: What was settled, in order.
        self.settled: list[tuple[int, Outcome]] = []

    def launch(self, faults: Faults | None = None) -> list[Outcome]:
        """What a new controller does, which knows what is stored and what it finds."""
        return launch_group(
            [self._member(recorder, faults or Faults()) for recorder in self.recorders],
            self.running(),
            lambda task_id, outcome: self.settled.append((task_id, outcome)),
        )

    def running(self) -> list[int]:
        """Members that run, or have ended, on the cluster that their row names."""
        return [
            recorder.task.task_id
            for recorder in self.recorders
            if recorder.rows
            and recorder.rows[-1].adoptable
            and recorder.rows[-1].backoff_until is None
            and self.backend.probe(str(recorder.rows[-1].cluster)).state
            in (ClusterState.UP, ClusterState.ENDED)
        ]

    def names(self) -> list[str | None]:
        """The cluster of each, as stored."""
        return [recorder.rows[-1].cluster for recorder in self.recorders]

    def _member(self, recorder: MemoryRecorder, faults: Faults) -> StrategyExecutor:
        return StrategyExecutor.make(
            recorder.task,
            JOB,
            backend=Faulty(self.backend, faults),
            slot=self.world.slot,
            clock=self.world.clock,
            row=recorder.rows[-1] if recorder.rows else None,
            recorder=Faulty(recorder, faults),
            wait=self.world.wait,
            stop=self.world.stop,
            rng=rng(1),
        )


def fail_once(group: Group, cluster: str, error: Exception, a: int | None = None) -> None:
    """The launch of ``cluster`` fails; by then task a has ended with exit code ``a``, if given."""

    def on_launch(request: LaunchRequest) -> None:
        if request.cluster == cluster:
            if a is not None:
                group.backend.clusters["7-0-1"] = ended(a, at=group.world.clock.now())
            raise error

    group.backend.on_launch = on_launch


@pytest.mark.parametrize("error", [BackendError("flaky"), RuntimeError("bug")])
def test_a_success_stays_when_another_cannot_be_launched(error: Exception) -> None:
    """It is settled at once and never run again; the others are launched again without it."""
    group = Group()
    fail_once(group, "7-1-1", error, a=0)
    outcomes = group.launch()
    assert isinstance(outcomes[0], Succeed)
    assert outcomes[1:] == [Launched("7-1-2", R1), Launched("7-2-2", R1)]
    assert group.settled[0] == (0, outcomes[0])
    assert [name for name in group.backend.reservations if "7-0-2" in name] == []
    assert sorted(group.backend.clusters) == ["7-0-1", "7-1-2", "7-2-2"]


def test_a_success_stays_when_a_place_refuses_another() -> None:
    """Without a pause, too: the next place is tried for those that are left."""
    group = Group(regions=(R1, R2))
    fail_once(group, "7-1-1", PrecheckFailed(["no access"]), a=0)
    outcomes = group.launch()
    assert isinstance(outcomes[0], Succeed)
    assert outcomes[1:] == [Launched("7-1-2", R2), Launched("7-2-2", R1)]
    assert group.world.waits == []


def test_a_success_outlives_the_failure_of_the_others() -> None:
    """FAILED_PRECHECKS is theirs alone."""
    group = Group(regions=(R1,))
    fail_once(group, "7-1-1", PrecheckFailed(["no access"]), a=0)
    refused = Fail(TaskStatus.FAILED_PRECHECKS, "b: R1: no access")
    outcomes = group.launch()
    assert isinstance(outcomes[0], Succeed)
    assert outcomes[1:] == [refused, refused]


@pytest.mark.parametrize("code", [None, 3])
def test_what_has_not_succeeded_is_launched_again_with_the_group(code: int | None) -> None:
    """All or none: one that runs, or failed beside a group that never was whole."""
    group = Group()
    fail_once(group, "7-1-1", BackendError("flaky"), a=code)
    assert group.launch() == [Launched(f"7-{number}-2", R1) for number in range(3)]


def effects() -> int:
    """How many effects the launch of a group has when nothing goes wrong."""
    faults = Faults()
    Group().launch(faults)
    assert faults.count < MANY
    return faults.count


@pytest.mark.parametrize("after", [False, True])
def test_a_controller_that_dies_anywhere_costs_no_work(after: bool) -> None:
    """What ran goes on where it ran; the rest is launched in the room that is reserved for it."""
    for at in range(1, effects() + 1):
        group = Group()
        with suppress(Crash):
            group.launch(Faults(at, after=after))
        ran, reserved = list(group.backend.running), set(group.backend.reserved)
        held: list[set[str]] = []
        group.backend.on_launch = lambda _, group=group, held=held: held.append(  # type: ignore[misc]  # binds
            set(group.backend.reserved)
        )
        outcomes = group.launch()
        assert [isinstance(outcome, Launched) for outcome in outcomes] == [True] * 3
        assert set(ran) <= set(group.backend.running) == set(group.names()), (at, after)
        assert group.backend.most_running == 3, (at, after)
        if ran:  # then all had room, and nobody else ever gets it
            assert all(reserved <= names for names in held), (at, after)


def test_what_cannot_be_launched_under_its_name_gets_another() -> None:
    """Of the one whose launch was cut; what runs goes on, and so does what has ended."""
    for state in (None, ended(0), ended(3)):
        group = Group()

        def cut(request: LaunchRequest) -> None:
            if request.cluster == "7-1-1":
                raise Crash

        group.backend.on_launch = cut
        with pytest.raises(Crash):
            group.launch()
        if state is not None:
            group.backend.clusters["7-0-1"] = state
        fail_once(group, "7-1-1", BackendError("a name serves once"))
        outcomes = group.launch()
        assert outcomes == [Launched("7-0-1", R1), Launched("7-1-2", R1), Launched("7-2-1", R1)]
        assert group.world.waits == []


def test_a_group_that_is_whole_needs_no_slot() -> None:
    """All run: there is nothing to launch."""
    group = Group()
    group.launch()
    before = group.world.slot.entered
    assert group.launch() == [Launched(f"7-{number}-1", R1) for number in range(3)]
    assert group.world.slot.entered == before


def test_a_pause_goes_on_though_one_has_succeeded() -> None:
    """The one that ended has no pause; the others' is waited out by the next controller as well."""
    group = Group()
    fail_once(group, "7-1-1", BackendError("flaky"), a=0)

    def die() -> None:
        raise Crash

    group.world.on_wait = die
    with pytest.raises(Crash):
        group.launch()
    group.world.on_wait = lambda: None
    waits = len(group.world.waits)
    outcomes = group.launch()
    assert outcomes == [Launched("7-0-1", R1), Launched("7-1-2", R1), Launched("7-2-2", R1)]
    assert len(group.world.waits) == waits + 1
