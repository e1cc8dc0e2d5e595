"""The write-ahead log as a file: how far it has got, how long it is, and that it is on disk.

Owns what is done to that file beside SQLite: it is read, by the documented format, lengthened by
what SQLite takes for no frames, and synced. Only that file: a process that opened and closed the
database or its index beside SQLite would lose the locks that SQLite has on them. How far the log
has got is a hint, taken without a lock; nothing but the moment of a checkpoint follows from it.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import Final

#: Frames (changed pages) after which the log is folded into the database: 8 MiB, some 170 jobs
#: submitted. Rarely enough to be nothing on the whole, and often enough to be done in milliseconds.
LONG: Final = 2048

#: Frames before the end of the file from which on it is lengthened: more than a small transaction.
_NEAR: Final = 32
_LEAST_BYTES: Final = 128 * 1024

_HEADER: Final = struct.Struct(">8xI4x8s")
_HEADER_BYTES: Final = 32
_FRAME: Final = struct.Struct(">8x8s")
_FRAME_BYTES: Final = 24
_PAGE_BYTES: Final = 4096
_LONG_BYTES: Final = _HEADER_BYTES + LONG * (_FRAME_BYTES + _PAGE_BYTES)


def size(path: Path) -> int:
    """Bytes of the file; 0 where there is none."""
    try:
        return os.stat(path).st_size  # noqa: PTH116 -- asked for with every pass
    except OSError:
        return 0


def long_round(path: Path) -> bytes | None:
    """The salt of a log that has :data:`LONG` frames since it was last begun anew.

    ``None``: it has not.
    """
    return None if size(path) < _LONG_BYTES else _round_at(path, LONG)


def reserve(path: Path) -> None:
    """Lengthen the file where the log is about to; only inside a write transaction.

    A synced commit that lengthens its file costs twice as much as one that does not. The file is
    doubled, up to the length at which it is folded, so that few do. Zeros are no frame: they have
    no salt. Where there is no room for them nothing is lost.
    """
    length = size(path)
    if not 0 < length < _LONG_BYTES:
        return
    frames = (length - _HEADER_BYTES) // (_FRAME_BYTES + _PAGE_BYTES)
    if _round_at(path, max(1, frames - _NEAR)) is None:
        return
    with suppress(OSError):
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            os.write(descriptor, bytes(max(_LEAST_BYTES, min(length, _LONG_BYTES - length))))
        finally:
            os.close(descriptor)


def _round_at(path: Path, number: int) -> bytes | None:
    """The log's salt if the frame of that number, from 1, was written since it was begun anew.

    The file keeps its length when it is begun anew, with another salt; each frame has that of its
    round.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        page, salt = _HEADER.unpack(os.pread(descriptor, _HEADER.size, 0))
        place = _HEADER_BYTES + (number - 1) * (_FRAME_BYTES + int(page))
        (found,) = _FRAME.unpack(os.pread(descriptor, _FRAME.size, place))
    except (OSError, struct.error):  # it is being cut
        return None
    finally:
        os.close(descriptor)
    return bytes(salt) if found == salt else None


class Log:
    """The file, open to be synced; closed when nobody has it any more.

    It stays the same for as long as a connection is open: the last one to close removes it.
    """

    __slots__ = ("_descriptor",)

    def __init__(self, path: Path) -> None:
        """Raises ``OSError``."""
        self._descriptor = -1
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def sync(self) -> None:
        """Wait until all that was written to the log is on disk. Raises ``OSError``."""
        getattr(os, "fdatasync", os.fsync)(self._descriptor)  # macOS has but the latter

    def __del__(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
