"""What a stretch of time has cost, whoever of ours has spent it.

Owns the sums. This process is made the one to which detached processes are left (a subreaper), so
that whatever a scheduler leaves behind is still counted: while it lives from /proc, and by the
kernel once it was collected here. What this process itself uses is taken off.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import time
from contextlib import suppress
from typing import Final, Self

from tests.bench import procfs

_PR_SET_CHILD_SUBREAPER: Final = 36
#: Cores kept busy by others, above which a rate or a wall time is not to be trusted.
MUCH: Final = 0.25


def adopt_orphans() -> None:
    """Be the parent of every process below us whose own has ended. Raises ``OSError``."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def collect() -> None:
    """Let go of all children that have ended: from now on the kernel counts them as ours."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def end_all(seconds: float = 30.0) -> None:
    """Kill whatever lives below this process. Raises ``TimeoutError`` if some of it would not go.

    Again and again: what is killed may have been starting others, or noticing their deaths.
    """
    deadline = time.monotonic() + seconds
    while left := procfs.living():
        for one in left:
            with suppress(ProcessLookupError):
                os.kill(one.pid, signal.SIGKILL)
        collect()
        if time.monotonic() > deadline:
            raise TimeoutError(f"{len(left)} processes would not end, {left[0].name} for one")
        time.sleep(0.01)
    collect()


class Meter:
    """A context; afterwards it knows."""

    def __init__(self) -> None:
        #: Seconds that it took, seconds of CPU time of all that we have started, and how many
        #: cores were kept busy by anybody else.
        self.wall, self.cpu, self.foreign = 0.0, 0.0, 0.0

    def __enter__(self) -> Self:
        self._busy, self._mine = procfs.busy_seconds(), time.process_time()
        self._began, self._started = time.monotonic(), started_seconds()
        return self

    def __exit__(self, *_: object) -> None:
        self.cpu = started_seconds() - self._started
        self.wall = time.monotonic() - self._began
        mine = time.process_time() - self._mine
        busy = procfs.busy_seconds() - self._busy
        self.foreign = max(0.0, busy - self.cpu - mine) / max(self.wall, 1e-9)


def started_seconds() -> float:
    """CPU time so far of everything that this process has started, gone or living."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    gone = used.ru_utime + used.ru_stime
    return gone + sum(procfs.cpu_seconds(one) for one in procfs.descendants())
