"""The local backend with real processes: ends and losses."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from jobsched import process
from jobsched.backends.base import ClusterState, Phase
from jobsched.backends.local import LocalBackend
from jobsched.clock import SystemClock
from jobsched.errors import BackendError, Cancelled
from tests.process.machines import ENV, Machine, a_task
from tests.support import wait_until


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
    cluster = machine.launch(a_task(run, setup=setup))
    seen = machine.until(cluster, ClusterState.ENDED)
    assert (seen.phase, seen.exit_code) == (phase, code)


def test_bytes_are_kept(machine: Machine) -> None:
    """A long line, bytes that are no text and carriage returns arrive as they were written."""
    cluster = machine.launch(
        a_task("head -c 300000 /dev/zero | tr '\\0' x; printf '\\n\\377\\376\\rframe\\r'")
    )
    machine.until(cluster, ClusterState.ENDED)
    assert machine.log() == b"x" * 300_000 + b"\n\xff\xfe\rframe\r"


def processes(machine: Machine, cluster: str, number: int) -> tuple[int, ...]:
    """The PIDs of a cluster, once there are so many."""
    wait_until(lambda: len(machine.backend.probe(cluster).pids) >= number, 5, "processes")
    return machine.backend.probe(cluster).pids


def test_preemption(machine: Machine) -> None:
    """A cluster lost on purpose is GONE and leaves no process; an ended one cannot be lost."""
    cluster = machine.launch(a_task("sleep 60 & setsid sleep 60 & wait"))
    pids = processes(machine, cluster, 3)
    machine.backend.preempt(cluster)
    seen = machine.backend.probe(cluster)
    assert (seen.state, "preempt" in seen.reason) == (ClusterState.GONE, True)
    assert [pid for pid in pids if process.identify(pid)] == []
    ended = machine.launch(a_task("true"))
    machine.until(ended, ClusterState.ENDED)
    with pytest.raises(BackendError):
        machine.backend.preempt(ended)


def test_stubborn_program(machine: Machine) -> None:
    """What ignores SIGTERM, or is stopped, is ended by force after the grace."""
    cluster = machine.launch(
        a_task(
            "trap '' TERM; (trap '' TERM; kill -STOP $BASHPID; sleep 60) &"
            " while :; do sleep 0.1; done"
        )
    )
    pids = processes(machine, cluster, 3)
    machine.backend.stop(cluster, grace=0.3)
    assert [pid for pid in pids if process.identify(pid)] == []


def test_cancelled_launch(machine: Machine, tmp_path: Path) -> None:
    """A launch that is told to stop leaves nothing behind."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "file").write_text("x")
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        machine.backend.launch(
            machine.request(a_task("true", workdir=str(tmp_path / "work"))), stop
        )
    assert machine.backend.probe("7-0-1").state is ClusterState.GONE


def test_environment(machine: Machine, tmp_path: Path) -> None:
    """A node gets its names under both prefixes, and nothing of a controller's."""
    out = tmp_path / "env"
    told = {"JOBSCHED_HOME": "x", "JOBSCHED_LOCK_FD": "3", "JOBSCHED_ATTEMPT": "1"}
    cluster = machine.launch(
        a_task(f'env > {out}-"$SKYPILOT_NODE_RANK"', num_nodes=2),
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


def test_listing(machine: Machine) -> None:
    """What exists is listed with whose it is."""
    cluster = machine.launch(a_task("sleep 60", num_nodes=2))
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
    request = machine.request(a_task("sleep 60", workdir=str(work)))
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
