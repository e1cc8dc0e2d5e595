"""How local tasks end: by force, with children left over, on a full disk; and their record."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from jobsched import process
from jobsched.backends.base import ClusterState, Phase
from jobsched.clock import SystemClock
from jobsched.errors import BackendError, Fenced
from jobsched.home import Home
from tests.process.launching import launch
from tests.process.machines import MARK, Machine, a_task
from tests.support import wait_until


class TestEnding:
    """Processes that do not go by themselves."""

    def test_a_killed_runner(self, machine: Machine) -> None:
        """Without its runner a gang's node is lost at once, said so; stop ends all that is left."""
        cluster = machine.launch(a_task("sleep 60", num_nodes=2))
        pids = machine.pids(cluster, 4)
        watched = machine.backend.watch(cluster)
        os.kill(pids[0], signal.SIGKILL)
        seen = machine.until(cluster, ClusterState.GONE)
        assert "vanished" in seen.reason
        for descriptor in watched:
            os.close(descriptor)
        machine.backend.stop(cluster, grace=5)
        assert machine.left() == []
        assert machine.backend.probe(cluster).state is ClusterState.GONE

    def test_a_program_that_ignores_sigterm(self, machine: Machine) -> None:
        """It gets its grace, then is ended by force; nothing waits longer than that."""
        cluster = machine.launch(a_task("trap '' TERM; echo deaf; while :; do sleep 0.05; done"))
        machine.until_printed(b"deaf")
        began = time.monotonic()
        machine.backend.stop(cluster, grace=0.5)
        assert 0.5 <= time.monotonic() - began < 8
        assert machine.left() == []
        assert machine.backend.probe(cluster).state is ClusterState.GONE

    def test_a_program_that_ends_politely(self, machine: Machine) -> None:
        """It has the time to clean up, and a code of its own is not taken for an end by itself."""
        cluster = machine.launch(
            a_task("trap 'echo cleaned; exit 7' TERM; echo ready; while :; do sleep 0.02; done")
        )
        machine.until_printed(b"ready")
        machine.backend.stop(cluster, grace=10)
        assert b"cleaned" in machine.log()
        assert machine.backend.probe(cluster).state is ClusterState.GONE

    def test_a_stop_during_setup(self, machine: Machine, tmp_path: Path) -> None:
        """Though setup succeeds when it is told to end, run is not begun."""
        ran = tmp_path / "ran"
        cluster = machine.launch(
            a_task(
                f"touch {ran}", setup="trap 'exit 0' TERM; echo ready; while :; do sleep 0.02; done"
            )
        )
        machine.until_printed(b"ready")
        machine.backend.stop(cluster, grace=10)
        assert machine.left() == []
        assert not ran.exists()
        assert machine.backend.probe(cluster).state is ClusterState.GONE

    def test_a_stopped_program(self, machine: Machine) -> None:
        """One that is stopped by a signal is woken to hear that it should end."""
        cluster = machine.launch(
            a_task("trap 'echo heard; exit' TERM; kill -STOP $$; while :; do sleep 0.02; done")
        )
        _, pid = machine.pids(cluster, 2)[:2]
        wait_until(lambda: (e := process.look_up(pid)) is not None and e.state == "T", 10, "a stop")
        machine.backend.stop(cluster, grace=10)
        assert b"heard" in machine.log()

    @pytest.mark.parametrize(
        "child",
        [
            "sleep 60 &",
            "setsid sleep 60 &",
            "(trap '' TERM; sleep 60) &",
            # The two ways in which one loses the lock, but not the session of the runner.
            "sleep 60 3>&- &",
            "set -m; sleep 60 3>&- & set +m",
            "setsid setsid sleep 60 & (sleep 60 & sleep 60) & nohup sleep 60 &",
        ],
    )
    def test_children_of_an_ended_run(self, machine: Machine, child: str) -> None:
        """What run left in the background does not change its end, and is ended by stop."""
        cluster = machine.launch(a_task(f"{child}\nsleep 0.1; exit 4"))
        seen = machine.until(cluster, ClusterState.ENDED)
        assert seen.exit_code == 4
        assert machine.left() != []
        machine.backend.stop(cluster, grace=0.2)
        assert machine.left() == []
        assert machine.backend.probe(cluster) == seen

    def test_a_child_of_a_program_that_closes_all(self, machine: Machine) -> None:
        """A child without any inherited descriptor, in a group of its own, is found too."""
        code = textwrap.dedent("""
            import subprocess
            subprocess.Popen(["sleep", "60"], preexec_fn=lambda: __import__("os").setpgid(0, 0))
        """)
        cluster = machine.launch(a_task(f"{sys.executable} -c '{code}'; sleep 0.1"))
        machine.until(cluster, ClusterState.ENDED)
        assert machine.left() != []
        machine.backend.stop(cluster, grace=0.2)
        assert machine.left() == []

    @pytest.mark.parametrize("how", ["stop", "preempt"])
    def test_nobody_else_is_hit(self, machine: Machine, how: str) -> None:
        """Neither another cluster's task nor who merely reads the lock's file gets a signal."""
        other = machine.launch(a_task("sleep 60"))
        cluster = machine.launch(a_task("sleep 60"))
        machine.pids(other, 2)
        machine.pids(cluster, 2)
        with (
            (machine.home.clusters / ".kept" / cluster / "lock").open() as lock,
            subprocess.Popen(["sleep", "60"], pass_fds=[lock.fileno()]) as reader,
        ):
            if how == "stop":
                machine.backend.stop(cluster, grace=0.2)
            else:
                machine.backend.preempt(cluster)
            assert reader.poll() is None
            reader.kill()
        assert machine.backend.probe(other).state is ClusterState.UP
        assert len(machine.backend.probe(other).pids) >= 2

    def test_a_gang(self, machine: Machine) -> None:
        """The first failure in time is the gang's code, whatever later ones say; stop ends all."""
        run = "case $SKYPILOT_NODE_RANK in 2) exit 5;; 0) sleep 0.3; exit 6;; *) sleep 60;; esac"
        cluster = machine.launch(a_task(run, num_nodes=3))
        seen = machine.until(cluster, ClusterState.ENDED)
        assert (seen.exit_code, seen.phase, "node 2" in seen.reason) == (5, Phase.RUN, True)
        wait_until(lambda: len(machine.backend.probe(cluster).pids) <= 2, 10, "node 0's end")
        machine.backend.stop(cluster, grace=0.2)
        assert machine.left() == []
        assert machine.backend.probe(cluster).exit_code == 5

    def test_a_gang_that_failed_before_it_was_watched(self, machine: Machine) -> None:
        """A node that fails between a look and a watch is news at once, though others run on."""
        cluster = machine.launch(
            a_task('[ "$SKYPILOT_NODE_RANK" = 1 ] && exit 5; sleep 60', num_nodes=3)
        )
        machine.until(cluster, ClusterState.ENDED)
        (news,) = machine.backend.watch(cluster)
        assert select.select([news], [], [], 0)[0] == [news]
        os.close(news)

    def test_a_gang_that_succeeds(self, machine: Machine, tmp_path: Path) -> None:
        """It has ended when its last node has."""
        go = tmp_path / "go"
        run = f'[ "$JOBSCHED_NODE_RANK" = 0 ] || until [ -e {go} ]; do sleep 0.02; done'
        cluster = machine.launch(a_task(run, num_nodes=2))
        wait_until(lambda: len(machine.backend.watch(cluster)) == 1, 10, "the first node's end")
        assert machine.backend.probe(cluster).state is ClusterState.UP
        go.touch()
        assert machine.until(cluster, ClusterState.ENDED).exit_code == 0

    def test_what_cannot_be_seen(self, machine: Machine, tmp_path: Path) -> None:
        """A lock held out of sight is said to be so; nobody claims that all have ended."""

        class Hurried(SystemClock):
            def monotonic(self) -> float:
                return super().monotonic() * 100

        code = textwrap.dedent(f"""
            import socket
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
                out.connect("{tmp_path}/s")
                socket.send_fds(out, [b"x"], [3])
        """)
        backend = machine.another()
        backend._clock = Hurried()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as under_way:
            under_way.bind(f"{tmp_path}/s")
            cluster = machine.launch(a_task(f"{sys.executable} -c '{code}'"))
            machine.until(cluster, ClusterState.ENDED)
            with pytest.raises(BackendError, match="cannot be seen from here"):
                backend.stop(cluster, grace=0.2)
        backend.stop(cluster, grace=0.2)


class TestRecord:
    """The end is written whatever the task did to the machine."""

    def test_a_limit_on_the_size_of_files(self, machine: Machine) -> None:
        """A log that may not grow ends the program, and its end is still told."""
        run = "head -c 100000 /dev/zero | tr '\\0' x; exit 12"
        assert launch(machine.home, {"run": run}, limits={"FSIZE": 4096}).returncode == 0
        assert machine.until("7-0-1", ClusterState.ENDED).exit_code == 128 + signal.SIGXFSZ
        assert machine.log() == b"x" * 4096

    def test_a_full_disk(self, tmp_path: Path) -> None:
        """With not one byte left, ends are told, and tasks adopted, stopped and removed."""
        small = tmp_path / "small"
        small.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(small)]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("needs the right to mount a small file system")
        machine = Machine(Home(small / "home"))
        try:
            machine.home.create()
            other = machine.launch(a_task("sleep 60"), attempt=9)
            run = "cat /dev/zero > filler 2>/dev/null; echo lost; exit 21"
            seen = machine.ended(a_task(run))
            assert seen.exit_code == 21
            assert machine.log() == b""
            assert machine.backend.adopt(other, 10).state is ClusterState.UP
            with pytest.raises(Fenced):
                machine.backend.adopt(other, 9)
            machine.backend.stop(other, grace=0.2)
            assert machine.backend.probe(other).state is ClusterState.GONE
            for cluster in (other, "7-0-2"):
                machine.backend.remove(cluster, grace=0.2)
            assert machine.backend.clusters() == []
        finally:
            machine.close()
            subprocess.run(["umount", "-l", str(small)], check=False)


def test_the_mark_reaches_every_process(machine: Machine) -> None:
    """What the tests find leftovers by is there, also in a session of its own."""
    cluster = machine.launch(a_task(f'setsid sleep 60 & [ -n "${MARK}" ] && sleep 60'))
    wait_until(lambda: len(machine.left()) >= 4, 10, "runner, bash and both children")
    machine.backend.remove(cluster, grace=0.2)
    assert machine.left() == []
