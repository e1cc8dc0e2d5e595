"""Frames of the past: what was so then, and that nothing there can be acted on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jobsched.api import Scheduler
from jobsched.context import Context
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import changes
from jobsched.testing import FakeClock
from jobsched_tui.data.filters import parse
from jobsched_tui.data.frame import Link
from jobsched_tui.data.live import Live
from jobsched_tui.data.source import View
from tests.store.filling import done, end, launching, waiting

S = ScheduleState


@pytest.fixture
def live(context: Context) -> Iterator[Live]:
    """Frames of the home of ``context``."""
    live = Live(Scheduler(context=context), FakeClock(wall=9000.0))
    yield live
    live.close()


def now(context: Context) -> int:
    """The newest row of the history."""
    with context.db.read() as tx:
        return changes.latest(tx)


def view(seq: int, text: str = "", **fields: int | None) -> View:
    """Ten rows as of a row of the history."""
    return View(past=seq, height=10, query=parse(text), **fields)  # type: ignore[arg-type]  # whatever the test is about


def test_as_it_was(context: Context, live: Live) -> None:
    """Jobs, counts and limits are those of then; acting is off, nothing needs attention."""
    first = waiting(context, "first", now=1000.0)
    second = launching(context, "second")
    then = now(context)
    end(context, first, TaskStatus.FAILED, now=2000.0)
    waiting(context, "third", now=2500.0)
    assert live.frame(View(height=10)).matched == 3
    frame = live.frame(view(then, cursor=first))
    assert [(line.job_id, line.state) for line in frame.lines] == [
        (second, S.LAUNCHING),
        (first, S.WAITING),
    ]
    assert frame.counts == {"all": 2, "active": 1, "waiting": 1, "failed": 0, "done": 0}
    assert (frame.health.link, frame.health.at, frame.now) == (Link.PAST, 1000.0, 1000.0)
    assert (frame.read_only, frame.attention, frame.seq) == (True, (), then)
    assert (frame.limits.launch.used, frame.limits.waiting) == (1, 1)
    assert frame.limits.waiting_since == 1000.0
    assert (frame.matched, frame.cursor_index) == (2, 1)


def test_what_was_not_kept(context: Context, live: Live) -> None:
    """Numbers that the history does not keep are nothing; nobody says whether a process lived."""
    launching(context)
    (line,) = live.frame(view(now(context))).lines
    assert (line.recovery_count, line.restart_count, line.tasks[0].recovery_count) == (0, 0, 0)
    assert (line.pid, line.alive, line.last_line, line.trouble) == (None, None, None, None)


def test_ids_and_filter(context: Context, live: Live) -> None:
    """Ranges and filters are those of the list of then."""
    job_ids = [waiting(context, f"job-{n}") for n in range(4)]
    then = now(context)
    done(context)
    for job_id in job_ids:
        end(context, job_id)
    frame = live.frame(view(then, "state:waiting sort:id"))
    assert [line.job_id for line in frame.lines] == job_ids
    assert live.ids(job_ids[1], job_ids[2]) == job_ids[1:3]
    assert live.frame(view(then, "name:job-2")).matched == 1
    assert live.ids(None, None) == [job_ids[2]]
    assert live.frame(view(then, "is:dead")).matched == 0
    assert live.frame(View(height=10, query=parse("state:waiting"))).matched == 0
    assert live.ids(None, None) == []


def test_detail(context: Context, live: Live) -> None:
    """The job that is looked into is shown as of then; before its creation there is none."""
    waiting(context, "other")
    before = now(context)
    job_id = waiting(context, "watched")
    then = now(context)
    end(context, job_id)
    assert live.frame(view(before, detail=job_id)).detail is None
    detail = live.frame(view(then, detail=job_id)).detail
    assert detail is not None
    assert detail.line.state is S.WAITING
    assert [one.to_value for one in detail.record] == ["INACTIVE", "PENDING", "WAITING"]


def test_back_and_forth(context: Context, live: Live) -> None:
    """From one moment to another and back to now, each shows its own."""
    waiting(context)
    then = now(context)
    waiting(context)
    later = now(context)
    waiting(context)
    matched = [
        live.frame(View(height=10, past=past)).matched for past in (then, later, then, None, later)
    ]
    assert matched == [1, 2, 1, 3, 2]
    assert live.moment(999.0) == 0
    assert live.frame(view(0)).matched == 0


def test_the_past_stands_still(context: Context, live: Live) -> None:
    """However the home changes meanwhile, the same view of a moment shows the same."""
    job_id = waiting(context)
    then = now(context)
    frame = live.frame(view(then))
    end(context, job_id)
    again = live.frame(view(then))
    assert (again.lines, again.counts, again.limits) == (frame.lines, frame.counts, frame.limits)


def test_database_gone(context: Context, live: Live) -> None:
    """A moment of a database that is not there any more is not shown."""
    waiting(context)
    then = now(context)
    live.frame(view(then))
    context.db.close()
    context.home.root.rename(context.home.root.with_name("moved"))
    assert live.frame(view(then)).health.link is Link.MISSING
