"""The local backend: tasks are processes of this machine.

Owns how the parts beside this file make up a ``Backend``. A cluster is a directory; what is true
of it is told by locks that the kernel frees and by records that runners write, so that anyone can
adopt it at any time, and no process of jobsched needs to live for a task to run.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from jobsched import process
from jobsched.backends.local import ending, fence, mounts, record, trash, workload
from jobsched.backends.local.folder import Folder, folder_of, names_below, valid_name, write
from jobsched.backends.local.launch import Launch
from jobsched.backends.local.ledger import Ledger
from jobsched.backends.local.observe import ABSENT, observe
from jobsched.backends.local.room import Room
from jobsched.clock import Clock
from jobsched.config import LocalConfig
from jobsched.errors import BackendError, LockTimeout, PrecheckFailed, StoreError
from jobsched.home import Home
from jobsched.models import (
    ClusterInfo,
    ClusterState,
    LaunchRequest,
    Observation,
    Placement,
    TaskSpec,
)
from jobsched.process import Identity

__all__ = ["LocalBackend"]


class LocalBackend:
    """Runs tasks on this machine, below ``home.clusters``.

    ``shell``: the POSIX shell that runners are. ``hook`` is called with the name of each step of a
    launch (fenced, begun, locked, prepared, spawned, ready, started).
    """

    name = "local"
    certain = True

    def __init__(
        self,
        home: Home,
        settings: LocalConfig,
        clock: Clock,
        *,
        shell: str = "/bin/sh",
        hook: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._home = home.root.absolute()
        self._root = home.clusters.absolute()
        self._settings, self._clock = settings, clock
        self._shell, self._hook = shell, hook
        self._room = Room(settings.regions)
        self._ledger = Ledger(self._root, self._room, clock)
        #: Runners that are children of this process and not yet collected.
        self._children: set[int] = set()

    def placements(self, task: TaskSpec) -> tuple[Placement, ...]:
        """All places that could ever serve ``task``; see ``Backend``."""
        reasons = mounts.problems(task, allow_absolute=self._settings.allow_absolute_mounts)
        try:
            places = self._room.placements(task)
        except PrecheckFailed as failure:
            reasons += failure.reasons
        if reasons:
            raise PrecheckFailed(reasons)
        return places

    def reserve(
        self, wants: Sequence[tuple[str, TaskSpec, Sequence[Placement]]], *, job_id: int = 0
    ) -> list[Placement]:
        """Set room aside for several clusters, all or none; see ``Backend``."""
        for name, _, _ in wants:
            self._folder(name)
        with self._explained("reserve room for", ", ".join(name for name, _, _ in wants)):
            return self._ledger.reserve(wants, job_id)

    def has_room(self, wants: Sequence[tuple[TaskSpec, Sequence[Placement]]]) -> bool:
        """Whether new clusters for all ``(task, places)`` would find room now; takes none."""
        with self._explained("look for room for", ", ".join(task.name for task, _ in wants)):
            return self._ledger.has_room(wants)

    def launch(self, request: LaunchRequest, stop: threading.Event) -> None:
        """Make the cluster and start the task on it; see ``Backend``."""
        self._folder(request.cluster)
        allow = self._settings.allow_absolute_mounts
        reasons = mounts.problems(request.task, allow_absolute=allow)
        if reasons:
            raise PrecheckFailed(reasons)
        launch = Launch(
            request,
            home=self._home,
            root=self._root,
            ledger=self._ledger,
            clock=self._clock,
            stop=stop,
            shell=self._shell,
            hook=self._hook,
        )
        with self._explained("launch", request.cluster):
            self._children.update(launch.run())

    def adopt(self, cluster: str, attempt: int) -> Observation:
        """Fence out older attempts, then probe; see ``Backend``.

        A cluster that does not exist gets a fence all the same: so a launch of an older attempt,
        about to make it, finds one.
        """
        folder = self._folder(cluster)
        self._collect()
        with self._explained("adopt", cluster):
            fence.raise_to(folder, attempt, self._clock, sync=True)
        return observe(folder, fenced=True)

    def probe(self, cluster: str) -> Observation:
        """What is known of the cluster now; see ``Backend``."""
        self._collect()
        return observe(folder_of(self._root, cluster)) if valid_name(cluster) else ABSENT

    def watch(self, cluster: str) -> list[int]:
        """Descriptors that become readable when a runner ends; see ``Backend``."""
        folder = self._folder(cluster)
        found: list[int] = []
        try:
            facts = folder.facts()
            nodes = record.read_all(folder, facts.num_nodes) if facts is not None else []
            # Looked at after that, so that no end of a node comes between.
            match observe(folder, durable=False).state:
                case ClusterState.UP:
                    for node in nodes:
                        if node.end is None and node.runner is not None:
                            found += _until_gone(node.runner)
                case ClusterState.UNKNOWN:
                    pass
                case _:
                    found = [_ready_now()]
        except OSError:  # what cannot be watched is probed
            for descriptor in found:
                os.close(descriptor)
            return []
        return found

    def stop(self, cluster: str, *, grace: float) -> None:
        """End every process of the task, for good: nothing can be started in it any more."""
        folder = self._folder(cluster)
        with self._explained("stop", cluster):
            fence.close(folder, self._clock)
            self._collect()
            # Whatever became of the facts: who runs is told by the lock and by the records.
            ending.stop(folder, record.count(folder), grace=grace, clock=self._clock)
        self._collect()

    def remove(self, cluster: str, *, grace: float) -> None:
        """``stop``, then make the cluster not exist; see ``Backend``."""
        self.stop(cluster, grace=grace)
        with self._explained("remove", cluster):
            trash.discard(self._root, self._folder(cluster))

    def clusters(self) -> list[ClusterInfo]:
        """All clusters that exist, oldest first; see ``Backend``."""
        if not self._root.is_dir():
            return []
        with self._explained("list", "clusters"):
            found = [self._info(Folder(self._root / name)) for name in names_below(self._root)]
        return sorted(
            (info for info in found if info is not None), key=lambda info: info.created_at
        )

    def preempt(self, cluster: str) -> None:
        """Lose the cluster on purpose; see ``Backend``."""
        folder = self._folder(cluster)
        found = self.probe(cluster)
        if found.state is not ClusterState.UP:
            raise BackendError(
                f"cluster {cluster} cannot be preempted: it is {found.state} ({found.reason})"
            )
        with self._explained("preempt", cluster):
            write(folder.lost, "it was preempted on purpose\n")
            ending.lose(folder, record.count(folder), clock=self._clock)
        self._collect()

    def _folder(self, cluster: str) -> Folder:
        if not valid_name(cluster):
            raise BackendError(
                f"a cluster cannot be called {cluster!r}: letters, digits, dots, dashes and"
                " underscores, at most 200, beginning with a letter or digit"
            )
        return folder_of(self._root, cluster)

    def _info(self, folder: Folder) -> ClusterInfo | None:
        try:
            facts = folder.facts()
            if facts is None and workload.is_held(folder):
                facts = folder.guess()
        except OSError:
            facts = folder.guess()
        if facts is None or facts.job_id == 0:
            return None
        found = observe(folder, durable=False)
        return ClusterInfo(
            name=folder.name,
            job_id=facts.job_id,
            task_id=facts.task_id,
            attempt=max(facts.attempt, fence.read(folder).attempt),
            region=facts.region,
            num_nodes=facts.num_nodes,
            state=found.state,
            created_at=facts.created_at,
            pids=found.pids,
        )

    def _collect(self) -> None:
        """Let go of runners of ours that have ended, so that they are no zombies."""
        for pid in list(self._children):
            try:
                gone, _ = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                gone = pid  # somebody else in this process collected it
            if gone:
                self._children.discard(pid)

    @contextmanager
    def _explained(self, doing: str, cluster: str) -> Iterator[None]:
        """Say what could not be done, where the system refuses."""
        try:
            yield
        except FileNotFoundError as error:
            raise BackendError(
                f"could not {doing} {cluster}: {error.filename} does not exist (any more)"
            ) from error
        except OSError as error:
            where = f": {error.filename}" if error.filename else ""
            raise BackendError(
                f"could not {doing} {cluster}: {error.strerror or error}{where}"
            ) from error
        except (LockTimeout, StoreError) as error:
            raise BackendError(f"could not {doing} {cluster}: {error}") from error


def _until_gone(runner: Identity) -> list[int]:
    """A descriptor that is readable once the runner has ended, where the system has such."""
    descriptor = process.pidfd(runner)
    if descriptor is not None:
        return [descriptor]
    return [_ready_now()] if process.is_same(runner) is False else []


def _ready_now() -> int:
    """A descriptor that is readable at once."""
    reading, writing = os.pipe()
    os.close(writing)
    return reading
