"""Fences: what an older attempt had begun starts nothing, though its cluster was removed since."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from jobsched.backends.base import ClusterState
from jobsched.backends.local import fence
from jobsched.backends.local.folder import Folder
from jobsched.clock import SystemClock
from jobsched.errors import BackendError
from jobsched.scheduler.ticker import sweep
from jobsched.states import TaskStatus
from tests.process.machines import Machine, a_task
from tests.world import World, is_held

STEPS = ["fenced", "begun", "locked", "prepared", "spawned", "ready"]


@pytest.mark.parametrize("step", STEPS)
def test_removed_in_the_middle(machine: Machine, tmp_path: Path, step: str) -> None:
    """A launch that a newer attempt's removal overtakes at any step fails and runs nothing."""
    ran, newer = tmp_path / "ran", machine.another()

    def at(now: str) -> None:
        if now == step:
            newer.adopt("7-0-1", 2)
            newer.remove("7-0-1", grace=0.2)

    request = machine.request(a_task(f"touch {ran}", num_nodes=2))
    with pytest.raises(BackendError):
        machine.another(hook=at).launch(request, threading.Event())
    machine.until_empty()
    assert not ran.exists()
    assert machine.backend.probe("7-0-1").state is ClusterState.GONE
    newer.remove("7-0-1", grace=0.2)
    assert machine.backend.clusters() == []


@pytest.mark.parametrize("deed", ["stop", "forget"])
def test_a_runner_looks_once_more(machine: Machine, tmp_path: Path, deed: str) -> None:
    """Told to go on, it does not where all was stopped meanwhile or the fence is no more."""
    ran, place = tmp_path / "ran", machine.home.clusters / ".fences" / "7-0-1"

    def at(now: str) -> None:
        if now == "ready" and deed == "stop":
            place.write_text("1 stopped\n")
        elif now == "ready":
            place.unlink()

    request = machine.request(a_task(f"touch {ran}"))
    machine.another(hook=at).launch(request, threading.Event())
    machine.until_empty()
    assert not ran.exists()


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"5\n", fence.Fence(5)),
        (b"5 ", fence.Fence(5)),  # of a file that is just being lengthened
        (b"5 stopped\n", fence.Fence(5, stopped=True)),
        (b" stopped\n", fence.Fence(0, stopped=True)),
        (b"5 sto", fence.Fence(0)),
        (b"junk\n", fence.Fence(0)),
        (b"", fence.Fence(0)),
    ],
)
def test_what_a_fence_says(machine: Machine, content: bytes, wanted: fence.Fence) -> None:
    """Closing it keeps the number, and nothing of what was there besides."""
    folder = Folder(machine.home.clusters / "7-0-1")
    folder.make_fence_place()
    folder.fence.write_bytes(content)
    assert fence.read(folder) == wanted
    fence.close(folder, SystemClock())
    assert fence.read(folder) == wanted._replace(stopped=True)
    assert folder.fence.read_text() == f"{wanted.attempt} stopped\n" or wanted.stopped


def test_a_runner_that_was_adopted_goes_on(machine: Machine) -> None:
    """A newer attempt that adopts it before it was told to go on has not lost it."""
    seen: list[ClusterState] = []

    def at(now: str) -> None:
        if now == "ready":
            seen.append(machine.another().adopt("7-0-1", 2).state)

    request = machine.request(a_task("exit 5"))
    machine.another(hook=at).launch(request, threading.Event())
    assert seen == [ClusterState.UP]
    assert machine.until("7-0-1", ClusterState.ENDED).exit_code == 5


def test_fences_go_with_their_job(world: World) -> None:
    """They stay while their job may have a late launch under way, and no longer."""
    world.tick()
    flaky = "resources: {job_recovery: {max_restarts_on_errors: 2}}\nrun: exit 1\n"
    running, done = world.submit("run: sleep 600\n"), world.submit(flaky)
    world.until_status(running, TaskStatus.RUNNING)
    world.until_done(done)
    world.until(lambda: not is_held(world.home, done, 1), "its controller to be gone, too")
    late = world.context.backend()
    late.adopt("1-0-9", 1)
    sweep(world.context)
    fences = world.home.clusters / ".fences"
    assert sorted(path.name for path in fences.iterdir()) == ["1-0-1", "1-0-9"]
