"""Getting a file's text, and none of the things that are no file: FIFOs, devices, endless streams.

Owns the limits on size and characters. Knows nothing of YAML but which characters it allows.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from jobsched.dag.report import TOP, Place, Report
from jobsched.errors import InvalidDag, Problem

MAX_BYTES: Final = 256 * 1024

_TOO_BIG: Final = "the file is larger than 256 KiB"
_TOO_BIG_HINT: Final = "keep data and long programs in files of their own and name them in run"
_KINDS: Final = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
#: Everything that YAML 1.1 does not allow outside of escapes, lone surrogates among it.
_FORBIDDEN: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)


def read_text(path: Path) -> str:
    """The text of a regular file of at most 256 KiB in UTF-8. Never waits for anybody.

    Raises ``InvalidDag``. Asks before it opens, since opening a FIFO already disturbs its writer;
    and again after, since the path may have come to mean something else.
    """
    try:
        _require_regular(path, os.stat(path))  # noqa: PTH116 - the same call as for the descriptor
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor is no path
            status = os.fstat(descriptor)
            _require_regular(path, status)
            content = file.read(status.st_size + 1)
            if len(content) > status.st_size:  # it has grown since
                content += file.read(MAX_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise _refusal(path, f"cannot be read: {reason}") from error
    if len(content) > MAX_BYTES:
        raise _refusal(path, _TOO_BIG, _TOO_BIG_HINT)
    return _decode(path, content)


def check_text(text: str, report: Report) -> None:
    """Report a text that is too large, or the first character that YAML does not allow."""
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        report.error(TOP, _TOO_BIG, _TOO_BIG_HINT)
    elif bad := _FORBIDDEN.search(text):
        code = f"U+{ord(bad[0]):04X}"
        report.error(
            Place.of_offset(text, bad.start()),
            f"the character {code} is not allowed here, the file may not be text at all",
            'in double quotes it can be written as an escape, like "\\x1b"',
        )


def _require_regular(path: Path, status: os.stat_result) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        what = _KINDS.get(kind, "something else")
        raise _refusal(
            path, f"expected a regular file, found {what}", "save the YAML to a file first"
        )
    if status.st_size > MAX_BYTES:
        raise _refusal(path, _TOO_BIG, _TOO_BIG_HINT)


def _decode(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        good = content[: error.start].decode("utf-8")
        place = Place.of_offset(good, len(good))
        found = (
            f"the byte 0x{content[error.start]:02x} is not UTF-8, the file may not be text at all"
        )
        wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        hint = "it looks like UTF-16: save it as UTF-8" if wide else "save the file as UTF-8 text"
        problem = Problem(str(path), place.line, place.column, found, hint)
        raise InvalidDag([problem]) from error


def _refusal(path: Path, message: str, hint: str = "") -> InvalidDag:
    return InvalidDag([Problem(str(path), TOP.line, TOP.column, message, hint)])
