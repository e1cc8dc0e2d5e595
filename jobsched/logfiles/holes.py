"""Holes in files: where they are, and how one is made.

Owns the calls that only some systems have. A file that was trimmed begins with a hole, and reading
passes holes over. Where the system cannot tell, a file has none; where it cannot punch, that is
said and nothing is changed.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import cache
from typing import Final

_SEEK_DATA: Final[int | None] = getattr(os, "SEEK_DATA", None)
_SEEK_HOLE: Final[int | None] = getattr(os, "SEEK_HOLE", None)
#: FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE of Linux.
_KEEP_SIZE, _PUNCH_HOLE = 1, 2


def next_data(descriptor: int, offset: int) -> int:
    """Where the first byte at or after ``offset`` is that is in no hole; the end if there is none.

    Moves the descriptor's position.
    """
    return max(offset, _seek(descriptor, offset, _SEEK_DATA, offset))


def data_end(descriptor: int, offset: int) -> int:
    """Where the data that begins at ``offset`` ends: at the next hole, or at the end of the file.

    Moves the descriptor's position.
    """
    return _seek(descriptor, offset, _SEEK_HOLE, os.fstat(descriptor).st_size)


def segments(descriptor: int) -> list[tuple[int, int]]:
    """All of the file that is in no hole, as (begin, end), in order."""
    size = os.fstat(descriptor).st_size
    found = []
    begin = next_data(descriptor, 0)
    while begin < size:
        end = min(size, data_end(descriptor, begin))
        if end <= begin:
            break  # it shrinks while we look
        found.append((begin, end))
        begin = next_data(descriptor, end)
    return found


def read_data(descriptor: int, offset: int, most: int) -> tuple[int, bytes]:
    """The next bytes that are in no hole, at most ``most``, and where they begin."""
    while True:
        begin = next_data(descriptor, offset)
        size = min(most, data_end(descriptor, begin) - begin)
        data = os.pread(descriptor, max(0, size), begin)
        # If the hole grew between the two looks, what was read is not what was written.
        if not data or next_data(descriptor, begin) == begin:
            return begin, data


def punch(descriptor: int, length: int) -> None:
    """Turn the first ``length`` bytes into a hole; size and offsets stay.

    Raises ``OSError``: ``EOPNOTSUPP`` where system or file system cannot do it.
    """
    _fallocate()(descriptor, length)


def _seek(descriptor: int, offset: int, whence: int | None, unknown: int) -> int:
    if whence is None:
        return unknown
    try:
        return os.lseek(descriptor, offset, whence)
    except OSError as error:
        if error.errno == errno.ENXIO:  # nothing but a hole, or nothing at all, from there on
            return os.fstat(descriptor).st_size
        if error.errno in (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP):
            return unknown
        raise


@cache
def _fallocate() -> Callable[[int, int], None]:
    """The system call, loaded when first needed: most logs never grow that long."""
    import ctypes  # noqa: PLC0415 -- see above

    library = ctypes.CDLL(None, use_errno=True)
    call = getattr(library, "fallocate64", None) or getattr(library, "fallocate", None)
    if call is not None:
        call.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]

    def punch_first(descriptor: int, length: int) -> None:
        if call is None:
            raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
        if call(descriptor, _PUNCH_HOLE | _KEEP_SIZE, 0, length) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    return punch_first
