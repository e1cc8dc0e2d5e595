"""Standing for the tick: what a ticker that was never elected leaves behind is nothing."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from jobsched import lock
from jobsched.context import Context
from jobsched.lock import Grip
from jobsched.scheduler.ticker import Ticker
from tests.support import wait_until

SECONDS = 10


def descriptors() -> int:
    """How many this process has open."""
    return len(list(Path("/dev/fd").iterdir()))


def ticks(context: Context) -> bool:
    """Whether somebody ticks."""
    return lock.probe(context.home.tick_lock) is Grip.HELD


def test_those_who_are_not_elected_leave_nothing(context: Context) -> None:
    """However many stood and withdrew while another had the office."""
    deputy = lock.try_lock(context.home.deputy_lock)
    assert deputy is not None
    alone = descriptors()
    Ticker(context).start().stop()
    wait_until(lambda: descriptors() == alone + 1, SECONDS, "its thread to open the lock")
    before = descriptors(), threading.active_count()
    for _ in range(20):
        Ticker(context).start().stop()
    assert (descriptors(), threading.active_count()) == before
    os.close(deputy)
    wait_until(
        lambda: lock.probe(context.home.deputy_lock) is Grip.FREE, SECONDS,
        "the thread that waited for nobody to let go",
    )  # fmt: skip
    assert not ticks(context)


def test_one_that_stands_later_is_elected(context: Context) -> None:
    """A thread that waits on behalf of one who has withdrawn serves the next."""
    deputy = lock.try_lock(context.home.deputy_lock)
    assert deputy is not None
    Ticker(context).start().stop()
    later = Ticker(context).start()
    os.close(deputy)
    wait_until(lambda: ticks(context), SECONDS, "the second to tick")
    later.stop()
    assert not ticks(context)


def test_several_of_one_process_follow_each_other(context: Context) -> None:
    """One ticks; when it stops, one of the others does."""
    tickers = [Ticker(context).start() for _ in range(4)]
    for ticker in tickers:
        wait_until(lambda: ticks(context), SECONDS, "one of them to tick")
        ticker.stop()
        ticker.stop()
    assert not ticks(context)
