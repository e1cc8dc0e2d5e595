"""Removing local clusters: whatever tasks left there, and whoever else removes at the time."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from jobsched.backends.base import ClusterState
from jobsched.backends.local import LocalBackend
from jobsched.clock import SystemClock
from jobsched.errors import BackendError
from tests.process.machines import Machine, a_task
from tests.support import wait_until


def copied(machine: Machine, cluster: str = "7-0-1") -> Path:
    """The private working directory of a cluster's first node."""
    return machine.home.clusters / cluster / "workdir-0"


def every(machine: Machine) -> list[Path]:
    """Whatever lies in the clusters' directory."""
    return list(machine.home.clusters.rglob("*"))


def test_whatever_a_task_leaves_is_deleted(machine: Machine, tmp_path: Path) -> None:
    """Depth beyond every limit of a path, no rights, odd names, links to what is not its own."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    run = f"""
        for i in $(seq 100); do d=$(printf 'd%.0s' $(seq 100)); mkdir $d; cd $d; done; touch end
        cd {copied(machine)}
        mkdir -p none/inside; touch none/inside/x; chmod 0 none/inside none
        ln -s {precious} link; touch "$(printf 'a\\nb\\377')"; mkfifo pipe
    """
    machine.ended(a_task(run))
    machine.backend.remove("7-0-1", grace=0.1)
    left = sorted(str(path.relative_to(machine.home.clusters)) for path in every(machine))
    assert left == [".fences", ".fences/7-0-1", ".kept", ".old"]
    assert (precious / "file").exists()


@pytest.mark.parametrize("where", ["7-0-1", ".kept/7-0-1", ".old/left"])
def test_a_link_for_a_directory(machine: Machine, tmp_path: Path, where: str) -> None:
    """A link where a directory of a cluster should be is removed, what it leads to is not."""
    precious = tmp_path / "precious"
    (precious / "sub").mkdir(parents=True, mode=0o750)
    (precious / "sub" / "file").touch()
    machine.ended(a_task("true"))
    place = machine.home.clusters / where
    if place.exists():
        place.rename(tmp_path / "moved")
    place.symlink_to(precious)
    machine.backend.remove("7-0-1", grace=0.1)
    assert (precious / "sub" / "file").exists()
    assert (precious / "sub").stat().st_mode & 0o777 == 0o750
    assert not place.is_symlink()
    assert machine.backend.clusters() == []


def test_a_link_where_a_cluster_is_to_be(machine: Machine, tmp_path: Path) -> None:
    """A launch lays out nothing through it."""
    (machine.home.clusters / "7-0-1").symlink_to(tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BackendError, match="could not launch 7-0-1: File exists"):
        machine.launch(a_task("true"))
    assert sorted(tmp_path.iterdir()) == before
    assert machine.left() == []


def test_what_a_dead_remover_left(machine: Machine) -> None:
    """The next removal deletes it, a plain file among it too."""
    left = machine.home.clusters / ".old"
    (left / "aa" / "workdir-0").mkdir(parents=True)
    (left / "aa" / "workdir-0" / "x").touch()
    (left / "bb").touch()
    machine.ended(a_task("true"))
    machine.backend.remove("7-0-1", grace=0.1)
    assert list(left.iterdir()) == []


def test_what_cannot_be_deleted_is_told_once(machine: Machine) -> None:
    """Its own removal says so; the cluster is gone, and others are removed in peace."""
    cluster = machine.launch(a_task("mkdir mnt; sleep 60"))
    point = copied(machine) / "mnt"
    wait_until(point.exists, 10, "the directory")
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(point)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a small file system")
    try:
        with pytest.raises(BackendError, match=f"could not remove {cluster}: Device or resource"):
            machine.backend.remove(cluster, grace=0.1)
        assert machine.backend.clusters() == []
        machine.backend.remove(cluster, grace=0.1)
        other = machine.launch(a_task("true"))
        machine.backend.remove(other, grace=0.1)
    finally:
        mounted = [path for path in machine.home.clusters.glob("**/mnt") if path.is_mount()]
        subprocess.run(["umount", *mounted], check=True)
    machine.backend.remove(other, grace=0.1)
    assert list(machine.home.clusters.glob(".old/*")) == []


def test_many_removers(machine: Machine) -> None:
    """Removals at the same time do not disturb each other."""
    deep = "mkdir -p a/b/c d/e/f g/h/i; touch a/b/c/x d/e/f/y"
    clusters = [machine.launch(a_task(deep)) for _ in range(12)]
    for cluster in clusters:
        machine.until(cluster, ClusterState.ENDED)
    problems: list[BackendError] = []

    def remove(cluster: str) -> None:
        try:
            LocalBackend(machine.home, machine.config, SystemClock()).remove(cluster, grace=0.1)
        except BackendError as error:
            problems.append(error)

    removers = [threading.Thread(target=remove, args=(cluster,)) for cluster in clusters * 2]
    for remover in removers:
        remover.start()
    for remover in removers:
        remover.join()
    assert problems == []
    assert list(machine.home.clusters.glob("7-*")) == []
    assert list(machine.home.clusters.glob(".old/*")) == []
