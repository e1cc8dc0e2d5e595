"""A machine that a test runs tasks on: the local backend in the test's own home."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jobsched import process
from jobsched.backends.base import ClusterState, Observation
from jobsched.backends.local import LocalBackend
from jobsched.clock import SystemClock
from jobsched.config import LocalConfig, RegionConfig
from jobsched.home import Home
from jobsched.models import FileMount, LaunchRequest, TaskSpec
from tests.support import wait_until

ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
#: Names the processes of one machine's tasks: whatever they become, it stays in their environment.
MARK = "JOBSCHED_TEST_MARK"


@dataclass
class Machine:
    """A local backend and what a test does with it."""

    home: Home
    config: LocalConfig = field(default_factory=LocalConfig)
    made: int = 0
    backends: list[LocalBackend] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.backend = self.another()

    def another(self, **over: object) -> LocalBackend:
        """A backend of its own on the same machine, as another process would have."""
        made = LocalBackend(self.home, self.config, SystemClock(), **over)  # type: ignore[arg-type]
        self.backends.append(made)
        return made

    def request(self, task: TaskSpec, *, attempt: int = 1, **over: object) -> LaunchRequest:
        """A request for a new cluster in the first place that could serve the task."""
        self.made += 1
        env = over.pop("base_env", ENV)
        values: dict[str, object] = {
            "cluster": f"7-0-{self.made}",
            "job_id": 7,
            "attempt": attempt,
            "task": task,
            "base_env": {**env, MARK: str(self.home.root)},  # type: ignore[dict-item]
            "log_paths": tuple(self.home.task_log(7, 0, node) for node in range(task.num_nodes)),
            **over,
        }
        if "placement" not in values:
            values["placement"] = self.backend.placements(task)[0]
        return LaunchRequest(**values)  # type: ignore[arg-type]

    def launch(self, task: TaskSpec, **over: object) -> str:
        """Launch it; the cluster's name."""
        request = self.request(task, **over)  # type: ignore[arg-type]
        self.backend.launch(request, threading.Event())
        return request.cluster

    def until(self, cluster: str, state: ClusterState) -> Observation:
        """Wait until a probe says so; the observation."""
        seen = self.backend.probe(cluster)

        def is_so() -> bool:
            nonlocal seen
            seen = self.backend.probe(cluster)
            return seen.state is state

        wait_until(is_so, 10, f"cluster {cluster} to be {state}")
        return seen

    def ended(self, task: TaskSpec, **over: object) -> Observation:
        """Launch it and wait for its end."""
        return self.until(self.launch(task, **over), ClusterState.ENDED)

    def log(self, node: int = 0) -> bytes:
        """What a node has printed."""
        return self.home.task_log(7, 0, node).read_bytes()

    def until_printed(self, words: bytes, times: int = 1) -> None:
        """Wait until node 0 has printed the words so often."""
        path = self.home.task_log(7, 0)
        wait_until(
            lambda: path.exists() and path.read_bytes().count(words) >= times, 10, repr(words)
        )

    def pids(self, cluster: str, number: int) -> tuple[int, ...]:
        """The PIDs of a cluster, once there are so many; the runner's first."""
        wait_until(
            lambda: len(self.backend.probe(cluster).pids) >= number, 10, f"{number} processes"
        )
        return self.backend.probe(cluster).pids

    def left(self) -> list[int]:
        """Every process that is a task's of this machine, found without the backend's help."""
        mark = f"{MARK}={self.home.root}".encode()
        return [entry.pid for entry in process.table() if mark in _environment(entry.pid)]

    def until_empty(self) -> None:
        """Wait until no process of any task is left."""
        wait_until(lambda: not self.left(), 10, "all processes of the tasks to be gone")

    def close(self) -> None:
        """End whatever the test left running, whatever state its files are in."""

        def is_empty() -> bool:
            found = self.left()
            for who in map(process.identify, found):
                if who is not None:
                    process.signal(who, signal.SIGKILL)
            return not found

        wait_until(is_empty, 10, "all processes of the tasks to be gone")
        for backend in self.backends:
            backend.probe("none")  # lets go of runners that are children of the test


def _environment(pid: int) -> set[bytes]:
    try:
        return set(Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"))
    except OSError:
        return set()


def machine_with(
    home: Home, regions: Mapping[str, RegionConfig] | None = None, **over: bool
) -> Machine:
    """A machine with these regions; without any it has no limits."""
    return Machine(home, LocalConfig(regions=regions or {}, **over))


def with_regions(
    home: Home, machines: list[Machine], regions: Mapping[str, RegionConfig], **over: bool
) -> Machine:
    """The same, as one of the machines of a test."""
    machines.append(machine_with(home, regions, **over))
    return machines[-1]


def a_task(run: str | None = "true", **over: object) -> TaskSpec:
    """A task that runs this."""
    values: dict[str, object] = {"task_id": 0, "name": "t", "run": run, **over}
    return TaskSpec(**values)  # type: ignore[arg-type]


def mount(target: str, source: Path | str | None, **over: object) -> FileMount:
    """One file mount."""
    text = None if source is None else str(source)
    return FileMount(target=target, source=text, **over)  # type: ignore[arg-type]
