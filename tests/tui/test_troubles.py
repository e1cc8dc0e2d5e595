"""Looks at a home for trouble: what is looked at, what is remembered, what is found."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from sqlalchemy import update

from jobsched import lock, process
from jobsched.api import Scheduler, Watch
from jobsched.context import Context
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves
from jobsched.store.catalogue.schema import attempts, jobs, tasks
from jobsched.testing import FakeClock
from jobsched_tui.data.frame import Attention, Trouble
from jobsched_tui.data.news import News
from jobsched_tui.data.troubles import Looked, Troubles
from tests.store.filling import asks_again, by, done, end, launching, waiting
from tests.support import wait_until
from tests.world import World

S, T = ScheduleState, TaskStatus


class Looks:
    """The looks of one console, with the news before each."""

    def __init__(self, watch: Watch, clock: FakeClock, seen_seq: int = 0) -> None:
        self.clock = clock
        self.troubles = Troubles(watch, clock, seen_seq)
        self.news = News(watch, (self.troubles.note,))
        self.troubles.note_all(self.news.read())

    def look(self, *also: int, later: float = 2.0) -> Looked:
        """Look again, so many seconds later."""
        self.clock.sleep(later)
        self.troubles.note_all(self.news.read())
        return self.troubles.look(also)

    def found(self, later: float = 2.0) -> list[tuple[Trouble, int | None]]:
        """What needs attention."""
        return [(one.trouble, one.job_id) for one in self.look(later=later).attention]


@pytest.fixture
def watch(context: Context) -> Iterator[Watch]:
    """A watch over an empty home."""
    context.clock = FakeClock(wall=3000.0)
    watch = Scheduler(context=context).watch()
    yield watch
    watch.close()


@pytest.fixture
def looks(watch: Watch) -> Looks:
    """Nobody has looked before."""
    return Looks(watch, FakeClock(wall=3000.0))


def acts(context: Context, job_id: int, pid: int | None = None) -> int:
    """Let a process (this one) be the controller of a job's first attempt; its lock."""
    who = process.me() if pid is None else process.identify(pid)
    assert who is not None
    with context.db.write() as tx:
        tx.change(
            update(attempts).where(attempts.c.job_id == job_id),
            pid=who.pid, start_ticks=who.start_ticks, boot_id=who.boot_id, pid_ns=who.pid_ns,
        )  # fmt: skip
    fd = lock.try_lock(context.home.attempt_lock(job_id, 1))
    assert fd is not None
    return fd


def only(found: tuple[Attention, ...]) -> Attention:
    """The one thing that was found."""
    assert len(found) == 1, found
    return found[0]


def test_all_is_well(context: Context, looks: Looks) -> None:
    """Who waits, runs or has ended well needs no attention; what runs is measured."""
    waiting(context)
    done(context)
    job_id = asks_again(context)
    held = acts(context, job_id)
    looked = looks.look()
    assert (looked.attention, set(looked.lines)) == ((), {job_id})
    assert looked.lines[job_id].rss is not None
    assert looked.lines[job_id].rss == (looked.usage[job_id].rss or 0) >> 20 << 20
    os.close(held)


def test_looks_only_where_there_is_something(watch: Watch, context: Context) -> None:
    """Where nothing lives, nothing is measured."""
    waiting(context)
    looked = Looks(watch, FakeClock()).look()
    assert (looked.lines, looked.usage, looked.attention) == ({}, {}, ())


def test_dead_and_back(context: Context, looks: Looks) -> None:
    """A controller that is gone is said to be since the first look that missed it."""
    job_id = asks_again(context)
    held = acts(context, job_id)
    assert looks.found() == []
    os.close(held)
    first = only(looks.look().attention)
    assert (first.trouble, first.job_id, first.since) == (Trouble.DEAD, job_id, 3004.0)
    again = only(looks.look(later=60.0).attention)
    assert again.since == 3004.0
    held = acts(context, job_id)
    assert looks.found() == []
    os.close(held)


def test_reused(context: Context, looks: Looks) -> None:
    """A PID that belongs to another program now is said to."""
    job_id = asks_again(context)
    os.close(acts(context, job_id))
    with context.db.write() as tx:
        tx.change(update(attempts), start_ticks=1)
    found = only(looks.look().attention)
    assert found.trouble is Trouble.REUSED
    assert f"pid {os.getpid()} now belongs to " in found.text


def test_stopped(context: Context, looks: Looks) -> None:
    """A controller that is stopped is told with the way to let it go on."""
    job_id = asks_again(context)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        held = acts(context, job_id, child.pid)
        assert looks.found() == []
        child.send_signal(signal.SIGSTOP)
        wait_until(lambda: _state(child.pid) == "T", 10, "the child to be stopped")
        found = only(looks.look().attention)
        assert (found.trouble, found.command) == (Trouble.STOPPED, f"kill -CONT {child.pid}")
        child.send_signal(signal.SIGCONT)
        wait_until(lambda: _state(child.pid) != "T", 10, "the child to go on")
        assert looks.found() == []
        child.kill()
    os.close(held)


def _state(pid: int) -> str:
    entry = process.look_up(pid)
    return "" if entry is None else entry.state


def test_long_launch(context: Context, looks: Looks) -> None:
    """A launch slot that is held for much longer than launches take here is told."""
    for at in (10.0, 30.0):  # launches of twenty seconds
        quick = waiting(context, now=at)
        with context.locked() as held, context.db.write() as tx:
            moves.add_attempt(tx, quick, 1, kind="DEFAULT", now=at, boot_id="b")
            job = moves.owned(tx, quick, by(at))
            moves.schedule(tx, held, job, S.LAUNCHING, by(at), attempt=1)
            job = moves.owned(tx, quick, by(at + 20))
            moves.schedule(tx, held, job, S.ALIVE, by(at + 20))
        end(context, quick)
    slow = launching(context)  # since 1000
    fd = acts(context, slow)
    found = only(looks.look().attention)
    assert (found.trouble, found.job_id, found.since) == (Trouble.SLOT, slow, 1000.0)
    assert "the median launch here takes 20 s" in found.text
    os.close(fd)


def test_failures_are_news_once(watch: Watch, context: Context) -> None:
    """A failure is told until the operator has seen it, also one from before the console came."""
    clock = FakeClock(wall=3000.0)
    early = done(context, to=T.FAILED)
    done(context)
    looks = Looks(watch, clock)
    assert looks.found() == [(Trouble.FAILED, early)]
    late = done(context, to=T.FAILED_SETUP)
    assert looks.found() == [(Trouble.FAILED, early), (Trouble.FAILED, late)]
    looks.troubles.seen(looks.news.seq)
    assert looks.found() == []
    assert Looks(watch, clock, looks.news.seq).found() == []
    assert Looks(watch, clock, 10**6).found() != []  # that was seen of another database


def test_failure_long_ago(watch: Watch, context: Context) -> None:
    """What happened more than a day before anybody looked is no news."""
    done(context, to=T.FAILED, now=2000.0)
    assert Looks(watch, FakeClock(wall=2000.0 + 90_000)).found() == []


def test_pruned_failure(context: Context, looks: Looks) -> None:
    """A failure that is forgotten needs no attention."""
    done(context, to=T.FAILED)
    assert len(looks.found()) == 1
    Scheduler(context=context).prune(older_than=None, keep=None)
    assert looks.found() == []


def test_cleanup(context: Context, looks: Looks) -> None:
    """What could not be removed is told, however the job ended."""
    job_id = waiting(context)
    with context.db.write() as tx:
        tx.change(update(tasks).where(tasks.c.job_id == job_id), cleanup_error="it is stuck")
    end(context, job_id)
    found = only(looks.look().attention)
    assert (found.trouble, found.job_id) == (Trouble.CLEANUP, job_id)


def test_also_those_that_the_operator_looks_at(context: Context, looks: Looks) -> None:
    """A job that is looked into is looked at, and forgotten when it is pruned."""
    job_id = waiting(context)
    assert set(looks.look(job_id, 99).lines) == {job_id}
    assert set(looks.look().lines) == set()


def test_lock_is_held_by_a_stopped_process(context: Context, looks: Looks) -> None:
    """Whoever is stopped with the scheduler lock in its hands is told without waiting."""
    script = (
        "import fcntl, sys; file = open(sys.argv[1]);"
        "fcntl.flock(file, fcntl.LOCK_EX); print('held', flush=True); input()"
    )
    context.home.scheduler_lock.touch()
    command = [sys.executable, "-c", script, str(context.home.scheduler_lock)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        child.send_signal(signal.SIGSTOP)
        wait_until(lambda: _state(child.pid) == "T", 10, "the child to be stopped")
        assert looks.found() == []  # it may be held for a moment
        found = only(looks.look().attention)
        assert (found.trouble, found.command) == (Trouble.LOCK, f"kill -CONT {child.pid}")
        child.kill()
    assert looks.found() == []


def test_orphans(world: World) -> None:
    """Processes of a job that is DONE are told, with the cluster that they are of."""
    job_id = world.submit("run: sleep 600")
    world.until_status(job_id, T.RUNNING)
    world.until_state(job_id, S.ALIVE)
    watch = Scheduler(context=world.context).watch()
    clock = FakeClock(wall=world.context.clock.now())
    looks = Looks(watch, clock)
    world.kill_controller(job_id)
    with world.context.locked(), world.context.db.write() as tx:
        tx.change(
            update(jobs).where(jobs.c.job_id == job_id),
            schedule_state="DONE", status="SUCCEEDED", ended_at=clock.now() - 60,
        )  # fmt: skip
    looked = looks.look()
    found = only(looked.attention)
    assert (found.trouble, found.job_id, found.command) == (
        Trouble.ORPHAN,
        job_id,
        "jobsched sweep",
    )
    assert "cluster " in found.text
    assert looked.lines[job_id].trouble == found
    with world.context.db.write() as tx:  # and all is as it was
        tx.change(
            update(jobs).where(jobs.c.job_id == job_id),
            schedule_state="ALIVE", status="RUNNING", ended_at=None,
        )  # fmt: skip
    watch.close()
    world.sweep()


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A whole home with processes."""
    world = World(tmp_path_factory.mktemp("world") / "home")
    yield world
    world.close()
