"""Very many rows of jobs, copied in the database from a job that was really there.

Owns the copying, which knows no more of the tables than that ``job_id`` says whose a row is. Only
where nobody else has the database open.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
_NUMBERS: Final = (
    "WITH RECURSIVE number (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n < :count)"
)
#: What differs between two copies of a row: whose it is, and a job's place in the queue.
_COPIED: Final = {"job_id": ":newest + n", "queue_seq": ":last + n"}
#: Given out by the database.
_NUMBERED: Final = "seq"


def multiply(database: Path, template: int, count: int) -> None:
    """Add ``count`` copies of job ``template`` with all that is stored of it, as newer jobs."""
    with sqlite3.connect(database) as connection:
        values = {
            "template": template,
            "count": count,
            "newest": connection.execute("SELECT max(job_id) FROM jobs").fetchone()[0],
            "last": connection.execute("SELECT max(seq) FROM history").fetchone()[0],
        }
        for (table,) in connection.execute(_TABLES).fetchall():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            if "job_id" in columns:
                connection.execute(_copy(table, columns), values)
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _copy(table: str, columns: list[str]) -> str:
    names = [name for name in columns if not (table == "history" and name == _NUMBERED)]
    given = ", ".join(_COPIED.get(name, f"one.{name}") for name in names)
    return (
        f"{_NUMBERS} INSERT INTO {table} ({', '.join(names)})"  # noqa: S608 - names of ours
        f" SELECT {given} FROM number, {table} AS one WHERE one.job_id = :template ORDER BY n"
    )
