"""How values look."""

from __future__ import annotations

import pytest

from jobsched.cli import formatting
from jobsched.states import FAILURES, TaskStatus

MINUTE, HOUR, DAY = 60, 3600, 86_400


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (None, "-"), (-5, "0s"), (0, "0s"), (0.9, "0s"), (59.9, "59s"), (60, "1m"),
        (3 * MINUTE + 12, "3m 12s"), (59 * MINUTE + 59, "59m 59s"), (HOUR, "1h"),
        (2 * HOUR + 5 * MINUTE + 30, "2h 5m"), (DAY - 1, "23h 59m"), (DAY, "1d"),
        (3 * DAY + 4 * HOUR + 59 * MINUTE, "3d 4h"), (400 * DAY, "400d"),
    ],
)  # fmt: skip
def test_spans_are_short(seconds: float | None, expected: str) -> None:
    """A span shows its two largest units."""
    assert formatting.span(seconds) == expected


def test_moments() -> None:
    """What has not happened is a dash; ages and durations count from now."""
    assert formatting.ago(None, 100.0) == "-"
    assert formatting.ago(40.0, 100.0) == "1m ago"
    assert formatting.duration(None, None, 100.0) == "-"
    assert formatting.duration(40.0, None, 100.0) == "1m"
    assert formatting.duration(40.0, 50.0, 100.0) == "10s"
    assert formatting.moment(None) == "-"
    assert len(formatting.moment(1_700_000_000.5)) == len("2023-11-14 22:13:20")


def test_counts_and_lists() -> None:
    """Statuses are counted in the order of a task's life."""
    found = ["RUNNING", "PENDING", "RUNNING", "RUNNING"]
    assert formatting.counts(found) == "1 PENDING, 3 RUNNING"
    assert formatting.counts([]) == ""
    assert [formatting.listed(range(1, end)) for end in (1, 2, 3, 4)] == [
        "", "1", "1 and 2", "1, 2 and 3",
    ]  # fmt: skip
    assert [formatting.plural(n, "job") for n in (0, 1, 2)] == ["0 jobs", "1 job", "2 jobs"]


def test_every_status_has_its_colour() -> None:
    """Failures are red and nothing else is."""
    red = {status for status in TaskStatus if formatting.colour(status) == "red"}
    assert red == FAILURES
    assert formatting.colour("SOMETHING") == "default"
