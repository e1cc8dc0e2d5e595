"""SIGKILL of a controller, wherever it is: one copy of the task, its outcome, free slots."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from jobsched import process
from jobsched.scheduler.ending import cancel
from jobsched.scheduler.operate import requeue, set_limits
from jobsched.states import ScheduleState, TaskStatus
from tests.scenario.conftest import MakeWorld
from tests.support import wait_until
from tests.world import World, is_held

S, T = ScheduleState, TaskStatus


def runs(path: Path) -> list[str]:
    """The PIDs of all runs that have begun, from the file that each appends its own to."""
    return path.read_text().split() if path.exists() else []


def task(path: Path, then: str) -> str:
    """A task that notes its PID and then does ``then``."""
    return f"run: |\n  echo $$ >> {path}\n  {then}\n"


def until_run(world: World, path: Path, number: int = 1) -> str:
    """Wait until so many runs have begun; the PID of the last."""
    world.until(lambda: len(runs(path)) >= number, f"{number} runs to begin")
    return runs(path)[-1]


def test_death_while_the_task_runs(world: World, tmp_path: Path) -> None:
    """The next attempt adopts the same process; the task is run once and its exit code kept."""
    ran, go = tmp_path / "ran", tmp_path / "go"
    job = world.submit(task(ran, f"while [ ! -e {go} ]; do sleep 0.05; done; exit 0"))
    pid = until_run(world, ran)
    world.until_status(job, T.RUNNING)
    world.kill_controller(job)
    world.tick()
    world.until(lambda: world.job(job).attempt == 2, "a second attempt", timeout=20)
    assert process.identify(int(pid)) is not None
    world.controller(job)
    go.touch()
    row = world.until_done(job)
    assert (str(row.status), runs(ran)) == ("SUCCEEDED", [pid])
    assert world.tasks(job)[0].exit_code == 0
    assert row.requeues == 1


def test_death_while_the_task_ends(world: World, tmp_path: Path) -> None:
    """A task that ends while no controller lives keeps its outcome and is not run again."""
    ran = tmp_path / "ran"
    job = world.submit(task(ran, "sleep 0.7; exit 7"))
    pid = until_run(world, ran)
    world.until_status(job, T.RUNNING)
    world.kill_controller(job)
    world.until(lambda: process.identify(int(pid)) is None, "the task to end")
    world.sweep()
    row = world.until_done(job)
    assert (str(row.status), runs(ran)) == ("FAILED", [pid])
    assert world.tasks(job)[0].exit_code == 7


def test_death_in_the_middle_of_a_launch(world: World, tmp_path: Path) -> None:
    """Killed while it copies a workdir: the next attempt launches, the task runs once."""
    ran, work = tmp_path / "ran", tmp_path / "work"
    work.mkdir()
    for number in range(3000):
        (work / f"{number}").write_text("x")
    job = world.submit(f"workdir: {work}\n" + task(ran, "true"))
    world.until(lambda: list(world.root.glob("clusters/*/workdir-0/1*")), "a copy under way")
    world.kill_controller(job)
    world.tick()
    row = world.until_done(job)
    assert (str(row.status), len(runs(ran))) == ("SUCCEEDED", 1)
    assert not list(world.home.clusters.glob("[0-9]*"))


def test_death_while_waiting_for_a_slot(world: World, tmp_path: Path) -> None:
    """Killed in ALIVE_WAITING: its job goes on when it has a controller and a slot again."""
    ran = tmp_path / "ran"
    job = world.submit(
        f"name: p\n---\nname: a\nrun: sleep 1\n---\nname: b\n{task(ran, 'true')}", name="chain"
    )
    world.until_status(job, T.RUNNING)
    set_limits(world.context, launch=0)
    world.until_state(job, S.ALIVE_WAITING)
    world.kill_controller(job)
    world.tick()
    world.until(lambda: world.job(job).attempt == 2, "a second attempt", timeout=20)
    world.until_state(job, S.ALIVE_WAITING)
    assert runs(ran) == []
    set_limits(world.context, launch="auto")
    assert str(world.until_done(job).status) == "SUCCEEDED"
    assert len(runs(ran)) == 1


def test_death_in_backoff(make_world: MakeWorld, tmp_path: Path) -> None:
    """Killed while it waits for room: the deadline and the count of tries outlive it."""
    world = make_world("[local.regions.small]\nclusters = 1\n", gap=5)
    ran, go = tmp_path / "ran", tmp_path / "go"
    first = world.submit(f"run: while [ ! -e {go} ]; do sleep 0.05; done", name="first")
    world.until_status(first, T.RUNNING)
    job = world.submit(task(ran, "true"), name="second")
    world.until(lambda: world.tasks(job)[0].backoff_code == "NO_ROOM", "backoff")
    assert world.job(job).schedule_state is S.ALIVE
    before = world.tasks(job)[0]
    world.kill_controller(job)
    world.sweep()
    world.controller(job)
    after = world.tasks(job)[0]
    assert (after.tries, after.backoff_until) == (before.tries, before.backoff_until)
    go.touch()
    assert str(world.until_done(job).status) == "SUCCEEDED"
    assert len(runs(ran)) == 1


@pytest.mark.parametrize("form", ["name: j\n", "name: j\nexecution: parallel\n"])
def test_death_between_outcome_and_cleanup(
    make_world: MakeWorld, tmp_path: Path, form: str
) -> None:
    """Killed while it waits for what a task has left running: the next attempt ends that, too."""
    world = make_world(grace=6)
    go, left = tmp_path / "go", tmp_path / "left"
    stubborn = f"(trap '' TERM; while true; do sleep 0.1; done) & echo $! > {left}"
    job = world.submit(
        f"{form}---\nname: a\nrun: |\n  {stubborn}\n"
        f"---\nname: b\nrun: while [ ! -e {go} ]; do sleep 0.05; done\n"
    )
    world.until(lambda: world.statuses(job)[0] == "SUCCEEDED", "the first to succeed")
    assert world.tasks(job)[0].has_cluster
    world.kill_controller(job)
    world.tick()
    world.until(lambda: not world.tasks(job)[0].has_cluster, "what it left to be ended")
    assert process.identify(int(left.read_text())) is None
    go.touch()
    assert str(world.until_done(job).status) == "SUCCEEDED"
    assert [task.launches for task in world.tasks(job)] == [1, 1]


def test_death_while_recovering(world: World, tmp_path: Path) -> None:
    """Killed between a preemption and the next launch: recovery goes on where it was."""
    ran, go = tmp_path / "ran", tmp_path / "go"
    job = world.submit(task(ran, f"while [ ! -e {go} ]; do sleep 0.05; done"))
    until_run(world, ran)
    world.until_status(job, T.RUNNING)
    set_limits(world.context, launch=0)  # so that it stays between the two
    world.context.backend().preempt(world.tasks(job)[0].cluster or "")
    world.until_status(job, T.RECOVERING)
    world.kill_controller(job)
    world.tick()
    go.touch()
    set_limits(world.context, launch=4)
    row = world.until_done(job)
    assert str(row.status) == "SUCCEEDED"
    assert (world.tasks(job)[0].recovery_count, len(runs(ran))) == (1, 2)


def test_death_while_cancelling(make_world: MakeWorld, tmp_path: Path) -> None:
    """Killed between the cancel and the end of its task: whoever comes by ends both."""
    world = make_world(grace=2)
    ran = tmp_path / "ran"
    job = world.submit(task(ran, "trap '' TERM; while true; do sleep 0.1; done"))
    pid = until_run(world, ran)
    world.until_status(job, T.RUNNING)
    cancel(world.context, [job])
    assert world.statuses(job) == ["CANCELLING"]
    world.kill_controller(job)
    world.tick()
    row = world.until_done(job)
    assert str(row.status) == "CANCELLED"
    assert process.identify(int(pid)) is None
    assert not list(world.home.clusters.glob("[0-9]*"))


def test_death_between_outcome_and_done(make_world: MakeWorld, tmp_path: Path) -> None:
    """Killed during cleanup: the outcome stays, no controller is started, DONE comes once."""
    world = make_world(grace=3)
    ran = tmp_path / "ran"
    job = world.submit(task(ran, "(trap '' TERM; while true; do sleep 0.1; done) & exit 0"))
    until_run(world, ran)
    world.until_status(job, T.SUCCEEDED)
    world.kill_controller(job)
    assert world.job(job).schedule_state is not S.DONE
    world.tick()
    row = world.until_done(job)
    assert (str(row.status), row.attempt, len(runs(ran))) == ("SUCCEEDED", 1, 1)


def test_stopped_controller_is_replaced(world: World, tmp_path: Path) -> None:
    """A requeue ends a controller that SIGSTOP holds, and spends no budget; the task goes on."""
    ran, go = tmp_path / "ran", tmp_path / "go"
    job = world.submit(task(ran, f"while [ ! -e {go} ]; do sleep 0.05; done"))
    pid = until_run(world, ran)
    world.until_status(job, T.RUNNING)
    stopped = world.stop_controller(job)
    assert requeue(world.context, job) == []
    world.until(lambda: world.controller(job) != stopped, "another controller")
    assert (world.job(job).attempt, world.job(job).requeues) == (2, 0)
    go.touch()
    assert str(world.until_done(job).status) == "SUCCEEDED"
    assert runs(ran) == [pid]


def test_fenced_controller_that_goes_on(world: World, tmp_path: Path) -> None:
    """One that could not be ended, continued, changes nothing, starts nothing and stops itself."""
    ran, go = tmp_path / "ran", tmp_path / "go"
    yaml = (
        f"name: p\n---\nname: a\n{task(ran, f'while [ ! -e {go} ]; do sleep 0.05; done')}"
        f"---\nname: b\n{task(tmp_path / 'second', 'true')}"
    )
    job = world.submit(yaml)
    until_run(world, ran)
    world.until_status(job, T.RUNNING)
    stopped = world.stop_controller(job)
    assert requeue(world.context, job, end=lambda _attempt: [stopped]) == [stopped]
    world.until(lambda: world.job(job).attempt == 2, "the second attempt")
    world.controller(job)
    assert is_held(world.home, job, 1)
    before = world.history(job)
    go.touch()
    assert str(world.until_done(job).status) == "SUCCEEDED"
    os.kill(stopped, signal.SIGCONT)
    wait_until(lambda: process.identify(stopped) is None, 20, "the fenced controller to end")
    assert world.history(job)[: len(before)] == before
    assert world.history(job)[-1] == ("ALIVE", "DONE")
    assert (len(runs(ran)), len(runs(tmp_path / "second"))) == (1, 1)


@pytest.mark.parametrize("moment", ["claimed", "started"])
def test_death_of_the_spawner(world: World, tmp_path: Path, moment: str) -> None:
    """Killed between claim and start, or between start and note of the PID: the task runs once."""
    ran = tmp_path / "ran"
    dag = tmp_path / "dag.yaml"
    dag.write_text(task(ran, "true"))
    child = os.fork()
    if child == 0:
        spawn_and_die(world.root, dag, moment)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert world.job(1).schedule_state is S.LAUNCHING
    world.tick()
    row = world.until_done(1)
    assert (str(row.status), len(runs(ran))) == ("SUCCEEDED", 1)
    assert row.attempt == (2 if moment == "claimed" else 1)


def spawn_and_die(root: Path, dag: Path, moment: str) -> None:
    """In a child: submit, and be killed at that moment of the start."""
    from jobsched.context import open_context  # noqa: PLC0415 - in the child alone
    from jobsched.scheduler.starter import Starter  # noqa: PLC0415 - in the child alone
    from jobsched.scheduler.submission import (  # noqa: PLC0415 - in the child alone
        Submission,
        load,
        stored_env,
        submit_new,
    )

    context = open_context(root)

    class Dying(Starter):
        def start(self, claim, command, env):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
            if moment == "started":
                super().start(claim, command, env)
            os.kill(os.getpid(), signal.SIGKILL)

    context.starter = Dying(context.home)
    submit_new(context, [Submission(loaded=load(dag), source=str(dag), env=stored_env(context))])
