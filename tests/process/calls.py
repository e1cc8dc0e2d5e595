"""Calls of callbacks: what they have written, and whether their processes live."""

from __future__ import annotations

from pathlib import Path

from jobsched import process
from jobsched.clock import SystemClock
from jobsched.sweep.calling import end_call
from tests.support import wait_until

SECONDS = 10
CLOCK = SystemClock()


def end_all(folder: Path) -> None:
    """End whatever is left of all calls whose files are somewhere below a folder."""
    for path in folder.rglob("*.callback"):
        end_call(path, CLOCK)


def lines(path: Path) -> list[str]:
    """What a callback has written so far."""
    return path.read_text().splitlines() if path.exists() else []


def pids(path: Path, count: int) -> list[int]:
    """PIDs that a callback has written, once there are so many."""
    wait_until(lambda: len(lines(path)) >= count, SECONDS, "the PIDs of a callback")
    return [int(line) for line in lines(path)]


def all_gone(numbers: list[int]) -> bool:
    """Whether none of those processes lives."""
    return not any(process.identify(pid) for pid in numbers)
