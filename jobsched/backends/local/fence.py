"""The fence of a cluster: which attempt may act, and whether anything may still be started.

Owns one small file. It only ever tightens: the number never falls, "stopped" is never taken back,
and it outlives the cluster: an older attempt that was stopped in the middle may come to its launch
at any time until the job is DONE. A runner holds the workload lock, then compares its attempt with
the file, then runs; who fences writes the file, then looks at the lock. So either the runner sees
the fence or the other sees the runner.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from jobsched import lock
from jobsched.backends.local.folder import Folder, sync_directory, write
from jobsched.clock import Clock
from jobsched.errors import BackendError, Fenced

#: Seconds to wait for another process that is about to write the file, which takes it microseconds.
_PATIENCE: Final = 10.0
_STOPPED: Final = " stopped"
#: Bytes that it has at most, and digits of its number.
_LENGTH, _DIGITS = 64, 18


class Fence(NamedTuple):
    """What the file says."""

    #: The attempt that may act; 0 where nobody has written a number.
    attempt: int = 0
    #: Whether nothing may be started any more, by whomever.
    stopped: bool = False

    @property
    def text(self) -> str:
        """The line in the file; a runner compares it with its attempt's number as a whole."""
        return f"{self.attempt}{_STOPPED if self.stopped else ''}\n"


def read(folder: Folder) -> Fence:
    """What the file says now; one that says nothing of ours lets nobody but the next writer act."""
    try:
        with folder.fence.open("rb") as file:
            # Of a line to which " stopped" is just being added, the blank may be seen alone.
            text = file.read(_LENGTH).decode("ascii", "replace").rstrip()
    except (FileNotFoundError, NotADirectoryError):
        return Fence()
    number = text.removesuffix(_STOPPED)
    is_one = number.isdecimal() and len(number) <= _DIGITS
    return Fence(int(number) if is_one else 0, text.endswith(_STOPPED))


def raise_to(folder: Folder, attempt: int, clock: Clock, *, sync: bool) -> Fence:
    """Let ``attempt``, and none before it, act. Raises ``Fenced`` if a later one came first.

    ``sync``: the number survives a loss of power. (No process does, so nothing hangs on it.)
    """
    with _alone(folder, clock):
        found = read(folder)
        if found.attempt > attempt:
            raise Fenced(folder.name, attempt, found.attempt)
        if found.attempt < attempt:
            found = found._replace(attempt=attempt)
            _put(folder, found, sync=sync)
    return found


def close(folder: Folder, clock: Clock) -> None:
    """Let nothing be started in this cluster any more, where anything ever could."""
    if read(folder).stopped or not (folder.fence.exists() or folder.kept.exists()):
        return
    with _alone(folder, clock):
        found = read(folder)
        if found.stopped:
            return
        closed = found._replace(stopped=True)
        if os.path.getsize(folder.fence) == len(found.text):  # noqa: PTH202 -- of each removal
            # In place: a shell that reads meanwhile reads the number, with a blank that it drops,
            # like one that read before. It has the workload lock by then, and whoever closes the
            # fence looks at that next.
            _write_over(folder, closed, sync=False)
        else:
            _put(folder, closed, sync=False)


def _put(folder: Folder, found: Fence, *, sync: bool) -> None:
    """Write the file anew; one that is empty yet, in place.

    A shell reads byte by byte: of a number that is written over it could read half, and of the new
    one the other half. Where there was none, its end moves at once.
    """
    if os.path.getsize(folder.fence):  # noqa: PTH202 -- of each launch
        _replace(folder, found, sync=sync)
        return
    _write_over(folder, found, sync=sync)
    if sync:
        sync_directory(folder.fence.parent)


def _replace(folder: Folder, found: Fence, *, sync: bool) -> None:
    """On a full disk it is written over what is there, which only ever grows by a word.

    So what fills the disk can be adopted and stopped. Half a line would match no attempt's number.
    """
    try:
        write(folder.fence, found.text, sync=sync)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        _write_over(folder, found, sync=sync)


def _write_over(folder: Folder, found: Fence, *, sync: bool) -> None:
    descriptor = os.open(folder.fence, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.pwrite(descriptor, found.text.encode("ascii"), 0)
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _alone(folder: Folder, clock: Clock) -> Iterator[None]:
    """Keep all others from changing the file; it is made where there is none."""
    folder.make_fence_place()
    deadline = clock.monotonic() + _PATIENCE
    while (descriptor := lock.try_lock(folder.fence)) is None:
        if clock.monotonic() > deadline:
            raise BackendError(
                f"another process has been changing cluster {folder.name} for"
                f" {_PATIENCE:g} s and does not go on; see who has {folder.fence} open"
            )
        clock.sleep(0.001)
    try:
        yield
    finally:
        os.close(descriptor)
