"""How SQLite goes about each statement of the catalogue: by an index, and no further than it must.

Plans and counts of the database's own steps, never the time they take.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from jobsched.store import driver, sql
from jobsched.store.migrations import migrate
from tests.store.test_catalogue import STATEMENTS, text_parameters

#: Those that go over everything, and why that is meant.
WHOLE = {
    "LIMITS": "three rows",
    "PAGE": "the newest are the last of the table: as many are read as are shown",
    "NEWEST_BUT": "from the newest on, as many as are kept",
    "COUNTS": "all jobs are counted, in the index of states",
    "ALL_KEYS": "a list of all jobs",
    "SOURCES": "what a filter compares, of all jobs",
    "SUBMITTED": "the past begins with all jobs",
    "EVENT_COUNT": "an audit says how much there was",
}

#: Questions that an index with few rows in it answers, and its name.
PARTIAL = {
    "REQUEUED": "jobs_waiting_again",
    "RESTARTS": "jobs_waiting_again",
    "UNSETTLED": "jobs_waiting_again",
    "NEXT_DUE": "jobs_put_off",
    "ENDING": "jobs_ending",
    "ROOM_WAITERS": "tasks_in_backoff",
}

#: What passes, claims, submissions and ticks ask, a page of the queue, and a look at one job: costs
#: the same however many jobs wait or are DONE.
FLAT = {
    "JOB", "TASKS", "TASK", "ATTEMPT", "NOTED", "SNAPSHOT", "LIMITS", "ALIVE_JOBS",
    "ALIVE_ATTEMPTS", "ENDING", "ALIVE_COUNTS", "STATUS_CHANGES", "DEPENDENTS", "REQUEUED",
    "RESTARTS", "RESUMES", "STARTS", "UNSETTLED", "ROOM_WAITERS", "NEXT_DUE", "LAST_SEQ", "LATEST",
    "PAGE", "PAGE_NAMED", "PAGE_OF_STATUS", "JOBS_OF", "TASKS_OF", "NEWEST_ATTEMPTS", "CALLED_OF",
    "BLOCKERS", "RECORD", "STATE", "STATUSES", "RESUMES_WAITING", "RESUMES_BEFORE",
    "STARTS_BEFORE", "FAILED_COUNT", "CHANGES_AFTER",
}  # fmt: skip

#: Ids that are alive in a filled database, whatever else there is.
ALIVE = range(1, 9)
MOST = 20
VALUES: dict[str, object] = {
    "job_id": 3, "task_id": 0, "attempt": 1, "now": 5.0, "most": MOST, "name": "alive",
    "state": "WAITING", "status": "RUNNING", "after": 0, "before": 10**9, "upto": 10**9,
    "newest": 10**9, "keep": 0, "priority": 0, "place": 10**9,
}  # fmt: skip
LISTS = {"ids": "3, 4", "states": "'WAITING', 'ALIVE'", "kinds": "'STATUS'"}


@pytest.fixture(scope="module", params=[0, 10_000], ids=["empty", "full"])
def rows(request: pytest.FixtureRequest) -> Iterator[sqlite3.Connection]:
    """A database without a job, and one with so many of each kind."""
    with closing(filled(request.param)) as made:
        yield made


def filled(many: int) -> sqlite3.Connection:
    """A few alive jobs, between ``many`` that are DONE and ``many`` that wait for their start."""
    made = driver.in_memory()
    migrate(made, 0)
    made.execute("BEGIN")
    made.executemany("INSERT INTO limits VALUES (?, 8, 0)", [("LAUNCH",), ("ALIVE",), ("PAUSED",)])
    if many:
        add(made, [*ALIVE], "alive", "ALIVE", "RUNNING", ended=None)
        older, waiting = range(10, 10 + many), range(10 + many, 10 + 2 * many)
        add(made, [*older], "old", "DONE", "SUCCEEDED", ended=2.0)
        add(made, [*waiting], "new", "WAITING", "PENDING", ended=None, attempt=0)
        made.executemany(
            "INSERT INTO dependencies (job_id, on_job_id, satisfied) VALUES (?, ?, ?)",
            [(job_id, job_id - many, 1) for job_id in waiting[::10]] + [(waiting[-1], 3, 0)],
        )
    made.execute("COMMIT")
    return made


def add(
    made: sqlite3.Connection, ids: list[int], name: str, state: str, status: str, *,
    ended: float | None, attempt: int = 1,
) -> None:  # fmt: skip
    """Jobs of a kind, with all that belongs to them."""
    made.executemany(
        "INSERT INTO jobs (job_id, name, schedule_state, status, attempt, queue_seq, created_at,"
        " submitted_at, started_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, 1, 1, 1, ?)",
        [(job_id, name, state, status, attempt, job_id, ended) for job_id in ids],
    )
    made.executemany(
        "INSERT INTO tasks (job_id, task_id, name, status, started_at, ended_at)"
        " VALUES (?, 0, 't', ?, 1, ?)",
        [(job_id, status, ended) for job_id in ids],
    )
    made.executemany("INSERT INTO snapshots VALUES (?, '', '', '', '')", [(n,) for n in ids])
    if attempt:
        made.executemany(
            "INSERT INTO attempts (job_id, attempt, kind, started_at, called_at, ended_at)"
            " VALUES (?, 1, 'DEFAULT', 1, 1, ?)",
            [(job_id, ended) for job_id in ids],
        )
    for to in ("INACTIVE", "WAITING", "LAUNCHING"):
        made.executemany(
            "INSERT INTO history (at, kind, job_id, to_value, actor)"
            " VALUES (1, 'SCHEDULE', ?, ?, '')",
            [(job_id, to) for job_id in ids],
        )


def run_as(name: str) -> tuple[str, dict[str, object]]:
    """A statement as it is run, with values for what it takes."""
    text = STATEMENTS[name].replace("{more}", "job_id=job_id")
    text = re.sub(r"__\[POSTCOMPILE_(\w+)\]", lambda match: LISTS[match[1]], text)
    return text, {wanted: VALUES.get(wanted, 0) for wanted in text_parameters(text)}


def plan(rows: sqlite3.Connection, name: str) -> list[str]:
    """The steps that SQLite means to take."""
    text, values = run_as(name)
    return [step[3] for step in rows.execute(f"EXPLAIN QUERY PLAN {text}", values)]


def steps(rows: sqlite3.Connection, name: str) -> int:
    """Instructions of SQLite's machine that a query takes."""
    text, values = run_as(name)
    count = 0

    def one_more() -> int:
        nonlocal count
        count += 1
        return 0

    rows.set_progress_handler(one_more, 1)
    try:
        rows.execute(text, values).fetchall()
    finally:
        rows.set_progress_handler(None, 1)
    return count


def is_scan(step: str) -> bool:
    """Whether a step goes through a table or an index from end to end."""
    return step.startswith("SCAN") and not step.startswith("SCAN anon_")  # a query's own rows


@pytest.mark.parametrize("name", sorted(STATEMENTS.keys() - WHOLE.keys()))
def test_a_statement_finds_its_rows_by_an_index(rows: sqlite3.Connection, name: str) -> None:
    """No table is gone through, and no index is made for the occasion."""
    taken = plan(rows, name)
    assert not [step for step in taken if is_scan(step) or "AUTOMATIC" in step]
    if not STATEMENTS[name].startswith("INSERT"):
        assert any(step.startswith("SEARCH") for step in taken)


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_what_goes_over_everything_is_known_to(rows: sqlite3.Connection, name: str) -> None:
    """None stays listed that no longer does; none sorts what it goes through."""
    taken = plan(rows, name)
    assert any(is_scan(step) for step in taken)
    assert not any("TEMP B-TREE" in step for step in taken)


@pytest.mark.parametrize(("name", "index"), sorted(PARTIAL.items()))
def test_few_among_many_have_an_index_of_their_own(
    rows: sqlite3.Connection, name: str, index: str
) -> None:
    """SQLite takes it: what the question says implies what the index holds."""
    assert any(re.search(rf"USING (COVERING )?INDEX {index}\b", step) for step in plan(rows, name))
    (made,) = [text for text in sql.INDEXES if f" {index} " in text]
    assert " WHERE " in made


@pytest.mark.parametrize("name", ["STARTS", "RESUMES", "STARTS_BEFORE", "RESUMES_BEFORE"])
def test_those_who_wait_stand_in_order(rows: sqlite3.Connection, name: str) -> None:
    """Nothing is sorted to find who is next, by priority and then by place."""
    taken = plan(rows, name)
    assert any("jobs_by_state" in step for step in taken)
    assert not any("TEMP B-TREE" in step for step in taken)


def test_what_every_pass_asks_costs_the_same_however_many_jobs_there_are() -> None:
    """Compared by the database's own steps, beside a hundred times as many."""
    with closing(filled(100)) as few, closing(filled(10_000)) as many:
        grown = {
            name: (before, after)
            for name in sorted(FLAT)
            if (after := steps(many, name)) > 1.1 * (before := steps(few, name)) + 20
        }
    assert grown == {}
