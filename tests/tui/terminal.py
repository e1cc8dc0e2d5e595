"""The console in a terminal of its own: a pseudo-terminal whose every byte is kept."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.support import measured

_DEADLINE: Final = 30.0
#: Seconds in which a key is answered: there are some that draw nothing.
_ANSWER: Final = 0.5
#: What a program that draws may send: colours, places, modes, questions about the terminal.
_SEQUENCES: Final = re.compile(
    r"\x1b\[[0-9;:]*m"  # colours
    r"|\x1b\[[0-9;]*[HJKABCDG]"  # places, and wiping
    r"|\x1b\[\?[0-9;]+[hl]"  # modes
    r"|\x1b\[\?[0-9]+\$p|\x1b\[[0-9;?>=<]*[nuctqsr]"  # questions, and the keyboard
    r"|\x1b\[>[0-9;]*m"
    r"|\x1b_G[^\x1b]*\x1b\\"  # whether it knows pictures
    r"|\x1b[78=>]"
    r"|\x1b\]22;[a-z-]*\x07"  # the shape of the pointer
    r"|\x1b\]9;jobsched: [^\x00-\x1f\x7f-\x9f]*\x07"  # the console's notifications
    r"|\x07(?!bell)"  # the console's own; the attackers' is followed by that word
)


class Terminal:
    """One run of the console."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self.process, self._master = process, master
        self.seen = b""

    def press(self, keys: str, quiet: float = 0.05) -> None:
        """Type, and read until it is answered and nothing has come for ``quiet`` seconds."""
        os.write(self._master, keys.encode())
        self._more(_ANSWER)
        self.read(quiet)

    def read(self, quiet: float) -> None:
        """Read until nothing has come for so many seconds, at most two."""
        end = time.monotonic() + 2.0
        while time.monotonic() < end and self._more(quiet):
            pass

    def wait_for(self, text: str, since: int = 0) -> None:
        """Read until a text has come, after the first ``since`` bytes."""
        deadline = time.monotonic() + _DEADLINE
        while text not in (shown := _drawn(self.seen[since:])):
            assert time.monotonic() < deadline, f"waited in vain for {text!r} in {shown!r}"
            assert self._more(0.5) or self.process.poll() is None, self.text
        if text:
            self.read(0.02)

    def insist(self, keys: str, text: str, since: int) -> None:
        """Type it again while a text does not come: two keys at once may be taken for one."""
        for _ in range(8):
            end = time.monotonic() + _ANSWER
            while time.monotonic() < end:
                if text in _drawn(self.seen[since:]):
                    return
                self._more(0.05)
            self.press(keys)

    def ended(self) -> int:
        """Read until it has ended; its exit code."""
        deadline = time.monotonic() + _DEADLINE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it does not end: {self.text[-2000:]!r}"
            self._more(0.2)
        self.read(0.1)
        return self.process.returncode

    def _more(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # what Linux says once the other side is closed
            return False
        self.seen += data
        return bool(data)

    @property
    def text(self) -> str:
        """All that was drawn, without the sequences that a program may send."""
        return _drawn(self.seen)

    def resize(self, columns: int, rows: int) -> None:
        """Another size."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process.send_signal(28)  # SIGWINCH


def _drawn(seen: bytes) -> str:
    return _SEQUENCES.sub("", seen.decode("utf-8", "surrogateescape"))


@contextmanager
def opened(
    home: Path,
    *words: str,
    size: tuple[int, int] = (160, 60),
    cwd: Path | None = None,
    program: str = "from jobsched_tui.cli import main; import sys; sys.exit(main())",
    **more: str,
) -> Iterator[Terminal]:
    """The console on a home, ended when the block is left."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(home.parent), "TERM": "xterm-256color",
        "LANG": "C.UTF-8", "ESCDELAY": "20", **more,
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", program, "--home", str(home), *words],
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        env=measured(environment), cwd=cwd or home.parent,
    )  # fmt: skip
    os.close(slave)
    terminal = Terminal(process, master)
    try:
        yield terminal
    finally:
        process.kill()
        process.wait()
        os.close(master)
