"""Clusters whose files are deleted under a running task, by that task or by a tmp cleaner."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from jobsched import audit
from jobsched.audit import Invariant
from jobsched.backends.base import ClusterState
from jobsched.errors import BackendError
from jobsched.scheduler.ending import cancel
from jobsched.states import TaskStatus
from tests.process.machines import Machine, a_task
from tests.support import wait_until
from tests.world import World

#: What may be deleted, below ``clusters``.
DELETED = [
    "7-0-1", ".kept/7-0-1/cluster.json", ".kept/7-0-1/lock", ".kept/7-0-1/record-0",
    ".kept/7-0-1", ".fences/7-0-1", ".kept", ".",
]  # fmt: skip
#: A program, a child of it without the lock, and one that has a session of its own.
CODE = 'import subprocess; subprocess.Popen(["sleep", "60"])'
FAMILY = f"setsid sleep 60 & {sys.executable} -c '{CODE}'; sleep 60"


def delete(path: Path) -> None:
    """Delete a file or a whole tree."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def running(machine: Machine) -> str:
    """A cluster on which five processes run, two of them hard to find."""
    cluster = machine.launch(a_task(FAMILY))
    wait_until(lambda: len(machine.left()) == 5, 10, "runner, bash and its three children")
    return cluster


@pytest.mark.parametrize("what", DELETED)
def test_it_is_there_and_can_be_stopped(machine: Machine, what: str) -> None:
    """It is never called GONE while it runs, whoever asks; a stop ends all of it."""
    cluster = running(machine)
    delete(machine.home.clusters / what)
    other = machine.another()
    alive = {ClusterState.UP, ClusterState.UNKNOWN}
    assert other.probe(cluster).state in alive
    assert other.adopt(cluster, 2).state in alive
    other.stop(cluster, grace=0.2)
    assert machine.left() == []
    assert other.probe(cluster).state is ClusterState.GONE


@pytest.mark.parametrize("what", DELETED)
def test_removed_it_has_no_process(machine: Machine, what: str) -> None:
    """A removal says that it went well only where nothing runs any more."""
    cluster = running(machine)
    delete(machine.home.clusters / what)
    machine.backend.remove(cluster, grace=0.2)
    assert machine.left() == []
    assert machine.backend.clusters() == []
    assert machine.ended(a_task("true")).exit_code == 0


@pytest.mark.parametrize("what", [".kept/7-0-1", "."])
def test_who_watches_it_is_not_woken_for_nothing(machine: Machine, what: str) -> None:
    """Of what cannot be told no descriptor is given out that is readable at once."""
    cluster = running(machine)
    delete(machine.home.clusters / what)
    seen = machine.backend.probe(cluster)
    assert seen.state is ClusterState.UNKNOWN
    assert "was deleted, but its task still runs: PID " in seen.reason
    assert set(seen.pids) <= set(machine.left())
    assert machine.backend.watch(cluster) == []


@pytest.mark.parametrize(
    "deed",
    [
        'cd ..; rm -rf "$PWD"',
        'C=$(dirname "$PWD"); mv "$C" "$C.moved"',
        'C=$(dirname "$PWD"); mv "$C" "$C.moved"; ln -s / "$C"',
    ],
)
def test_a_task_that_deletes_its_own_directory(machine: Machine, tmp_path: Path, deed: str) -> None:
    """It costs it nothing but that: it stays UP, and its exit code is told."""
    go = tmp_path / "go"
    run = f"{deed}; echo done; until [ -e {go} ]; do sleep 0.02; done; exit 3"
    cluster = machine.launch(a_task(run))
    machine.until_printed(b"done")
    assert machine.another().adopt(cluster, 2).state is ClusterState.UP
    go.touch()
    assert machine.until(cluster, ClusterState.ENDED).exit_code == 3
    machine.backend.remove(cluster, grace=0.2)
    assert machine.backend.clusters() == []


def test_it_is_listed(machine: Machine) -> None:
    """Without its facts it is listed all the same, as what its name says that it is."""
    cluster = running(machine)
    delete(machine.home.clusters / ".kept" / cluster / "cluster.json")
    (found,) = machine.backend.clusters()
    assert (found.name, found.job_id, found.task_id) == (cluster, 7, 0)
    assert found.state is ClusterState.UNKNOWN


def test_who_cannot_look_does_not_know(machine: Machine) -> None:
    """Short of descriptors, nobody claims that it is gone, or that it was stopped."""
    cluster = running(machine)
    delete(machine.home.clusters)
    backend = machine.another()
    taken: list[int] = []
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(0))
        assert backend.probe(cluster).state is ClusterState.UNKNOWN
        with pytest.raises(BackendError, match="could not stop 7-0-1: Too many open files"):
            backend.stop(cluster, grace=0.2)
    finally:
        for descriptor in taken:
            os.close(descriptor)
    backend.stop(cluster, grace=0.2)
    assert machine.left() == []


LONG = "run: |\n  while :; do echo $$ >> {out}; sleep 0.1; done\n"


def programs(out: Path) -> set[str]:
    """PIDs of the programs that write into the file now."""
    out.write_text("")
    wait_until(lambda: len(out.read_text().split()) > 4, 10, "the task to write")
    return set(out.read_text().split())


@pytest.mark.parametrize("what", ["1-0-1", ".kept/1-0-1", ".kept/1-0-1/cluster.json", "."])
def test_a_controller_that_dies_then(world: World, tmp_path: Path, what: str) -> None:
    """The next one starts no second copy, and a cancel leaves nothing running."""
    out = tmp_path / "out"
    job_id = world.submit(LONG.format(out=out))
    world.tick()
    world.until_status(job_id, TaskStatus.RUNNING)
    before = programs(out)
    delete(world.home.clusters / what)
    world.kill_controller(job_id)
    world.until(lambda: world.attempt(job_id).called_at and world.job(job_id).attempt == 2, "it")
    assert programs(out) == before
    cancel(world.context, [job_id])
    world.until_done(job_id)
    (pid,) = before
    assert not Path(f"/proc/{pid}").exists()


def test_an_audit_finds_them(world: World) -> None:
    """What runs though its files are deleted is named, and so is a second copy beside it."""
    machine = Machine(world.home)
    try:
        machine.launch(a_task("echo begun; sleep 60"))
        machine.until_printed(b"begun")
        delete(world.home.clusters)
        world.home.clusters.mkdir(mode=0o700)
        (found,) = audit.check(world.context).violations
        assert found.invariant is Invariant.COPIES
        assert "what runs on cluster 7-0-1 cannot be told" in found.text
        machine.launch(a_task("sleep 60"))
        told = [str(one) for one in audit.check(world.context).violations]
        assert f"COPIES: {found.text}" in told
        assert "COPIES: job 7: task 0 runs more than once, on 7-0-1 and 7-0-2" in told
        assert len(told) == 2
    finally:
        machine.close()
