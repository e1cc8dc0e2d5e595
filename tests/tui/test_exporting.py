"""A list as a file: what its records are, that no cell is a formula, and how the file is made."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.api import Scheduler
from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data import exporting, saving
from jobsched_tui.data.exporting import Form
from jobsched_tui.data.frame import Attention, JobLine, TaskLine, Trouble
from jobsched_tui.present import printed
from jobsched_tui.present.columns import layout
from jobsched_tui.present.glyphs import ASCII
from tests.tui.stand import home_with

AT = 1_764_472_320.0  # 2025-11-30 03:12:00 UTC
JOB = JobLine(
    job_id=7, name="=1+1", state=ScheduleState.DONE, status=TaskStatus.FAILED, priority=-5,
    tasks=(TaskLine(task_id=0, name="a", status=TaskStatus.FAILED, region="north"),),
    submitted_at=AT, failure_reason='exit\x1b[2J 1, "it" said\nmore',
)  # fmt: skip


def table(text: str) -> list[dict[str, str]]:
    """What a program reads."""
    return list(csv.DictReader(io.StringIO(text)))


def test_a_table_of_jobs() -> None:
    """Numbers stay numbers, times are in UTC, and text does nothing, to whoever opens it."""
    (row,) = table("".join(exporting.as_csv(exporting.JOB, [JOB])))
    assert (row["id"], row["name"], row["priority"]) == ("7", "'=1+1", "-5")
    assert (row["submitted_at"], row["ended_at"]) == ("2025-11-30T03:12:00Z", "")
    assert (row["tasks_done"], row["tasks"], row["regions"]) == ("1", "1", "north")
    assert row["failure"] == 'exit␛[2J 1, "it" said␊more'


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@sum", "'@sum"), ("  =1", "'  =1"),
        ("\t=1", "'␉=1"), ("\rx", "'␍x"), ("\uff1d1", "'\uff1d1"), ("a=1", "a=1"), ("", ""),
        (-5, -5), (1.5, 1.5), (True, "yes"), (None, ""),
    ],
)  # fmt: skip
def test_cells(value: object, shown: object) -> None:
    """Text that a spreadsheet would reckon with is marked as text; a number is none."""
    assert exporting.cell(value) == shown


@given(st.text())
def test_no_text_is_a_formula(text: str) -> None:
    """Whatever a name is: its cell neither begins a formula nor holds what moves a cursor."""
    shown = str(exporting.cell(text))
    assert shown.lstrip()[:1] not in {"=", "+", "-", "@", "\t", "\r"} or not shown
    assert not any(one < " " or "\x7f" <= one <= "\x9f" for one in shown)


def test_an_object_of_troubles() -> None:
    """What it is of comes first; it is ASCII alone, and JSON with no records, too."""
    found = Attention(trouble=Trouble.DEAD, text="gone\x9b", command="jobsched show 7", job_id=7)
    text = "".join(exporting.as_json({"tab": "é"}, "attention", exporting.ATTENTION, [found]))
    assert text.isascii()
    assert json.loads(text) == {
        "tab": "é",
        "attention": [
            {
                "trouble": "DEAD", "job_id": 7, "since": None, "text": "gone\x9b",
                "command": "jobsched show 7",
            }
        ],
    }  # fmt: skip
    assert json.loads("".join(exporting.as_json({}, "jobs", exporting.JOB, []))) == {"jobs": []}


def test_a_text() -> None:
    """It has the titles and each row of the list, as on the screen, in signs that do nothing."""
    lines = list(printed.jobs([JOB, JOB], layout(120), [("id", True)], AT, pen=ASCII, zone=UTC))
    assert len(lines) == 3
    assert "NAME" in lines[0]
    assert "=1+1" in lines[1]
    assert all(line.endswith("\n") and line[:-1].isprintable() for line in lines)


def test_names() -> None:
    """A name tells the view and its moment, and is one file's whatever the view is called."""
    assert exporting.default_name("jobs-all", AT, Form.CSV, UTC) == "jobs-all-20251130-031200.csv"
    assert exporting.default_name("../É x", AT, Form.SVG, UTC) == "x-20251130-031200.svg"


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    """A name without a known ending, in no directory or of one is explained while it is typed."""
    both = (Form.CSV, Form.SVG)
    assert exporting.problem(f"{tmp_path}/new.csv", both) is None
    assert exporting.problem(f"{tmp_path}/new.CSV", both) is None
    assert exporting.problem("  ", both) == "a name is needed"
    assert exporting.problem("a\0.csv", both) == "a name is needed"
    assert exporting.problem(f"{tmp_path}", both) == "that is a directory"
    assert exporting.problem(f"{tmp_path}/no/x.csv", both) == f"there is no directory {tmp_path}/no"
    for name in ("x", "x.exe", "x.json", ".csv"):
        said = exporting.problem(f"{tmp_path}/{name}", both)
        assert said == "the ending says what it becomes: csv, svg"
    assert exporting.problem(f"{tmp_path}/{'x' * 300}.csv", both) is not None


class Table:
    """Jobs, and how many of them are asked for at once."""

    def __init__(self, door: Scheduler) -> None:
        self.watch = door.watch()
        self.asked: list[int] = []

    def rows(self, job_ids: Collection[int]) -> dict[int, dict[str, Any]]:
        """The same, noted."""
        self.asked.append(len(job_ids))
        return self.watch.rows(job_ids)


def test_jobs_come_in_pages(tmp_path: Path) -> None:
    """They are read in order and some at a time; one that is gone is left out."""
    source = Table(home_with(tmp_path / "home", "one", "two"))
    ids = [2, *range(3, 1200), 1]
    assert [one.name for one in exporting.job_lines(source, ids, lambda one: one)] == ["two", "one"]
    assert source.asked == [500, 500, 199]
    source.watch.close()


# Files.


def test_a_file_is_for_its_owner(tmp_path: Path) -> None:
    """Nobody else may read it, and nothing else is left beside it."""
    path = tmp_path / "x.csv"
    saving.save(path, ["a,b\n", "ü\n"], replacing=False)
    assert path.read_bytes() == b"a,b\n\xc3\xbc\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    """What is there stays, be it a link to nowhere; asked to, it is replaced, and a link itself."""
    path, aim, link = tmp_path / "x.csv", tmp_path / "aim", tmp_path / "link.csv"
    path.write_text("mine")
    link.symlink_to(aim)
    for one in (path, link):
        with pytest.raises(FileExistsError):
            saving.save(one, ["new"], replacing=False)
    assert (path.read_text(), aim.exists()) == ("mine", False)
    aim.write_text("aimed at")
    for one in (path, link):
        saving.save(one, ["new"], replacing=True)
        assert (one.read_text(), one.is_symlink()) == ("new", False)
    assert aim.read_text() == "aimed at"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["aim", "link.csv", "x.csv"]


def test_half_a_file_is_none(tmp_path: Path) -> None:
    """Where its pieces cannot be made there is no file, and an old one stays as it was."""

    def broken() -> Iterator[str]:
        yield "begun"
        raise ValueError

    path = tmp_path / "x.csv"
    with pytest.raises(ValueError):  # noqa: PT011 - it is our own
        saving.save(path, broken(), replacing=False)
    assert list(tmp_path.iterdir()) == []
    path.write_text("mine")
    with pytest.raises(ValueError):  # noqa: PT011 - it is our own
        saving.save(path, broken(), replacing=True)
    assert path.read_text() == "mine"
