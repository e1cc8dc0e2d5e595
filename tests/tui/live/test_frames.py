"""What is in the frames of a home as it is, and what a filter lets through."""

from __future__ import annotations

import os

from sqlalchemy import insert, update

from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched.scheduler import operate
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.catalogue.schema import attempts, history, jobs
from jobsched.testing import FakeClock
from jobsched_tui.data.frame import Link, Trouble
from jobsched_tui.data.live import Live
from tests.store.filling import done, end, launching, waiting
from tests.tui.live.looking import acting, ids, shown, view

S = ScheduleState


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
