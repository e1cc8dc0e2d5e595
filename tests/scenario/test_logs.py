"""The logs of whole jobs: followed while real tasks write them, kept short by the controller."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobsched.logfiles import holes
from jobsched.logs import follow_in, tail_in
from jobsched.states import TaskStatus
from tests.process.log_jobs import Reading
from tests.scenario.conftest import MakeWorld
from tests.world import World

T = TaskStatus
MIB = 1024 * 1024
#: Prints 3 MiB, each line with its number.
MUCH = "seq -f '%07.0f' 393216"
SHORT = "[logs]\nmax_mib = 1\n"


@pytest.fixture
def can_punch(tmp_path: Path) -> None:
    """Skips where the file system of the tests has no holes."""
    path = tmp_path / "probe"
    path.write_bytes(b"x" * 65536)
    with path.open("r+b") as file:
        try:
            holes.punch(file.fileno(), 4096)
        except OSError as error:
            pytest.skip(f"no holes here: {error}")


def follow(world: World, job: int, *, controller: bool = False) -> Reading:
    """Follow a job as a person would, in a thread."""
    return Reading(follow_in(world.context, job, controller=controller))


def test_follow_two_tasks_and_a_restart(world: World, tmp_path: Path) -> None:
    """A run that failed, its restart and the next task come in order, each byte once."""
    ran = tmp_path / "ran"
    job = world.submit(
        f"""\
        name: two
        ---
        name: a
        run: |
          [ -e {ran} ] && {{ echo a again; exit 0; }}
          touch {ran}; echo a first; exit 7
        resources: {{job_recovery: {{max_restarts_on_errors: 1}}}}
        ---
        name: b
        run: printf 'b \\377 one\\n'; echo b two
        """
    )
    first, second = follow(world, job), follow(world, job)
    got = first.end()
    assert got == second.end() == tail_in(world.context, job)
    wanted = [b"a first\n", b"a again\n", b"b \xff one\n", b"b two\n"]
    assert [got.count(words) for words in wanted] == [1, 1, 1, 1]
    assert sorted(wanted, key=got.index) == wanted
    assert b"==>" not in got
    assert (world.tasks(job)[0].restart_count, str(world.job(job).status)) == (1, "SUCCEEDED")


def test_follow_over_a_recovery(world: World, tmp_path: Path) -> None:
    """A follower stays through the loss of a cluster and a controller's death."""
    go = tmp_path / "go"
    job = world.submit(
        f"run: echo up; [ -e {go} ] && exit 0; touch {go}; printf 'bar 50%%\\r'; exec sleep 300\n"
    )
    reading = follow(world, job)
    reading.until_some(b"bar 50%\r")  # no newline has come
    world.kill_controller(job)
    world.context.backend().preempt(world.tasks(job)[0].cluster or "")
    got = reading.end()
    assert (got.count(b"up\n"), got.count(b"bar 50%\r")) == (2, 1)
    assert world.tasks(job)[0].recovery_count == 1
    assert world.job(job).attempt == 2


def test_follow_tasks_side_by_side(world: World, tmp_path: Path) -> None:
    """Tasks that run at the same time are told apart; a task's own bytes stay in order."""
    one, two = tmp_path / "one", tmp_path / "two"
    job = world.submit(
        f"""\
        name: both
        execution: parallel
        ---
        name: x
        run: echo x one; touch {one}; until [ -e {two} ]; do sleep 0.02; done; echo x two
        ---
        name: y
        run: until [ -e {one} ]; do sleep 0.02; done; echo y one; touch {two}
        """
    )
    got = follow(world, job).end()
    assert got.index(b"==> task 0 (x) <==") < got.index(b"x one\n") < got.index(b"x two\n")
    assert got.index(b"==> task 1 (y) <==") < got.index(b"y one\n")
    assert got.count(b"one\n") == 2


@pytest.mark.usefixtures("can_punch")
def test_the_controller_trims(make_world: MakeWorld) -> None:
    """A task's log, other nodes' too, ends within max_mib; its end and all offsets stay."""
    world = make_world(SHORT)
    job = world.submit(f"num_nodes: 2\nrun: {MUCH}\n")
    world.until_done(job)
    for node in (0, 1):
        found = world.home.task_log(job, 0, node).stat()
        assert found.st_size >= 3 * MIB
        assert found.st_blocks * 512 <= MIB
    got = tail_in(world.context, job, 0)
    assert got.count(b"bytes dropped here]") == 2  # one for each node
    assert b"\0" not in got
    assert got.count(b"0393216\n") == 2
    assert b"0000001\n" not in got


@pytest.mark.usefixtures("can_punch")
def test_trims_while_the_task_runs(make_world: MakeWorld, tmp_path: Path) -> None:
    """A controller that starts with a log that is too long trims it and disturbs no writer."""
    world = make_world(SHORT)
    go = tmp_path / "go"
    job = world.submit(
        f"run: {MUCH}; echo written; until [ -e {go} ]; do sleep 0.02; done; echo end\n"
    )
    path = world.home.task_log(job, 0)
    world.until(lambda: path.exists() and b"written\n" in path.read_bytes()[-64:], "the output")
    world.tick()  # someone must start the next controller
    world.kill_controller(job)
    world.until(lambda: path.stat().st_blocks * 512 <= MIB, "the log to be trimmed")
    assert world.tasks(job)[0].status is T.RUNNING
    go.touch()
    assert str(world.until_done(job).status) == "SUCCEEDED"
    got = tail_in(world.context, job)
    assert got.startswith(b"[jobsched: ")
    assert got.count(b"dropped here") == 1
    assert b"0393216\nwritten\nend\n" in got


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write any file")
def test_a_log_that_cannot_be_trimmed(make_world: MakeWorld) -> None:
    """It is said in the controller's log, and the job ends as it would have."""
    world = make_world(SHORT)
    job = world.submit(f'run: {MUCH}; chmod 400 "{world.root}"/logs/tasks/*; echo end\n')
    assert str(world.until_done(job).status) == "SUCCEEDED"
    path = world.home.task_log(job, 0)
    assert path.stat().st_blocks * 512 >= 3 * MIB
    assert b"0000001\n" in tail_in(world.context, job)
    assert "cannot be kept short" in world.home.controller_log(job).read_text()
