"""The last line of a log, cheaply: for a column that shows it for many jobs.

Owns how little is read: the last few KiB, once for each change of the file.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final, NamedTuple

from jobsched_tui.data.logs.lines import clean_bytes

_READ: Final = 8192
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class TailLine(NamedTuple):
    """The last line of a log that is not blank, and when the log was written to."""

    text: str
    at: float


def tail_line(path: Path) -> TailLine | None:
    """The last line of a log; ``None`` where there is no log, or it cannot be read.

    The text is empty where nothing but blanks was printed.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return None
        data = os.pread(descriptor, _READ, max(0, found.st_size - _READ))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    for line in reversed(data.lstrip(b"\0").split(b"\n")):
        if text := clean_bytes(line).text.strip():
            return TailLine(text, found.st_mtime)
    return TailLine("", found.st_mtime)
