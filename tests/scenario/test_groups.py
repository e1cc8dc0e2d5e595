"""Job groups, of which a part may run while the rest is still being launched."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from jobsched import process
from jobsched.states import TaskStatus
from tests.scenario.conftest import MakeWorld
from tests.world import World

T = TaskStatus
#: Room for one group of two, or for one task and half a group.
SMALL = "[local.regions.small]\ncpus = 2\n"
HEAD = "name: g\nexecution: parallel\n"
ONE_CPU = "resources: {cpus: 1}\n"


def runs(path: Path) -> list[str]:
    """What those that ran have noted."""
    return path.read_text().split() if path.exists() else []


def slow_to_launch(folder: Path) -> str:
    """A workdir that takes long to copy."""
    folder.mkdir()
    for number in range(3000):
        (folder / f"{number}").write_text("x")
    return f"workdir: {folder}\n"


def test_a_dead_controller_costs_a_group_no_work(make_world: MakeWorld, tmp_path: Path) -> None:
    """What runs is adopted and the rest launched, in room that nobody else got meanwhile."""
    world, ran, go = make_world(SMALL), tmp_path / "ran", tmp_path / "go"
    a = f"run: echo a$$ >> {ran}; while [ ! -e {go} ]; do sleep 0.05; done\n"
    b = f"{slow_to_launch(tmp_path / 'work')}run: echo b >> {ran}\n"
    job = world.submit(f"{HEAD}---\nname: a\n{ONE_CPU}{a}---\nname: b\n{ONE_CPU}{b}")
    world.until(lambda: runs(ran), "the first to run")
    world.until(lambda: list(world.root.glob("clusters/1-1-*/workdir-0/1*")), "a copy under way")
    controller = world.stop_controller(job)
    other = world.submit(f"{ONE_CPU}run: echo other >> {ran}\n", name="other")
    world.until(lambda: world.tasks(other)[0].backoff_code, "the other to wait for room")
    assert world.statuses(job) == ["STARTING", "STARTING"]
    pid = int(runs(ran)[0].removeprefix("a"))
    os.kill(controller, signal.SIGKILL)
    world.tick()
    world.until(lambda: runs(ran)[1:2] == ["b"], "the second to run, before the other")
    assert process.identify(pid) is not None
    go.touch()
    assert str(world.until_done(job).status) == "SUCCEEDED"
    assert str(world.until_done(other).status) == "SUCCEEDED"
    assert runs(ran) == [f"a{pid}", "b", "other"]
    assert [(task.launches, task.restart_count) for task in world.tasks(job)] == [(1, 0), (1, 0)]


def spoil(world: World) -> Path:
    """Have the launch of the second task fail at the end of its long copy; what is in the way."""
    world.until(lambda: list(world.root.glob("clusters/1-1-*/workdir-0/1*")), "a copy under way")
    log = world.root / "logs" / "tasks" / "1-1.log"
    log.unlink()
    log.mkdir()
    return log


def test_a_success_is_not_run_again_with_its_group(world: World, tmp_path: Path) -> None:
    """It is settled and cleaned up while the one that cannot be launched is tried again."""
    ran, work = tmp_path / "ran", slow_to_launch(tmp_path / "work")
    world.submit(
        f"{HEAD}---\nname: a\nrun: echo a >> {ran}\n---\nname: b\n{work}run: echo b >> {ran}\n"
    )
    in_the_way = spoil(world)
    world.until_status(1, T.SUCCEEDED)
    world.until(lambda: not world.tasks(1)[0].has_cluster, "its cluster to be removed")
    tries = world.tasks(1)[1].tries
    world.until(lambda: world.tasks(1)[1].tries > tries, "one more try in vain")
    in_the_way.rmdir()
    assert str(world.until_done(1).status) == "SUCCEEDED"
    assert runs(ran) == ["a", "b"]


def test_a_success_outlives_a_controller_that_dies_in_the_pause(
    make_world: MakeWorld, tmp_path: Path
) -> None:
    """The next controller places what is left as the group that it still is."""
    world, ran, work = make_world(gap=2), tmp_path / "ran", slow_to_launch(tmp_path / "work")
    world.submit(
        f"{HEAD}---\nname: a\nrun: echo a >> {ran}\n"
        f"---\nname: b\n{work}run: echo b >> {ran}\n---\nname: c\nrun: echo c >> {ran}\n"
    )
    in_the_way = spoil(world)
    world.until(lambda: world.tasks(1)[1].backoff_until, "the pause")
    world.kill_controller(1)
    in_the_way.rmdir()
    world.tick()
    assert str(world.until_done(1).status) == "SUCCEEDED"
    assert sorted(runs(ran)) == ["a", "b", "c"]
