"""The lines above panes, and which log is shown beside the list."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.frame import Attention, TaskLine, Trouble
from jobsched_tui.present import titles
from jobsched_tui.present.glyphs import ASCII
from jobsched_tui.present.logstatus import Writer
from jobsched_tui.present.preview import Preview, preview
from jobsched_tui.present.spans import plain, width
from tests.tui.acting import alive, row


def test_a_job() -> None:
    """Id, name, state, status, tasks, controller and age in one line."""
    line = replace(alive(7, submitted_at=100.0), held=True)
    assert plain(titles.job(line, 165.0, 120)) == (
        " 7 job-7  ● ALIVE  ● RUNNING  tasks 1/2  ● pid 88007  age 1m05s  held  "
    )


def test_why() -> None:
    """A trouble first, then why it waits, then why it failed."""
    failed = row(1, ScheduleState.DONE, TaskStatus.FAILED, failure_reason="exit 1")
    assert plain(titles.why(failed, 40)) == " exit 1"
    assert plain(titles.why(replace(failed, why="waits"), 40)) == " waits"
    dead = Attention(trouble=Trouble.DEAD, text="pid 5 is gone", command="x", job_id=1)
    assert plain(titles.why(replace(failed, trouble=dead), 40)) == " ⚠ pid 5 is gone"


def test_tabs() -> None:
    """The one that is shown stands in brackets."""
    line = plain(titles.tabs("dag", {"job.log": "l", "job.dag": "D"}, 100))
    assert "[D DAG]" in line
    assert " l log  " in line


def test_titles_of_logs() -> None:
    """A rule as wide as the pane; names from outside are harmless, also in ASCII."""
    line = titles.preview(row(1, name="\x1b[31mx"), "\u202eprep", 60)
    assert width(line) == 60
    assert plain(line).startswith("── 1 ␛[31mx ─ log of \\u202eprep ──")
    assert plain(titles.preview(row(1, name="ü"), "prep", 60, ASCII)).isascii()
    assert plain(titles.nothing(12)) == "── log ─────"


def test_no_line_is_too_wide() -> None:
    """Whatever the width."""
    line = alive(7, name="n" * 300)
    for cells in (0, 1, 5, 30):
        for made in (
            titles.job(line, 9.0, cells),
            titles.why(replace(line, why="w" * 99), cells),
            titles.tabs("log", {}, cells),
            titles.preview(line, "t" * 99, cells),
        ):
            assert width(made) <= cells


def test_which_log_is_shown() -> None:
    """Of the task that runs; before that the controller's; before that none, and why."""
    waiting = row(3, why="job 3 waits: launch 3/3")
    assert preview(waiting, "/h", 9.0) == Preview(
        None, why="it has not started, so there is no log: job 3 waits: launch 3/3"
    )
    launching = row(3, ScheduleState.LAUNCHING, TaskStatus.STARTING, 1)
    begun = replace(launching, pid=5, alive=True, started_at=4.0)
    assert preview(begun, "/h", 9.5) == Preview(
        Path("/h/logs/controller/3.log"), "controller", Writer(5, 5.0)
    )
    task = TaskLine(
        task_id=0, name="t", status=TaskStatus.RUNNING, started_at=5.0, log_path="/h/t.log"
    )
    dead = replace(begun, state=ScheduleState.ALIVE, alive=False, tasks=(task,))
    assert preview(dead, "/h", 9.5) == Preview(Path("/h/t.log"), "t", Writer(5))


def test_how_long_a_later_controller_lives_is_not_known() -> None:
    """The job's start was that of the first."""
    line = replace(row(3, ScheduleState.ALIVE, TaskStatus.RUNNING, 2), pid=5, alive=True)
    assert preview(line, "/h", 9.0).writer is None
