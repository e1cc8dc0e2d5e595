"""The file at one path: its bytes by offset, and what happens to it while somebody looks.

Owns the descriptor, and how a file that was cut off, moved, replaced or trimmed is told from one
that merely grew. Reads by ``pread`` alone: a mapping of a file that is cut off kills the process.
Knows nothing of lines.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from typing import Final

_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
#: Bytes at the beginning by which a file is known again.
_HEAD: Final = 64
#: Zero bytes after a hole that are still taken for part of it: its end lies on a block's border.
_PADDING: Final = 64 * 1024
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR})
_SEEK_DATA: Final[int | None] = getattr(os, "SEEK_DATA", None)


@unique
class Event(StrEnum):
    """What a look at the file found that the look before did not."""

    #: It is open for the first time.
    OPENED = "opened"
    #: There are more bytes, or others at its end.
    GROWN = "grown"
    #: It is the same file, cut off or written anew.
    TRUNCATED = "truncated"
    #: Another file has the path.
    ROTATED = "rotated"
    #: There is a file again after it had been deleted.
    RECREATED = "recreated"
    #: Its oldest part became a hole.
    TRIMMED = "trimmed"
    #: Nothing has the path any more; what was open can still be read.
    DELETED = "deleted"
    #: Nothing has had the path yet.
    ABSENT = "absent"
    #: We may not read it.
    DENIED = "denied"
    #: A directory, a link, a pipe...
    IRREGULAR = "irregular"
    #: It cannot be read: see :attr:`LogFile.cause`.
    FAILED = "failed"


#: After these nothing that was known of the content holds.
FRESH: Final = frozenset({Event.OPENED, Event.TRUNCATED, Event.ROTATED, Event.RECREATED})
#: In these states there is something at the path that can be read.
_READABLE: Final = FRESH | {Event.GROWN, Event.TRIMMED}


@dataclass(frozen=True, slots=True)
class _Seen:
    """By what a change is noticed."""

    key: tuple[int, int]
    size: int
    changed: int

    @classmethod
    def of(cls, found: os.stat_result) -> _Seen:
        return cls((found.st_dev, found.st_ino), found.st_size, found.st_mtime_ns)


class LogFile:
    """A log by its path. It need not exist; one thread at a time may use it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        #: Bytes there were at the last look, those of holes included.
        self.size = 0
        #: Where the oldest byte is that was not dropped.
        self.begin = 0
        #: When it was last written to, in Unix seconds.
        self.mtime: float | None = None
        #: How it stands: the last event that was more than growth.
        self.standing: Event | None = None
        #: For ``FAILED``: the system's own words.
        self.cause = ""
        self._descriptor: int | None = None
        self._seen: _Seen | None = None
        self._head = b""

    def poll(self) -> Event | None:
        """Look at the path; what is new, or ``None``. Raises nothing."""
        try:
            event = self._look()
        except OSError as error:
            event = self._refused(error)
        if event is self.standing and event not in _READABLE:
            return None
        if event not in (None, Event.GROWN):
            self.standing = event
        return event

    def read(self, offset: int, length: int) -> bytes:
        """Bytes from ``offset`` on: fewer, or none, where the file has ended by now."""
        return b"" if self._descriptor is None else os.pread(self._descriptor, length, offset)

    def next_data(self, offset: int) -> int:
        """Where the first byte at or after ``offset`` is that is in no hole, at most the end."""
        if self._descriptor is None or _SEEK_DATA is None or offset >= self.size:
            return min(offset, self.size)
        try:
            return min(self.size, os.lseek(self._descriptor, offset, _SEEK_DATA))
        except OSError as error:
            return self.size if error.errno == errno.ENXIO else offset

    def ends_at(self, offset: int) -> None:
        """There was nothing to read from there on, whatever was said of its size."""
        self.size = min(self.size, offset)

    @property
    def readable(self) -> bool:
        """Whether there are bytes to be had, be it of a file that was deleted."""
        return self._descriptor is not None

    def close(self) -> None:
        """Let go of the file; a later :meth:`poll` opens it anew."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._seen = None, None

    def _look(self) -> Event | None:
        found = self.path.lstat()
        if not stat.S_ISREG(found.st_mode):
            self.close()
            return Event.IRREGULAR
        seen = _Seen.of(found)
        if self._seen is None or seen.key != self._seen.key:
            return self._open()
        if self.standing is Event.DELETED:
            self._take(seen)
            return Event.RECREATED
        return None if seen == self._seen else self._changed(seen)

    def _open(self) -> Event:
        """Take what is at the path now in the place of what was there."""
        descriptor = os.open(self.path, _FLAGS)
        before, former = self._descriptor, self.standing
        if before is not None:
            os.close(before)
        self._descriptor = descriptor
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            self.close()
            return Event.IRREGULAR
        self._take(_Seen.of(found))
        if former is Event.DELETED:
            return Event.RECREATED
        return Event.OPENED if before is None else Event.ROTATED

    def _changed(self, seen: _Seen) -> Event:
        """The same file with another size, or written to."""
        shrunk = seen.size < self.size
        self.size = seen.size
        begin, rewritten = self._find_begin(), False
        if not shrunk and begin == self.begin == 0:
            rewritten = self.read(0, len(self._head)) != self._head
        trimmed = begin > self.begin and not shrunk
        rewritten = rewritten or begin < self.begin
        self._take(seen, begin)
        if shrunk or rewritten:
            return Event.TRUNCATED
        return Event.TRIMMED if trimmed else Event.GROWN

    def _look_at_deleted(self) -> Event:
        """Its writer may have it open, too, and write on."""
        seen = _Seen.of(os.fstat(self._descriptor if self._descriptor is not None else -1))
        grown = seen != self._seen
        if grown:
            self._take(seen)
        return Event.GROWN if grown and self.standing is Event.DELETED else Event.DELETED

    def _take(self, seen: _Seen, begin: int | None = None) -> None:
        self._seen, self.size, self.mtime = seen, seen.size, seen.changed / 1e9
        self.begin = self._find_begin() if begin is None else begin
        self._head = self.read(0, _HEAD) if self.begin == 0 else b""

    def _find_begin(self) -> int:
        """Past the hole at the beginning, and past the zeros up to where text begins."""
        begin = self.next_data(0)
        if begin == 0 and self.read(0, 1) != b"\0":
            return 0
        data = self.read(begin, _PADDING)
        return begin + len(data) - len(data.lstrip(b"\0"))

    def _refused(self, error: OSError) -> Event:
        if error.errno in _ABSENT:
            return Event.ABSENT if self._descriptor is None else self._look_at_deleted()
        self.close()
        if error.errno == errno.ELOOP:
            return Event.IRREGULAR
        if error.errno in (errno.EACCES, errno.EPERM):
            return Event.DENIED
        self.cause = error.strerror or str(error)
        return Event.FAILED
