"""Other programs in the console's terminal: pagers, editors.

Owns how the terminal is handed over and taken back, whatever becomes of the program.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from textual.app import App, SuspendNotSupported

#: Keys that interrupt a program reach the whole foreground: they are meant for the program alone.
_KEYS: Final = (signal.SIGINT, signal.SIGQUIT)


def run(app: App[Any], words: Sequence[str]) -> str | None:
    """Give the terminal to a program until it ends; a sentence if it did not end well."""
    if shutil.which(words[0]) is None:
        return f"{words[0]} was not started: there is no such program"
    try:
        with app.suspend():  # which takes the terminal back only if nothing is raised inside
            return _run(words)
    except SuspendNotSupported:
        return f"{words[0]} was not started: this terminal cannot be handed over"


def _run(words: Sequence[str]) -> str | None:
    try:
        with _deaf():
            code = subprocess.run(list(words), check=False).returncode
    except OSError as error:
        return f"{words[0]} was not started: {error.strerror}"
    if code < 0:
        return f"{words[0]} was ended by {signal.Signals(-code).name}"
    return f"{words[0]} ended with exit code {code}" if code else None


@contextmanager
def _deaf() -> Iterator[None]:
    """Interrupts do nothing here in the block. A handler is not inherited; ignoring would be."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [(number, signal.signal(number, lambda *_: None)) for number in _KEYS]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
