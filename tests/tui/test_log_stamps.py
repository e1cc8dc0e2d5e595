"""When lines of a log were written, and the line of a moment."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Final

import pytest

from jobsched_tui.data.logs.file import LogFile
from jobsched_tui.data.logs.index import LineIndex
from jobsched_tui.data.logs.stamps import line_at_time, stamp_of, stamp_size
from jobsched_tui.data.logs.tally import BLOCK


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log is, or will be."""
    return tmp_path / "task.log"


def counted(path: Path) -> LineIndex:
    """A log whose lines are all counted."""
    file = LogFile(path)
    file.poll()
    index = LineIndex(file)
    index.open_at_end()
    while not index.is_complete:
        index.step(BLOCK)
    return index


BEFORE: Final = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2023-11-14T12:00:00Z start", 1_699_963_200.0),
        ("2023-11-14 12:00:00.250+01:00 start", 1_699_959_600.25),
        ("[2023-11-14 12:00:00,5] start", 1_699_963_200.5),
        ("12:00:00 start", 1_699_963_200.0),
        ("23:00:00 yesterday", 1_699_916_400.0),
        ("99:00:00 no time", None),
        ("2023-13-01 12:00:00 no day", None),
        ("step 12:00:00", None),
        ("12:00 short", None),
        ("", None),
    ],
)
def test_times_at_the_start_of_a_line(text: str, expected: float | None) -> None:
    """A time without a day is the latest that is not to come; what is none is none."""
    assert stamp_of(text, before=BEFORE, zone=UTC) == expected


def test_the_size_of_a_time_includes_the_blank_behind_it() -> None:
    """So that a line without its time begins with its text."""
    assert [stamp_size("12:00:00 x"), stamp_size("x 12:00:00")] == [9, 0]


def test_the_line_of_a_moment_is_found(path: Path) -> None:
    """The first line at or after it, among lines without a time; the last if all are older."""
    lines = []
    for second in range(0, 86_400, 4):
        clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        lines.append(f"2023-11-14T{clock}Z tick\n  more of it, and more\n")
    path.write_text("".join(lines))
    index = counted(path)
    noon = 1_699_963_200.0
    assert line_at_time(index, noon, before=BEFORE) == 21_600
    assert line_at_time(index, noon - 0.5, before=BEFORE) == 21_600
    assert line_at_time(index, noon + 0.5, before=BEFORE) == 21_602
    assert line_at_time(index, 0.0, before=BEFORE) == 0
    assert line_at_time(index, 2e9, before=BEFORE) == 43_198


def test_a_log_without_times_has_no_line_of_a_moment(path: Path) -> None:
    """None is made up."""
    path.write_text("step 1\nstep 2\n")
    assert line_at_time(counted(path), 5.0, before=BEFORE) is None
