"""Frames of a home as it is: what is in them, what is read again, and what when it cannot be."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import insert, update

from jobsched import lock, process
from jobsched.api import Scheduler, Watch
from jobsched.context import Context
from jobsched.scheduler import operate
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.catalogue.schema import attempts, history, jobs
from jobsched.testing import FakeClock
from jobsched_tui.data import filters
from jobsched_tui.data.detail import Details
from jobsched_tui.data.frame import Frame, Link, Trouble
from jobsched_tui.data.live import Live
from jobsched_tui.data.news import Happened
from jobsched_tui.data.source import View
from tests.store.filling import asks_again, done, end, launching, waiting
from tests.world import InProcessStarter

S = ScheduleState


@pytest.fixture
def clock() -> FakeClock:
    """Later than anything that was written."""
    return FakeClock(wall=3000.0)


@pytest.fixture
def live(context: Context, clock: FakeClock) -> Iterator[Live]:
    """Frames of the home of ``context``."""
    context.clock, context.starter = clock, InProcessStarter()
    live = Live(Scheduler(context=context), clock, user="alice", seen_seq=1)
    yield live
    live.close()


def view(text: str = "", **fields: object) -> View:
    """Ten rows of what a filter lets through."""
    return replace(View(query=filters.parse(text), height=10), **fields)  # type: ignore[arg-type]  # whatever the test is about


def ids(frame: Frame) -> list[int]:
    """The jobs on the screen."""
    return [line.job_id for line in frame.lines]


def shown(live: Live, text: str = "", **fields: object) -> list[int]:
    """The jobs that a filter shows."""
    return ids(live.frame(view(text, **fields)))


def acting(context: Context, job_id: int) -> int:
    """Hold the lock of the job's first attempt as its controller; the descriptor."""
    me = process.me()
    with context.db.write() as tx:
        tx.change(
            update(attempts).where(attempts.c.job_id == job_id),
            pid=me.pid, start_ticks=me.start_ticks, boot_id=me.boot_id, pid_ns=me.pid_ns,
        )  # fmt: skip
    fd = lock.try_lock(context.home.attempt_lock(job_id, 1))
    assert fd is not None
    return fd


def test_a_frame(context: Context, live: Live) -> None:
    """It has the rows of the screen, all counts, both limits and since when somebody waits."""
    first = waiting(context, "first", now=900.0)
    second = waiting(context, "second", now=950.0)
    ended = done(context, "third", TaskStatus.FAILED)
    frame = live.frame(view(cursor=first))
    assert ids(frame) == [ended, second, first]
    assert (frame.matched, frame.cursor, frame.cursor_index) == (3, first, 2)
    assert frame.counts == {"all": 3, "active": 0, "waiting": 2, "failed": 1, "done": 1}
    assert (frame.limits.known, frame.limits.waiting, frame.limits.waiting_since) == (
        True,
        2,
        900.0,
    )
    assert (frame.health.link, frame.health.at, frame.now) == (Link.LIVE, 3000.0, 3000.0)
    assert (frame.user, frame.home) == ("alice", str(context.home.root))
    assert [one.trouble for one in frame.attention] == [Trouble.FAILED]
    assert frame.lines[0].trouble == frame.attention[0]


def test_follows_changes(context: Context, live: Live) -> None:
    """A job that comes, moves or goes does so in the next frame; the cursor stays on its job."""
    first, second = waiting(context), waiting(context)
    live.frame(view(cursor=first))
    assert not live.has_changed()
    third = waiting(context)
    end(context, second)
    assert live.has_changed()
    frame = live.frame(view(cursor=first))
    assert (ids(frame), frame.cursor_index) == ([third, second, first], 2)
    assert frame.lines[1].state is S.DONE
    Scheduler(context=context).prune(older_than=None, keep=None)
    frame = live.frame(view(cursor=second))
    assert (ids(frame), frame.cursor_index) == ([third, first], None)


def test_what_leaves_no_history(context: Context, live: Live, clock: FakeClock) -> None:
    """What is written without a row of the history is seen, too, if a little later."""
    job_id = launching(context)
    assert live.frame(view()).lines[0].pid is None
    with context.db.write() as tx:
        tx.change(update(attempts), pid=4_000_000, start_ticks=1)
    clock.sleep(1.0)
    assert [line.pid for line in live.frame(view()).lines] == [4_000_000]
    assert shown(live) == [job_id]


def test_many_changes_at_once(context: Context, live: Live) -> None:
    """After more changes than are looked at one by one everything is as it is."""
    job_ids = [waiting(context, f"job-{n}") for n in range(3)]
    live.frame(view())
    rows = [
        {"at": 2.0, "kind": "STATUS", "job_id": n % 3 + 1, "task_id": 0, "actor": "test"}
        for n in range(12_000)
    ]
    with context.db.write() as tx:
        for row in rows:
            tx.insert(insert(history), **row)
        tx.change(update(jobs).where(jobs.c.job_id == 2), name="renamed")
        latest = tx.insert(insert(history), **rows[1])
    frame = live.frame(view("sort:name"))
    assert [line.name for line in frame.lines] == ["job-0", "job-2", "renamed"]
    assert frame.seq == latest
    assert len(job_ids) == frame.matched


def test_stale(context: Context, live: Live, clock: FakeClock) -> None:
    """While the database cannot be read the last frame stays with its age; then all is well."""
    job_id = waiting(context)
    live.frame(view())
    good = context.home.database
    aside = good.with_name("aside")
    with closing(sqlite3.connect(good)) as database:  # all of it in one file
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    context.db.close()
    good.rename(aside)
    good.write_bytes(b"no database at all " * 1000)
    for _ in range(2):
        clock.sleep(5.0)
        frame = live.frame(view())
        assert (frame.health.link, ids(frame)) == (Link.STALE, [job_id])
        assert "not a database" in (frame.health.cause or "")
        assert frame.health.at == 3000.0
        assert frame.now == clock.now()
        assert live.has_changed()
    aside.replace(good)
    frame = live.frame(view())
    assert (frame.health.link, frame.health.at, ids(frame)) == (Link.LIVE, 3010.0, [job_id])


def test_never_read(tmp_path: Path, clock: FakeClock) -> None:
    """Where nothing could be read so far, no limits are known."""
    (tmp_path / "jobsched.db").write_bytes(b"no database at all")
    frame = Live(Scheduler(tmp_path), clock).frame(view())
    assert (frame.health.link, frame.limits.known, frame.lines) == (Link.STALE, False, ())


def test_replaced(context: Context, live: Live) -> None:
    """Another database in its place is shown at once, and nothing of the first one."""
    waiting(context, "old")
    waiting(context, "old")
    live.frame(view(cursor=2))
    context.db.close()
    context.home.root.rename(context.home.root.with_name("moved"))
    context.ensure_home()
    waiting(context, "new")
    frame = live.frame(view(cursor=2))
    assert (frame.health.link, frame.matched, frame.cursor_index) == (Link.LIVE, 1, None)
    assert [line.name for line in frame.lines] == ["new"]


def test_comes_and_goes(tmp_path: Path, clock: FakeClock) -> None:
    """Without a database that is said; once there was one its jobs stay, and are told to be old."""
    door = Scheduler(tmp_path / "home")
    live = Live(door, clock)
    frame = live.frame(view())
    assert (frame.health.link, frame.lines, frame.limits.waiting) == (Link.MISSING, (), 0)
    assert list(tmp_path.iterdir()) == []
    job_id = door.create_job("new", ["a"])
    assert live.has_changed()
    assert shown(live) == [job_id]
    door.context.db.close()
    door.home.rename(tmp_path / "away")
    frame = live.frame(view())
    assert (frame.health.link, ids(frame)) == (Link.STALE, [job_id])
    (tmp_path / "away").rename(door.home)
    assert shown(live) == [job_id]
    live.close()


def test_watch_without_a_database(tmp_path: Path) -> None:
    """Nobody lives, follows, waits in vain or holds a lock where there is no home."""
    watch = Scheduler(tmp_path / "none").watch()
    assert (watch.alive([1]), watch.followers([1]), watch.blocked()) == ({}, {}, {})
    assert (watch.clusters(), watch.scheduler_lock(), watch.scheduler_lock()) == ([], None, None)
    assert list(tmp_path.iterdir()) == []


def test_polled(context: Context, clock: FakeClock) -> None:
    """Why no events come is told."""
    live = Live(Scheduler(context=context), clock, polled=lambda: "no watches left")
    health = live.frame(view()).health
    assert (health.link, health.cause) == (Link.POLLING, "no watches left")
    live.close()


def test_rows_from_to(context: Context, live: Live) -> None:
    """A range is that of the list; of jobs that have left it there is none."""
    job_ids = [waiting(context) for _ in range(5)]
    gone = done(context)
    live.frame(view("state:waiting"))
    assert live.ids(None, None) == job_ids[::-1]
    assert live.ids(job_ids[1], job_ids[3]) == [4, 3, 2]
    assert live.ids(gone, job_ids[0]) == [1]
    assert live.ids(gone, gone) == []
    assert (live.index_of(job_ids[4]), live.index_of(gone)) == (0, None)


def test_local_terms(context: Context, live: Live, clock: FakeClock) -> None:
    """What only processes, marks and sentences tell narrows the list, and so does its opposite."""
    for_long, lost, lives, ended = (
        waiting(context), launching(context), launching(context), done(context),
    )  # fmt: skip
    with context.db.write() as tx:
        tx.change(update(attempts), pid=4_000_000, start_ticks=1)
    held = acting(context, lives)
    marks = frozenset({for_long, ended})
    expected = {
        "is:dead": [lost],
        "-is:dead": [ended, lives, for_long],
        f"pid:{os.getpid()}": [lives],
        "rss>1": [lives],
        "-rss>1": [ended, lost, for_long],
        "is:marked": [ended, for_long],
        "!is:marked": [lives, lost],
        "is:marked state:done": [ended],
        "limit:2": [ended, lives],
        "sort:id limit:1": [for_long],
    }
    live.frame(view())
    clock.sleep(3.0)
    assert {text: shown(live, text, marks=marks) for text in expected} == expected
    assert shown(live, tab="active") == [lives, lost]
    assert shown(live, "-is:dead", tab="active") == [lives]
    os.close(held)


def test_why_of_those_that_wait(context: Context, live: Live, clock: FakeClock) -> None:
    """A filter by why knows those that wait for their first start."""
    operate.set_limits(context, launch=0, alive=0, paused=None, reason=None)
    held, waits = waiting(context), waiting(context)
    operate.set_hold(context, held, held=True, reason=None)
    live.frame(view())
    clock.sleep(3.0)
    assert shown(live, "why:held") == [held]
    assert shown(live, "-why:held") == [waits]


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


def test_limits(context: Context, live: Live, clock: FakeClock) -> None:
    """Gauges tell what is used now, who paused and when, and where a limit was changed."""
    operate.set_limits(context, launch=7, alive=None, paused=None, reason=None)
    live.frame(view())
    clock.sleep(100.0)
    context.actor = "alice via test"
    operate.set_limits(context, launch=9, alive=None, paused=True, reason=None)
    launching(context)
    limits = live.frame(view()).limits
    assert (limits.launch.limit, limits.launch.used, limits.alive.used) == (9, 1, 1)
    assert (limits.paused_by, limits.paused_at) == ("alice via test", 3100.0)
    assert (len(limits.launch.history), limits.launch.history[-1]) == (30, 1)
    assert list(limits.launch.changes) == [24, 29]


def test_waiting_since(context: Context, live: Live) -> None:
    """It is the one that was submitted first of those that wait for their first start."""
    assert live.frame(view()).limits.waiting_since is None
    oldest = waiting(context, now=800.0, priority=-5)
    waiting(context, now=900.0, priority=5)
    assert live.frame(view()).limits.waiting_since == 800.0
    end(context, oldest, TaskStatus.CANCELLED)
    assert live.frame(view()).limits.waiting_since == 900.0
