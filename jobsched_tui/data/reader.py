"""The thread that reads: it asks a source for frames and hands on each that shows something new.

Owns when it is read: at once after a change or another view, at a slow pace otherwise, and never so
often that following changes takes more than a tenth of a core. Decides nothing about what is in a
frame.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import thread_time
from typing import Final, Generic, TypeVar

from jobsched.clock import Clock
from jobsched_tui.data.frame import Frame, Link
from jobsched_tui.data.pace import Allowance
from jobsched_tui.data.source import Source, View

#: Seconds between looks at a database that tells nothing, at processes and logs: while there is
#: something new to see, and at most.
_PULSE: Final = 1.0
_SLOW_PULSE: Final = 3.0
#: Seconds after an event in which its commit must have become visible: it may come before.
_SETTLING: Final = 0.03
#: Of the CPU time that reading took: how long it rests before it follows changes again, and seconds
#: at most. Not of the time that went by: a machine that is busy would make it slower still.
_REST: Final = 9.0
_LONGEST_REST: Final = 1.0
#: Frames that follow changes: in a second, and at once after a while without.
_FRAMES: Final = 4.0
_BURST: Final = 8

log = logging.getLogger(__name__)

T = TypeVar("T")
SourceT = TypeVar("SourceT", bound=Source)


class Reader(Generic[SourceT]):
    """Frames of ``source`` for the current view, reported from a thread of its own."""

    def __init__(self, source: SourceT, clock: Clock, report: Callable[[Frame], None]) -> None:
        self._source, self._clock, self._report = source, clock, report
        self._view = View()
        self._last: Frame | None = None
        self._asked: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        #: Somebody waits for an answer; whoever stops the reader sets it, too.
        self._wanted = threading.Event()
        #: The database may have changed, or somebody waits.
        self._told = threading.Event()
        self._frozen = threading.Event()
        self._stopping = threading.Event()
        self._rested = clock.monotonic()
        #: When the source was asked something that it has not answered yet.
        self._asking: float | None = None
        self._pulse = _PULSE
        self._allowance = Allowance(clock.monotonic, each_second=_FRAMES, most=_BURST)
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

    def ask(self, question: Callable[[SourceT], T], answer: Callable[[T], object]) -> None:
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
        self.wake()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(5.0)

    @property
    def overdue(self) -> float:
        """Seconds for which the source has been asked in vain; 0: it waits for nothing."""
        since = self._asking
        return 0.0 if since is None else self._clock.monotonic() - since

    @contextmanager
    def _ask_source(self) -> Iterator[None]:
        """The block asks the source."""
        self._asking = self._clock.monotonic()
        try:
            yield
        finally:
            self._asking = None

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                began = thread_time()
                with self._ask_source():
                    self._read()
                rest = min(_LONGEST_REST, _REST * (thread_time() - began))
                self._rested = self._clock.monotonic() + rest
                self._sleep()
        finally:
            self._source.close()

    def _read(self) -> None:
        # Before anything is read: whoever comes later waits for the next one.
        self._wanted.clear()
        self._answer()
        try:
            frame = self._frame()
            is_new = self._last is None or _timeless(frame) != _timeless(self._last)
            self._pulse = _PULSE if is_new else min(self._pulse + 0.2, _SLOW_PULSE)
            if is_new:
                self._last = frame
                if not self._stopping.is_set():
                    self._report(frame)
        except Exception:
            log.exception("a frame could not be read or shown")

    def _frame(self) -> Frame:
        frame = self._source.frame(self._view)
        if self._frozen.is_set() and frame.health.link in (Link.LIVE, Link.POLLING):
            return replace(frame, health=replace(frame.health, link=Link.FROZEN))
        return frame

    def _answer(self) -> None:
        while not self._asked.empty() and not self._stopping.is_set():
            try:
                self._asked.get()()
            except Exception as error:
                log.warning("a question was not answered: %s", error, exc_info=True)

    def _sleep(self) -> None:
        """Until there may be something new to see."""
        while not self._wanted.wait(self._break()):
            self._told.wait(self._pulse)
            if self._wanted.is_set():
                return
            was_told = self._told.is_set()
            self._told.clear()
            if self._is_due(was_told=was_told):
                self._allowance.spend()
                return

    def _break(self) -> float:
        """Seconds in which changes are not followed; whoever waits is answered."""
        return max(0.0, self._rested - self._clock.monotonic(), self._allowance.wait())

    def _is_due(self, *, was_told: bool) -> bool:
        if self._frozen.is_set():
            return False
        if not was_told or self._has_changed():
            return True
        self._stopping.wait(_SETTLING)
        return self._has_changed()

    def _has_changed(self) -> bool:
        with self._ask_source():
            return self._source.has_changed()


def _timeless(frame: Frame) -> Frame:
    """The frame without what changes by itself while nothing happens.

    How busy the machine is does: it is told with the next frame, and there is one each minute.
    """
    minute = frame.now // 60
    return replace(
        frame,
        now=minute,
        health=replace(frame.health, at=0.0),
        host=replace(frame.host, load=0.0, memory_used=0),
    )
