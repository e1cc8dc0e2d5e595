"""Processes told apart: nobody is signalled who is not the one meant."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jobsched import process
from tests.support import wait_until


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that sleeps."""
    with subprocess.Popen(["sleep", "60"]) as child:
        yield child
        child.kill()


def test_alive_stopped_dead(child: subprocess.Popen[bytes]) -> None:
    """A stopped process is the same; a zombie is gone before anybody has collected it."""
    who = process.identify(child.pid)
    assert who is not None
    assert process.is_same(who) is True
    child.send_signal(signal.SIGSTOP)
    wait_until(lambda: (found := process.look_up(child.pid)) and found.state == "T", 5, "a stop")
    assert process.is_same(who) is True
    child.send_signal(signal.SIGKILL)
    wait_until(lambda: process.identify(child.pid) is None, 5, "the end")
    assert process.is_same(who) is False
    assert process.signal(who, 0) is False
    assert process.pidfd(who) is None


def test_others_are_not_signalled(child: subprocess.Popen[bytes]) -> None:
    """Another start time, boot or PID namespace: the process of that PID gets no signal."""
    who = process.identify(child.pid)
    assert who is not None
    for other in (
        replace(who, start_ticks=who.start_ticks + 1),
        replace(who, boot_id="another"),
        replace(who, pid_ns=who.pid_ns + 1),
        replace(who, pid=1),
        replace(who, pid=0),
        replace(who, pid=-1),
    ):
        assert process.signal(other, signal.SIGKILL) is False
    assert child.poll() is None
    assert process.is_same(replace(who, pid_ns=who.pid_ns + 1)) is None
    assert process.signal(who, signal.SIGKILL) is True
    assert child.wait(5) == -signal.SIGKILL


def test_holders(tmp_path: Path) -> None:
    """Who holds a lock, by an inherited descriptor too, is told from who has the file open."""
    path = tmp_path / "lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    wait = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with (
        path.open() as other,
        subprocess.Popen(wait, stdin=subprocess.PIPE, pass_fds=[descriptor]) as heir,
        subprocess.Popen(wait, stdin=subprocess.PIPE, pass_fds=[other.fileno()]) as reader,
    ):
        os.close(descriptor)
        assert process.holders(path) == [heir.pid]
        heir.kill()
        heir.wait()
        assert process.holders(path) == []
        reader.kill()


def test_me() -> None:
    """The calling process is itself."""
    assert process.identify(os.getpid()) == process.me()
    assert process.is_same(process.me()) is True


def test_descendants(child: subprocess.Popen[bytes]) -> None:
    """Children are found below their parent."""
    assert child.pid in process.descendants(os.getpid())
