"""What every backend keeps to."""

from __future__ import annotations

import os
import select
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jobsched import process, testing
from jobsched.backends import create
from jobsched.backends.base import Backend, ClusterState, LaunchRequest, Observation, Phase
from jobsched.backends.local import LocalBackend
from jobsched.clock import SystemClock
from jobsched.config import Config, LocalConfig, RegionConfig
from jobsched.errors import BackendError, Cancelled, ConfigError, Fenced, NoCapacity, PrecheckFailed
from jobsched.home import Home
from jobsched.models import Placement, Resources, TaskSpec
from jobsched.testing import FakeBackend
from tests.support import wait_until

GRACE = 0.2
NOWHERE = "7-9-9"


class Rig(ABC):
    """A backend with two regions that hold two clusters each, and how its tasks are steered."""

    backend: Backend
    made = 0

    @abstractmethod
    def task(self, end: int | None = None, phase: Phase = Phase.RUN) -> TaskSpec:
        """A task that goes on until :meth:`finish`, or ends at once with a code."""

    @abstractmethod
    def finish(self, request: LaunchRequest, code: int = 0) -> None:
        """Have the task's program end."""

    @abstractmethod
    def impossible(self) -> TaskSpec:
        """A task that no place can ever serve."""

    @abstractmethod
    def close(self) -> None:
        """End everything."""

    def request(self, task: TaskSpec | None = None, attempt: int = 1) -> LaunchRequest:
        """A request for a new cluster in the first place."""
        self.made += 1
        wanted = task or self.task()
        return LaunchRequest(
            cluster=f"7-0-{self.made}",
            job_id=7,
            attempt=attempt,
            task=wanted,
            placement=self.backend.placements(wanted)[0],
            base_env={"PATH": os.environ["PATH"]},
            log_paths=(self.log,),
        )

    @property
    def log(self) -> Path:
        """Where tasks print."""
        return Path(os.devnull)

    def launch(self, task: TaskSpec | None = None, attempt: int = 1) -> LaunchRequest:
        """Launch it."""
        request = self.request(task, attempt)
        self.backend.launch(request, threading.Event())
        return request

    def until(self, request: LaunchRequest, state: ClusterState) -> Observation:
        """Wait until a probe says so."""
        wait_until(
            lambda: self.backend.probe(request.cluster).state is state, 10, f"it to be {state}"
        )
        return self.backend.probe(request.cluster)

    def want(self, *names: str) -> list[tuple[str, TaskSpec, tuple[Placement, ...]]]:
        """Wishes for room, anywhere."""
        task = self.task()
        return [(name, task, self.backend.placements(task)) for name in names]


class FakeRig(Rig):
    """The backend in memory."""

    def __init__(self, root: Path) -> None:
        del root
        places = [Placement(region="A"), Placement(region="B")]
        self.fake = FakeBackend(*places, room={"A": 2, "B": 2})
        self.backend = self.fake

    def task(self, end: int | None = None, phase: Phase = Phase.RUN) -> TaskSpec:
        """A task whose end is scripted."""
        if end is not None:
            at = self.fake.places[0]
            self.fake.will(at, testing.ended(end, phase, at=1.0))
        return TaskSpec(task_id=0, name="t")

    def finish(self, request: LaunchRequest, code: int = 0) -> None:
        """Have it seen as ended."""
        self.fake.see(request.cluster, testing.ended(code, at=1.0))

    def impossible(self) -> TaskSpec:
        """Refused by script."""
        self.fake.refusals = ["there is no such region"]
        return TaskSpec(task_id=0, name="t")

    def close(self) -> None:
        """Let go of descriptors."""
        self.fake.close()


class LocalRig(Rig):
    """Processes of this machine, steered by a file."""

    def __init__(self, root: Path) -> None:
        self.home, self.files = Home(root / "home"), root
        self.home.create()
        regions = {name: RegionConfig(clusters=2) for name in "AB"}
        self.backend = LocalBackend(self.home, LocalConfig(regions=regions), SystemClock())

    @property
    def log(self) -> Path:
        """Where tasks print."""
        return self.home.task_log(7, 0)

    def task(self, end: int | None = None, phase: Phase = Phase.RUN) -> TaskSpec:
        """A task that exits, or waits for a file of its cluster's name that says how."""
        if end is None:
            name = f'{self.files}/go-"$(basename "${{PWD%/*}}")"'
            run = f"until [ -e {name} ]; do sleep 0.02; done; exit $(cat {name})"
            return TaskSpec(task_id=0, name="t", run=run)
        if phase is Phase.SETUP:
            return TaskSpec(task_id=0, name="t", setup=f"exit {end}", run="true")
        return TaskSpec(task_id=0, name="t", setup="true", run=f"exit {end}")

    def finish(self, request: LaunchRequest, code: int = 0) -> None:
        """Write that file, whole."""
        draft = self.files / "draft"
        draft.write_text(str(code))
        draft.rename(self.files / f"go-{request.cluster}")

    def impossible(self) -> TaskSpec:
        """In a region that is not declared."""
        return TaskSpec(task_id=0, name="t", candidates=(Resources(region="C"),))

    def close(self) -> None:
        """End every task."""
        for path in self.home.clusters.glob("[0-9]*"):
            self.backend.remove(path.name, grace=0)


@pytest.fixture(params=[FakeRig, LocalRig], ids=["fake", "local"])
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rig]:
    """A backend of each kind; what it runs is ended after the test."""
    rig: Rig = request.param(tmp_path)
    yield rig
    rig.close()


class TestBackend:
    """Behaviours that do not depend on what runs the tasks."""

    def test_a_cluster_that_does_not_exist_is_gone(self, rig: Rig) -> None:
        """It is no error to look, to stop or to remove, however often."""
        backend = rig.backend
        assert backend.probe(NOWHERE).state is ClusterState.GONE
        assert backend.adopt(NOWHERE, 1).state is ClusterState.GONE
        for _ in range(2):
            backend.stop(NOWHERE, grace=GRACE)
            backend.remove(NOWHERE, grace=GRACE)
        assert backend.probe(NOWHERE).state is ClusterState.GONE
        assert backend.clusters() == []

    def test_launched_is_up(self, rig: Rig) -> None:
        """A launched cluster is UP, for whoever adopts it too, and listed as its job's."""
        request = rig.launch(attempt=3)
        assert rig.backend.probe(request.cluster).state is ClusterState.UP
        assert rig.backend.adopt(request.cluster, 4).state is ClusterState.UP
        (info,) = rig.backend.clusters()
        assert (info.name, info.job_id, info.task_id) == (request.cluster, 7, 0)
        assert (info.attempt, info.region, info.num_nodes) == (4, "A", 1)
        assert info.state is ClusterState.UP

    @pytest.mark.parametrize(
        ("code", "phase"), [(0, Phase.RUN), (1, Phase.RUN), (255, Phase.RUN), (3, Phase.SETUP)]
    )
    def test_an_end_tells_code_and_phase(self, rig: Rig, code: int, phase: Phase) -> None:
        """How it ended, in which of its programs, and when."""
        seen = rig.until(rig.launch(rig.task(code, phase)), ClusterState.ENDED)
        assert (seen.exit_code, seen.phase) == (code, phase)
        assert seen.ended_at is not None
        assert seen.ended_at > 0

    def test_an_end_wins(self, rig: Rig) -> None:
        """Once ended it stays so, through adoption and stop; it can no longer be preempted."""
        request = rig.launch(rig.task(5))
        end = rig.until(request, ClusterState.ENDED)
        assert rig.backend.adopt(request.cluster, 2) == end
        with pytest.raises(BackendError):
            rig.backend.preempt(request.cluster)
        rig.backend.stop(request.cluster, grace=GRACE)
        assert rig.backend.probe(request.cluster) == end
        rig.backend.remove(request.cluster, grace=GRACE)
        assert rig.backend.probe(request.cluster).state is ClusterState.GONE

    def test_stopped_and_removed_twice(self, rig: Rig) -> None:
        """A running task that is stopped is GONE, not ended; doing it again is fine."""
        request = rig.launch()
        pids = rig.backend.probe(request.cluster).pids
        for _ in range(2):
            rig.backend.stop(request.cluster, grace=GRACE)
            assert rig.backend.probe(request.cluster).state is ClusterState.GONE
        assert [info.name for info in rig.backend.clusters()] == [request.cluster]
        for _ in range(2):
            rig.backend.remove(request.cluster, grace=GRACE)
        assert rig.backend.clusters() == []
        assert not any(map(process.identify, pids))

    def test_nothing_starts_where_it_was_stopped(self, rig: Rig) -> None:
        """A launch that comes after the stop is refused."""
        request = rig.request()
        rig.backend.reserve([(request.cluster, request.task, [request.placement])], job_id=7)
        rig.backend.stop(request.cluster, grace=GRACE)
        with pytest.raises(BackendError):
            rig.backend.launch(request, threading.Event())
        assert rig.backend.probe(request.cluster).state is ClusterState.GONE

    def test_a_used_name_is_refused(self, rig: Rig) -> None:
        """A second launch under a name changes nothing of the first."""
        request = rig.launch()
        with pytest.raises(BackendError):
            rig.backend.launch(replace(request, attempt=2), threading.Event())
        assert rig.backend.probe(request.cluster).state is ClusterState.UP
        rig.finish(request, 4)
        assert rig.until(request, ClusterState.ENDED).exit_code == 4
        with pytest.raises(BackendError):
            rig.backend.launch(replace(request, attempt=3), threading.Event())
        assert rig.backend.probe(request.cluster).exit_code == 4

    def test_the_fence_comes_first(self, rig: Rig) -> None:
        """Adopted by a newer attempt before its launch: the older one's launch is Fenced."""
        request = rig.request(attempt=2)
        assert rig.backend.adopt(request.cluster, 3).state is ClusterState.GONE
        with pytest.raises(Fenced) as refused:
            rig.backend.launch(request, threading.Event())
        assert (refused.value.attempt, refused.value.owner) == (2, 3)
        assert rig.backend.probe(request.cluster).state is ClusterState.GONE
        rig.backend.launch(replace(request, attempt=3), threading.Event())
        assert rig.backend.probe(request.cluster).state is ClusterState.UP

    def test_the_fence_outlives_the_cluster(self, rig: Rig) -> None:
        """Adopted and removed by a newer attempt: a late launch of the older one is Fenced."""
        late, launched = rig.request(attempt=1), rig.launch(attempt=1)
        for request in (late, launched):
            rig.backend.adopt(request.cluster, 2)
            rig.backend.remove(request.cluster, grace=GRACE)
            with pytest.raises(Fenced) as refused:
                rig.backend.launch(request, threading.Event())
            assert (refused.value.attempt, refused.value.owner) == (1, 2)
            with pytest.raises(Fenced):
                rig.backend.adopt(request.cluster, 1)
            with pytest.raises(BackendError):
                rig.backend.launch(replace(request, attempt=2), threading.Event())
            assert rig.backend.probe(request.cluster).state is ClusterState.GONE
        assert rig.backend.clusters() == []

    def test_an_older_attempt_adopts_nothing(self, rig: Rig) -> None:
        """The fence only rises; the same attempt may adopt again."""
        request = rig.launch(attempt=2)
        rig.backend.adopt(request.cluster, 5)
        for attempt in (2, 4):
            with pytest.raises(Fenced):
                rig.backend.adopt(request.cluster, attempt)
        assert rig.backend.adopt(request.cluster, 5).state is ClusterState.UP

    def test_a_loss_on_purpose(self, rig: Rig) -> None:
        """Preempted it is GONE, never ended, and says why."""
        request = rig.launch()
        rig.backend.preempt(request.cluster)
        seen = rig.backend.probe(request.cluster)
        assert seen.state is ClusterState.GONE
        assert "preempted" in seen.reason
        assert seen.exit_code is None
        for name in (request.cluster, NOWHERE):
            with pytest.raises(BackendError):
                rig.backend.preempt(name)

    @pytest.mark.parametrize("how", ["end", "loss", "stop"])
    def test_a_watcher_is_woken(self, rig: Rig, how: str) -> None:
        """Its descriptor is silent while the task runs and readable once it does not."""
        request = rig.launch()
        watched = rig.backend.watch(request.cluster)
        try:
            assert len(watched) == 1
            assert select.select(watched, [], [], 0)[0] == []
            if how == "end":
                rig.finish(request)
            elif how == "loss":
                rig.backend.preempt(request.cluster)
            else:
                rig.backend.stop(request.cluster, grace=GRACE)
            assert select.select(watched, [], [], 10)[0] == watched
        finally:
            for descriptor in watched:
                os.close(descriptor)
        assert rig.backend.probe(request.cluster).state is not ClusterState.UP

    @pytest.mark.parametrize("launched", [True, False], ids=["ended", "absent"])
    def test_what_is_over_wakes_at_once(self, rig: Rig, launched: bool) -> None:
        """Who watches what has ended already does not wait for ever."""
        name = NOWHERE
        if launched:
            request = rig.launch(rig.task(0))
            rig.until(request, ClusterState.ENDED)
            name = request.cluster
        watched = rig.backend.watch(name)
        assert select.select(watched, [], [], 0)[0] == watched
        assert watched
        for descriptor in watched:
            os.close(descriptor)

    def test_room_is_reserved_for_all_or_none(self, rig: Rig) -> None:
        """Four have room, five do not, and then nothing of it is taken."""
        with pytest.raises(NoCapacity) as full:
            rig.backend.reserve(rig.want("a", "b", "c", "d", "e"), job_id=7)
        assert full.value.knows_room
        assert rig.backend.clusters() == []
        wants = rig.want("f", "g", "h", "i")
        chosen = rig.backend.reserve(wants, job_id=7)
        assert [place.region for place in chosen] == ["A", "A", "B", "B"]
        assert rig.backend.reserve(wants, job_id=7) == chosen
        assert sorted(info.name for info in rig.backend.clusters()) == ["f", "g", "h", "i"]

    def test_reserved_room_serves_its_launch(self, rig: Rig) -> None:
        """Reserved room is nobody else's; its own launch uses it, and removal gives it back."""
        requests = [rig.request() for _ in range(4)]
        places = rig.backend.reserve(rig.want(*(each.cluster for each in requests)), job_id=7)
        other = rig.request()
        with pytest.raises(NoCapacity):
            rig.backend.launch(other, threading.Event())
        for each, place in zip(requests, places, strict=True):
            rig.backend.launch(replace(each, placement=place), threading.Event())
        rig.backend.stop(requests[0].cluster, grace=GRACE)
        rig.backend.launch(other, threading.Event())
        assert rig.backend.probe(other.cluster).state is ClusterState.UP

    def test_a_full_region(self, rig: Rig) -> None:
        """A launch without room leaves nothing behind and may be tried again."""
        first = rig.launch()
        rig.launch()
        third = rig.request()
        with pytest.raises(NoCapacity) as full:
            rig.backend.launch(third, threading.Event())
        assert full.value.knows_room
        assert rig.backend.probe(third.cluster).state is ClusterState.GONE
        assert third.cluster not in [info.name for info in rig.backend.clusters()]
        rig.backend.remove(first.cluster, grace=GRACE)
        rig.backend.launch(third, threading.Event())

    def test_what_can_never_be_served(self, rig: Rig) -> None:
        """It is said beforehand, with reasons."""
        with pytest.raises(PrecheckFailed) as refused:
            rig.backend.placements(rig.impossible())
        assert refused.value.reasons
        assert all(refused.value.reasons)

    def test_an_unwanted_launch(self, rig: Rig) -> None:
        """With its stop set a launch ends Cancelled and leaves nothing."""
        stop = threading.Event()
        stop.set()
        request = rig.request()
        with pytest.raises(Cancelled):
            rig.backend.launch(request, stop)
        assert rig.backend.probe(request.cluster).state is ClusterState.GONE
        assert rig.backend.clusters() == []


def test_the_registry(home: Home) -> None:
    """A backend is made by its name; one that is not there is told with the likeliest meant."""
    assert create("local", home, Config(), SystemClock()).name == "local"
    with pytest.raises(ConfigError, match=r"no backend locall.*local"):
        create("locall", home, Config(), SystemClock())
