"""The order of all jobs that match, kept up to date by what has changed."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from jobsched.api import Key
from jobsched_tui.data.order import OrderedIds

MANY = 100_000

IDS = st.integers(1, 30)
#: Few keys for many ids: ties are the rule.
KEYS = st.tuples(st.integers(0, 3))


def newest_first(*job_ids: int) -> OrderedIds:
    """A list in the default order."""
    return OrderedIds([((-job_id,), job_id) for job_id in sorted(job_ids, reverse=True)])


def ids(ordered: OrderedIds) -> list[int]:
    """All of it."""
    return ordered.window(0, len(ordered))


@given(
    st.dictionaries(IDS, KEYS),
    st.lists(st.dictionaries(IDS, st.none() | KEYS), max_size=5),
)
def test_it_stays_what_sorting_everything_gives(
    start: Mapping[int, Key], steps: list[Mapping[int, Key | None]]
) -> None:
    """However many jobs come, go or move at a time, each stands where a full sort puts it."""
    known = dict(start)
    ordered = OrderedIds(sorted((key, job_id) for job_id, key in known.items()))
    for changed in steps:
        before = dict(known)
        for job_id, key in changed.items():
            if key is None:
                known.pop(job_id, None)
            else:
                known[job_id] = key
        assert ordered.update(changed) is (known != before)
        expected = [job_id for _, job_id in sorted((key, job) for job, key in known.items())]
        assert ids(ordered) == expected
        assert len(ordered) == len(expected)
        assert [ordered.index_of(job_id) for job_id in expected] == list(range(len(expected)))
        assert all((job_id in ordered) is (job_id in known) for job_id in range(31))


def test_window() -> None:
    """It ends where the list ends, and a top before the first row shows less."""
    ordered = newest_first(1, 2, 3, 4)
    assert ordered.window(0, 2) == [4, 3]
    assert ordered.window(3, 5) == [1]
    assert ordered.window(4, 5) == []
    assert ordered.window(-1, 2) == [4]
    assert ordered.window(-5, 2) == []
    assert OrderedIds().window(0, 5) == []


def test_the_cursor_stays_on_its_job() -> None:
    """Wherever that goes, though the rows around it change."""
    ordered = newest_first(1, 2, 3)
    row = ordered.index_of(2)
    assert row == 1
    ordered.update({9: (-9,), 8: (-8,), 3: None})
    assert ids(ordered) == [9, 8, 2, 1]
    assert ordered.nearest(2, row) == 2


def test_the_cursor_of_a_job_that_is_gone() -> None:
    """It takes the row that took its place: the next one, at the end the last."""
    ordered = newest_first(1, 2, 3, 4)
    ordered.update({3: None})
    assert ordered.nearest(3, 1) == 1
    assert ordered.window(1, 1) == [2]
    ordered.update({1: None})
    assert ordered.nearest(1, 2) == 1
    ordered.update({2: None})
    assert ordered.nearest(2, 1) == 0
    assert ordered.nearest(2, -1) == 0
    ordered.update({4: None})
    assert ordered.nearest(4, 0) is None
    assert ordered.index_of(4) is None


def cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU that it takes, at best: others measure on this machine too."""
    spent = []
    for _ in range(5):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def test_a_hundred_thousand() -> None:
    """Built in 0.1 s, a hundred changes in 5 ms, and little memory beside the listing itself."""
    entries: list[tuple[Key, int]] = [((-job_id,), job_id) for job_id in range(MANY, 0, -1)]
    tracemalloc.start()
    ordered = OrderedIds(entries)
    added = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert added < 10 * 2**20
    assert cpu(lambda: OrderedIds(entries)) < 0.1
    turns = iter(range(5))

    def move() -> None:
        turn = next(turns)
        ordered.update({job_id: (-job_id, turn) for job_id in range(1, MANY, 1_000)})

    assert cpu(move) < 0.005
    assert len(ordered) == MANY
