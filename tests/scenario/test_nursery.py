"""Controllers by fork: what they are, and that losing the nursery loses nothing."""

from __future__ import annotations

import os
import resource
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from jobsched import process
from jobsched.api.listing import Seen, controller_seen
from jobsched.nursery import handing
from jobsched.states import TaskStatus
from tests.scenario.conftest import MakeWorld
from tests.support import wait_until
from tests.world import World

WAITS = "run: while [ ! -e {go} ]; do sleep 0.05; done\n"


def nursery(world: World) -> int:
    """The PID of the home's nursery; 0: there is none."""
    return next(iter(process.holders(world.home.nursery_lock)), 0)


def parent(pid: int) -> int:
    """Who started a process."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def open_files(pid: int) -> set[str]:
    """What a process has open, besides its standard streams."""
    folder = Path(f"/proc/{pid}/fd")
    return {str(link.readlink()) for link in folder.iterdir() if int(link.name) > 2}


def until_attempt(world: World, job: int, number: int) -> None:
    """Wait until the job's controller has been replaced."""
    world.until(lambda: world.job(job).attempt == number, f"attempt {number}", timeout=10)


def test_all_controllers_are_children_of_one_process(world: World, tmp_path: Path) -> None:
    """Each leads a session of its own and keeps no lock but its own attempt's."""
    go = tmp_path / "go"
    jobs = [world.submit(WAITS.format(go=go)) for _ in range(3)]
    for job in jobs:
        world.until_status(job, TaskStatus.RUNNING)
    pids = [world.controller(job) for job in jobs]
    assert {parent(pid) for pid in pids} == {nursery(world)}
    assert [os.getsid(pid) for pid in pids] == pids
    for job, pid in zip(jobs, pids, strict=True):
        locks = {path for path in open_files(pid) if path.endswith(".lock")}
        assert {Path(path).name for path in locks} <= {f"{job}.1.lock", "lock"}
        assert process.holders(world.home.attempt_lock(job, 1)) == [pid]
    go.touch()
    for job in jobs:
        assert str(world.until_done(job).status) == "SUCCEEDED"


@pytest.mark.parametrize("forking", [True, False], ids=["forked", "started"])
def test_a_controller_is_the_same_however_it_began(
    make_world: MakeWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forking: bool
) -> None:
    """Its log is the job's, and nothing of whoever began it reaches the task."""
    monkeypatch.setenv("LEAKS", "no")
    monkeypatch.setenv("CONDA_PREFIX", "/kept")
    world = make_world(f"[controller]\nnursery = {str(forking).lower()}\n")
    seen, go = tmp_path / "seen", tmp_path / "go"
    job = world.submit(f"run: |\n  env > {seen}\n  while [ ! -e {go} ]; do sleep 0.05; done\n")
    world.until_status(job, TaskStatus.RUNNING)
    assert bool(nursery(world)) is forking
    log = world.home.controller_log(job).read_text()
    assert f"INFO controller of job {job}, attempt 1, PID {world.controller(job)}" in log
    go.touch()
    world.until_done(job)
    variables = dict(line.split("=", 1) for line in seen.read_text().splitlines() if "=" in line)
    assert variables["CONDA_PREFIX"] == "/kept"
    assert not variables.keys() & {"LEAKS", "JOBSCHED_LOCK_FD", "MALLOC_ARENA_MAX"}
    last = f"INFO job {job} is DONE"
    world.until(lambda: last in world.home.controller_log(job).read_text(), "its last word")


def test_controllers_outlive_the_nursery(world: World, tmp_path: Path) -> None:
    """Killed at any time: tasks go on, deaths are still noticed, and the next start has another."""
    go = tmp_path / "go"
    first, second = (world.submit(WAITS.format(go=go)) for _ in range(2))
    for job in (first, second):
        world.until_status(job, TaskStatus.RUNNING)
    gone = nursery(world)
    os.kill(gone, signal.SIGKILL)
    wait_until(lambda: not nursery(world), 5, "the nursery to be gone")
    world.kill_controller(first)
    until_attempt(world, first, 2)
    third = world.submit(WAITS.format(go=go))
    world.until_status(third, TaskStatus.RUNNING)
    assert nursery(world) not in (0, gone)
    go.touch()
    for job in (first, second, third):
        assert str(world.until_done(job).status) == "SUCCEEDED"


def test_a_death_is_noticed_though_no_command_ticks(world: World, tmp_path: Path) -> None:
    """The one who forked it hears of it, and says how it ended."""
    go = tmp_path / "go"
    job = world.submit(WAITS.format(go=go))
    world.until_status(job, TaskStatus.RUNNING)
    for number in (2, 3):
        world.kill_controller(job)
        until_attempt(world, job, number)
    go.touch()
    assert str(world.until_done(job).status) == "SUCCEEDED"


def test_a_nursery_that_was_stopped_keeps_nobody_waiting(world: World, tmp_path: Path) -> None:
    """It is ended, and its controllers go on; what was handed to it is started all the same."""
    go = tmp_path / "go"
    first = world.submit(WAITS.format(go=go))
    world.until_status(first, TaskStatus.RUNNING)
    stopped = nursery(world)
    os.kill(stopped, signal.SIGSTOP)
    second = world.submit(WAITS.format(go=go))
    world.until_status(second, TaskStatus.RUNNING)
    assert nursery(world) != stopped
    assert world.job(second).attempt == 1
    go.touch()
    for job in (first, second):
        assert str(world.until_done(job).status) == "SUCCEEDED"


def test_whoever_talks_nonsense_is_not_answered(world: World, tmp_path: Path) -> None:
    """Spoilt messages start nothing and keep nobody from being served."""
    go = tmp_path / "go"
    first = world.submit(WAITS.format(go=go))
    world.until_status(first, TaskStatus.RUNNING)
    for said in (b"", b"hello\n", b"[[1]]\n", b'[["x", 1]]\n', b"[" * 100_000, b"[[1, 2]]\n"):
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(10)
            with handing.short(world.home.nursery_socket) as path:
                line.connect(path)
            with suppress(OSError):  # it hangs up on what is too long
                line.sendall(said)
                line.shutdown(socket.SHUT_WR)
                assert line.recv(1) == b""
    second = world.submit(WAITS.format(go=go))
    world.until_status(second, TaskStatus.RUNNING)
    go.touch()
    for job in (first, second):
        assert str(world.until_done(job).status) == "SUCCEEDED"


def until_free(lock: Path) -> None:
    """Wait until nobody holds the lock: soon after its job is DONE."""
    wait_until(lambda: not process.holders(lock), 5, f"{lock} to be free")


def seen(world: World, job: int) -> Seen | None:
    """What is seen of the process of the job's newest attempt."""
    return controller_seen(world.home, world.job(job), world.attempt(job))


def test_only_the_nursery_may_have_very_many_files_open(world: World, tmp_path: Path) -> None:
    """It holds the locks of all that are yet to begin; a task has what it always had."""
    go, seen_limit = tmp_path / "go", tmp_path / "limit"
    job = world.submit(
        f"run: |\n  ulimit -n > {seen_limit}\n  while [ ! -e {go} ]; do sleep 0.05; done\n"
    )
    world.until_status(job, TaskStatus.RUNNING)
    world.until(lambda: seen_limit.exists() and seen_limit.read_text(), "the limit")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert int(seen_limit.read_text()) == soft
    limits = Path(f"/proc/{nursery(world)}/limits").read_text()
    found = next(line for line in limits.splitlines() if line.startswith("Max open files"))
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    assert int(found.split()[3]) == max(soft, most)
    go.touch()
    assert str(world.until_done(job).status) == "SUCCEEDED"


def controllers(world: World, jobs: Sequence[int]) -> list[int]:
    """The PIDs of the jobs' controllers."""
    return [world.controller(job) for job in jobs]


def test_a_controller_goes_on_with_the_next_job(make_world: MakeWorld, tmp_path: Path) -> None:
    """Each job has its own log and environment, and nobody's lock is held when all is over."""
    world = make_world("[limits]\nalive = 2\n")
    seen = tmp_path / "seen"
    seen.mkdir()
    jobs: list[int] = []
    for _ in range(10):  # on a machine that is very slow no next job comes in time
        jobs += [
            world.submit(f"envs: {{ONLY_{n}: yes}}\nrun: env > {seen}/{n}\n", name=f"job{n}")
            for n in range(len(jobs), len(jobs) + 15)
        ]
        for job in jobs:
            assert str(world.until_done(job).status) == "SUCCEEDED"
        if len(set(controllers(world, jobs))) < len(jobs):
            break
    assert len(set(controllers(world, jobs))) < len(jobs)
    for n, job in enumerate(jobs):
        variables = (seen / str(n)).read_text()
        assert [line for line in variables.splitlines() if "ONLY_" in line] == [f"ONLY_{n}=True"]
        log = world.home.controller_log(job).read_text()
        assert f"controller of job {job}, attempt 1, PID {world.controller(job)}" in log
        assert not [other for other in jobs if other != job and f"job {other} is DONE" in log]
        until_free(world.home.attempt_lock(job, 1))


def test_one_that_is_killed_in_its_second_job_is_replaced(
    make_world: MakeWorld, tmp_path: Path
) -> None:
    """As any other: what it did before does not matter."""
    world = make_world("[limits]\nalive = 1\n")
    before: list[int] = []
    for number in range(20):
        go = tmp_path / f"go{number}"
        before += [world.submit("run: 'true'\n") for _ in range(3)]
        job = world.submit(WAITS.format(go=go))
        world.until_status(job, TaskStatus.RUNNING)
        if world.controller(job) in controllers(world, before):
            break
        go.touch()
        world.until_done(job)
    same = [other for other in before if world.controller(other) == world.controller(job)]
    assert same
    assert seen(world, job) is Seen.SAME
    assert {seen(world, other) for other in same} == {Seen.GONE}
    world.kill_controller(job)
    until_attempt(world, job, 2)
    go.touch()
    assert str(world.until_done(job).status) == "SUCCEEDED"
    assert {world.job(other).attempt for other in before} == {1}
