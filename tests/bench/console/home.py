"""A home with very many jobs, made by SQL from one that was submitted; the same on every run.

Owns what is in it. Nothing in it may start: starts are paused, all but the newest jobs are done.
"""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path
from typing import Any, Final

from jobsched.api import Scheduler

JOBS: Final = 100_000
#: The newest jobs wait; one of them is changed at a time.
WAITING: Final = 60
LOG_BYTES: Final = 1024**3
_DAY: Final = 86_400.0
_START: Final = 1_700_000_000.0
_DAG: Final = """\
name: bench
---
name: prepare
run: echo prepare
---
name: train
depends_on: [prepare]
run: echo train
"""
_LINE: Final = (
    "2026-11-30 12:34:56.789 INFO  train: step {:>9}/9000000 loss 0.4123 lr 3e-4 391 img/s\n"
)


def make(folder: Path) -> Path:
    """The home; made once for each folder."""
    root = folder / "home"
    done = folder / "made.json"
    wanted = {"jobs": JOBS, "waiting": WAITING, "log": LOG_BYTES}
    if done.exists() and json.loads(done.read_text()) == wanted:
        return root
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "bench.yaml"
    file.write_text(_DAG)
    door = Scheduler(root, actor="bench")
    door.set_limits(paused=True)
    made = door.submit([file])[0].job_id
    door.context.db.close()
    with sqlite3.connect(root / "jobsched.db") as database:
        _fill(database, made)
    _write_log(_log_of(root, JOBS))
    done.write_text(json.dumps(wanted))
    return root


def _fill(database: sqlite3.Connection, made: int) -> None:
    database.row_factory = sqlite3.Row
    job = dict(database.execute("SELECT * FROM jobs WHERE job_id = ?", (made,)).fetchone())
    tasks = [dict(row) for row in database.execute("SELECT * FROM tasks WHERE job_id = ?", (made,))]
    snapshot = dict(
        database.execute("SELECT * FROM snapshots WHERE job_id = ?", (made,)).fetchone()
    )
    seed = random.Random(1)  # noqa: S311 - a home, not a secret
    ids = range(made + 1, JOBS + 1)
    _insert(database, "jobs", [_job(job, job_id, seed) for job_id in ids])
    _insert(database, "tasks", [row for job_id in ids for row in _tasks(tasks, job_id)])
    _insert(database, "snapshots", [{**snapshot, "job_id": job_id} for job_id in ids])
    _insert(database, "history", [row for job_id in ids for row in _history(job_id)])


def _is_done(job_id: int) -> bool:
    """The newest of all is done, too: its log is looked at."""
    return job_id == JOBS or job_id <= JOBS - WAITING


def _age(job_id: int) -> float:
    return _START + job_id


def _job(job: dict[str, Any], job_id: int, seed: random.Random) -> dict[str, Any]:
    at = _age(job_id)
    failed = job_id % 11 == 0
    done = {
        "schedule_state": "DONE",
        "status": "FAILED" if failed else "SUCCEEDED",
        "started_at": at + 1,
        "ended_at": at + 60,
        "attempt": 1,
        "failure_reason": f"task train: exit code {seed.randrange(1, 5)}" if failed else None,
    }
    name = f"bench-{seed.randrange(10**6):06}-{job_id}"
    base = {**job, "job_id": job_id, "name": name, "created_at": at, "submitted_at": at}
    return {**base, "queue_seq": job_id, **(done if _is_done(job_id) else {})}


def _tasks(tasks: list[dict[str, Any]], job_id: int) -> list[dict[str, Any]]:
    if not _is_done(job_id):
        return [{**task, "job_id": job_id} for task in tasks]
    at = _age(job_id)
    status = "FAILED" if job_id % 11 == 0 else "SUCCEEDED"
    ended = {"status": status, "started_at": at + 2, "ended_at": at + 50, "exit_code": 0}
    return [{**task, "job_id": job_id, **ended} for task in tasks]


def _history(job_id: int) -> list[dict[str, Any]]:
    steps: list[tuple[str | None, str]] = [(None, "INACTIVE"), ("INACTIVE", "WAITING")]
    if _is_done(job_id):
        steps.append(("WAITING", "DONE"))
    return [
        {
            "at": _age(job_id) + number, "kind": "SCHEDULE", "job_id": job_id, "actor": "bench",
            "from_value": before, "to_value": after,
        }
        for number, (before, after) in enumerate(steps)
    ]  # fmt: skip


def _insert(database: sqlite3.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    names = list(rows[0])
    marks = ", ".join("?" for _ in names)
    database.executemany(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})",  # noqa: S608 - names of ours
        [tuple(row[name] for name in names) for row in rows],
    )


def _log_of(root: Path, job_id: int) -> Path:
    watch = Scheduler(root, actor="bench").watch()
    try:
        tasks = watch.rows([job_id])[job_id]["tasks"]
        return Path(tasks[0]["log_path"])
    finally:
        watch.close()


def _write_log(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    page = "".join(_LINE.format(number) for number in range(100_000)).encode()
    with path.open("wb") as log:
        for _ in range(-(-LOG_BYTES // len(page))):
            log.write(page)
