"""Pages of jobs, and what is shown of one: the right rows, newest first, at the cost of a page."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from jobsched.context import Context
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store import moves, views
from jobsched.store.views import Ahead, Blocker, Filter
from tests.store.filling import asks_again, by, done, end, launching, row, waiting

S, T = ScheduleState, TaskStatus


def ids(context: Context, wanted: Filter) -> list[int]:
    """The ids of a page."""
    with context.db.read() as tx:
        return [job.job_id for job in views.page(tx, wanted)]


def test_unfinished_jobs_newest_first(context: Context) -> None:
    """DONE jobs are not in, in whatever state the others are; ``all`` has both."""
    first, ended, second, third = (
        waiting(context), done(context), launching(context), asks_again(context),
    )  # fmt: skip
    with context.locked(), context.db.write() as tx:
        inactive = moves.create(tx, "new", ["t"], by())
    assert ids(context, Filter()) == [inactive, third, second, first]
    assert ids(context, Filter(all=True)) == [inactive, third, second, ended, first]


def test_limit(context: Context) -> None:
    """A page has the newest, however they are spread over the states."""
    made = [(waiting, launching, asks_again)[number % 3](context) for number in range(9)]
    for limit in range(11):
        assert ids(context, Filter(limit=limit)) == made[::-1][:limit]
        assert ids(context, Filter(limit=limit, all=True)) == made[::-1][:limit]


def test_statuses(context: Context) -> None:
    """Whoever names a status gets all jobs that have it, DONE or not."""
    good, bad, pending = done(context), done(context, to=T.FAILED), waiting(context)
    assert ids(context, Filter(statuses=[T.SUCCEEDED])) == [good]
    assert ids(context, Filter(statuses=[T.FAILED, T.SUCCEEDED, T.FAILED])) == [bad, good]
    assert ids(context, Filter(statuses={T.PENDING, T.FAILED})) == [pending, bad]
    assert ids(context, Filter(statuses=[T.FAILED, T.SUCCEEDED], limit=1)) == [bad]
    assert ids(context, Filter(statuses=[T.RUNNING])) == []


def test_names(context: Context) -> None:
    """A name is a name, not a pattern; it goes together with every other filter."""
    odd = waiting(context, "a%'_\"")
    named = [waiting(context, "a"), done(context, "a"), waiting(context, "a")]
    assert ids(context, Filter(name="a%'_\"")) == [odd]
    assert ids(context, Filter(name="a")) == [named[2], named[0]]
    assert ids(context, Filter(name="a", all=True)) == named[::-1]
    assert ids(context, Filter(name="a", statuses=[T.SUCCEEDED])) == [named[1]]
    assert ids(context, Filter(name="a", limit=1)) == [named[2]]
    assert ids(context, Filter(name="nobody")) == []


def fill(context: Context, count: int) -> None:
    """That many DONE jobs, fast."""
    with closing(sqlite3.connect(context.home.database)) as raw, raw:
        raw.executemany(
            "INSERT INTO jobs (name, schedule_state, status, created_at, queue_seq, ended_at)"
            " VALUES ('old', 'DONE', ?, 1, ?, 2)",
            (("SUCCEEDED" if n % 2 else "FAILED", n) for n in range(count)),
        )


FILTERS = (
    Filter(),
    Filter(all=True),
    Filter(statuses=[T.SUCCEEDED, T.FAILED]),
    Filter(statuses=[T.RUNNING]),
    Filter(name="mine"),
    Filter(name="old", all=True),
)


@pytest.mark.parametrize("wanted", FILTERS, ids=str)
def test_a_page_costs_a_page(context: Context, wanted: Filter) -> None:
    """Ten thousand ended jobs make SQLite do hardly more work for a page of five than a hundred."""
    waiting(context, "mine")
    fill(context, 100)
    few = steps(context, wanted)
    fill(context, 10_000)
    assert steps(context, wanted) <= few + 100


def steps(context: Context, wanted: Filter) -> int:
    """SQLite's own instructions (in tens) that a page takes."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    limited = Filter(all=wanted.all, statuses=wanted.statuses, name=wanted.name, limit=5)
    ids(context, limited)  # the connection is open, the statement prepared
    driver = context.db._driver
    assert driver is not None
    driver.set_progress_handler(count, 10)
    ids(context, limited)
    driver.set_progress_handler(None, 0)
    return taken


def test_tasks_of_a_page(context: Context) -> None:
    """One query for more jobs than fit into one list of SQLite; those without rows are empty."""
    made = [waiting(context, tasks=["a", "b"]) for _ in range(3)]
    asked = [*made, *range(1000, 2200)]
    with context.db.read() as tx:
        found = views.tasks_of_all(tx, asked)
    assert [[task.name for task in found[job]] for job in made] == [["a", "b"]] * 3
    assert all(found[job] == [] for job in asked[3:])


def test_newest_attempts(context: Context) -> None:
    """The last controller's, also when a forced end has raised the attempt beyond it."""
    one, many, never = launching(context), launching(context, attempts=3), waiting(context)
    with context.locked() as held, context.db.write() as tx:
        moves.add_attempt(tx, many, 4, kind="FENCE", now=1.0, boot_id="")
        moves.done(tx, held, moves.owned(tx, many, by()), by(), attempt=4)
    with context.db.read() as tx:
        found = views.newest_attempts(tx, [one, many, never])
    assert {job: attempt.attempt for job, attempt in found.items()} == {one: 1, many: 3}


def test_blockers(context: Context) -> None:
    """Whom each job waits for, until that one has succeeded."""
    first, second = waiting(context), launching(context)
    job = waiting(context, after=[first, second])
    with context.db.read() as tx:
        found = views.blockers_of_all(tx, [first, second, job])
    assert found == {job: [Blocker(first, T.PENDING), Blocker(second, T.PENDING)]}
    end(context, first)
    with context.db.read() as tx:
        assert views.blockers_of_all(tx, [job]) == {job: [Blocker(second, T.PENDING)]}


def test_blocker_that_is_gone(context: Context) -> None:
    """A job that waits for one that was lost is said to wait, not to be free."""
    first = waiting(context)
    job = waiting(context, after=[first])
    with closing(sqlite3.connect(context.home.database)) as raw, raw:
        raw.execute("DELETE FROM jobs WHERE job_id = ?", (first,))
    with context.db.read() as tx:
        assert views.blockers_of_all(tx, [job]) == {job: [Blocker(first, None)]}


def test_who_is_ahead_of_a_start(context: Context) -> None:
    """Higher priority, then earlier submission; nobody whom a pass would not take anyway."""
    low, first, high = (waiting(context, priority=n) for n in (-1, 0, 5))
    held, cancelled, later = (waiting(context, priority=9) for _ in range(3))
    waiting(context, priority=9, after=[low])
    job = row(context, waiting(context))
    waiting(context)
    with context.db.write() as tx:
        moves.set_job(tx, held, hold=1)
        moves.set_job(tx, cancelled, cancel_at=1.0)
        moves.set_job(tx, later, not_before=1550.0)
    with context.db.read() as tx:
        assert views.starts_ahead(tx, job, 1500.0, 5) == Ahead((high, first), 2)
        assert views.starts_ahead(tx, job, 6000.0, 2) == Ahead((later, high), 3)


def test_who_is_ahead_for_a_slot(context: Context) -> None:
    """Of a job that is alive: those before it; of a new one: all that are alive and ask."""
    first, second, urgent = (asks_again(context, priority=n) for n in (0, 0, 3))
    resume, start = row(context, second), row(context, waiting(context, priority=9))
    held = asks_again(context, priority=9)
    with context.db.write() as tx:
        moves.set_job(tx, held, hold=1)
    with context.db.read() as tx:
        assert views.resumes_ahead(tx, resume, 5) == Ahead((urgent, first), 2)
        assert views.resumes_ahead(tx, start, 2) == Ahead((urgent, first), 3)


def test_record(context: Context) -> None:
    """One job's rows, in order, of every kind."""
    job, other = waiting(context), waiting(context)
    with context.db.write() as tx:
        moves.record(tx, by(), "ACTION", job_id=job, subject="HOLD")
        moves.record(tx, by(), "LIMIT", subject="LAUNCH", to_value="3")
    with context.db.read() as tx:
        rows = views.record_of(tx, job)
    assert [(entry.kind, entry.to_value or entry.subject) for entry in rows] == [
        ("SCHEDULE", "INACTIVE"), ("STATUS", "PENDING"), ("SCHEDULE", "WAITING"),
        ("ACTION", "HOLD"),
    ]  # fmt: skip
    assert [entry.seq for entry in rows] == sorted(entry.seq for entry in rows)
    assert {entry.job_id for entry in rows} == {job} != {other}


def test_unfinished_and_counts(context: Context) -> None:
    """Ids oldest first, by name too; how many are in each state."""
    first, _, third = waiting(context, "a"), done(context, "a"), launching(context, "a")
    other = waiting(context, "b")
    with context.db.read() as tx:
        assert views.unfinished_ids(tx) == [first, third, other]
        assert views.unfinished_ids(tx, "a") == [first, third]
        assert views.unfinished_ids(tx, "c") == []
        assert views.counts(tx) == {S.WAITING: 2, S.DONE: 1, S.LAUNCHING: 1}
