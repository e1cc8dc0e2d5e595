"""What has happened since the last look: told once, in order, and not for ever."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from jobsched.api import Change
from jobsched_tui.data.news import Happened, News


def row(seq: int, job_id: int | None) -> Change:
    """One row of the history."""
    return Change(
        seq=seq, at=1.0, kind="SCHEDULE", job_id=job_id, task_id=None, subject=None,
        from_value=None, to_value=None, attempt=None, actor="test", reason=None,
    )  # fmt: skip


class Home:
    """A history of so many rows; the jobs of its rows come round after some."""

    def __init__(self, jobs: int) -> None:
        self.jobs, self.rows, self.commits = jobs, 0, 0

    def write(self, rows: int) -> None:
        """Commit."""
        self.rows += rows
        self.commits += 1

    def version(self) -> int:
        """Another after each commit."""
        return self.commits

    def latest(self) -> int:
        """The newest row."""
        return self.rows

    def changes(self, after: int, *, most: int = 5000) -> list[Change]:
        """The first rows after one."""
        last = min(after + most, self.rows)
        return [row(seq, seq % self.jobs + 1) for seq in range(after + 1, last + 1)]


@pytest.fixture
def told() -> list[int]:
    """The rows that were told."""
    return []


def news(home: Home, told: list[int]) -> News:
    """The news of a home in which 7 rows were there before."""
    home.write(7)

    def listen(changes: Sequence[Change]) -> None:
        told.extend(change.seq for change in changes)

    found = News(home, (listen,))
    assert found.has_come()
    assert found.read() == Happened(committed=True, jobs=None)
    assert (found.has_come(), told, found.seq) == (False, [], 7)
    return found


@pytest.mark.parametrize("rows", [1, 4_999, 5_000, 5_001, 12_345])
def test_every_row_once(told: list[int], rows: int) -> None:
    """However many rows there are, each is told once, in order, with the jobs that they are of."""
    home = Home(jobs=3)
    found = news(home, told)
    home.write(rows)
    assert found.has_come()
    assert found.read() == Happened(True, frozenset({seq % 3 + 1 for seq in range(8, 8 + rows)}))
    assert found.read() == Happened(False, frozenset())
    home.write(0)
    assert found.read() == Happened(True, frozenset())
    assert told == list(range(8, 8 + rows))
    assert found.seq == 7 + rows


@pytest.mark.parametrize(("jobs", "few"), [(1_000, True), (1_001, False)])
def test_too_many_jobs(told: list[int], jobs: int, *, few: bool) -> None:
    """Of more jobs than a thousand it is only said that they are many."""
    home = Home(jobs=jobs)
    found = news(home, told)
    home.write(6_000)
    assert (found.read().jobs is not None) is few
    assert len(told) == 6_000


def test_away_for_very_long(told: list[int]) -> None:
    """Of more rows than anybody needs the newest are told."""
    home = Home(jobs=5_000)
    found = news(home, told)
    home.write(250_000)
    assert found.read() == Happened(True, None)
    assert told == list(range(150_008, 250_008))
