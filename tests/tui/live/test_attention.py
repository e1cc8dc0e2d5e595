"""Frames of a home in which something needs attention."""

from __future__ import annotations

import os

from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched.states import TaskStatus
from jobsched.testing import FakeClock
from jobsched_tui.data.frame import Trouble
from jobsched_tui.data.live import Live
from tests.store.filling import asks_again, done, waiting
from tests.tui.live.looking import acting, view


def test_death_that_nobody_wrote_down(context: Context, live: Live, clock: FakeClock) -> None:
    """A controller that dies is seen dead although the database has not changed."""
    job_id = asks_again(context)
    held = acting(context, job_id)
    frame = live.frame(view())
    assert [line.alive for line in frame.lines] == [True]
    assert frame.attention == ()
    os.close(held)
    clock.sleep(3.0)
    assert not live.has_changed()
    frame = live.frame(view(detail=job_id))
    assert [line.alive for line in frame.lines] == [False]
    assert [one.trouble for one in frame.attention] == [Trouble.DEAD]
    assert frame.detail is not None
    assert frame.detail.line.alive is False


def test_seen(context: Context, live: Live, clock: FakeClock) -> None:
    """A failure that the operator has seen needs no attention any more."""
    done(context, to=TaskStatus.FAILED)
    frame = live.frame(view())
    assert [one.trouble for one in frame.attention] == [Trouble.FAILED]
    live.seen(frame.seq)
    clock.sleep(1.0)
    assert live.frame(view()).attention == ()


def test_waits_in_vain(context: Context, live: Live) -> None:
    """A job that waits for one that did not succeed, or is gone, needs attention."""
    ended = done(context, to=TaskStatus.FAILED)
    live.seen(live.frame(view()).seq)
    blocked = waiting(context, after=[ended])
    waiting(context, after=[blocked])
    (found,) = live.frame(view()).attention
    assert (found.trouble, found.job_id) == (Trouble.BLOCKED, blocked)
    assert "FAILED" in found.text


def test_lock_held(context: Context, live: Live, clock: FakeClock) -> None:
    """Somebody who does not let the scheduler lock go is named, once it is sure."""
    with context.locked():
        assert live.frame(view()).attention == ()
        for _ in range(6):
            clock.sleep(2.5)
            frame = live.frame(view())
        (found,) = frame.attention
        assert (found.trouble, found.since) == (Trouble.LOCK, 3000.0)
        assert f"pid {os.getpid()} " in found.text
    clock.sleep(2.5)
    assert live.frame(view()).attention == ()


def test_lock_of_others_in_turn(context: Context, clock: FakeClock) -> None:
    """Without a second look nobody is suspected; a lock that was free in between is another."""
    context.clock = clock
    watch = Scheduler(context=context).watch()
    with context.locked():
        assert watch.scheduler_lock() is None
    assert watch.scheduler_lock() is None
    with context.locked():
        clock.sleep(5.0)
        assert watch.scheduler_lock() is None
        clock.sleep(5.0)
        held = watch.scheduler_lock()
    assert held is not None
    assert (held.pids, held.since) == ((os.getpid(),), 3005.0)
