"""Keeping logs short: the oldest part of one that has grown too long becomes a hole.

Owns how much goes and the line that says so. Nothing is renamed and no offset changes, so whoever
writes (a runner, with the file open for appending) and whoever reads need not know. Where no hole
can be punched the log goes on growing, and that is said; nothing else is tried.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from jobsched.clock import Clock
from jobsched.logfiles import holes

log = logging.getLogger(__name__)

#: Holes are whole blocks, of at least so many bytes.
_BLOCK: Final = 4096
#: A trim leaves this part of what is allowed, so that the next one is not due at once.
_KEEP: Final = 0.75
#: Bytes of one line that may have to go for the marker to end where a line ends.
_LINE: Final = 4096
#: Seconds between looks.
_EVERY: Final = 5.0

_FLAGS: Final = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_CANNOT: Final = frozenset({errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS})


def marker(dropped: int) -> bytes:
    """The line at the start of what is left; ``dropped``: bytes that were before it."""
    return b"[jobsched: %d bytes dropped here]\n" % dropped


def trim(path: Path, max_bytes: int) -> bool:
    """Drop the oldest part of a log that takes more than ``max_bytes`` of disk; whether it did.

    Raises ``OSError``: ``EOPNOTSUPP`` where the file system has no holes. A missing log is fine.
    """
    try:
        if _allocated(path.lstat()) <= max_bytes:
            return False
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        return False
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or not _alone(descriptor):
            return False
        return _drop(descriptor, found, max_bytes)
    finally:
        os.close(descriptor)


def is_too_long(path: str, max_bytes: int) -> bool:
    """Whether a log takes more than ``max_bytes`` of disk."""
    try:
        return _allocated(os.lstat(path)) > max_bytes
    except OSError:
        return False


class Trimmer:
    """Keeps some logs short, for whoever calls :meth:`look` now and then (each ``every`` seconds).

    ``cut`` trims one.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        max_bytes: int,
        clock: Clock,
        *,
        every: float = _EVERY,
        cut: Callable[[Path, int], bool] = trim,
    ) -> None:
        self._paths = list(paths)
        self._max_bytes, self._clock, self._every, self._cut = max_bytes, clock, every, cut
        self._due = clock.monotonic()
        #: Logs that could not be trimmed, until they can.
        self._failing: set[Path] = set()

    def look(self) -> None:
        """Trim what has grown too long, if a look is due. Raises no ``OSError``."""
        if self._clock.monotonic() >= self._due:
            self.look_now()

    def look_now(self) -> None:
        """Trim what has grown too long. Raises no ``OSError``."""
        self._due = self._clock.monotonic() + self._every
        for path in list(self._paths):
            try:
                self._cut(path, self._max_bytes)
            except OSError as error:
                self._failed(path, error)
            else:
                self._failing.discard(path)

    def _failed(self, path: Path, error: OSError) -> None:
        """Say it once."""
        if error.errno in _CANNOT:
            self._paths.remove(path)
            log.warning("%s cannot be kept short: its file system has no holes", path)
        elif path not in self._failing:
            self._failing.add(path)
            log.warning("%s cannot be kept short: %s", path, error.strerror)


def _drop(descriptor: int, found: os.stat_result, max_bytes: int) -> bool:
    block = max(_BLOCK, found.st_blksize)
    keep = max(int(max_bytes * _KEEP), 2 * block)
    cut = (found.st_size - keep) // block * block
    if cut <= holes.next_data(descriptor, 0):
        return False
    holes.punch(descriptor, cut)
    os.pwrite(descriptor, _first_line(os.pread(descriptor, _LINE, cut), cut), cut)
    return True


def _first_line(left: bytes, cut: int) -> bytes:
    """What to write over the beginning of ``left``, which is at ``cut``: a marker line.

    It takes the place of the rest of a line, if that ends soon; the number it names is the offset
    at which it ends.
    """
    shortest = len(marker(cut + _LINE))
    end = left.find(b"\n", shortest - 1) + 1 or shortest
    return marker(cut + end)[:-1].ljust(end - 1) + b"\n"


def _allocated(found: os.stat_result) -> int:
    return found.st_blocks * 512


def _alone(descriptor: int) -> bool:
    """Whether nobody else is trimming it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
