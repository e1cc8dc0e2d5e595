"""The record of one node: who its runner is, whether that lives, and how the task ended on it.

Owns a file of fixed size, laid down before the runner starts, so that a disk that has filled up
meanwhile cannot keep the end from being written: the runner overwrites the first line in place. Its
time of change is when the program ended. Whoever holds the file's lock is the runner.
"""

from __future__ import annotations

import fcntl
import os
import re
from dataclasses import dataclass
from typing import Final

from jobsched import process
from jobsched.backends.local.folder import Folder, damaged, sync_directory
from jobsched.models import Phase
from jobsched.process import Identity

#: Bytes for the end (written by the runner), then as many for who the runner is (by the launcher).
_HALF: Final = 128
_RECORD: Final = "record-"
_INDEX: Final = re.compile(r"[0-9]{1,5}")
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class End:
    """How the task ended on one node."""

    phase: Phase
    #: 0..255, 128+n for signal n.
    exit_code: int
    #: Whether the runner itself had been told to end by then.
    told: bool
    #: Clock ticks since boot, 0 if not known.
    ticks: int
    #: Unix seconds.
    at: float


@dataclass(frozen=True, slots=True)
class Node:
    """What is known of one node."""

    index: int
    #: Whether its runner lives.
    alive: bool = False
    #: Who its runner is or was.
    runner: Identity | None = None
    end: End | None = None
    #: Whether there is a record at all, and whether it holds what nobody of ours wrote.
    exists: bool = True
    is_damaged: bool = False


def create(folder: Folder, index: int) -> int:
    """Lay down the record of a node and lock it; the descriptor to hand to the runner."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(folder.record(index), flags, 0o600)
    try:
        # Nobody can keep it locked: who asks about it lets go at once, and there is nobody else.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.pwrite(descriptor, b" " * (2 * _HALF), 0)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def name_runner(descriptor: int, runner: Identity) -> None:
    """Note in the record who the runner is."""
    who = f"{runner.pid} {runner.start_ticks} {runner.boot_id} {runner.pid_ns}\n"
    os.pwrite(descriptor, who.encode("ascii"), _HALF)


def read_all(folder: Folder, num_nodes: int) -> list[Node]:
    """What is known of each node. Raises ``OSError`` where a record cannot be read."""
    return [_read(folder, index) for index in range(num_nodes)]


def count(folder: Folder) -> int:
    """For how many nodes there may be a record, whatever the facts say."""
    try:
        names = os.listdir(folder.kept)  # noqa: PTH208 -- names alone
    except FileNotFoundError:
        return 0
    found = (name.removeprefix(_RECORD) for name in names if name.startswith(_RECORD))
    return max((int(number) + 1 for number in found if _INDEX.fullmatch(number)), default=0)


def raise_damaged(folder: Folder, nodes: list[Node]) -> None:
    """Raise ``OSError`` naming the first record that holds what nobody of ours wrote, if any."""
    for node in nodes:
        if node.is_damaged:
            raise damaged(folder.record(node.index))


def make_durable(folder: Folder, nodes: list[Node]) -> None:
    """Return only when the ends of ``nodes`` would survive a loss of power.

    So will the directory above those of all clusters: that was synced when it was made.
    """
    for node in nodes:
        if node.end is not None:
            descriptor = os.open(folder.record(node.index), os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
    for directory in (folder.kept, folder.kept.parent):
        sync_directory(directory)


def _read(folder: Folder, index: int) -> Node:
    try:
        descriptor = os.open(folder.record(index), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return Node(index, exists=False)
    try:
        # Lock first: a runner writes its end before it lets go.
        alive = not _is_free(descriptor)
        raw = os.pread(descriptor, 2 * _HALF, 0)
        runner, words = _parse_runner(raw[_HALF:]), raw[:_HALF].strip()
        try:
            end = _parse_end(raw[:_HALF], os.fstat(descriptor).st_mtime)
        except (ValueError, OverflowError):
            return Node(index, alive, runner, is_damaged=True)
        # One that lives may be writing just now.
        return Node(index, alive, runner, end, is_damaged=bool(words) and end is None and not alive)
    finally:
        os.close(descriptor)


def _is_free(descriptor: int) -> bool:
    """Ask with a shared lock, so that two who ask at once do not take each other for the runner."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _parse_end(raw: bytes, changed_at: float) -> End | None:
    """The end in the first half of a record. Raises ``ValueError`` where it says something else."""
    line, newline, _ = raw.partition(b"\n")
    if not newline:
        return None
    phase, code, told, uptime = line.decode("ascii").split()
    ticks = round(float(uptime) * _TICKS)
    return End(Phase(phase), int(code), told == "1", ticks, changed_at)


def _parse_runner(raw: bytes) -> Identity | None:
    """The runner in the second half; ``None`` where that does not say."""
    line, newline, _ = raw.partition(b"\n")
    if not newline:
        return None
    try:
        pid, start_ticks, boot_id, pid_ns = line.decode("ascii").split()
        return Identity(int(pid), int(start_ticks), boot_id, int(pid_ns))
    except ValueError:
        return None


def runner_pids(nodes: list[Node]) -> list[int]:
    """PIDs of the runners that live, and of what they started; for display."""
    found: list[int] = []
    for node in nodes:
        if node.alive and node.runner is not None and process.is_same(node.runner) is True:
            found += [node.runner.pid, *process.descendants(node.runner.pid)]
    return found
