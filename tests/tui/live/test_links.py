"""Frames of a home that cannot be read, is another one, or comes and goes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched.testing import FakeClock
from jobsched_tui.data.frame import Link
from jobsched_tui.data.live import Live
from tests.store.filling import waiting
from tests.tui.live.looking import ids, shown, view


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
