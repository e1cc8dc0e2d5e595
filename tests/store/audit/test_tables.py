"""What the tables must not say."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from jobsched import audit
from jobsched.audit import Invariant
from jobsched.context import Context
from jobsched.scheduler.ending import job_done
from jobsched.scheduler.operate import set_limits
from jobsched.scheduler.submission import Submission, load, submit_new
from tests.process.log_jobs import Job, MakeJob
from tests.store.audit.tampering import broken, change, note, said


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


def test_an_end_that_never_came(context: Context, make_job: MakeJob) -> None:
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
    context: Context, done: Job, make_job: MakeJob
) -> None:
    """A cluster may be left where it is noted why, or where the end was forced."""
    forced = make_job()
    job_done(context, forced.job_id)
    forced.leave()
    change(context, "UPDATE tasks SET torn_down = 0, cluster = 'c'")
    assert broken(context) == {Invariant.OUTCOMES}
    change(context, "UPDATE tasks SET cleanup_error = 'no' WHERE job_id = ?", done.job_id)
    assert broken(context) == set()


def test_started_before_what_it_follows(context: Context, make_job: MakeJob) -> None:
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


def test_the_limits_of_the_past(context: Context, make_job: MakeJob) -> None:
    """A launch above the limit of its time is found, however high the limit is now."""
    set_limits(context, launch=1)
    job = make_job()
    set_limits(context, launch=0)
    note(context, job.job_id, "ALIVE", "ALIVE_WAITING")
    note(context, job.job_id, "ALIVE_WAITING", "LAUNCHING")
    change(context, "UPDATE jobs SET schedule_state = 'LAUNCHING'")
    set_limits(context, launch=5)
    assert broken(context) == {Invariant.LIMITS}
