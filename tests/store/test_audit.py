"""The audit of a real home: what the tables, the locks and the files must not say."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from jobsched import audit, lock
from jobsched.audit import Invariant
from jobsched.backends.local.folder import Facts, Folder
from jobsched.clock import SystemClock
from jobsched.context import Context, open_context
from jobsched.models import DagSpec
from jobsched.scheduler.ending import cancel, job_done
from jobsched.scheduler.operate import set_hold, set_limits
from jobsched.scheduler.secrets import write_secrets
from jobsched.scheduler.submission import Submission, load, submit_new
from jobsched.states import TaskStatus
from jobsched.store import moves, reads
from jobsched.sweep.pruning import prune
from tests.process.log_jobs import Job, chain, group
from tests.world import InProcessStarter

T = TaskStatus


class QuickClock(SystemClock):
    """Sleeps in no time."""

    def __init__(self) -> None:
        self.slept = 0.0

    def monotonic(self) -> float:
        """The machine's, and what was slept."""
        return super().monotonic() + self.slept

    def sleep(self, seconds: float) -> None:
        """Say that so much time has passed."""
        self.slept += seconds


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    """An empty home, in which passes start no process."""
    made = open_context(tmp_path / "home", actor="test")
    made.ensure_home()
    made.starter = InProcessStarter()
    made.clock = QuickClock()
    yield made
    made.db.close()


@pytest.fixture
def make_job(context: Context) -> Iterator[Callable[..., Job]]:
    """Makes jobs whose controller the test is."""
    made: list[Job] = []

    def make(spec: DagSpec | None = None, *, submitted: bool = True) -> Job:
        made.append(Job(context, spec or chain(1), submitted))
        return made[-1]

    yield make
    for job in made:
        job.leave()


@pytest.fixture
def done(make_job: Callable[..., Job]) -> Job:
    """A job that was run and is DONE since ten seconds."""
    job = make_job(chain(2))
    job.status(0, T.STARTING, T.RUNNING, T.SUCCEEDED)
    job.status(1, T.STARTING, T.RUNNING, T.SUCCEEDED)
    job.done()
    job.leave()
    before = time.time() - 10
    change(job.context, "UPDATE jobs SET ended_at = ?", before)
    change(job.context, "UPDATE attempts SET ended_at = ?", before)
    return job


def change(context: Context, statement: str, *values: object) -> None:
    """Tamper with the database, past every guard."""
    with closing(sqlite3.connect(context.home.database)) as raw, raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute("PRAGMA ignore_check_constraints = ON")
        raw.execute(statement, values)


def note(context: Context, job_id: int, before: str, to: str, attempt: int = 1) -> None:
    """Forge a schedule move in the history."""
    change(
        context,
        "INSERT INTO history (at, kind, job_id, from_value, to_value, attempt, actor)"
        " VALUES (1, 'SCHEDULE', ?, ?, ?, ?, 'test')",
        job_id,
        before,
        to,
        attempt,
    )


def broken(context: Context) -> set[Invariant]:
    """The invariants that are broken."""
    return {violation.invariant for violation in audit.check(context).violations}


def said(context: Context) -> str:
    """All that is said."""
    return "\n".join(map(str, audit.check(context).violations))


# What is clean.


def test_a_missing_home(tmp_path: Path) -> None:
    """Nothing is wrong with what is not there, and it is not made."""
    report = audit.check(open_context(tmp_path / "nowhere"))
    assert (report.violations, report.rows) == ((), 0)
    assert not (tmp_path / "nowhere").exists()


def test_a_lived_in_home(context: Context, make_job: Callable[..., Job], tmp_path: Path) -> None:
    """Jobs in every state, limits changed, holds, cancels, forced ends, prunes: all clean."""
    dag = tmp_path / "dag.yaml"
    dag.write_text("run: 'true'\n")
    make_job(submitted=False)
    running = make_job(group([1, 2]))
    running.status(0, T.STARTING, T.RUNNING, T.RECOVERING)
    for _ in range(2):
        make_job().done()
    forced = make_job()
    set_limits(context, launch=0, alive=5)
    held, waiting, gone = submit_new(
        context,
        [Submission(loaded=load(dag), source="dag", hold=hold) for hold in (True, False, False)],
    )
    set_limits(context, paused=True, launch="auto")
    set_hold(context, held, held=False)
    set_hold(context, waiting, held=True)
    cancel(context, [gone])
    job_done(context, forced.job_id)
    forced.leave()
    assert audit.check(context).violations == ()
    assert prune(context, older_than=None, keep=1) == 3
    report = audit.check(context)
    assert report.violations == ()
    assert report.rows > 30


def test_it_changes_nothing(context: Context, done: Job) -> None:
    """No file is written, made or removed, and no row changed."""
    del done

    def files() -> dict[Path, tuple[int, int, int]]:
        found = {path: path.lstat() for path in context.home.root.rglob("*")}
        return {
            path: (one.st_size, one.st_mtime_ns, stat.S_IMODE(one.st_mode))
            for path, one in found.items()
            if path.suffix != ".db-shm" and not path.name.endswith("-shm")
        }

    context.home.root.chmod(0o755)
    before = files()
    assert audit.check(context).violations
    assert files() == before
    assert stat.S_IMODE(context.home.root.stat().st_mode) == 0o755


def test_a_hold_at_submission_is_in_the_history(context: Context, tmp_path: Path) -> None:
    """The history alone tells that a job was held from the beginning."""
    dag = tmp_path / "dag.yaml"
    dag.write_text("run: 'true'\n")
    [job] = submit_new(context, [Submission(loaded=load(dag), source="dag", hold=True)])
    with closing(sqlite3.connect(context.home.database)) as raw:
        actions = raw.execute("SELECT subject FROM history WHERE kind = 'ACTION'").fetchall()
    assert actions == [("HOLD",)]
    change(context, "UPDATE jobs SET schedule_state = 'LAUNCHING', attempt = 1")
    change(context, "INSERT INTO attempts (job_id, attempt, kind, started_at) VALUES (1, 1, '', 1)")
    change(context, "UPDATE attempts SET kind = 'DEFAULT'")
    note(context, job, "WAITING", "LAUNCHING")
    assert broken(context) == {Invariant.HOLDS}


# Tables.


@pytest.mark.parametrize(
    ("statement", "invariants", "says"),
    [
        (
            "UPDATE jobs SET schedule_state = 'ALIVE', ended_at = NULL",
            {Invariant.RECORD},
            "job 1 is ALIVE, but its history says DONE",
        ),
        (
            "UPDATE jobs SET status = 'FAILED'",
            {Invariant.RECORD},
            "job 1 has status FAILED, but its tasks make it SUCCEEDED",
        ),
        (
            "UPDATE tasks SET status = 'FAILED' WHERE task_id = 1",
            {Invariant.RECORD},
            "job 1: task 1 is FAILED, but its history says SUCCEEDED",
        ),
        (
            "DELETE FROM tasks WHERE task_id = 1",
            {Invariant.RECORD},
            "job 1: task 1 is None, but its history says SUCCEEDED",
        ),
        (
            "UPDATE jobs SET attempt = 2",
            {Invariant.RECORD, Invariant.ATTEMPTS},
            "job 1 is at attempt 2, but its history says 1",
        ),
        ("DELETE FROM attempts", {Invariant.ATTEMPTS}, "those noted are none"),
        (
            "UPDATE attempts SET ended_at = NULL",
            {Invariant.ATTEMPTS},
            "attempt 1 may no longer act, but no end of it is noted",
        ),
        (
            "UPDATE jobs SET cancel_at = 1",
            {Invariant.RECORD},
            "knows nothing of a cancel",
        ),
        ("DELETE FROM history WHERE job_id = 1", {Invariant.RECORD}, "has a row, but no history"),
        (
            "UPDATE limits SET value = 77 WHERE name = 'ALIVE'",
            {Invariant.RECORD},
            "ALIVE is 77, but the history says ",
        ),
        (
            "INSERT INTO history (at, kind, job_id, actor) VALUES (1, 'PRUNED', 1, 'test')",
            {Invariant.PRUNING},
            "job 1 was pruned, but has a row",
        ),
        (
            "INSERT INTO attempts (job_id, attempt, kind, started_at) VALUES (99, 1, 'FENCE', 1)",
            {Invariant.DATABASE},
            "of attempts refers to a row of jobs that is not there",
        ),
        ("UPDATE jobs SET priority = 5000", {Invariant.DATABASE}, "constraint failed in jobs"),
        (
            "UPDATE tasks SET torn_down = 0, cluster = 'c-1'",
            {Invariant.OUTCOMES},
            "cluster c-1 of task 0 was neither removed",
        ),
    ],
)
def test_tampering(
    context: Context, done: Job, statement: str, invariants: set[Invariant], says: str
) -> None:
    """A database that says what its history does not is found out."""
    assert done.job_id == 1
    assert broken(context) == set()
    change(context, statement)
    assert broken(context) == invariants
    assert says in said(context)


def test_a_job_without_a_row(context: Context, done: Job) -> None:
    """A job that vanished without being pruned."""
    assert done.job_id == 1
    change(context, "DELETE FROM tasks")
    change(context, "DELETE FROM attempts")
    change(context, "DELETE FROM snapshots")
    change(context, "DELETE FROM jobs")
    assert broken(context) == {Invariant.RECORD}
    assert "job 1 has a history, but no row" in said(context)


def test_an_end_that_never_came(context: Context, make_job: Callable[..., Job]) -> None:
    """The last row of a job's history is one that only its end allows."""
    job = make_job()
    change(context, "UPDATE tasks SET status = 'FAILED', ended_at = 1")
    change(context, "UPDATE jobs SET status = 'FAILED'")
    change(
        context,
        "INSERT INTO history (at, kind, job_id, task_id, from_value, to_value, attempt, actor)"
        " VALUES (1, 'STATUS', ?, 0, 'PENDING', 'FAILED', 1, 'test')",
        job.job_id,
    )
    assert broken(context) == {Invariant.MOVES}
    assert "moves task 0 from PENDING to FAILED, which is no legal move" in said(context)


def test_cleanup_that_failed_is_no_violation(
    context: Context, done: Job, make_job: Callable[..., Job]
) -> None:
    """A cluster may be left where it is noted why, or where the end was forced."""
    forced = make_job()
    job_done(context, forced.job_id)
    forced.leave()
    change(context, "UPDATE tasks SET torn_down = 0, cluster = 'c'")
    assert broken(context) == {Invariant.OUTCOMES}
    change(context, "UPDATE tasks SET cleanup_error = 'no' WHERE job_id = ?", done.job_id)
    assert broken(context) == set()


def test_started_before_what_it_follows(context: Context, make_job: Callable[..., Job]) -> None:
    """A job is alive although another has to succeed first."""
    job = make_job()
    change(context, "INSERT INTO dependencies (job_id, on_job_id) VALUES (?, 7)", job.job_id)
    assert broken(context) == {Invariant.RECORD}
    assert "job 7, which it follows, has not succeeded" in said(context)


def test_many_jobs_are_read_in_pages(context: Context, tmp_path: Path) -> None:
    """What is wrong is found wherever it is among more jobs than a page has."""
    dag = tmp_path / "dag.yaml"
    dag.write_text("run: 'true'\n")
    set_limits(context, paused=True)
    ids = submit_new(context, [Submission(loaded=load(dag), source="dag")] * 1203)
    assert broken(context) == set()
    wrong = (ids[0], ids[499], ids[500], ids[-1])
    change(context, "UPDATE jobs SET status = 'FAILED' WHERE job_id IN (?, ?, ?, ?)", *wrong)
    found = [violation.text for violation in audit.check(context).violations]
    assert [text.split(" has ")[0] for text in found] == [f"job {job}" for job in wrong]


def test_the_limits_of_the_past(context: Context, make_job: Callable[..., Job]) -> None:
    """A launch above the limit of its time is found, however high the limit is now."""
    set_limits(context, launch=1)
    job = make_job()
    set_limits(context, launch=0)
    note(context, job.job_id, "ALIVE", "ALIVE_WAITING")
    note(context, job.job_id, "ALIVE_WAITING", "LAUNCHING")
    change(context, "UPDATE jobs SET schedule_state = 'LAUNCHING'")
    set_limits(context, launch=5)
    assert broken(context) == {Invariant.LIMITS}


# Locks and processes.


def test_an_ended_attempt_that_lives(context: Context, done: Job) -> None:
    """An attempt has five seconds to be gone after its end; then whoever holds on is named."""
    held = lock.try_lock(context.home.attempt_lock(done.job_id, 1))
    assert held is not None
    try:
        assert broken(context) == {Invariant.LIVENESS}
        assert f"PID {os.getpid()} still holds its lock" in said(context)
        change(context, "UPDATE attempts SET ended_at = ?", time.time() - 2)
        assert broken(context) == set()
    finally:
        os.close(held)


def test_a_living_attempt(context: Context, make_job: Callable[..., Job]) -> None:
    """The controller of an alive job is where it should be."""
    make_job()
    assert broken(context) == set()


def cluster(context: Context, name: str, job_id: int, task_id: int = 0) -> Folder:
    """A cluster as it is on disk."""
    folder = Folder(context.home.clusters / name)
    folder.make()
    folder.lock.touch(0o600)
    folder.record(0).touch(0o600)
    folder.write_facts(
        Facts(
            job_id=job_id, task_id=task_id, attempt=1, region="here", candidate=0, num_nodes=1,
            created_at=1.0, boot_id="x",
        )
    )  # fmt: skip
    return folder


def test_two_copies_of_a_task(context: Context, make_job: Callable[..., Job]) -> None:
    """Two clusters of one task on which processes live are one too many."""
    job = make_job(group([1, 1]))
    folders = [
        cluster(context, "a", job.job_id), cluster(context, "b", job.job_id),
        cluster(context, "c", job.job_id, 1),
    ]  # fmt: skip
    with folders[0].lock.open() as first, folders[2].lock.open() as other:
        fcntl.flock(first, fcntl.LOCK_EX)
        fcntl.flock(other, fcntl.LOCK_EX)
        assert broken(context) == set()
        with folders[1].lock.open() as second:
            fcntl.flock(second, fcntl.LOCK_EX)
            assert broken(context) == {Invariant.COPIES}
            assert "task 0 runs more than once, on a and b" in said(context)


@pytest.fixture
def ticking(context: Context) -> Iterator[None]:
    """Somebody holds the tick lock, and does nothing."""
    held = lock.try_lock(context.home.tick_lock)
    assert held is not None
    yield
    os.close(held)


@pytest.mark.usefixtures("ticking")
def test_waiting_beside_free_capacity(context: Context, tmp_path: Path) -> None:
    """Where somebody ticks, what could be started is started within five seconds."""
    dag = tmp_path / "dag.yaml"
    dag.write_text("run: 'true'\n")
    set_limits(context, paused=True)
    submit_new(context, [Submission(loaded=load(dag), source="dag")])
    assert broken(context) == set()
    change(context, "UPDATE limits SET value = 0 WHERE name = 'PAUSED'")
    change(
        context,
        "INSERT INTO history (at, kind, subject, from_value, to_value, actor)"
        " VALUES (1, 'LIMIT', 'PAUSED', '1', '0', 'test')",
    )
    assert broken(context) == {Invariant.PROGRESS}
    assert "job 1 has waited beside free capacity for 5 s or more" in said(context)


@pytest.mark.usefixtures("ticking")
def test_a_slot_that_a_dead_controller_holds(
    context: Context, make_job: Callable[..., Job]
) -> None:
    """Where somebody ticks, a dead controller's job is taken back within five seconds."""
    job = make_job()
    assert broken(context) == set()
    job.leave()
    assert broken(context) == {Invariant.PROGRESS}
    assert "job 1 has been ALIVE with a dead controller (attempt 1)" in said(context)
    job.status(0, T.CANCELLING)  # being ended, which needs none
    change(context, "UPDATE jobs SET cancel_at = 1")
    change(
        context,
        "INSERT INTO history (at, kind, job_id, subject, attempt, actor)"
        " VALUES (1, 'ACTION', 1, 'CANCEL', 1, 'test')",
    )
    assert broken(context) == set()


@pytest.mark.usefixtures("ticking")
def test_what_comes_right_is_no_violation(context: Context, make_job: Callable[..., Job]) -> None:
    """What is taken back while the audit looks again is fine."""
    job = make_job()
    job.leave()

    class Sweeping(QuickClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            if self.slept > 3 and reads_state(context, job.job_id) == "ALIVE":
                job.done()

    context.clock = Sweeping()
    assert broken(context) == set()
    assert reads_state(context, job.job_id) == "DONE"


@pytest.mark.usefixtures("ticking")
def test_each_is_allowed_five_seconds(context: Context, make_job: Callable[..., Job]) -> None:
    """What went wrong only while the audit looked again is not yet a violation."""
    early, late = make_job(), make_job()
    early.leave()

    class Sweeping(QuickClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            if self.slept > 3 and reads_state(context, early.job_id) == "ALIVE":
                late.leave()
                early.done()

    context.clock = Sweeping()
    assert broken(context) == set()
    assert broken(context) == {Invariant.PROGRESS}
    assert "job 2 has been ALIVE with a dead controller" in said(context)


def reads_state(context: Context, job_id: int) -> str:
    """Where a job is."""
    with context.db.read() as tx:
        job = reads.job(tx, job_id)
    assert job is not None
    return job.schedule_state


def test_a_dead_controller_where_nobody_ticks(
    context: Context, make_job: Callable[..., Job]
) -> None:
    """Where nobody lives who could take it back, the next command will."""
    make_job().leave()
    assert broken(context) == set()


# Files.


def test_secrets_of_an_unfinished_job(context: Context, make_job: Callable[..., Job]) -> None:
    """Secrets may be there for as long as a job needs them, for their owner alone."""
    job = make_job()
    [path] = write_secrets(context.home, job.job_id, {0: {"TOKEN": "x"}})
    assert broken(context) == set()
    path.chmod(0o640)
    assert broken(context) == {Invariant.SECRETS}
    assert f"jobs/{path.name} has mode 0640, not 0600" in said(context)


def test_secrets_that_nobody_needs(context: Context, done: Job) -> None:
    """Secrets of a DONE job, or of none, are gone within seconds."""
    write_secrets(context.home, done.job_id, {0: {"TOKEN": "x"}})
    assert broken(context) == {Invariant.SECRETS}
    change(context, "UPDATE jobs SET ended_at = ?", time.time())
    assert broken(context) == set()
    [path] = write_secrets(context.home, 99, {0: {"TOKEN": "x"}})
    assert broken(context) == set(), "it may be of a job that is being submitted"
    os.utime(path, (1, 1))
    assert broken(context) == {Invariant.SECRETS}


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        (".", 0o755), ("jobsched.db", 0o644), ("scheduler.lock", 0o666), ("logs", 0o755),
        ("logs/tasks", 0o711), ("logs/tasks/1-0.log", 0o644), ("attempts/1.1.lock", 0o604),
    ],
)  # fmt: skip
def test_modes(context: Context, done: Job, name: str, mode: int) -> None:
    """Whatever of the home others could use is named."""
    done.write(b"a\n")
    assert broken(context) == set()
    (context.home.root / name).chmod(mode)
    assert broken(context) == {Invariant.MODES}
    assert f"MODES: {name} has mode {mode:04o}" in said(context)


def test_what_is_the_users_own(context: Context) -> None:
    """The configuration, a controller beside it and a task's files have the user's modes."""
    (context.home.root / "config.toml").touch(0o644)
    (context.home.root / "my_controller.py").touch(0o755)
    workdir = context.home.clusters / "c" / "workdir-0"
    workdir.mkdir(parents=True)
    (workdir / "run.sh").touch(0o755)
    assert broken(context) == set()


def test_a_link_in_the_home(context: Context, tmp_path: Path) -> None:
    """A link where a file of ours should be is named, whatever it leads to."""
    (tmp_path / "elsewhere").touch(0o600)
    (context.home.root / "logs" / "tasks" / "9-0.log").symlink_to(tmp_path / "elsewhere")
    assert said(context) == "MODES: logs/tasks/9-0.log is a symbolic link"


# Beside others.


def test_others_go_on_meanwhile(context: Context, done: Job) -> None:
    """An audit holds up no writer, and a checkpoint under the lock waits for no reader."""
    other = open_context(context.home.root)
    with context.db.read() as tx:
        assert reads.job(tx, done.job_id) is not None
        with other.db.write() as writing:
            moves.set_job(writing, done.job_id, failure_reason="x" * 6 * 1024 * 1024)
        began = time.monotonic()
        other.db.checkpoint()
        assert time.monotonic() - began < 2
    other.db.checkpoint()
    wal = context.home.database.with_name("jobsched.db-wal")
    assert wal.stat().st_size == 0
    other.db.close()
