"""Locks that the kernel frees: the scheduler's, and the one that an attempt holds while it lives.

Owns ``flock`` on files in the home. ``hold`` is the only way to get a :class:`Held`, and whatever
may change scheduling state takes one as a parameter, so that forgetting the lock does not
type-check. Never unlinks a lock file somebody may hold, never breaks a lock, never judges whether a
*process* is the right one (that is ``process``).

Plain ``flock`` rather than a lock library: a waiter queues in the kernel instead of polling (worst
wait with 8 contenders 78 ms instead of 0.49 to 1.6 s), an open descriptor can be handed to another
process, and nothing but the standard library is imported by a controller. Programs that use a
library which locks the same file by ``flock`` exclude and are excluded all the same.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum, unique
from pathlib import Path
from typing import Final

from jobsched.clock import SystemClock
from jobsched.errors import LockTimeout, StoreError
from jobsched.process import holders

#: What may be better another time.
_PASSING = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC})
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


#: Seconds before each further try, before one queues.
_TRIES: Final = (0.0002, 0.0004)


class Held:
    """Proof that the scheduler lock is held. Worthless after the ``with`` block that made it."""

    __slots__ = ("_afterwards", "_fd", "path", "waited")

    def __init__(self, path: Path, fd: int, waited: float = 0.0) -> None:
        """``waited``: seconds that it took to get the lock."""
        self.path, self.waited = path, waited
        self._fd: int | None = fd
        self._afterwards: dict[Callable[[], object], None] = {}

    def require(self) -> None:
        """Raise ``StoreError`` when used after release: a bug, found before it can do harm."""
        if self._fd is None:
            raise StoreError(f"{self.path} was released before this change was made")

    def afterwards(self, action: Callable[[], object]) -> None:
        """Have ``action`` done, once, when the lock is free again and before its block is left."""
        self._afterwards[action] = None

    def settle(self) -> None:
        """Do what was to be done afterwards."""
        for action in self._afterwards:
            action()

    def release(self) -> None:
        """Let go; :func:`hold` does so at the end of its block."""
        if self._fd is not None:
            fd, self._fd = self._fd, None
            with suppress(OSError):
                fcntl.flock(fd, fcntl.LOCK_UN)
            os.close(fd)


@contextmanager
def hold(path: Path, *, timeout: float = 30.0) -> Iterator[Held]:
    """Hold the lock at ``path`` exclusively for the block.

    Raises ``LockTimeout``, naming who holds it, after ``timeout`` seconds; ``StoreError`` where the
    file cannot be used; and whatever is raised by what was to be done afterwards.
    """
    clock = SystemClock()
    began = clock.monotonic()
    descriptor = _acquire(path, timeout)
    held = Held(path, descriptor, clock.monotonic() - began)
    try:
        yield held
    finally:
        held.release()
    held.settle()


def try_lock(path: Path) -> int | None:
    """Lock ``path`` at once; its descriptor (close-on-exec), or ``None`` if it is held."""
    while True:
        fd = _open(path)
        if not _flock_now(fd):
            os.close(fd)
            return None
        if _is_current(path, fd):
            return fd
        os.close(fd)


def wait_for(path: Path) -> int:
    """Sleep until ``path`` can be locked, however long that takes; its descriptor."""
    while True:
        fd = _open(path)
        fcntl.flock(fd, fcntl.LOCK_EX)
        if _is_current(path, fd):
            return fd
        os.close(fd)


@unique
class Grip(StrEnum):
    """Whether somebody holds a lock."""

    HELD = "HELD"
    FREE = "FREE"
    UNKNOWN = "UNKNOWN"


def probe(path: Path) -> Grip:
    """Whether somebody holds the lock at ``path``; a missing file is FREE.

    Asks with a shared lock, so that two who ask at once do not take each other for a holder.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return Grip.FREE
    except OSError:
        return Grip.UNKNOWN
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return Grip.HELD
    except OSError:
        return Grip.UNKNOWN
    finally:
        os.close(fd)
    return Grip.FREE


def _acquire(path: Path, timeout: float) -> int:
    while True:
        fd = _open(path)
        if not _flock_now(fd) and not _flock_within(fd, timeout):
            raise LockTimeout(path, timeout, [f"PID {pid}" for pid in holders(path)])
        if _is_current(path, fd):
            return fd
        os.close(fd)  # the file was replaced while we waited: a lock on the old one excludes nobody


def _open(path: Path) -> int:
    try:
        fd = os.open(path, _FLAGS, 0o600)
    except OSError as error:
        passes = error.errno in _PASSING
        raise StoreError(f"cannot open the lock {path}: {error.strerror}", passes=passes) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise StoreError(f"the lock {path} is not a regular file; remove it and try again")
    return fd


def _flock_now(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        os.close(fd)
        if error.errno in (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP):
            raise StoreError(
                "this file system cannot lock files; put the home on a local one (--home DIR)"
            ) from error
        raise
    return True


def _flock_within(fd: int, timeout: float) -> bool:
    """Wait for the lock, at most so long; its descriptor is closed if in vain.

    Most hold it for less than a millisecond, so at first it is only tried again; then one queues in
    the kernel, in turn with all others: that takes a thread.
    """
    clock = SystemClock()
    for pause in _TRIES:
        clock.sleep(min(pause, timeout))
        if _flock_now(fd):
            return True
    waiter = _Waiter(fd)
    threading.Thread(target=waiter.run, name="lock-wait", daemon=True).start()
    return waiter.wait(timeout)


class _Waiter:
    """A blocking ``flock`` cannot be given up, so a thread waits in it."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._guard = threading.Lock()
        self._got = threading.Event()
        self._abandoned = False

    def run(self) -> None:
        with suppress(OSError):
            fcntl.flock(self._fd, fcntl.LOCK_EX)
        with self._guard:
            if self._abandoned:
                os.close(self._fd)
            self._got.set()

    def wait(self, timeout: float) -> bool:
        if self._got.wait(timeout):
            return True
        with self._guard:
            self._abandoned = not self._got.is_set()
        return not self._abandoned


def _is_current(path: Path, fd: int) -> bool:
    try:
        there, here = path.lstat(), os.fstat(fd)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)
