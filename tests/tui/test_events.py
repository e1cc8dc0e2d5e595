"""The events of one job: what each line is about, by name."""

from __future__ import annotations

from datetime import UTC

import pytest

from jobsched.api import Change
from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.dag import Graph
from jobsched_tui.data.frame import Detail, JobLine, TaskLine
from jobsched_tui.data.timeline import Timeline
from jobsched_tui.present import events
from jobsched_tui.present.glyphs import ASCII
from jobsched_tui.present.spans import plain, width

START = 1_800_000_000.0


def change(seq: int, task_id: int | None, to: str, before: str | None = None) -> Change:
    """A move of the job, or of one of its tasks."""
    return Change(
        seq=seq, at=START + seq, kind="SCHEDULE" if task_id is None else "STATUS", job_id=7,
        task_id=task_id, subject=None, from_value=before, to_value=to, attempt=1,
        actor="controller", reason=None,
    )  # fmt: skip


def detail(*record: Change) -> Detail:
    """A job with two tasks, the name of one of which is hostile."""
    tasks = (
        TaskLine(task_id=0, name="prepare", status=TaskStatus.RUNNING),
        TaskLine(task_id=1, name="\x1b[31mtrain", status=TaskStatus.PENDING),
    )
    line = JobLine(
        job_id=7, name="j", state=ScheduleState.ALIVE, status=TaskStatus.RUNNING, tasks=tasks
    )
    timeline = Timeline(steps=(), states=(), tasks=(), start=START, end=START)
    return Detail(line=line, timeline=timeline, graph=Graph(nodes=()), record=record)


def test_each_line_names_the_task_and_not_the_job_again() -> None:
    """A number is shown only where no name is known."""
    shown = events.rows(
        detail(
            change(1, None, "ALIVE", "LAUNCHING"),
            change(2, 0, "RUNNING", "STARTING"),
            change(3, 1, "PENDING"),
            change(4, 5, "PENDING"),
        ),
        100,
        zone=UTC,
    )
    assert [plain(line)[41:] for line in shown] == [
        "job         LAUNCHING → ● ALIVE",
        "prepare     STARTING → ● RUNNING",
        "␛[31mtrain  ◔ PENDING",
        "task 5      ◔ PENDING",
    ]


@pytest.mark.parametrize("cells", [0, 30, 45, 60])
def test_no_line_is_wider_than_there_is_room(cells: int) -> None:
    """It is cut with an ellipsis; in ASCII with a tilde."""
    for line in events.rows(detail(change(1, 0, "RUNNING", "STARTING")), cells, pen=ASCII):
        assert width(line) <= cells
        assert plain(line).isascii()


def test_nothing_was_written_yet() -> None:
    """No rows."""
    assert events.rows(detail(), 80) == []
