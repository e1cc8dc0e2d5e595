"""Standard input, output and error of this process: what they are, and everything said on them.

Owns the three streams. All text from outside passes through ``jobsched.text.safe`` here or before.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Protocol, TextIO

from jobsched.text import safe

_RED: Final = "31"
_YELLOW: Final = "33"
_DIM: Final = "2"


class Progress(Protocol):
    """What is being waited for, shown while it is."""

    def say(self, text: str) -> None:
        """Show this from now on."""
        ...


class Terminal:
    """The streams of a command. Makes them fit for any text, and for being closed."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.out = _usable(sys.stdout)
        self.err = _usable(sys.stderr)
        self.in_is_tty = sys.stdin is not None and sys.stdin.isatty()
        self.out_is_tty = self.out.isatty()
        self.err_is_tty = self.err.isatty()
        #: Whether characters beyond ASCII can be shown.
        self.unicode = _is_utf8(self.out)
        self.coloured = not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"

    def say(self, text: str = "") -> None:
        """A line of the answer, on standard output."""
        self.out.write(f"{safe(text, keep=_LINES)}\n")

    def document(self, value: object) -> None:
        """The answer as one JSON document; ASCII, so that nothing in it can act on a terminal."""
        self.out.write(f"{json.dumps(value, indent=2)}\n")
        self.out.flush()

    def note(self, text: str) -> None:
        """Something worth knowing, on standard error."""
        self._tell("", _DIM, text)

    def warn(self, text: str) -> None:
        """Something that may turn out to be a mistake."""
        self._tell("warning: ", _YELLOW, text)

    def error(self, text: str) -> None:
        """Why something could not be done."""
        self._tell("error: ", _RED, text)

    def can_ask(self) -> bool:
        """Whether there is somebody to ask."""
        return self.in_is_tty and self.err_is_tty

    def confirm(self, question: str) -> bool:
        """Ask a person; anything but yes is no."""
        self.out.flush()
        self.err.write(f"{safe(question, keep=_LINES)} [y/N] ")
        self.err.flush()
        return sys.stdin.readline().strip().lower() in {"y", "yes"}

    @contextmanager
    def busy(self, text: str) -> Iterator[Progress]:
        """Show that something is going on, if standard error is a terminal."""
        if not self.err_is_tty:
            yield _Silent()
            return
        from jobsched.cli.tables import spinner  # noqa: PLC0415 -- rich is slow to load

        with spinner(self, text) as progress:
            yield progress

    def _tell(self, prefix: str, colour: str, text: str) -> None:
        self.out.flush()
        shown = safe(text, keep=_LINES)
        if self.err_is_tty and self.coloured:
            if prefix:
                prefix = f"\x1b[{colour}m{prefix}\x1b[0m"
            else:
                shown = f"\x1b[{colour}m{shown}\x1b[0m"
        self.err.write(f"{prefix}{shown}\n")
        self.err.flush()


class _Silent:
    """Nobody watches."""

    def say(self, text: str) -> None:
        """Keep it."""


_LINES: Final = "\n"


def open_streams() -> None:
    """Make sure that descriptors 0 to 2 are open, lest the database be opened as one of them."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _usable(stream: Any) -> TextIO:
    """``stream``, never failing for what it cannot encode; where it is closed, one to nowhere."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 -- open as long as we live
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    usable: TextIO = stream
    return usable


def _is_utf8(stream: TextIO) -> bool:
    try:
        return codecs.lookup(stream.encoding or "ascii").name == "utf-8"
    except LookupError:
        return False
