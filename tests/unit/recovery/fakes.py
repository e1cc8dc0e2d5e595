"""A world in memory for recovery: time, slot, store and three regions, all of them scripted."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from jobsched.config import RecoveryConfig
from jobsched.errors import BackendError, NoCapacity
from jobsched.models import (
    ClusterState,
    JobRecovery,
    LaunchRequest,
    Observation,
    Phase,
    Placement,
    Resources,
    TaskSpec,
)
from jobsched.recovery import Enough, MemoryRecorder, RecoveryRow, StrategyExecutor

JOB = 7
R1, R2, R3 = (Placement(region=region) for region in ("R1", "R2", "R3"))


class Crash(BaseException):
    """The process is gone: nothing that recovery does may catch it."""


def full(*, knows_room: bool = False) -> NoCapacity:
    """Nothing free now."""
    return NoCapacity(["no room"], knows_room=knows_room)


def task(strategy: str = "EAGER_NEXT_REGION", **changes: Any) -> TaskSpec:
    """A task; ``restarts`` and ``codes`` are those of its ``job_recovery``."""
    recovery = JobRecovery(
        strategy=strategy,
        max_restarts_on_errors=changes.pop("restarts", 0),
        recover_on_exit_codes=changes.pop("codes", ()),
    )
    values: dict[str, Any] = {"task_id": 0, "name": "train", "run": "true", "recovery": recovery}
    return TaskSpec(**values | changes)


def row_at(placement: Placement, **columns: Any) -> RecoveryRow:
    """The row of a task that runs in ``placement``, after one launch."""
    row = RecoveryRow(started_at=1000.0).launching(f"{JOB}-0-1", placement)
    return replace(row.running(1000.0), **columns)


def ended(code: int, phase: Phase = Phase.RUN, at: float = 0.0) -> Observation:
    """The task ended by itself with this exit code."""
    return Observation(state=ClusterState.ENDED, exit_code=code, phase=phase, ended_at=at)


def rng(seed: int) -> random.Random:
    """Jitter that is the same each time."""
    return random.Random(seed)  # noqa: S311 -- not a secret


class FakeClock:
    """Both clocks, which only move when somebody sleeps; the wall clock can be set, too."""

    def __init__(self) -> None:
        self.wall, self.ticks = 1_000_000.0, 0.0

    def now(self) -> float:
        """Wall time."""
        return self.wall

    def monotonic(self) -> float:
        """Seconds slept."""
        return self.ticks

    def sleep(self, seconds: float) -> None:
        """Move both clocks."""
        self.wall += seconds
        self.ticks += seconds


class FakeSlot:
    """The launch slot; knows whether somebody is in it."""

    def __init__(self) -> None:
        self.taken, self.entered = False, 0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Hold the slot."""
        assert not self.taken, "the slot was entered twice"
        self.taken, self.entered = True, self.entered + 1
        try:
            yield
        finally:
            self.taken = False


@dataclass
class FakeBackend:
    """Regions in order of preference, and what a launch in each is to raise, once each."""

    regions: tuple[Placement, ...] = (R1, R2, R3)
    certain: bool = True
    script: dict[str, list[Exception]] = field(default_factory=dict)
    #: What ``placements``, ``remove`` and ``reserve`` are to raise, once each.
    no_places: list[Exception] = field(default_factory=list)
    stuck: list[Exception] = field(default_factory=list)
    no_reserve: list[Exception] = field(default_factory=list)
    #: Regions of all launches asked for, and the clusters that exist, with what a probe says.
    trace: list[str] = field(default_factory=list)
    clusters: dict[str, Observation] = field(default_factory=dict)
    reserved: set[str] = field(default_factory=set)
    reservations: list[list[str]] = field(default_factory=list)
    reserved_for: set[int] = field(default_factory=set)
    #: What a stopped program's end looks like, if its stop leaves one.
    end_on_stop: Observation | None = None
    #: Regions that have room for one cluster more, whatever a launch comes to then.
    roomy: set[str] = field(default_factory=set)
    #: Called first by every launch; may raise what it likes.
    on_launch: Callable[[LaunchRequest], None] = lambda _: None
    launched_in_slot: list[bool] = field(default_factory=list)
    slot: FakeSlot = field(default_factory=FakeSlot)
    #: Most programs of the task that ever ran at the same time.
    most_running: int = 0

    @property
    def running(self) -> list[str]:
        """Clusters on which a program runs."""
        return [name for name, seen in self.clusters.items() if seen.state is ClusterState.UP]

    def placements(self, task: TaskSpec) -> tuple[Placement, ...]:
        """All regions, or the next scripted error."""
        del task
        if self.no_places:
            raise self.no_places.pop(0)
        return self.regions

    def reserve(
        self, wants: Sequence[tuple[str, TaskSpec, Sequence[Placement]]], *, job_id: int
    ) -> list[Placement]:
        """The first place of each, or the next scripted error."""
        self.reserved_for.add(job_id)
        self.reservations.append([name for name, _, _ in wants])
        if self.no_reserve:
            raise self.no_reserve.pop(0)
        self.reserved |= {name for name, _, _ in wants}
        return [places[0] for _, _, places in wants]

    def has_room(self, wants: Sequence[tuple[TaskSpec, Sequence[Placement]]]) -> bool:
        """Whether each may go to a region that is said to have some."""
        return all(any(place.region in self.roomy for place in places) for _, places in wants)

    def launch(self, request: LaunchRequest, stop: threading.Event) -> None:
        """Start the program, or raise what the script says for this region."""
        del stop
        region = request.placement.region
        self.trace.append(region)
        self.on_launch(request)
        self.launched_in_slot.append(self.slot.taken)
        if request.cluster in self.clusters:
            raise AssertionError(f"{request.cluster} was launched twice")
        if self.script.get(region):
            error = self.script[region].pop(0)
            if not isinstance(error, BackendError):  # the unexpected leaves something behind
                self.clusters[request.cluster] = Observation(state=ClusterState.UNKNOWN)
            raise error
        self.clusters[request.cluster] = Observation(state=ClusterState.UP)
        self.most_running = max(self.most_running, len(self.running))

    def probe(self, cluster: str) -> Observation:
        """What is known of it; GONE if it is not there."""
        return self.clusters.get(cluster, Observation(state=ClusterState.GONE))

    def stop(self, cluster: str, *, grace: float) -> None:
        """End the program, if one runs."""
        del grace
        if self.probe(cluster).state is ClusterState.UP:
            end = self.end_on_stop or Observation(state=ClusterState.GONE)
            self.clusters[cluster] = end

    def remove(self, cluster: str, *, grace: float) -> None:
        """Forget the cluster, or raise the next scripted error."""
        del grace
        if self.stuck:
            raise self.stuck.pop(0)
        self.clusters.pop(cluster, None)
        self.reserved.discard(cluster)


class Faults:
    """Crashes the process at the ``at``-th effect, before it is done or just after."""

    def __init__(self, at: int | None = None, *, after: bool = False) -> None:
        self.at, self.after, self.count = at, after, 0

    def around(self, effect: Callable[..., Any]) -> Callable[..., Any]:
        """``effect``, counted."""

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.count += 1
            mine = self.count
            if mine == self.at and not self.after:
                raise Crash
            try:
                return effect(*args, **kwargs)
            finally:
                if mine == self.at:
                    raise Crash

        return counted


class World:
    """Everything outside of recovery; it outlives the process that an executor stands for."""

    def __init__(self, spec: TaskSpec | None = None, **backend: Any) -> None:
        self.spec = spec or task()
        self.clock, self.slot, self.stop = FakeClock(), FakeSlot(), threading.Event()
        self.backend = FakeBackend(slot=self.slot, **backend)
        self.recorder = MemoryRecorder(self.spec, JOB)
        self.waits: list[float] = []
        self.on_wait: Callable[[], None] = lambda: None
        #: Whether the wait that ended last did so before its time.
        self.was_short = False
        self.settings = RecoveryConfig()

    @property
    def row(self) -> RecoveryRow:
        """What is stored."""
        return self.recorder.rows[-1] if self.recorder.rows else RecoveryRow()

    def store(self, row: RecoveryRow) -> None:
        """Store a row as the controller does with a move of its own."""
        self.recorder.rows.append(row)

    def wait(self, seconds: float, enough: Enough) -> bool:
        """Record a pause, which must not be in the slot; it ends as soon as it is enough."""
        assert not self.slot.taken, "a pause holds the launch slot"
        self.waits.append(seconds)
        self.on_wait()
        self.was_short = enough()
        if not self.was_short:
            self.clock.sleep(seconds)
        return self.was_short

    def executor(self, faults: Faults | None = None) -> StrategyExecutor:
        """A new process, which knows what is stored and nothing else."""
        faults = faults or Faults()
        backend, recorder = Faulty(self.backend, faults), Faulty(self.recorder, faults)
        return StrategyExecutor.make(
            self.spec,
            JOB,
            backend=backend,
            slot=self.slot,
            clock=self.clock,
            row=self.row,
            recorder=recorder,
            wait=faults.around(self.wait),
            settings=self.settings,
            stop=self.stop,
            rng=rng(1),
        )

    def run_in(self, placement: Placement) -> None:
        """The task runs there, once launched."""
        self.store(row_at(placement, started_at=self.clock.now()))
        self.backend.clusters[str(self.row.cluster)] = Observation(state=ClusterState.UP)

    def lose(self) -> None:
        """The newest cluster is preempted."""
        self.backend.clusters.pop(str(self.row.cluster), None)


class Faulty:
    """A backend or recorder whose effects can crash the process."""

    def __init__(self, real: Any, faults: Faults) -> None:
        self._real, self._faults = real, faults

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._real, name)
        if name in {"launch", "remove", "stop", "reserve", "commit", "started"}:
            return self._faults.around(value)
        return value


def candidates(*regions: str) -> tuple[Resources, ...]:
    """One candidate a region."""
    return tuple(Resources(region=region) for region in regions)


def full_for(tries: int, *, knows_room: bool = False) -> World:
    """One region that has no room in the first so many tries."""
    errors: list[Exception] = [full(knows_room=knows_room) for _ in range(tries)]
    return World(regions=(R1,), script={"R1": errors})


def cut_in_pause(world: World, number: int) -> None:
    """The controller dies as its n-th pause begins."""

    def die() -> None:
        if len(world.waits) == number:
            raise KeyboardInterrupt

    world.on_wait = die
    with pytest.raises(KeyboardInterrupt):
        world.executor().launch()
    world.on_wait = lambda: None


def assert_equal(left: object, right: object) -> None:
    """For a lambda."""
    assert left == right
