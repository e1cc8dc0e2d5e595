"""The thread that reads: it asks a source for frames and hands on each that shows something new.

Owns when it is read: at once after a change or another view, at a slow pace otherwise, and never so
often that reading takes more than a tenth of a core. Decides nothing about what is in a frame.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final, Generic, TypeVar

from jobsched.clock import Clock
from jobsched.errors import JobschedError
from jobsched_tui.data.frame import Frame
from jobsched_tui.data.source import Source, View

#: Seconds between looks at a database that tells nothing, and at processes and logs.
_PULSE: Final = 1.0
#: Seconds after an event in which its commit must have become visible: it may come before.
_SETTLING: Final = 0.03
#: Of the time that reading took: how long it rests before it reads again.
_REST: Final = 9.0


T = TypeVar("T")
SourceT = TypeVar("SourceT", bound=Source)


class Reader(Generic[SourceT]):
    """Frames of ``source`` for the current view, reported from a thread of its own."""

    def __init__(self, source: SourceT, clock: Clock, report: Callable[[Frame], None]) -> None:
        self._source, self._clock, self._report = source, clock, report
        self._view = View()
        self._last: Frame | None = None
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wanted = threading.Event()
        self._told = threading.Event()
        self._frozen = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def look(self, view: View) -> None:
        """From now on show this; at once."""
        if view != self._view:
            self._view = view
            self.wake()

    def wake(self) -> None:
        """Read again, whatever is known: something else than the database has changed."""
        self._wanted.set()
        self._told.set()

    def ask(self, question: Callable[[SourceT], T], answer: Callable[[T], None]) -> None:
        """Put a question to the source; the answer is given in the reading thread.

        What the home does to the question is told by the next frame, and there is no answer.
        """
        self._asked.put(lambda: answer(question(self._source)))
        self.wake()

    def tell(self) -> None:
        """The database may have changed."""
        self._told.set()

    def freeze(self, *, frozen: bool) -> None:
        """Stop or resume updates; another view is still answered."""
        (self._frozen.set if frozen else self._frozen.clear)()
        self.wake()

    def stop(self) -> None:
        """End the thread; nothing is reported afterwards."""
        self._stopping.set()
        self._told.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(5.0)

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                began = self._clock.monotonic()
                self._read()
                self._stopping.wait(_REST * (self._clock.monotonic() - began))
                self._sleep()
        finally:
            self._source.close()

    def _read(self) -> None:
        self._wanted.clear()
        self._answer()
        frame = self._source.frame(self._view)
        if self._last is None or _timeless(frame) != _timeless(self._last):
            self._last = frame
            if not self._stopping.is_set():
                self._report(frame)

    def _answer(self) -> None:
        while not self._asked.empty():
            with suppress(JobschedError):
                self._asked.get()()

    def _sleep(self) -> None:
        """Until there may be something new to see."""
        while not self._stopping.is_set():
            told = self._told.wait(_PULSE)
            self._told.clear()
            if self._wanted.is_set():
                return
            if self._frozen.is_set():
                continue
            if not told or self._source.has_changed():
                return
            self._stopping.wait(_SETTLING)
            if self._source.has_changed():
                return


def _timeless(frame: Frame) -> Frame:
    """The frame without what changes by itself while nothing happens."""
    return replace(frame, now=0.0, health=replace(frame.health, at=0.0))
