"""How the threads of one controller wait, and are woken together.

Owns the wait of each: until a descriptor is readable, the time is up, or somebody rings.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from jobsched import wake
from jobsched.scheduler.slot import LOOK_SECONDS


class Waits(Protocol):
    """However a thread waits."""

    def wait(self, seconds: float | None, descriptors: Iterable[int] = ()) -> None:
        """Wait until there is news, one of ``descriptors`` is readable, or ``seconds`` are over."""
        ...

    def wait_for_message(self) -> None:
        """Wait until somebody may have written that there is a slot, or a cancel."""
        ...


class Listener:
    """One thread's end of the bell."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)

    def wait(self, seconds: float | None, descriptors: Iterable[int] = ()) -> None:
        """Wait until rung, one of ``descriptors`` is readable, or ``seconds`` have passed."""
        wake.wait([self._read, *descriptors], seconds)
        with suppress(BlockingIOError):
            while os.read(self._read, 4096):
                pass

    def wait_for_message(self) -> None:
        """Wait to be rung; not for ever, should a message have been lost."""
        self.wait(LOOK_SECONDS)

    def ring(self) -> None:
        """Wake this one."""
        with suppress(BlockingIOError):
            os.write(self._write, b"!")

    def close(self) -> None:
        """Give back its descriptors."""
        os.close(self._read)
        os.close(self._write)


class Bell:
    """Wakes all threads that listen."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._listeners: set[Listener] = set()

    @contextmanager
    def listen(self) -> Iterator[Listener]:
        """Be woken by every ring for the block."""
        listener = Listener()
        with self._guard:
            self._listeners.add(listener)
        try:
            yield listener
        finally:
            with self._guard:
                self._listeners.discard(listener)
                listener.close()

    def ring(self) -> None:
        """Wake everybody."""
        with self._guard:
            for listener in self._listeners:
                listener.ring()
