"""Reading the file at one path for ever: each byte that is ever written there, once.

Owns what may happen to a log while somebody reads it: it is not there yet, grows, is cut off, has
its beginning punched away, is moved, replaced or deleted. Bytes go on as they are. Waits for
nothing: whoever drains it says when.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from jobsched.errors import StoreError
from jobsched.logfiles import holes

#: Bytes that are read at a time.
_BLOCK: Final = 64 * 1024
#: Bytes before the place reached that are kept, to see whether they are still there.
_KEPT: Final = 32
#: Files that had the path before and may still be written to, at most.
_FORMER: Final = 4
#: Bytes that are searched for the beginning of the last lines, at most.
_SEARCHED: Final = 64 * 1024 * 1024

_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
#: There is nothing to read there, or (too many open files) not now.
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMFILE, errno.ENFILE})


class Cursor:
    """How far the file at a path has been read, and whatever was there before it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files: list[_File] = []

    def drain(self) -> Iterator[bytes]:
        """What has been written since the last time, in pieces of at most 64 KiB.

        Ends where the file ended when it was looked at, however fast it grows. Raises
        ``StoreError`` where the file cannot be read.
        """
        self._look()
        for file in list(self._files):
            yield from file.drain()

    def skip(self, lines: int) -> int:
        """Pass over all but the last ``lines`` lines that are there now; how many those are."""
        self._look()
        return self._files[-1].skip(lines) if self._files else 0

    def close(self) -> None:
        """Let go of the files."""
        while self._files:
            self._files.pop().close()

    def _look(self) -> None:
        """Open what is at the path now, unless we have it already.

        What was there before is read on: its writer has it open and knows nothing of the move.
        """
        try:
            there = self._path.lstat()
            if any(file.is_at(there) for file in self._files) or not stat.S_ISREG(there.st_mode):
                return
            self._files.append(_File(os.open(self._path, _FLAGS)))
        except OSError as error:
            if error.errno not in _ABSENT:
                raise StoreError(f"cannot read {self._path}: {error.strerror}") from error
        if len(self._files) > _FORMER:
            self._files.pop(0).close()


class _File:
    """One file that has the path, or had it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        found = os.fstat(descriptor)
        self._key = (found.st_dev, found.st_ino)
        self._offset = 0
        self._kept = b""
        #: Size and time of change when all of it had been read.
        self._read: tuple[int, int] | None = None

    def is_at(self, found: os.stat_result) -> bool:
        """Whether ``found`` is this file."""
        return (found.st_dev, found.st_ino) == self._key

    def drain(self) -> Iterator[bytes]:
        """What has been written since the last time."""
        found = os.fstat(self._descriptor)
        state = (found.st_size, found.st_mtime_ns)
        if state == self._read:
            return
        if found.st_size < self._offset or not self._is_as_read():
            self._offset, self._kept = 0, b""  # cut off, and perhaps written anew
        while self._offset < found.st_size:
            begin, data = holes.read_data(self._descriptor, self._offset, _BLOCK)
            if not data:
                break
            before = self._kept if begin == self._offset else b""
            self._offset, self._kept = begin + len(data), (before + data)[-_KEPT:]
            yield data
        self._read = state

    def skip(self, lines: int) -> int:
        """Go to where the last ``lines`` lines begin; how many there are."""
        self._offset, count = last_lines(self._descriptor, lines)
        return count

    def close(self) -> None:
        """Let go of it."""
        os.close(self._descriptor)

    def _is_as_read(self) -> bool:
        """Whether what was read last is still where it was; a trim may have taken it away."""
        kept = os.pread(self._descriptor, len(self._kept), self._offset - len(self._kept))
        return kept == self._kept or holes.next_data(self._descriptor, 0) > 0


def last_lines(descriptor: int, count: int, *, block: int = _BLOCK) -> tuple[int, int]:
    """Where the last ``count`` lines of a file begin, and how many there are from there on.

    Reads blocks from the end and keeps none of them. A last line without a newline is one, too; a
    carriage return ends none. Searches 64 MiB at most: what lies before is not looked at.
    """
    parts = holes.segments(descriptor)
    if not parts or count <= 0:
        return os.fstat(descriptor).st_size, 0
    last, found, searched, begin = parts[-1][1], 0, 0, parts[-1][1]
    for low, high in reversed(parts):
        begin = high
        while begin > low and searched < _SEARCHED:
            end, begin = begin, max(low, begin - block)
            searched += end - begin
            data = os.pread(descriptor, end - begin, begin)
            at = data.rfind(b"\n")
            while at >= 0:
                if begin + at + 1 < last:
                    found += 1
                    if found == count:
                        return begin + at + 1, found
                at = data.rfind(b"\n", 0, at)
    return begin, found + 1
