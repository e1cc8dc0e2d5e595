"""What is read of single jobs beside the frames, and how often."""

from __future__ import annotations

from itertools import pairwise

from jobsched.api import Scheduler, Watch
from jobsched.context import Context
from jobsched.states import ScheduleState, TaskStatus
from jobsched.testing import FakeClock
from jobsched_tui.data.detail import Details
from jobsched_tui.data.live import Live
from jobsched_tui.data.news import Happened
from tests.store.filling import done, end, waiting
from tests.tui.live.looking import view

S = ScheduleState


def test_detail(context: Context, live: Live, clock: FakeClock) -> None:
    """The job that is looked into is shown as it is, until it is pruned."""
    job_id = waiting(context, "watched", tasks=("a", "b"))
    frame = live.frame(view(detail=job_id))
    assert frame.detail is not None
    assert (frame.detail.line.name, frame.detail.line.state) == ("watched", S.WAITING)
    assert frame.detail.logs[0][0] == "controller"
    assert live.detail(job_id) == frame.detail
    end(context, job_id)
    frame = live.frame(view(detail=job_id))
    assert frame.detail is not None
    assert frame.detail.line.state is S.DONE
    Scheduler(context=context).prune(older_than=None, keep=None)
    clock.sleep(1.0)
    assert live.frame(view(detail=job_id)).detail is None
    assert live.detail(job_id) is None


class Counting(Watch):
    """Counts how often a job is read."""

    shows = 0

    def show(self, job_id: int) -> dict[str, object]:
        """The same, counted."""
        self.shows += 1
        return super().show(job_id)


def test_detail_is_kept(context: Context) -> None:
    """A job is read again when something has happened to it, or may have; else never."""
    job_id, other = waiting(context), waiting(context)
    watch = Counting(context)
    details = Details(watch)

    def reads(happened: Happened, *, again: bool) -> int:
        before = watch.shows
        details.note(happened)
        assert details.of(job_id, 1.0, lambda line: line, {}, again=again) is not None
        return watch.shows - before

    assert reads(Happened(), again=True) == 1
    assert reads(Happened(), again=True) == 0
    assert reads(Happened(True, frozenset({other})), again=False) == 0  # its turn comes later
    assert reads(Happened(), again=True) == 1
    assert reads(Happened(True, frozenset({job_id})), again=False) == 1
    assert reads(Happened(True, None), again=False) == 1
    watch.close()


class Slow(Watch):
    """A home in which a look takes a second."""

    def __init__(self, context: Context, clock: FakeClock) -> None:
        super().__init__(context)
        self._clock = clock
        self.looks: list[float] = []

    def clusters(self) -> list[dict[str, object]]:
        """None, after a second."""
        self.looks.append(self._clock.now())
        self._clock.sleep(1.0)
        return []


class SlowDoor(Scheduler):
    """The way into it."""

    def watch(self) -> Slow:
        """The one watch."""
        return self.slow

    def __init__(self, context: Context, clock: FakeClock) -> None:
        super().__init__(context=context)
        self.slow = Slow(context, clock)


def test_dear_looks_are_paced(context: Context, clock: FakeClock) -> None:
    """Where a look is dear it takes a twentieth of the time at most, however much happens."""
    door = SlowDoor(context, clock)
    live = Live(door, clock)
    for _ in range(60):
        waiting(context)
        frame = live.frame(view())
        assert frame.matched == frame.counts["all"]
        clock.sleep(1.0)
    gaps = [b - a for a, b in pairwise(door.slow.looks)]
    assert [round(gap) for gap in gaps] == [21, 21]
    live.close()


def test_lines_and_queue(context: Context, live: Live) -> None:
    """Rows for an action are as they are now, in the order asked for; the queue is in its own."""
    low, high = waiting(context), waiting(context, priority=5)
    gone = 99
    live.frame(view())
    end(context, low)
    found = live.lines([high, gone, low])
    assert [(line.job_id, line.state) for line in found] == [(high, S.WAITING), (low, S.DONE)]
    last = waiting(context)
    assert [line.job_id for line in live.queue()] == [high, last]


def test_followers(context: Context, live: Live) -> None:
    """Who follows whom is told at any distance; those that have ended follow nobody."""
    first = waiting(context)
    second = waiting(context, after=[first])
    third = waiting(context, after=[second, first])
    done(context, to=TaskStatus.CANCELLED)
    end(context, waiting(context, after=[first]), TaskStatus.CANCELLED)
    assert live.followers([first]) == {first: [second, third], second: [third]}
    assert live.followers([third]) == {}
