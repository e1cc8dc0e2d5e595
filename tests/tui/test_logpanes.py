"""Several logs side by side: which ones, how they are arranged, and what stands above each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.frame import TaskLine
from jobsched_tui.data.scenes.lives import CHAIN
from jobsched_tui.present.glyphs import ASCII
from jobsched_tui.present.logpanes import (
    Arrangement,
    PaneLog,
    arranged,
    heading,
    of_job,
    of_jobs,
    title,
)
from jobsched_tui.present.logstatus import Writer
from jobsched_tui.present.spans import plain, width
from tests.tui.frames import job


def task(task_id: int, status: TaskStatus, began: float | None = None) -> TaskLine:
    """A task with the log that it has or will have."""
    return TaskLine(
        task_id=task_id,
        name=f"t{task_id}",
        status=status,
        started_at=began,
        log_path=f"/h/logs/tasks/1-{task_id}.log",
    )


def test_of_one_job_all_logs_of_its_tasks() -> None:
    """Each node's, but not the controller's."""
    logs = (
        ("controller", Path("/h/logs/controller/1.log")),
        ("task 0 (t0)", Path("/h/logs/tasks/1-0.log")),
        ("task 0 (t0), node 1", Path("/h/logs/tasks/1-0.1.log")),
    )
    line = job(1, name="x", tasks=(task(0, TaskStatus.RUNNING, 5.0),), pid=9, alive=False)
    detail = replace(CHAIN, line=line, logs=logs)
    assert of_job(detail, 9.0) == [
        PaneLog(1, "x", "task 0 (t0)", Path("/h/logs/tasks/1-0.log"), Writer(9)),
        PaneLog(1, "x", "task 0 (t0), node 1", Path("/h/logs/tasks/1-0.1.log"), Writer(9)),
    ]


def test_of_several_jobs_the_log_that_counts() -> None:
    """Of the task that runs; of the controller before one does; else the one that will come."""
    runs = job(1, tasks=(task(0, TaskStatus.SUCCEEDED, 1.0), task(1, TaskStatus.RUNNING, 2.0)))
    starts = job(2, tasks=(task(0, TaskStatus.STARTING),), attempt=1)
    waits = job(
        3,
        tasks=(task(0, TaskStatus.PENDING), task(1, TaskStatus.PENDING)),
        state=ScheduleState.WAITING,
        attempt=0,
    )
    nothing = job(4, tasks=(), attempt=0)
    found = of_jobs([runs, starts, waits, nothing], "/h", 9.0)
    assert [(one.job_id, one.which, str(one.path)) for one in found] == [
        (1, "t1", "/h/logs/tasks/1-1.log"),
        (2, "controller", "/h/logs/controller/2.log"),
        (3, "t0", "/h/logs/tasks/1-0.log"),
    ]


@pytest.mark.parametrize(
    ("count", "at", "cells", "rows", "expected"),
    [
        (2, 0, 120, 32, Arrangement(0, 2, 2)),
        (3, 2, 120, 32, Arrangement(0, 3, 2)),
        (6, 0, 120, 32, Arrangement(0, 6, 2)),
        (6, 5, 200, 46, Arrangement(0, 6, 3)),
        (2, 1, 80, 20, Arrangement(0, 2, 1)),
        (6, 0, 80, 20, Arrangement(0, 3, 1)),
        (6, 4, 80, 20, Arrangement(3, 3, 1)),
        (5, 4, 80, 20, Arrangement(3, 2, 1)),
        (3, 1, 79, 20, Arrangement(1, 1, 1)),
        (2, 0, 300, 3, Arrangement(0, 2, 2)),
        (2, 1, 1, 1, Arrangement(1, 1, 1)),
    ],
)
def test_columns_where_it_is_wide_rows_where_it_is_narrow(
    count: int, at: int, cells: int, rows: int, expected: Arrangement
) -> None:
    """Below 80 columns one at a time; of too many those around the one that has the keys."""
    assert arranged(count, at, cells, rows) == expected
    assert arranged(count, at, cells, rows, alone=True) == Arrangement(at, 1, 1)


@given(st.integers(2, 6), st.integers(0, 5), st.integers(0, 400), st.integers(0, 100))
def test_the_one_with_the_keys_is_always_seen(count: int, at: int, cells: int, rows: int) -> None:
    """And each row of the grid is full."""
    at %= count
    seen = arranged(count, at, cells, rows)
    assert seen.first <= at < seen.first + seen.shown <= count
    assert len(seen.spans()) == seen.shown
    assert sum(seen.spans()) % seen.columns == 0
    assert len(seen.widths(cells)) == seen.shown


def test_how_wide_each_is() -> None:
    """The last one has what the others leave; a cell lies between two."""
    assert Arrangement(0, 3, 2).widths(121) == [60, 60, 121]
    assert Arrangement(0, 5, 3).widths(200) == [66, 66, 66, 66, 133]
    assert Arrangement(1, 1, 1).widths(79) == [79]


ONE = PaneLog(12, "tra\x1bin", "task 1 (eväl)", Path("/l"))


def test_titles_name_job_and_task() -> None:
    """As wide as the log; a sign, not only its weight, tells which one has the keys."""
    assert (
        plain(title(ONE, (1, 2), 40, has_keys=True)) == "─▶ 12 tra␛in ─ task 1 (eväl) ──── 1 of 2"
    )
    other = title(ONE, (2, 2), 30, ASCII, has_keys=False)
    assert plain(other) == "-- 12 tra?in - task 1~- 2 of 2"
    assert all(width(title(ONE, (1, 2), cells, has_keys=True)) <= cells for cells in range(60))


def test_the_heading_says_what_is_seen() -> None:
    """Whose logs, and whether there are more than are seen."""
    assert plain(heading([ONE, ONE], Arrangement(0, 2, 2), 80)) == (
        " 2 logs side by side  job 12 tra␛in"
    )
    other = PaneLog(7, "x", "y", Path("/m"))
    assert plain(heading([ONE, other], Arrangement(0, 1, 1), 99)) == (
        " 2 logs side by side  jobs 12 7  1 at a time: Tab shows the others"
    )
