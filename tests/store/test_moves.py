"""The one writer of states: every legal move moves, every other is refused and changes nothing."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from jobsched import lock
from jobsched.context import Context, open_context
from jobsched.errors import IllegalMove, JobschedError, NotFound, StaleAttempt, StoreError
from jobsched.lock import Held
from jobsched.states import ALIVE_STATES, SCHEDULE_MOVES, STATUS_MOVES, ScheduleState, TaskStatus
from jobsched.store import moves, reads
from jobsched.store.moves import By
from jobsched.store.rows import JobRow

S, T = ScheduleState, TaskStatus
BY = By("test", 1000.0)


@pytest.fixture
def held(context: Context) -> Iterator[Held]:
    """The scheduler lock, held."""
    with lock.hold(context.home.scheduler_lock) as held:
        yield held


def put(context: Context, job_id: int, **columns: object) -> None:
    """Set columns behind the back of the one writer."""
    with closing(sqlite3.connect(context.home.database)) as raw, raw:
        for table, names in (("jobs", columns), ("tasks", {})):
            for name, value in names.items():
                raw.execute(f"UPDATE {table} SET {name} = ? WHERE job_id = ?", (value, job_id))  # noqa: S608 - fixed names


def job_in(context: Context, state: ScheduleState) -> int:
    """A new job that is in ``state``, as far as the row says."""
    with context.db.write() as tx:
        job_id = moves.create(tx, "job", ["a", "b"], BY)
    with closing(sqlite3.connect(context.home.database)) as raw, raw:
        if state is S.DONE:
            raw.execute("UPDATE tasks SET status='CANCELLED', ended_at=1 WHERE job_id=?", (job_id,))
        raw.execute(
            "UPDATE jobs SET schedule_state=?, attempt=?, queue_seq=?, status=?, ended_at=?"
            " WHERE job_id=?",
            (
                state,
                1 if state in ALIVE_STATES else 0,
                None if state is S.INACTIVE else 1,
                "CANCELLED" if state is S.DONE else "PENDING",
                1.0 if state is S.DONE else None,
                job_id,
            ),
        )
    return job_id


def row(context: Context, job_id: int) -> JobRow:
    """The job's row now."""
    with context.db.read() as tx:
        found = reads.job(tx, job_id)
    assert found is not None
    return found


def history(context: Context) -> list[tuple[object, ...]]:
    """The whole record."""
    with closing(sqlite3.connect(context.home.database)) as raw:
        return raw.execute("SELECT * FROM history ORDER BY seq").fetchall()


@pytest.mark.parametrize("to", list(S))
@pytest.mark.parametrize("source", list(S))
def test_schedule_pairs(
    context: Context, held: Held, source: ScheduleState, to: ScheduleState
) -> None:
    """All 36 pairs: those in the table move with their history row, the others raise."""
    job_id = job_in(context, source)
    before, record = row(context, job_id), history(context)
    columns: dict[str, object] = {}
    if to in ALIVE_STATES:
        columns["attempt"] = 1
    if to is S.WAITING:
        columns["queue_seq"] = 1
    if to is S.DONE:
        with context.db.write() as tx:
            if source is not S.DONE:
                for task in reads.tasks_of(tx, job_id):
                    moves.status(tx, task, T.CANCELLED, BY, ending_job=True)
        columns["ended_at"] = 5.0
        before, record = row(context, job_id), history(context)
    if to in SCHEDULE_MOVES[source]:
        with context.db.write() as tx:
            moves.schedule(tx, held, before, to, BY, **columns)
        assert row(context, job_id).schedule_state is to
        assert len(history(context)) == len(record) + 1
        return
    with pytest.raises(IllegalMove), context.db.write() as tx:
        moves.schedule(tx, held, before, to, BY, **columns)
    assert (row(context, job_id), history(context)) == (before, record)


@pytest.mark.parametrize("ending", [False, True])
@pytest.mark.parametrize("to", list(T))
@pytest.mark.parametrize("source", list(T))
def test_status_pairs(context: Context, source: TaskStatus, to: TaskStatus, ending: bool) -> None:
    """All pairs of statuses, with and without the end of the job, move or are refused."""
    job_id = job_in(context, S.ALIVE)
    ended = 2.0 if source.is_terminal else None
    with closing(sqlite3.connect(context.home.database)) as raw, raw:
        raw.execute(
            "UPDATE tasks SET status=?, ended_at=?, started_at=1 WHERE job_id=? AND task_id=0",
            (source, ended, job_id),
        )
    record = history(context)
    legal = to in STATUS_MOVES[source] or (ending and to.is_terminal and not source.is_terminal)
    with context.db.read() as tx:
        task = reads.tasks_of(tx, job_id)[0]
    if legal:
        with context.db.write() as tx:
            moves.status(tx, task, to, BY.because("why"), ending_job=ending)
        with context.db.read() as tx:
            moved = reads.tasks_of(tx, job_id)[0]
        assert (moved.status, moved.ended_at is not None) == (to, to.is_terminal)
        assert len(history(context)) == len(record) + 1
        return
    with pytest.raises(IllegalMove), context.db.write() as tx:
        moves.status(tx, task, to, BY, ending_job=ending)
    assert history(context) == record


def test_a_new_job_is_what_a_row_is_by_default(context: Context) -> None:
    """Whoever has just created one need not look."""
    with context.db.write() as tx:
        job_id = moves.create(tx, "job", ["a"], BY)
        assert reads.job(tx, job_id) == JobRow(job_id, "job", BY.now)


def test_stale_attempt_changes_nothing(context: Context, held: Held) -> None:
    """A row that another attempt has changed since it was read is not written over."""
    job_id = job_in(context, S.LAUNCHING)
    old = row(context, job_id)
    put(context, job_id, attempt=2)
    record = history(context)
    with pytest.raises(StaleAttempt), context.db.write() as tx:
        moves.schedule(tx, held, old, S.ALIVE, BY)
    with pytest.raises(StaleAttempt), context.db.write() as tx:
        moves.owned(tx, job_id, By("controller", 1.0, attempt=1))
    assert history(context) == record


def test_unknown_job(context: Context) -> None:
    """There is nothing to act for."""
    with pytest.raises(NotFound), context.db.write() as tx:
        moves.owned(tx, 99, BY)


def test_without_the_lock(context: Context, held: Held) -> None:
    """A proof of the lock is worth nothing after its release."""
    job_id = job_in(context, S.INACTIVE)
    found = row(context, job_id)
    held.release()
    with pytest.raises(StoreError, match="released"), context.db.write() as tx:
        moves.schedule(tx, held, found, S.DONE, BY, ended_at=1.0)


def test_one_winner(context: Context, held: Held) -> None:
    """Sixteen threads that make the same move: one moves, fifteen are refused."""
    job_id = job_in(context, S.LAUNCHING)
    seen = row(context, job_id)
    start, results = threading.Barrier(16), []

    def race() -> None:
        mine = open_context(context.home.root)
        start.wait()
        try:
            with mine.db.write() as tx:
                moves.schedule(tx, held, seen, S.ALIVE, BY)
            results.append("moved")
        except JobschedError as error:
            results.append(type(error).__name__)
        finally:
            mine.db.close()

    threads = [threading.Thread(target=race) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ["StaleAttempt"] * 15 + ["moved"]
    assert sum(entry[7] == "ALIVE" for entry in history(context)) == 1


NONSENSE = (
    "UPDATE jobs SET schedule_state = 'RUNNING'",
    "UPDATE jobs SET status = 'DONE'",
    "UPDATE jobs SET schedule_state = 'DONE'",
    "UPDATE jobs SET ended_at = 1",
    "UPDATE jobs SET schedule_state = 'ALIVE'",
    "UPDATE jobs SET schedule_state = 'WAITING'",
    "UPDATE jobs SET priority = 1001",
    "UPDATE jobs SET attempt = -1",
    "UPDATE jobs SET hold = 4",
    "UPDATE tasks SET status = 'ALIVE'",
    "UPDATE tasks SET status = 'SUCCEEDED'",
    "UPDATE tasks SET status = 'RUNNING'",
    "UPDATE tasks SET ended_at = 1",
    "UPDATE tasks SET torn_down = 0",
    "UPDATE history SET actor = 'nobody'",
    "INSERT INTO history (at, kind, actor) VALUES (1, 'OTHER', 'x')",
    "INSERT INTO limits (name, value, auto) VALUES ('OTHER', 1, 0)",
    "UPDATE limits SET value = -1",
)


@pytest.mark.parametrize("statement", NONSENSE)
def test_the_database_refuses_nonsense(context: Context, statement: str) -> None:
    """What must not be so cannot be written, by any program."""
    job_in(context, S.INACTIVE)
    with (
        closing(sqlite3.connect(context.home.database)) as raw,
        pytest.raises(sqlite3.IntegrityError),
    ):
        raw.execute(statement)


def test_followers_are_released_or_ended(context: Context, held: Held) -> None:
    """A chain of a thousand followers of a failed job ends in one go, each with its reason."""
    from jobsched.store import submissions  # noqa: PLC0415 - named beside its use

    with context.db.write() as tx:
        ids = [moves.create(tx, f"j{number}", ["t"], BY) for number in range(1000)]
        for before, after in pairwise(ids):
            assert submissions.follow(tx, after, before) is None
        first = moves.owned(tx, ids[0], BY)
        ended = moves.done(tx, held, first, BY, to=T.FAILED)
    assert ended == ids
    last = row(context, ids[-1])
    assert (str(last.status), last.failure_reason) == (
        "CANCELLED",
        f"job {ids[-2]}, which it was to follow, ended CANCELLED",
    )


def test_who_ends_a_job_does_not_act_for_its_followers(context: Context, held: Held) -> None:
    """A controller's attempt is its own job's: theirs has not begun, and that is what is noted."""
    from jobsched.store import submissions  # noqa: PLC0415 - named beside its use

    job_id, mine = job_in(context, S.ALIVE), By("controller", 2.0, attempt=1)
    with context.db.write() as tx:
        follower = moves.create(tx, "after", ["t"], BY)
        submissions.follow(tx, follower, job_id)
        moves.done(tx, held, moves.owned(tx, job_id, mine), mine, to=T.FAILED)
        own, theirs = (reads.changes_of_task(tx, job, 0, 0)[-1] for job in (job_id, follower))
    assert (own.to_value, own.attempt) == (T.FAILED, 1)
    assert (theirs.to_value, theirs.attempt) == (T.CANCELLED, 0)


def test_a_word_that_names_no_state(context: Context) -> None:
    """It is said which, whoever wrote it."""
    job_id = job_in(context, S.WAITING)
    for column, kind in (("status", "TaskStatus"), ("schedule_state", "ScheduleState")):
        with closing(sqlite3.connect(context.home.database)) as raw, raw:
            raw.execute("PRAGMA ignore_check_constraints = ON")
            (before,) = raw.execute(f"SELECT {column} FROM jobs").fetchone()  # noqa: S608 - fixed names
            raw.execute(f"UPDATE jobs SET {column} = 'BOGUS'")  # noqa: S608 - as above
        with pytest.raises(ValueError, match=f"'BOGUS' is not a valid {kind}"):
            row(context, job_id)
        with closing(sqlite3.connect(context.home.database)) as raw, raw:
            raw.execute(f"UPDATE jobs SET {column} = ?", (before,))  # noqa: S608 - as above


def test_only_one_file_writes_states() -> None:
    """No other module runs a statement that sets a schedule state or a status."""
    package = Path(moves.__file__).parents[1]
    writes = re.compile(r"sql\.(MOVE_JOB|MOVE_TASK|SET_JOB|SET_TASK|SET_STATUS|ADD_JOB|ADD_TASK)\b")
    found = [path.name for path in package.rglob("*.py") if writes.search(path.read_text())]
    assert found == ["moves.py"]
    written = re.compile(
        r"(update|insert|delete)\((jobs|tasks)\)|(UPDATE|INTO|FROM) (jobs|tasks) SET"
    )
    found = [path.name for path in package.rglob("*.py") if written.search(path.read_text())]
    assert sorted(found) == ["auditing.py", "sql.py", "writing.py"]
