"""Forgetting finished jobs: whole, with their files, and never one that somebody waits for."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from jobsched import audit, lock
from jobsched.clock import SystemClock
from jobsched.context import Context, open_context
from jobsched.errors import StoreError
from jobsched.states import TaskStatus
from jobsched.store import pruning, reads
from jobsched.sweep.litter import remove_files_of_pruned, remove_needless, remove_old_logs
from jobsched.sweep.pruning import prune
from tests.store.filling import by, done, end, launching, waiting

T = TaskStatus
DAY = 86_400.0
TABLES = ("jobs", "tasks", "attempts", "snapshots", "dependencies", "history")


class AtNoon:
    """A clock that stands still, an hour before the third day."""

    def now(self) -> float:
        """Wall time."""
        return 3 * DAY - 3600

    def monotonic(self) -> float:
        """The same."""
        return self.now()

    def sleep(self, seconds: float) -> None:
        """At once."""


class NoonForOnce(SystemClock):
    """The same wall time, but waits are waits."""

    def now(self) -> float:
        """Wall time."""
        return AtNoon().now()


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    """A context with an empty database."""
    context = open_context(tmp_path / "home")
    context.ensure_home()
    context.clock = AtNoon()
    yield context
    context.db.close()


def rows(context: Context, sql: str) -> list[tuple[object, ...]]:
    """What a query gives, asked past everything that is ours."""
    with closing(sqlite3.connect(context.home.database)) as raw:
        return raw.execute(sql).fetchall()


def jobs(context: Context) -> list[object]:
    """The ids of all jobs."""
    return [one for (one,) in rows(context, "SELECT job_id FROM jobs ORDER BY job_id")]


def test_nothing_is_left_but_a_row(context: Context) -> None:
    """Every table forgets the job; one PRUNED row stays; other jobs keep everything."""
    first = waiting(context)
    kept = launching(context)
    gone = end(context, launching(context, attempts=2))
    follower = end(context, waiting(context, after=[first]))
    before = {
        table: rows(context, f"SELECT * FROM {table} WHERE job_id IN ({first}, {kept})")  # noqa: S608 - fixed names
        for table in TABLES
    }
    assert prune(context, older_than=None, keep=None) == 2
    for table in TABLES:
        left = rows(context, f"SELECT * FROM {table} WHERE job_id IS NOT NULL")  # noqa: S608 - fixed names
        if table == "history":
            left = [row for row in left if row[2] != "PRUNED"]
        assert left == before[table], table
    marks = rows(context, "SELECT job_id, actor FROM history WHERE kind = 'PRUNED' ORDER BY seq")
    assert marks == [(gone, "library"), (follower, "library")]
    with context.db.read() as tx:
        assert pruning.pruned_among(tx, [first, kept, gone, follower]) == {gone, follower}


def test_ids_are_never_used_again(context: Context) -> None:
    """The newest job is pruned; the next one has a new id, and the audit finds nothing amiss."""
    last = done(context)
    assert prune(context, older_than=None, keep=None) == 1
    assert audit.check(context).violations == ()
    assert waiting(context) == last + 1


def test_unfinished_jobs_stay(context: Context) -> None:
    """Whatever their age."""
    made = [waiting(context, now=1.0), launching(context)]
    assert prune(context, older_than=None, keep=None) == 0
    assert jobs(context) == made


def test_older_than(context: Context) -> None:
    """Goes by when a job ended, to the second."""
    now = context.clock.now()
    old, exact, young = (done(context, now=now - age) for age in (2 * DAY, DAY, DAY - 1))
    assert prune(context, older_than=DAY, keep=None) == 2
    assert jobs(context) == [young]
    assert {old, exact} & {young} == set()


def test_keep(context: Context) -> None:
    """The newest N of those that are DONE stay; both conditions together mean both."""
    made = [done(context, now=DAY) for _ in range(4)]
    running = launching(context)
    assert prune(context, older_than=None, keep=4) == 0
    assert prune(context, older_than=None, keep=9) == 0
    assert prune(context, older_than=10 * DAY, keep=1) == 0
    assert prune(context, older_than=DAY, keep=2) == 2
    assert jobs(context) == [*made[2:], running]
    assert prune(context, older_than=None, keep=0) == 2
    assert jobs(context) == [running]


def test_awaited_jobs_stay(context: Context) -> None:
    """As long as an unfinished job waits for it, and no longer.

    (A job ends together with those that wait in vain for it, so that only a broken database could
    have an unfinished one left; prune does not rely on that.)
    """
    first = done(context, to=T.FAILED)
    waiter = waiting(context)
    with closing(sqlite3.connect(context.home.database)) as raw, raw:
        raw.execute("INSERT INTO dependencies VALUES (?, ?, 0)", (waiter, first))
    assert prune(context, older_than=None, keep=None) == 0
    end(context, waiter, T.CANCELLED)
    assert prune(context, older_than=None, keep=1) == 1
    assert jobs(context) == [waiter]


def test_satisfied_followers_need_nobody(context: Context) -> None:
    """A job whose predecessor has succeeded may start, also when that one is forgotten."""
    first = waiting(context)
    follower = waiting(context, after=[first])
    end(context, first)
    assert prune(context, older_than=None, keep=None) == 1
    with context.db.read() as tx:
        assert [job.job_id for job in reads.starts(tx, context.clock.now(), 5)] == [follower]


def test_many(context: Context) -> None:
    """More than fit into one batch, with some that stay in between."""
    kept = []
    for number in range(130):
        if number % 50 == 0:
            kept.append(waiting(context))
        done(context)
    assert prune(context, older_than=None, keep=None) == 130
    assert jobs(context) == kept


def test_a_batch_goes_on_where_the_last_one_stopped(context: Context) -> None:
    """At most so many at a time, in the order of their ids."""
    made = [done(context) for _ in range(5)]
    last, batches = 0, []
    for _ in range(4):
        with context.locked() as held, context.db.write() as tx:
            gone = pruning.prune_some(
                tx, held, after=last, newest=made[-1], before=9e9, most=2, by=by()
            )
        batches.append(gone)
        last = gone[-1] if gone else last
    assert batches == [made[:2], made[2:4], made[4:], []]


def test_all_or_nothing(context: Context) -> None:
    """A prune that fails midway has forgotten nothing."""
    job = done(context)
    before = rows(context, "SELECT * FROM history")

    def fail_midway() -> None:
        with context.locked() as held, context.db.write() as tx:
            assert pruning.prune_some(tx, held, after=0, newest=9, before=9e9, most=9, by=by())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_midway()
    assert rows(context, "SELECT * FROM history") == before
    assert jobs(context) == [job]


def test_needs_the_lock(context: Context) -> None:
    """Without it nothing is removed."""
    job = done(context)
    with context.locked() as held:
        pass
    with pytest.raises(StoreError, match="released"), context.db.write() as tx:
        pruning.prune_some(tx, held, after=0, newest=job, before=9e9, most=9, by=by())
    assert jobs(context) == [job]


def leave_files(context: Context, job_id: int) -> list[Path]:
    """Every file that a job may leave."""
    home = context.home
    found = [
        home.controller_log(job_id), home.task_log(job_id, 0), home.task_log(job_id, 0, 12),
        home.callback_log(job_id, 0), home.attempt_lock(job_id, 1), home.attempt_lock(job_id, 12),
        home.settle_lock(job_id), home.secrets_file(job_id), home.dag_file(job_id),
        home.callback_file(job_id, 0),
    ]  # fmt: skip
    for path in found:
        path.write_text("x")
    os.mkfifo(home.wake_fifo(job_id, 1))
    return [*found, home.wake_fifo(job_id, 1)]


def test_files_go_with_their_job(context: Context) -> None:
    """All of a pruned job's; none of a job whose number only begins like it, or of nobody's."""
    gone = done(context)
    for _ in range(9):
        waiting(context)
    kept = waiting(context)
    assert str(kept) == f"{gone}1"
    files, others = leave_files(context, gone), leave_files(context, kept)
    odd = [
        context.home.root / "logs" / "tasks" / name for name in ("notes.txt", "1", "-1.log", "01.x")
    ]
    for path in odd:
        path.touch()
    prune(context, older_than=None, keep=None)
    assert [path for path in files if path.exists()] == []
    assert all(path.exists() for path in [*others, *odd])


def test_held_locks_stay(context: Context) -> None:
    """What somebody holds is not pulled from under him; the next prune sees to it."""
    job = done(context)
    path = context.home.attempt_lock(job, 1)
    held = lock.try_lock(path)
    assert held is not None
    assert prune(context, older_than=None, keep=None) == 1
    assert path.exists()
    os.close(held)
    assert prune(context, older_than=None, keep=None) == 0
    assert not path.exists()


def test_files_of_the_unknown_stay(context: Context) -> None:
    """A secret is written before its job is committed: an id that nobody pruned is not litter."""
    done(context)
    files = leave_files(context, 4711)
    prune(context, older_than=None, keep=None)
    assert remove_files_of_pruned(context) == 0
    assert all(path.exists() for path in files)


def test_what_a_killed_process_left_of_a_job(context: Context) -> None:
    """Secrets, copies and callbacks go once no unfinished job needs them, logs and locks stay."""
    ended, running, never = done(context), launching(context), 4711
    files = {job: leave_files(context, job) for job in (ended, running, never)}
    assert remove_needless(context) == 6
    for job, paths in files.items():
        home = context.home
        gone = {home.secrets_file(job), home.dag_file(job), home.callback_file(job, 0)}
        left = [path for path in paths if path.exists()]
        assert left == (paths if job == running else [path for path in paths if path not in gone])
    assert remove_needless(context) == 0


def test_calls_under_way_stay(context: Context) -> None:
    """The text of a callback is kept for as long as a process of its call lives."""
    path = context.home.callback_file(done(context), 0)
    held = lock.try_lock(path)
    assert held is not None
    assert remove_needless(context) == 0
    assert path.exists()
    os.close(held)
    assert remove_needless(context) == 1
    assert not path.exists()


@pytest.mark.parametrize(("age", "lives"), [(80, True), (100, False)])
def test_calls_that_have_had_their_time_are_ended(
    context: Context, age: int, *, lives: bool
) -> None:
    """Whoever began them, also where what was to end them is gone; younger ones are not."""
    path = context.home.callback_file(done(context), 0)
    held = lock.try_lock(path)
    assert held is not None
    with subprocess.Popen(["sleep", "300"], pass_fds=[held]) as left:
        os.close(held)
        os.utime(path, times=(context.clock.now() - age,) * 2)
        context.clock = NoonForOnce()
        remove_needless(context)
        assert (left.poll() is None) == lives
        assert path.exists() == lives
        left.kill()


def test_databases_that_were_never_born(context: Context) -> None:
    """Go with all that SQLite put beside them once their maker is gone, and are no violation."""
    with subprocess.Popen(["true"]) as maker:
        pass
    names = [f"jobsched.db.{maker.pid}.1f{suffix}" for suffix in ("", "-wal", "-shm", "-journal")]
    kept = [
        f"jobsched.db.{os.getpid()}.ab12", f"jobsched.db.{maker.pid}.copy", "jobsched.db.1",
        f"other.db.{maker.pid}.1f", "jobsched.db", "jobsched.db-wal",
    ]  # fmt: skip
    for name in [*names, *kept]:
        (context.home.root / name).touch(mode=0o600)
    assert audit.check(context).violations == ()
    assert remove_needless(context) == 4
    left = {path.name for path in context.home.root.iterdir()}
    assert left.isdisjoint(names)
    assert left.issuperset(kept)
    assert audit.check(context).violations == ()


def test_a_database_whose_maker_is_killed(tmp_path: Path) -> None:
    """What it leaves stands in nobody's way, and the next sweep removes it."""
    code = """
import os, signal
from pathlib import Path
from jobsched.context import open_context
context = open_context(Path("home"))
context._first_rows = lambda tx: os.kill(os.getpid(), signal.SIGKILL)
context.ensure_home()
"""
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": root}, check=False
    )
    assert done.returncode == -signal.SIGKILL
    left = [path.name for path in (tmp_path / "home").glob("jobsched.db*")]
    assert left
    context = open_context(tmp_path / "home")
    context.ensure_home()
    assert remove_needless(context) == len(left)
    assert {path.name for path in (tmp_path / "home").glob("jobsched.db.*")} == set()
    assert audit.check(context).violations == ()
    context.db.close()


def test_old_logs(context: Context) -> None:
    """Logs go when their job has been DONE for ``keep_days``; everything else stays."""
    home = context.home
    home.config_file.write_text("[logs]\nkeep_days = 1\n")
    clock, context = context.clock, open_context(home.root)
    context.clock = clock
    now = clock.now()
    old, young = done(context, now=now - DAY - 1), done(context, now=now - DAY + 1)
    running = launching(context)
    files = {job: leave_files(context, job) for job in (old, young, running, 4711)}
    assert remove_old_logs(context) == 4
    left = {job: [path for path in paths if path.exists()] for job, paths in files.items()}
    assert [path for path in files[old] if path not in left[old]] == files[old][:4]
    assert all(left[job] == files[job] for job in (young, running, 4711))
    assert remove_old_logs(context) == 0
    context.db.close()
