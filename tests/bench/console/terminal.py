"""The console in a terminal of its own, and what it costs there.

Owns the pseudo terminal: what is written to it, when, and the CPU time of the program behind it.
"""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

import psutil

_COLUMNS: Final = 120
_ROWS: Final = 36
_CHUNK: Final = 65_536
#: So long nothing is written: it has been drawn.
_QUIET: Final = 0.08


class Terminal:
    """``command`` in a terminal; use it as a context."""

    def __init__(self, command: Sequence[str]) -> None:
        self._master, slave = pty.openpty()
        size = struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        self.written, self.last_at = 0, 0.0
        self._text = bytearray()
        self._changed = threading.Condition()
        self.started_at = time.monotonic()
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment.pop("NO_COLOR", None)
        self._program = subprocess.Popen(
            [sys.executable, *command], stdin=slave, stdout=slave, stderr=slave, env=environment,
            start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.process = psutil.Process(self._program.pid)
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.press("\x11")
        try:
            self._program.wait(5)
        except subprocess.TimeoutExpired:
            self._program.kill()
            self._program.wait()
        os.close(self._master)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, _CHUNK)
            except OSError:  # the program has ended
                return
            with self._changed:
                self.written += len(data)
                self.last_at = time.monotonic()
                self._text += data
                self._changed.notify_all()

    def press(self, keys: str) -> None:
        """Send keys."""
        os.write(self._master, keys.encode())

    def forget(self) -> None:
        """What was written counts no more for :meth:`wait_for`."""
        with self._changed:
            self._text.clear()

    def wait_for(self, *words: str, seconds: float = 20.0) -> float:
        """When one of these was written, on the monotonic clock; raises ``TimeoutError``."""
        deadline = time.monotonic() + seconds
        wanted = [word.encode() for word in words]
        with self._changed:
            while not any(word in self._text for word in wanted):
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"{words} was not drawn: {bytes(self._text[-2000:])!r}")
                self._changed.wait(left)
            return self.last_at

    def wait_until_quiet(self, quiet: float = _QUIET, seconds: float = 5.0) -> None:
        """Until nothing has been written for a moment."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < min(deadline, max(self.last_at + quiet, 0.0)):
            time.sleep(0.005)

    @property
    def cpu(self) -> float:
        """Seconds of CPU time of all its threads, to the nanosecond."""
        total = 0
        for schedstat in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            try:
                total += int(schedstat.read_text().split()[0])
            except (OSError, ValueError):  # a thread that has just ended
                continue
        return total / 1e9

    @property
    def rss(self) -> int:
        """Bytes of memory, those of the log that are mapped included."""
        return int(self.process.memory_info().rss)
