"""How far the write-ahead log has got: what a checkpoint is decided by.

Owns the reading of the log's file, by the documented format. Only of that: a process that opened
and closed the database or its index beside SQLite would lose the locks that SQLite has on them.
The answer is a hint, taken without a lock; nothing but the moment of a checkpoint follows from it.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Final

#: Frames (changed pages) after which the log is folded into the database: 8 MiB, some 170 jobs
#: submitted. Rarely enough to be nothing on the whole, and often enough to be done in milliseconds.
LONG: Final = 2048

_HEADER: Final = struct.Struct(">8xI4x8s")
_HEADER_BYTES: Final = 32
_FRAME: Final = struct.Struct(">8x8s")
_FRAME_BYTES: Final = 24
_PAGE_BYTES: Final = 4096


def size(path: Path) -> int:
    """Bytes of the file; 0 where there is none."""
    try:
        return os.stat(path).st_size  # noqa: PTH116 -- asked for with every pass
    except OSError:
        return 0


def is_long(path: Path) -> bool:
    """Whether the log has :data:`LONG` frames since it was last begun anew.

    The file keeps its length when it is begun anew. So the frame at that place is looked at: it
    carries the salt of the header if it was written since.
    """
    if size(path) < LONG * (_FRAME_BYTES + _PAGE_BYTES):
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        page, salt = _HEADER.unpack(os.pread(descriptor, _HEADER.size, 0))
        place = _HEADER_BYTES + (LONG - 1) * (_FRAME_BYTES + int(page))
        (found,) = _FRAME.unpack(os.pread(descriptor, _FRAME.size, place))
    except (OSError, struct.error):  # it is being cut
        return False
    finally:
        os.close(descriptor)
    return bool(found == salt)
