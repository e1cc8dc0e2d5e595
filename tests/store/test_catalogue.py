"""The statements that run are those of the catalogue, as Core compiles them."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import bindparam, select, update

from jobsched.context import Context
from jobsched.store import sql
from jobsched.store.catalogue.printing import module
from jobsched.store.catalogue.rendering import text_of
from jobsched.store.catalogue.schema import jobs, tasks
from jobsched.store.catalogue.terms import MORE, columns_of
from jobsched.store.sql import Sql
from jobsched.store.tx import setting
from tests.support import measured

STATEMENTS = {
    name: value
    for name, value in vars(sql).items()
    if isinstance(value, str) and name.isupper()
}  # fmt: skip


def test_what_runs_is_what_the_catalogue_says() -> None:
    """``make sql`` has been run since the catalogue was changed."""
    assert Path(sql.__file__).read_text() == module()


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_every_statement_is_one_that_sqlite_takes(context: Context, name: str) -> None:
    """It names columns that there are, and nothing in it is left open."""
    text = STATEMENTS[name].replace("{more}", "job_id=job_id")
    text = re.sub(r"__\[POSTCOMPILE_\w+\]", "1, 2", text)
    assert not set("{[") & set(text)
    values = dict.fromkeys(text_parameters(text), 0)
    with closing(sqlite3.connect(context.home.database)) as raw:
        assert raw.execute(f"EXPLAIN {text}", values).fetchall()


def text_parameters(text: str) -> set[str]:
    """Names of the parameters in a statement."""
    return {
        word.strip("(),").lstrip(":") for word in text.replace("=:", " :").split() if ":" in word
    }


def test_what_is_fixed_stands_in_the_text_and_what_is_given_does_not() -> None:
    """So that a statement needs nothing but what its caller gives."""
    statement = (
        select(jobs.c.job_id)
        .where(jobs.c.schedule_state.in_(["DONE", "it's"]) & (jobs.c.hold == 2))
        .where(jobs.c.name == bindparam("name"))
        .where(jobs.c.job_id.in_(bindparam("ids", expanding=True)))
        .limit(5)
    )
    assert text_of(statement) == (
        "SELECT jobs.job_id FROM jobs WHERE jobs.schedule_state IN ('DONE', 'it''s') AND"
        " jobs.hold = 2 AND jobs.name = :name AND jobs.job_id IN (__[POSTCOMPILE_ids])"
        " LIMIT 5 OFFSET 0"
    )


@pytest.mark.parametrize("names", [(), ("attempt",), ("attempt", "not_before", "started_at")])
def test_more_columns_are_set_as_core_would(names: tuple[str, ...]) -> None:
    """The same columns from parameters of the same names; their order means nothing."""
    opened = update(jobs).values(name=MORE, status=bindparam("new_status"))
    whole = update(jobs).values(status=bindparam("new_status"), **columns_of(*names))
    ours, cores = setting(Sql(text_of(opened)), names), text_of(whole)
    assert [sorted(text.partition(" SET ")[2].split(", ")) for text in (ours, cores)] == [
        sorted([*(f"{name}=:{name}" for name in names), "status=:new_status"])
    ] * 2


def test_no_text_gets_into_a_statement_as_a_column() -> None:
    """What is no name is refused, whoever asks."""
    with pytest.raises(ValueError, match="no names of columns"):
        setting(sql.SET_JOB, ("name='x' --",))


def test_a_list_becomes_one_parameter_for_each_value(context: Context) -> None:
    """Also an empty one; text in it is never part of the statement."""
    hostile = "x'); DROP TABLE jobs; --"
    statement = Sql(
        text_of(select(tasks.c.name).where(tasks.c.name.in_(bindparam("n", expanding=True))))
    )
    with context.db.write() as tx:
        job_id = tx.insert(
            sql.ADD_JOB, name="j", schedule_state="INACTIVE", status="PENDING", created_at=1.0
        )
        for task_id, name in enumerate(("a", hostile, "b")):
            tx.insert(sql.ADD_TASK, job_id=job_id, task_id=task_id, name=name, status="PENDING")
        assert tx.tuples(statement, n=["b", hostile]) == [(hostile,), ("b",)]
        assert tx.tuples(statement, n=[]) == []


def test_a_page_of_jobs_is_shown_without_the_library_that_wrote_the_statements() -> None:
    """SQLAlchemy is loaded by whoever makes up a filter, and by nobody else."""
    program = (
        "import sys, jobsched, tempfile\n"
        "door = jobsched.Scheduler(home=tempfile.mkdtemp() + '/h')\n"
        "door.create_job('j', ['t']); assert door.queue()[0]['name'] == 'j'\n"
        "door.show(1), door.limits(), door.check()\n"
        "print(*(name for name in sys.modules if name.startswith('sqlalchemy')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True,
        env=measured({"PATH": "/usr/bin:/bin"}), timeout=60,
    )  # fmt: skip
    assert done.stdout.split() == []
