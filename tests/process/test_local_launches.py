"""The local backend with real processes: files, room, fences, ends and losses."""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jobsched import process
from jobsched.backends.base import ClusterState, Phase
from jobsched.backends.local import LocalBackend
from jobsched.clock import SystemClock
from jobsched.config import LocalConfig, RegionConfig
from jobsched.errors import BackendError, Cancelled, Fenced, NoCapacity, PrecheckFailed
from jobsched.home import Home
from jobsched.models import FileMount, LaunchRequest, Placement, Resources, TaskSpec
from tests.support import wait_until

ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


@dataclass
class Machine:
    """A local backend and what a test does with it."""

    home: Home
    config: LocalConfig = field(default_factory=LocalConfig)
    made: int = 0

    def __post_init__(self) -> None:
        self.backend = LocalBackend(self.home, self.config, SystemClock())

    def request(self, task: TaskSpec, *, attempt: int = 1, **over: object) -> LaunchRequest:
        """A request for a new cluster in the first place that could serve the task."""
        self.made += 1
        values: dict[str, object] = {
            "cluster": f"7-0-{self.made}",
            "job_id": 7,
            "attempt": attempt,
            "task": task,
            "placement": self.backend.placements(task)[0],
            "base_env": ENV,
            "log_paths": tuple(self.home.task_log(7, 0, node) for node in range(task.num_nodes)),
            **over,
        }
        return LaunchRequest(**values)  # type: ignore[arg-type]

    def launch(self, task: TaskSpec, **over: object) -> str:
        """Launch it; the cluster's name."""
        request = self.request(task, **over)  # type: ignore[arg-type]
        self.backend.launch(request, threading.Event())
        return request.cluster

    def until(self, cluster: str, state: ClusterState) -> object:
        """Wait until a probe says so; the observation."""
        return wait_until(
            lambda: (seen := self.backend.probe(cluster)).state is state and seen,
            10, f"cluster {cluster} to be {state}",
        )  # fmt: skip

    def log(self, node: int = 0) -> bytes:
        """What a node has printed."""
        return self.home.task_log(7, 0, node).read_bytes()


@pytest.fixture
def machines() -> Iterator[list[Machine]]:
    """Machines that a test has made; what they run is ended after it."""
    made: list[Machine] = []
    yield made
    for machine in made:
        for cluster in machine.backend.clusters():
            machine.backend.remove(cluster.name, grace=0.1)


@pytest.fixture
def machine(home: Home, machines: list[Machine]) -> Machine:
    """A machine without declared regions."""
    machines.append(Machine(home))
    return machines[0]


def with_regions(
    home: Home, machines: list[Machine], regions: Mapping[str, RegionConfig], **over: bool
) -> Machine:
    """A machine with declared regions."""
    machines.append(Machine(home, LocalConfig(regions=regions, **over)))
    return machines[-1]


def task(run: str, **over: object) -> TaskSpec:
    """A task that runs this."""
    values: dict[str, object] = {"task_id": 0, "name": "t", "run": run, **over}
    return TaskSpec(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setup", "run", "phase", "code"),
    [
        (None, "exit 0", Phase.RUN, 0),
        (None, "exit 7", Phase.RUN, 7),
        ("exit 3", "exit 0", Phase.SETUP, 3),
        ("true", "kill -KILL $$", Phase.RUN, 137),
        (None, "kill -TERM $$", Phase.RUN, 143),
    ],
)
def test_ends(machine: Machine, setup: str | None, run: str, phase: Phase, code: int) -> None:
    """How setup or run ended is told, with 128+n for a signal, also after its removal of none."""
    cluster = machine.launch(task(run, setup=setup))
    seen = machine.until(cluster, ClusterState.ENDED)
    assert (seen.phase, seen.exit_code) == (phase, code)  # type: ignore[attr-defined]


def test_bytes_are_kept(machine: Machine) -> None:
    """A long line, bytes that are no text and carriage returns arrive as they were written."""
    cluster = machine.launch(
        task("head -c 300000 /dev/zero | tr '\\0' x; printf '\\n\\377\\376\\rframe\\r'")
    )
    machine.until(cluster, ClusterState.ENDED)
    assert machine.log() == b"x" * 300_000 + b"\n\xff\xfe\rframe\r"


def test_unknown_cluster(machine: Machine) -> None:
    """A cluster that does not exist is GONE; stopping and removing it is fine."""
    assert machine.backend.probe("9-9-9").state is ClusterState.GONE
    assert machine.backend.adopt("9-9-9", 3).state is ClusterState.GONE
    (ready,) = machine.backend.watch("9-9-9")
    assert select.select([ready], [], [], 0)[0] == [ready]
    os.close(ready)
    machine.backend.stop("9-9-9", grace=0.1)
    machine.backend.remove("9-9-9", grace=0.1)
    with pytest.raises(BackendError, match="9-9-9"):
        machine.backend.preempt("9-9-9")


def test_watch(machine: Machine, tmp_path: Path) -> None:
    """A descriptor becomes readable when the task ends."""
    go = tmp_path / "go"
    cluster = machine.launch(task(f"until [ -e {go} ]; do sleep 0.02; done"))
    (descriptor,) = machine.backend.watch(cluster)
    assert select.select([descriptor], [], [], 0)[0] == []
    go.touch()
    assert select.select([descriptor], [], [], 10)[0] == [descriptor]
    os.close(descriptor)
    machine.until(cluster, ClusterState.ENDED)


def test_a_name_is_used_once(machine: Machine) -> None:
    """A cluster of the same name is not made again, whatever has become of the first."""
    request = machine.request(task("true"))
    machine.backend.launch(request, threading.Event())
    machine.until(request.cluster, ClusterState.ENDED)
    with pytest.raises(BackendError):
        machine.backend.launch(request, threading.Event())


def test_fence(machine: Machine) -> None:
    """After a newer attempt has been there, an older one can neither launch nor adopt."""
    cluster = machine.launch(task("sleep 60"), attempt=2)
    assert machine.backend.adopt(cluster, 3).state is ClusterState.UP
    with pytest.raises(Fenced):
        machine.backend.adopt(cluster, 2)


def processes(machine: Machine, cluster: str, number: int) -> tuple[int, ...]:
    """The PIDs of a cluster, once there are so many."""
    wait_until(lambda: len(machine.backend.probe(cluster).pids) >= number, 5, "processes")
    return machine.backend.probe(cluster).pids


def test_preemption(machine: Machine) -> None:
    """A cluster lost on purpose is GONE and leaves no process; an ended one cannot be lost."""
    cluster = machine.launch(task("sleep 60 & setsid sleep 60 & wait"))
    pids = processes(machine, cluster, 3)
    machine.backend.preempt(cluster)
    seen = machine.backend.probe(cluster)
    assert (seen.state, "preempt" in seen.reason) == (ClusterState.GONE, True)
    assert [pid for pid in pids if process.identify(pid)] == []
    ended = machine.launch(task("true"))
    machine.until(ended, ClusterState.ENDED)
    with pytest.raises(BackendError):
        machine.backend.preempt(ended)


def test_killed_runner(machine: Machine) -> None:
    """Without its runner a task is lost, though it still runs; stop ends what is left."""
    cluster = machine.launch(task("sleep 60"))
    pids = processes(machine, cluster, 2)
    os.kill(min(pids), signal.SIGKILL)
    machine.until(cluster, ClusterState.GONE)
    machine.backend.stop(cluster, grace=0.2)
    assert [pid for pid in pids if process.identify(pid)] == []


def test_stubborn_program(machine: Machine) -> None:
    """What ignores SIGTERM, or is stopped, is ended by force after the grace."""
    cluster = machine.launch(
        task(
            "trap '' TERM; (trap '' TERM; kill -STOP $BASHPID; sleep 60) &"
            " while :; do sleep 0.1; done"
        )
    )
    pids = processes(machine, cluster, 3)
    machine.backend.stop(cluster, grace=0.3)
    assert [pid for pid in pids if process.identify(pid)] == []


def test_gang(machine: Machine) -> None:
    """The first failing node's code is the gang's, while the others still run."""
    cluster = machine.launch(task('[ "$SKYPILOT_NODE_RANK" = 1 ] && exit 5; sleep 60', num_nodes=3))
    seen = machine.until(cluster, ClusterState.ENDED)
    assert seen.exit_code == 5  # type: ignore[attr-defined]
    machine.backend.stop(cluster, grace=0.2)
    assert machine.backend.probe(cluster).pids == ()


def test_cancelled_launch(machine: Machine, tmp_path: Path) -> None:
    """A launch that is told to stop leaves nothing behind."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "file").write_text("x")
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        machine.backend.launch(machine.request(task("true", workdir=str(tmp_path / "work"))), stop)
    assert machine.backend.probe("7-0-1").state is ClusterState.GONE


def test_workdir(machine: Machine, tmp_path: Path) -> None:
    """Each run has a private copy, without what .skyignore names; links and modes are kept."""
    work = tmp_path / "work"
    (work / "deep" / "er").mkdir(parents=True)
    (work / "deep" / "er" / "file").write_text("content")
    (work / "run.sh").write_text("echo ran")
    (work / "run.sh").chmod(0o755)
    (work / "link").symlink_to("run.sh")
    (work / "secret.key").write_text("no")
    (work / "build").mkdir()
    (work / "build" / "big").write_text("no")
    (work / ".gitignore").write_text("run.sh\n")
    (work / ".skyignore").write_text("# comment\n*.key\nbuild/\n")
    cluster = machine.launch(
        task("find . -type f -o -type l | sort; ./run.sh; echo new > made", workdir=str(work))
    )
    machine.until(cluster, ClusterState.ENDED)
    lines = machine.log().decode().split()
    assert "./deep/er/file" in lines
    assert "./link" in lines
    assert lines[-1] == "ran"
    assert not {"./secret.key", "./build/big"} & set(lines)
    assert not (work / "made").exists()


def test_gitignore(machine: Machine, tmp_path: Path) -> None:
    """Without .skyignore it is .gitignore that says what is left out, at every level."""
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    for name in ("a.log", "keep.log", "b.txt", "sub/c.log", "sub/d.tmp"):
        (work / name).write_text("x")
    (work / ".gitignore").write_text("*.log\n!keep.log\n")
    (work / "sub" / ".gitignore").write_text("*.tmp\n")
    cluster = machine.launch(task("find . -name '*.*' -type f | sort", workdir=str(work)))
    machine.until(cluster, ClusterState.ENDED)
    found = set(machine.log().decode().split())
    assert {"./keep.log", "./b.txt"} <= found
    assert not {"./a.log", "./sub/c.log", "./sub/d.tmp"} & found


def mount(target: str, source: Path | str | None, **over: object) -> FileMount:
    """One file mount."""
    return FileMount(target=target, source=None if source is None else str(source), **over)  # type: ignore[arg-type]


def test_file_mounts(machine: Machine, tmp_path: Path) -> None:
    """Relative targets land in the workdir, ~/ ones in a private HOME; nothing is replaced."""
    data, work = tmp_path / "data", tmp_path / "work"
    data.mkdir()
    work.mkdir()
    (data / "one").write_text("1")
    (work / "mine").write_text("original")
    mounts = (
        mount("in/data", data),
        mount("~/conf/one", data / "one"),
        mount("mine", data / "one"),
    )
    cluster = machine.launch(
        task(
            'cat in/data/one ~/conf/one mine; echo; echo "$HOME"',
            workdir=str(work),
            file_mounts=mounts,
        )
    )
    machine.until(cluster, ClusterState.ENDED)
    lines = machine.log().decode().splitlines()
    assert "11original" in lines
    assert lines[-1].startswith(str(machine.home.clusters))


@pytest.mark.parametrize("target", ["/etc/jobsched-test", "../up", "~/../../up", "~other/x"])
def test_targets_outside(machine: Machine, tmp_path: Path, target: str) -> None:
    """No mount leaves the private directories."""
    with pytest.raises(PrecheckFailed, match="file_mounts"):
        machine.backend.placements(task("true", file_mounts=(mount(target, tmp_path),)))


def test_absolute_targets_where_allowed(
    home: Home, machines: list[Machine], tmp_path: Path
) -> None:
    """An absolute target is filled where the configuration allows it, never over a file."""
    machine = with_regions(home, machines, {}, allow_absolute_mounts=True)
    source, there = tmp_path / "source", tmp_path / "there"
    source.write_text("new")
    there.write_text("old")
    cluster = machine.launch(
        task(
            "true",
            file_mounts=(mount(str(tmp_path / "a" / "b"), source), mount(str(there), source)),
        )
    )
    machine.until(cluster, ClusterState.ENDED)
    assert ((tmp_path / "a" / "b").read_text(), there.read_text()) == ("new", "old")


def test_only_a_cloud_has_these(machine: Machine) -> None:
    """Buckets and images are refused, all reasons at once, saying what could serve them."""
    spec = task(
        "true",
        file_mounts=(mount("/data", "s3://bucket"), mount("out", None, name="mine")),
        candidates=(Resources(image_id="ami-1"),),
    )
    with pytest.raises(PrecheckFailed) as refused:
        machine.backend.placements(spec)
    text = str(refused.value)
    assert "s3://bucket" in text
    assert "mine" in text
    assert "ami-1" in text


def test_environment(machine: Machine, tmp_path: Path) -> None:
    """A node gets its names under both prefixes, and nothing of a controller's."""
    out = tmp_path / "env"
    told = {"JOBSCHED_HOME": "x", "JOBSCHED_LOCK_FD": "3", "JOBSCHED_ATTEMPT": "1"}
    cluster = machine.launch(
        task(f'env > {out}-"$SKYPILOT_NODE_RANK"', num_nodes=2),
        base_env={**ENV, **told},
        env={"MINE": "1", "JOBSCHED_JOB_ID": "7"},
    )
    machine.until(cluster, ClusterState.ENDED)
    lines = Path(f"{out}-1").read_text().splitlines()
    found = dict(line.split("=", 1) for line in lines if "=" in line)
    assert (found["MINE"], found["SKYPILOT_NUM_NODES"], found["JOBSCHED_NODE_RANK"]) == (
        "1",
        "2",
        "1",
    )
    assert not {*told, "JOBSCHED_JOB_ID"} & found.keys()


REGIONS = {
    "big": RegionConfig(cpus=4, memory_gib=8, accelerators={"A100": 2}),
    "small": RegionConfig(cpus=1, clusters=1),
}


def need(**over: object) -> TaskSpec:
    """A task with one candidate that asks for this."""
    return task("sleep 60", candidates=(Resources(**over),))  # type: ignore[arg-type]


def test_places_in_order(home: Home, machines: list[Machine]) -> None:
    """All regions that could ever serve the task, in the order in which they are declared."""
    backend = with_regions(home, machines, REGIONS).backend
    assert [place.region for place in backend.placements(need(cpus=1.0))] == ["big", "small"]
    assert [place.region for place in backend.placements(need(cpus=3.0))] == ["big"]
    assert [place.region for place in backend.placements(need(region="small"))] == ["small"]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"cpus": 5.0}, "5"),
        ({"memory_gib": 9.0, "region": "big"}, "9"),
        ({"accelerators": {"A100": 3.0}, "region": "big"}, "A100"),
        ({"region": "smal"}, "small"),
    ],
)
def test_never(home: Home, machines: list[Machine], asked: dict[str, object], says: str) -> None:
    """What no region can ever serve is a precheck error that says what was asked for."""
    with pytest.raises(PrecheckFailed, match=says):
        with_regions(home, machines, REGIONS).backend.placements(need(**asked))


def test_room(home: Home, machines: list[Machine]) -> None:
    """What is taken is not given twice, and free again after the removal."""
    machine = with_regions(home, machines, REGIONS)
    first = machine.launch(need(cpus=3.0))
    with pytest.raises(NoCapacity) as full:
        machine.launch(need(cpus=2.0, region="big"))
    assert full.value.knows_room
    assert "cpus" in str(full.value).lower()
    machine.backend.remove(first, grace=0.1)
    machine.launch(need(cpus=2.0, region="big"))


def test_accelerators_are_told_apart(home: Home, machines: list[Machine]) -> None:
    """Declared accelerators are handed out one by one; two clusters never get the same."""
    machine = with_regions(home, machines, REGIONS)
    run = 'echo "gpu=$CUDA_VISIBLE_DEVICES"; sleep 60'
    one = task(run, candidates=(Resources(accelerators={"A100": 1.0}, region="big"),))
    for _ in range(2):
        machine.launch(one)
    wait_until(lambda: machine.log().count(b"gpu=") == 2, 5, "both to speak")
    assert sorted(machine.log().split()) == [b"gpu=0", b"gpu=1"]
    with pytest.raises(NoCapacity):
        machine.launch(one)


def test_reservation(home: Home, machines: list[Machine]) -> None:
    """Room for several clusters, all or none; asking again changes nothing."""
    machine = with_regions(home, machines, REGIONS)
    spec = need(cpus=1.0)
    places = machine.backend.placements(spec)
    wants = [("7-0-1", spec, places), ("7-1-1", need(cpus=3.0), [Placement(region="big")])]
    chosen = machine.backend.reserve(wants)
    assert [place.region for place in chosen] == ["big", "big"]
    assert machine.backend.reserve(wants) == chosen
    with pytest.raises(NoCapacity):
        machine.backend.reserve(
            [("7-2-1", spec, places), ("7-3-1", need(cpus=2.0), [Placement(region="big")])]
        )
    assert machine.backend.probe("7-2-1").state is ClusterState.GONE
    for name in ("7-0-1", "7-1-1"):
        machine.backend.remove(name, grace=0.1)
    machine.launch(need(cpus=4.0))


def test_listing(machine: Machine) -> None:
    """What exists is listed with whose it is."""
    cluster = machine.launch(task("sleep 60", num_nodes=2))
    (found,) = machine.backend.clusters()
    assert (found.name, found.job_id, found.num_nodes, found.state) == (
        cluster, 7, 2, ClusterState.UP,
    )  # fmt: skip
    machine.backend.remove(cluster, grace=0.1)
    assert machine.backend.clusters() == []
    assert not list(machine.home.clusters.glob("7-*"))


def test_caller_killed_in_a_launch(machine: Machine, tmp_path: Path) -> None:
    """Whatever a killed caller left half made is GONE for the next, who can remove it."""
    work = tmp_path / "work"
    work.mkdir()
    for number in range(2000):
        (work / str(number)).write_text("x")
    request = machine.request(task("sleep 60", workdir=str(work)))
    child = os.fork()
    if child == 0:
        LocalBackend(machine.home, machine.config, SystemClock()).launch(request, threading.Event())
        os._exit(0)
    wait_until(lambda: list(machine.home.clusters.glob("7-0-1/workdir-0/1*")), 10, "a copy")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert machine.backend.adopt(request.cluster, 2).state is ClusterState.GONE
    machine.backend.remove(request.cluster, grace=0.1)
    assert machine.backend.clusters() == []
