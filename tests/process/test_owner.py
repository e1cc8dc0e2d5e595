"""Whose a process is that holds the lock of an attempt: who is killed with it, and who is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

import pytest

from jobsched import lock, process
from jobsched.store.rows import AttemptRow
from jobsched.sweep.fence import ask_to_stop, end_attempt
from tests.support import wait_until
from tests.world import World

ATTEMPT = AttemptRow(
    job_id=7, attempt=2, kind="COMMAND", started_at=1.0, boot_id=process.boot_id(), pid=None,
    start_ticks=None, pid_ns=None, called_at=None, stop_sent_at=None, ended_at=None,
    end_reason=None,
)  # fmt: skip
#: Locks a file, says so, and sleeps; with "heir" a child without environment does that instead.
HOLDER = """
import fcntl, os, subprocess, sys, time
locks = [os.open(path, os.O_RDWR | os.O_CREAT, 0o600) for path in sys.argv[1].split(":")]
for lock in locks:
    fcntl.flock(lock, fcntl.LOCK_EX)
pid = os.getpid()
if "heir" in sys.argv:
    pid = subprocess.Popen(["sleep", "300"], env={}, pass_fds=locks, close_fds=True).pid
    for lock in locks:
        os.close(lock)
print(pid, flush=True)
time.sleep(300)
"""
NEST = ("-m", "jobsched.controller.nest")


@contextmanager
def holding(
    world: World,
    *arguments: str,
    also: str = "",
    leads: bool = True,
    env: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[tuple[int, int]]:
    """A process and the one that holds the attempt's lock for it, often the same; their PIDs."""
    locks = f"{world.home.attempt_lock(7, 2)}:{also}".rstrip(":")
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, locks, *arguments],
        env={"PATH": os.environ["PATH"], **env},
        stdout=subprocess.PIPE, text=True, start_new_session=leads,
    )  # fmt: skip
    assert child.stdout is not None
    holder = process.identify(int(child.stdout.readline()))
    assert holder is not None
    try:
        yield child.pid, holder.pid
    finally:
        process.signal(holder, signal.SIGKILL)
        child.kill()
        child.wait()
        child.stdout.close()


def told(world: World, **over: str) -> dict[str, str]:
    """The environment that the starter gives to the attempt's controller."""
    env = {"HOME": str(world.root), "JOB_ID": "7", "ATTEMPT": "2", **over}
    return {f"JOBSCHED_{name}": value for name, value in env.items()}


def is_ended(world: World, attempt: AttemptRow = ATTEMPT) -> bool:
    """Whether ending the attempt frees its lock; else nobody may have been harmed."""
    holders = process.holders(world.home.attempt_lock(7, 2))
    left = end_attempt(world.context, attempt, within=0.3)
    assert left in ([], holders)
    assert left == [pid for pid in holders if process.identify(pid)]
    return not left


@pytest.mark.parametrize(
    ("over", "killed"),
    [
        ({}, True),
        ({"ATTEMPT": "1"}, False),
        ({"JOB_ID": "8"}, False),
        ({"HOME": "/elsewhere"}, False),
    ],
)
def test_by_its_environment(world: World, over: dict[str, str], killed: bool) -> None:
    """The process that was told to be this attempt of this home's job is ended; no other."""
    with holding(world, env=told(world, **over)):
        assert is_ended(world) is killed


def test_by_what_it_descends_from(world: World) -> None:
    """A child that cleared its environment, of a process that was told."""
    with holding(world, "heir", env=told(world)) as (child, heir):
        assert heir != child
        assert is_ended(world)


def test_by_the_recorded_process(world: World) -> None:
    """It, and who is in its session after its death; not somebody who has its PID by chance."""
    with holding(world, "heir") as (child, heir):
        assert not is_ended(world)
        who = process.identify(child)
        assert who is not None
        pid, ticks = who.pid, who.start_ticks
        known = ATTEMPT._replace(pid=pid, start_ticks=ticks, pid_ns=who.pid_ns)
        assert not is_ended(world, known._replace(start_ticks=ticks + 10**9))
        assert not is_ended(world, known._replace(boot_id="another"))
        os.kill(child, signal.SIGKILL)
        wait_until(lambda: process.identify(child) is None, 5, "the leader to die")
        assert process.identify(heir) is not None
        assert is_ended(world, known)


def test_a_forked_controller(world: World) -> None:
    """It is known by its command and its session until its PID is recorded."""
    with holding(world, *NEST) as (child, _):
        other = ATTEMPT._replace(pid=os.getpid(), start_ticks=1, pid_ns=0)
        assert not is_ended(world, other)
        assert process.identify(child) is not None
        assert is_ended(world)


def test_who_forks_controllers_is_a_bystander(world: World) -> None:
    """Between a claim and the fork; and so is what it has forked but not let go yet."""
    with holding(world, *NEST, also=str(world.root / "nursery.lock")):
        assert not is_ended(world)
    with holding(world, *NEST, leads=False):
        assert not is_ended(world)


def test_the_caller_is_never_ended(world: World) -> None:
    """It may hold the lock of what it is about to start."""
    held = lock.try_lock(world.home.attempt_lock(7, 2))
    assert held is not None
    assert end_attempt(world.context, ATTEMPT, within=0.1) == [os.getpid()]
    os.close(held)


def test_a_stop_is_sent_to_who_can_be_told_to_be_the_attempt(world: World) -> None:
    """Before its PID is recorded; and not to somebody else."""
    assert not ask_to_stop(world.context, ATTEMPT)
    with holding(world) as (child, _):
        assert not ask_to_stop(world.context, ATTEMPT)
    with holding(world, env=told(world)) as (child, _):
        assert ask_to_stop(world.context, ATTEMPT)
        wait_until(lambda: process.identify(child) is None, 5, "it to end")
