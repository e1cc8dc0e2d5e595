"""The thread that reads: when it reads, what it answers, and that nothing ends it but a stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest

from jobsched.clock import SystemClock
from jobsched.errors import StoreError
from jobsched.testing import FakeClock
from jobsched_tui.data.frame import Frame, Link
from jobsched_tui.data.pace import Allowance, Pace
from jobsched_tui.data.reader import Reader
from jobsched_tui.data.source import View
from tests.support import wait_until
from tests.tui.frames import frame as framed

SECONDS = 20


class Scene:
    """A source that a test plays on: each write is another ``seq``."""

    def __init__(self) -> None:
        self.seq = 0
        self.shown = -1
        self.reads = 0
        self.asked = 0
        self.closed = False
        self.takes = 0.0
        self.fails: Exception | None = None

    def has_changed(self) -> bool:
        """Whether something was written since the last frame."""
        self.asked += 1
        return self.seq != self.shown

    def frame(self, view: View) -> Frame:
        """What was written last, for that view."""
        self.reads += 1
        until = time.thread_time() + self.takes
        while time.thread_time() < until:
            sum(range(1000))
        if self.fails is not None:
            raise self.fails
        self.shown = self.seq
        return replace(framed(), seq=self.seq, top=view.top, now=time.time())

    def plus(self, more: int) -> int:
        """A question."""
        return self.seq + more

    def close(self) -> None:
        """Remember it."""
        self.closed = True


class Looked(SystemClock):
    """Counts how often somebody looks at it."""

    looks = 0

    def monotonic(self) -> float:
        """The machine's."""
        self.looks += 1
        return super().monotonic()


class Read:
    """A reader over a scene, and what it has reported."""

    def __init__(self) -> None:
        self.scene, self.clock = Scene(), Looked()
        self.frames: list[tuple[float, Frame]] = []
        self.reader = Reader(self.scene, self.clock, self._report)

    def _report(self, frame: Frame) -> None:
        self.frames.append((time.monotonic(), frame))

    @property
    def last(self) -> Frame:
        """The newest frame."""
        return self.frames[-1][1]

    def until(self, condition: Callable[[Frame], bool], what: str) -> float:
        """Wait for a frame; when it was reported."""
        wait_until(lambda: self.frames and condition(self.last), SECONDS, what)
        return self.frames[-1][0]

    def until_answered(self) -> None:
        """Wait until everything before this has been read and reported."""
        answered = threading.Event()
        self.reader.ask(lambda _: 0, lambda _: answered.set())
        assert answered.wait(SECONDS)

    def until_pulse(self) -> None:
        """Wait until it has taken in what it was told, and then rested for a pulse."""
        wait_until(
            lambda: not self.reader._told.is_set(), SECONDS, "it to take in what it was told"
        )
        looks = self.clock.looks
        # Two before a rest, to find out whether it has to be longer, and the first after it.
        wait_until(lambda: self.clock.looks >= looks + 3, SECONDS, "a pulse")

    def write(self, seq: int) -> float:
        """Commit, and tell; when that was."""
        self.scene.seq = seq
        self.reader.tell()
        return time.monotonic()


@pytest.fixture
def read() -> Iterator[Read]:
    """A reader that has shown its first frame."""
    read = Read()
    read.reader.start()
    read.until(lambda _: True, "the first frame")
    yield read
    read.reader.stop()


def test_follows_what_is_told(read: Read) -> None:
    """A commit that is told of is shown long before the next pulse."""
    told = read.write(7)
    assert read.until(lambda frame: frame.seq == 7, "the commit") - told < 0.5


def test_finds_what_is_not_told(read: Read) -> None:
    """Where no events come a commit is found by itself."""
    read.scene.seq = 8
    read.until(lambda frame: frame.seq == 8, "the commit")


def test_told_too_early(read: Read) -> None:
    """An event may come before its commit can be seen."""
    read.reader.tell()
    timer = threading.Timer(0.01, lambda: setattr(read.scene, "seq", 9))
    timer.start()
    read.until(lambda frame: frame.seq == 9, "the commit")
    timer.join()


def test_reports_only_news(read: Read) -> None:
    """A frame that shows nothing else than the time is not reported."""
    before = read.scene.reads
    read.reader.wake()
    wait_until(lambda: read.scene.reads > before, SECONDS, "a read")
    read.until_answered()
    assert read.scene.reads > before
    assert len(read.frames) == 1


def test_looks_at_once_however_dear(read: Read) -> None:
    """Another view is answered in the rest after a dear read; changes are followed after it."""
    read.scene.takes = 0.1
    read.reader.look(View(top=5))
    read.until(lambda frame: frame.top == 5, "the view")
    asked = time.monotonic()
    read.write(10)
    read.reader.look(View(top=6))
    assert read.until(lambda frame: frame.top == 6, "the next view") - asked < 0.9
    shown = read.frames[-1][0]
    read.write(11)
    assert 0.8 < read.until(lambda frame: frame.seq == 11, "the commit") - shown < 5.0


def test_at_most_a_few_frames_a_second(read: Read) -> None:
    """However often somebody commits, a few frames a second are enough, and the last is shown."""
    began = time.monotonic()
    seq = 100
    while time.monotonic() - began < 2.0:
        seq += 1
        read.write(seq)
        time.sleep(0.005)
    read.until(lambda frame: frame.seq == seq, "the last commit")
    assert 5 <= len(read.frames) <= 18


def test_frozen(read: Read) -> None:
    """Updates stop and that is said; another view is answered; then all is followed again."""
    read.reader.freeze(frozen=True)
    read.until(lambda frame: frame.health.link is Link.FROZEN, "the freeze")
    asked, reads = read.scene.asked, read.scene.reads
    read.write(20)
    read.until_pulse()
    assert (read.scene.reads, read.scene.asked) == (reads, asked)
    read.reader.look(View(top=3))
    read.until(lambda frame: frame.top == 3 and frame.seq == 20, "the view")
    assert [frame.health.link for _, frame in read.frames[-2:]] == [Link.FROZEN] * 2
    read.write(21)
    read.reader.freeze(frozen=False)
    read.until(lambda frame: frame.seq == 21 and frame.health.link is Link.LIVE, "the thaw")


def test_answers(read: Read) -> None:
    """Every question is answered, in order, by the reading thread."""
    answers: list[tuple[int, str]] = []

    def answer(found: int) -> None:
        answers.append((found, threading.current_thread().name))

    for n in range(50):
        read.reader.ask(partial(Scene.plus, more=n), answer)
    wait_until(lambda: len(answers) == 50, SECONDS, "the answers")
    assert answers == [(n, "reader") for n in range(50)]


def boom(error: Exception) -> int:
    """Fail."""
    raise error


@pytest.mark.parametrize("error", [StoreError("it is gone"), ValueError("a mistake")])
def test_questions_that_fail(
    read: Read, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """A question that fails is logged; the next ones are answered, and changes still followed."""
    answers: list[int] = []
    read.reader.ask(lambda _: boom(error), answers.append)
    read.reader.ask(lambda _: 1, lambda _: boom(error))
    read.reader.ask(lambda _: 2, answers.append)
    wait_until(lambda: answers, SECONDS, "the answer")
    read.write(30)
    read.until(lambda frame: frame.seq == 30, "the commit")
    assert answers == [2]
    assert caplog.text.count(str(error)) >= 2


def test_frames_that_fail(read: Read, caplog: pytest.LogCaptureFixture) -> None:
    """A mistake in reading is logged, and the next frame is read all the same."""
    read.scene.fails = ValueError("a mistake")
    read.reader.wake()
    wait_until(lambda: "a mistake" in caplog.text, SECONDS, "the log")
    read.scene.fails = None
    read.write(31)
    read.until(lambda frame: frame.seq == 31, "the commit")


def test_stops_promptly(read: Read) -> None:
    """It stops in the middle of a rest, closes its source and reports nothing more."""
    read.scene.takes = 0.1
    read.reader.look(View(top=1))
    read.until(lambda frame: frame.top == 1, "the view")
    began = time.monotonic()
    read.reader.stop()
    assert time.monotonic() - began < 0.5
    assert read.scene.closed
    frames = len(read.frames)
    read.write(40)
    read.reader.stop()
    assert len(read.frames) == frames


def test_stopped_before_it_began() -> None:
    """A reader that never began can be stopped."""
    read = Read()
    read.reader.stop()
    assert read.frames == []


def test_pace() -> None:
    """Every so often; in a hurry sooner, but not before it has rested twenty times as long."""
    clock = FakeClock()
    pace = Pace(clock.monotonic, 10.0)
    assert pace.is_due()
    with pace:
        clock.sleep(0.1)
    assert not pace.is_due()
    pace.hurry()
    clock.sleep(1.9)
    assert not pace.is_due()
    clock.sleep(0.2)
    assert pace.is_due()
    with pace:
        clock.sleep(1.0)
    clock.sleep(19.0)
    assert not pace.is_due()
    clock.sleep(1.1)
    assert pace.is_due()


def test_allowance() -> None:
    """Four at once, then one each quarter of a second; what is not used is saved up to four."""
    clock = FakeClock()
    allowance = Allowance(clock.monotonic, each_second=4.0, most=4)
    waits = []
    for _ in range(6):
        waits.append(allowance.wait())
        allowance.spend()
    assert waits == [0.0, 0.0, 0.0, 0.0, 0.25, 0.5]
    clock.sleep(60.0)
    waits = []
    for _ in range(5):
        waits.append(allowance.wait())
        allowance.spend()
    assert waits == [0.0, 0.0, 0.0, 0.0, 0.25]
