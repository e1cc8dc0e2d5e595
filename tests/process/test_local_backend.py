"""The local backend in bad luck: deaths at every step, stale attempts, launches that fail.

What every backend does is in ``contract/test_backends.py``, the other behaviours of this one are in
the ``test_local_*.py`` beside this file.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from jobsched.backends.base import ClusterState
from jobsched.backends.local import LocalBackend
from jobsched.clock import SystemClock
from jobsched.config import RegionConfig
from jobsched.errors import BackendError, Cancelled, Fenced, PrecheckFailed
from jobsched.home import Home
from tests.process.launching import launch
from tests.process.machines import Machine, a_task, machine_with
from tests.support import wait_until

STEPS = ["fenced", "begun", "locked", "prepared", "spawned", "ready", "started"]


def nothing_is_left(machine: Machine, cluster: str = "7-0-1") -> bool:
    """No process, no cluster, no file of it."""
    machine.until_empty()
    assert machine.backend.clusters() == []
    assert not (machine.home.clusters / cluster).exists()
    assert list(machine.home.clusters.glob(".old/*")) == []
    return True


def another(machine: Machine, shell: str | None) -> LocalBackend:
    """A backend that has another program for its runners."""
    return machine.another(shell=shell)


class TestDeathOfTheCaller:
    """``kill -9`` of whoever launches."""

    @pytest.mark.parametrize("step", STEPS)
    def test_at_every_step(self, machine: Machine, tmp_path: Path, step: str) -> None:
        """The task runs after the last step and never before; the next attempt finds out which."""
        ran = tmp_path / "ran"
        task: dict[str, object] = {"run": f"echo once >> {ran}; sleep 60", "num_nodes": 2}
        assert launch(machine.home, task, step=step).returncode == -signal.SIGKILL
        backend = machine.backend
        if step == "started":
            assert backend.adopt("7-0-1", 2).state is ClusterState.UP
            wait_until(lambda: ran.exists() and ran.read_text() == "once\n" * 2, 10, "both nodes")
        else:
            backend.adopt("7-0-1", 2)
            machine.until("7-0-1", ClusterState.GONE)
            machine.until_empty()
        backend.remove("7-0-1", grace=0.2)
        assert nothing_is_left(machine)
        assert ran.exists() == (step == "started")

    @pytest.mark.parametrize("step", ["begun", "spawned"])
    def test_removed_without_adoption(self, machine: Machine, step: str) -> None:
        """An orphan sweep that only removes leaves nothing either."""
        launch(machine.home, {"run": "sleep 60"}, step=step)
        machine.backend.remove("7-0-1", grace=0.2)
        assert nothing_is_left(machine)

    def test_the_room_of_the_dead_is_given_back(self, home: Home) -> None:
        """A half made cluster holds its room until it is removed."""
        machine = machine_with(home, {"here": RegionConfig(clusters=1)})
        try:
            launch(home, {"run": "true"}, step="spawned")
            machine.until("7-0-1", ClusterState.GONE)
            machine.made = 1
            machine.backend.remove("7-0-1", grace=0.2)
            assert machine.ended(a_task("true")).exit_code == 0
        finally:
            machine.close()

    def test_its_task_outlives_it(self, machine: Machine, tmp_path: Path) -> None:
        """Another process adopts the task that runs, is woken at its end and knows its code."""
        go = tmp_path / "go"
        run = f"until [ -e {go} ]; do sleep 0.02; done; exit 9"
        assert launch(machine.home, {"run": run}).returncode == 0
        assert machine.backend.adopt("7-0-1", 2).state is ClusterState.UP
        (descriptor,) = machine.backend.watch("7-0-1")
        go.touch()
        wait_until(lambda: machine.backend.probe("7-0-1").state is ClusterState.ENDED, 10, "an end")
        os.close(descriptor)
        assert machine.backend.probe("7-0-1").exit_code == 9


class TestFence:
    """A newer attempt comes while an older one launches."""

    def overtake(
        self, machine: Machine, step: str, act: Callable[[], object], task: dict[str, object]
    ) -> BackendError:
        """Launch as attempt 1; ``act`` is called at ``step``. The error that the launch raises."""
        backend = machine.another(hook=lambda now: act() if now == step else None)
        with pytest.raises(BackendError) as refused:
            backend.launch(machine.request(a_task(**task)), threading.Event())  # type: ignore[arg-type]
        return refused.value

    @pytest.mark.parametrize("step", ["begun", "locked", "prepared"])
    def test_runners_that_start_later_run_nothing(
        self, machine: Machine, tmp_path: Path, step: str
    ) -> None:
        """Fenced before they compare: told so, never a program of the older attempt."""
        ran = tmp_path / "ran"
        seen: list[ClusterState] = []
        other = machine.another()
        error = self.overtake(
            machine, step, lambda: seen.append(other.adopt("7-0-1", 2).state),
            {"run": f"touch {ran}", "setup": f"touch {ran}", "num_nodes": 2},
        )  # fmt: skip
        assert isinstance(error, Fenced)
        assert (error.attempt, error.owner) == (1, 2)
        assert seen == [ClusterState.GONE]
        machine.until_empty()
        assert not ran.exists()
        assert other.adopt("7-0-1", 2).state is ClusterState.GONE

    def test_a_runner_that_compared_before_is_adopted(
        self, machine: Machine, tmp_path: Path
    ) -> None:
        """Seen by the newer attempt as UP, and it is one copy that runs."""
        ran = tmp_path / "ran"
        other, states = machine.another(), []

        def adopt(step: str) -> None:
            if step == "ready":
                states.append(other.adopt("7-0-1", 2).state)

        backend = machine.another(hook=adopt)
        run = f"echo once >> {ran}; sleep 60"
        backend.launch(machine.request(a_task(run)), threading.Event())
        assert states == [ClusterState.UP]
        wait_until(ran.exists, 10, "the program")
        with pytest.raises(Fenced):
            backend.adopt("7-0-1", 1)
        other.stop("7-0-1", grace=0.2)
        assert ran.read_text() == "once\n"
        assert machine.left() == []

    @pytest.mark.parametrize("step", ["begun", "prepared", "spawned", "ready"])
    @pytest.mark.parametrize("how", ["stop", "remove"])
    def test_stopped_during_the_launch(
        self, machine: Machine, tmp_path: Path, step: str, how: str
    ) -> None:
        """A stop by somebody else ends the launch, and nothing runs after the stop returned."""
        ran = tmp_path / "ran"
        end = getattr(machine.another(), how)
        at_return: list[list[int]] = []

        def act() -> None:
            end("7-0-1", grace=0.2)
            at_return.append(machine.left())

        error = self.overtake(machine, step, act, {"run": f"touch {ran}"})
        assert not isinstance(error, Fenced)
        assert "7-0-1" in str(error) or "runner" in str(error)
        assert at_return == [[]]
        assert not ran.exists()
        machine.backend.remove("7-0-1", grace=0.2)
        assert nothing_is_left(machine)

    def test_a_launch_under_way_is_unknown(self, machine: Machine) -> None:
        """Who only looks at a launch under way is told so; it is listed, and watched by probing."""
        seen = []
        other = machine.another()

        def look(step: str) -> None:
            if step == "prepared":
                seen.append((other.probe("7-0-1").state, other.watch("7-0-1")))
                seen.append((other.clusters()[0].state, []))

        backend = machine.another(hook=look)
        backend.launch(machine.request(a_task("sleep 60")), threading.Event())
        assert seen == [(ClusterState.UNKNOWN, [])] * 2
        assert machine.backend.probe("7-0-1").state is ClusterState.UP

    def test_a_fence_that_is_never_let_go(self, machine: Machine) -> None:
        """Whoever keeps it locked is not waited for without end; the error says where to look."""

        class Hurried(SystemClock):
            def monotonic(self) -> float:
                return super().monotonic() * 100

        cluster = machine.launch(a_task("sleep 60"))
        held = os.open(machine.home.clusters / ".fences" / cluster, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
        backend = machine.another()
        backend._clock = Hurried()
        with pytest.raises(BackendError, match=f"changing cluster {cluster}"):
            backend.adopt(cluster, 2)
        os.close(held)
        assert backend.adopt(cluster, 2).state is ClusterState.UP

    def test_a_copy_that_lives(self, machine: Machine) -> None:
        """No second copy starts while somebody holds the workload lock."""
        held: list[int] = []

        def take(step: str) -> None:
            if step == "begun":
                path = machine.home.clusters / ".kept" / "7-0-1" / "lock"
                held.append(os.open(path, os.O_RDWR))
                fcntl.flock(held[0], fcntl.LOCK_EX)

        backend = machine.another(hook=take)
        with pytest.raises(BackendError, match="already runs"):
            backend.launch(machine.request(a_task("true")), threading.Event())
        os.close(held[0])


class TestFailedLaunch:
    """Whatever a launch raises, nothing of it runs and nothing stays."""

    @pytest.mark.parametrize("step", ["begun", "prepared", "spawned"])
    def test_cancelled_at_every_step(self, machine: Machine, tmp_path: Path, step: str) -> None:
        """Told to stop, it ends Cancelled soon."""
        ran, stop = tmp_path / "ran", threading.Event()
        backend = machine.another(hook=lambda now: stop.set() if now == step else None)
        with pytest.raises(Cancelled):
            backend.launch(machine.request(a_task(f"touch {ran}", num_nodes=2)), stop)
        assert nothing_is_left(machine)
        assert not ran.exists()

    def test_no_such_shell(self, machine: Machine) -> None:
        """A runner that cannot be started."""
        with pytest.raises(BackendError, match="could not launch 7-0-1"):
            another(machine, "/nonexistent/sh").launch(machine.request(a_task()), threading.Event())
        assert nothing_is_left(machine)

    def test_a_runner_that_ends_early(self, machine: Machine) -> None:
        """A runner that ends before it is ready."""
        with pytest.raises(BackendError, match="before it was ready"):
            another(machine, shutil.which("false")).launch(
                machine.request(a_task()), threading.Event()
            )
        assert nothing_is_left(machine)

    def test_a_runner_that_never_gets_ready(self, machine: Machine, tmp_path: Path) -> None:
        """It is not waited for without end."""

        class Hurried(SystemClock):
            def monotonic(self) -> float:
                return super().monotonic() * 1000

        shell = tmp_path / "sh"
        shell.write_text("#!/bin/sh\nexec sleep 60\n")
        shell.chmod(0o755)
        backend = another(machine, str(shell))
        backend._clock = Hurried()
        with pytest.raises(BackendError, match="did not come up"):
            backend.launch(machine.request(a_task()), threading.Event())
        assert nothing_is_left(machine)

    @pytest.mark.parametrize("kind", ["directory", "link", "hard link", "fifo"])
    def test_the_second_node_cannot_start(
        self, machine: Machine, tmp_path: Path, kind: str
    ) -> None:
        """Its log is not a file of its own: the first node's runner is ended, nothing ran."""
        ran, log, other = tmp_path / "ran", machine.home.task_log(7, 0, 1), tmp_path / "other"
        other.write_text("precious")
        if kind == "directory":
            log.mkdir()
        elif kind == "link":
            log.symlink_to(other)
        elif kind == "hard link":
            log.hardlink_to(other)
        else:
            os.mkfifo(log)
        with pytest.raises(BackendError):
            machine.launch(a_task(f"touch {ran}", num_nodes=2))
        assert nothing_is_left(machine)
        assert not ran.exists()
        assert other.read_text() == "precious"

    def test_one_log_for_each_node(self, machine: Machine) -> None:
        """Too few logs are the caller's mistake, found before anything is made."""
        request = machine.request(a_task(num_nodes=2), log_paths=())
        with pytest.raises(ValueError, match="log path"):
            machine.backend.launch(request, threading.Event())
        assert nothing_is_left(machine)

    def test_no_bash(self, machine: Machine, tmp_path: Path) -> None:
        """Known beforehand: the task's PATH has no bash."""
        with pytest.raises(PrecheckFailed, match="no bash"):
            machine.launch(a_task(), base_env={"PATH": str(tmp_path)})
        assert nothing_is_left(machine)

    def test_folders_that_cannot_be_looked_at(self, machine: Machine, tmp_path: Path) -> None:
        """What is no use in the PATH is passed over, as a shell does; the next bash is found."""
        shut = tmp_path / "shut"
        shut.mkdir(mode=0o000)
        useless = [str(shut), "/" + "x" * 300, str(tmp_path / "missing"), "bin", ""]
        path = os.pathsep.join([*useless, "/usr/bin", "/bin"])
        assert machine.ended(a_task(), base_env={"PATH": path}).exit_code == 0

    @pytest.mark.parametrize("spare", [1, 2, 3, 5, 8])
    def test_short_of_descriptors(self, machine: Machine, tmp_path: Path, spare: int) -> None:
        """With too few descriptors it says so, or it launches; never something in between."""
        ran = tmp_path / "ran"
        task: dict[str, object] = {"run": f"touch {ran}; sleep 60", "num_nodes": 2}
        done = launch(machine.home, task, spare_files=spare)
        assert done.returncode == 3, done
        assert "BackendError: could not launch 7-0-1: Too many open files" in done.stdout
        machine.until_empty()
        assert not ran.exists()
        assert machine.backend.probe("7-0-1").state is ClusterState.GONE
        machine.backend.remove("7-0-1", grace=0)
        assert nothing_is_left(machine)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may start any number of processes")
    def test_short_of_processes(self, machine: Machine) -> None:
        """Where no process can be started it says so, and leaves nothing."""
        done = launch(machine.home, {"run": "true"}, limits={"NPROC": 0})
        assert done.returncode == 3, done
        assert "could not launch 7-0-1" in done.stdout
        assert nothing_is_left(machine)
