"""Wake-up messages between processes: a FIFO for each controller, and one wait for everything.

Owns how a process is told to look at the database again. A message carries no content and may be
lost or doubled: the database is the truth, and whoever waits also looks at it now and then.
"""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


class Inbox:
    """The reading end of a FIFO; readable when somebody has called :func:`notify`."""

    def __init__(self, path: Path) -> None:
        with suppress(FileExistsError):
            os.mkfifo(path, 0o600)
        # Open for writing too: so it never reads end-of-file when the last notifier closes.
        self._fd = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._fd

    def drain(self) -> bool:
        """Forget all messages so far; whether there were any."""
        found = False
        with suppress(BlockingIOError):
            while os.read(self._fd, 4096):
                found = True
        return found

    def close(self) -> None:
        """Stop listening. Later messages are lost, which is harmless."""
        os.close(self._fd)


def notify(path: Path) -> bool:
    """Wake whoever listens at ``path``; whether somebody did. Never blocks."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.ENOENT, errno.ELOOP, errno.EACCES):
            return False
        raise
    try:
        with suppress(BlockingIOError):  # full: it has more than enough messages already
            os.write(fd, b"!")
    finally:
        os.close(fd)
    return True


def wait(descriptors: Iterable[int], timeout: float | None) -> list[int]:
    """Wait until one is readable, at most ``timeout`` seconds (``None``: for ever); which are."""
    poller = select.poll()
    for descriptor in descriptors:
        poller.register(descriptor, select.POLLIN)
    milliseconds = None if timeout is None else max(0, int(timeout * 1000 + 0.999))
    return [descriptor for descriptor, _ in poller.poll(milliseconds)]
