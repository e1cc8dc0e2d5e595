"""Where jobs go between two looks at a list, and where cursor and marks go with them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.present.selection import Selection, Spot
from jobsched_tui.present.window import Place, Window, changes, follow
from tests.tui.frames import job, running, tasks


def window(ids: Sequence[int], top: int = 0, total: int | None = None) -> Window:
    """A list of jobs of which these have been read."""
    return Window(top + len(ids) if total is None else total, top, [job(one) for one in ids])


def test_a_window_knows_only_what_was_read() -> None:
    """By index and by id."""
    found = window([9, 8, 7], top=10, total=100)
    assert [found.covers(index) for index in (9, 10, 12, 13)] == [False, True, True, False]
    assert found.at(9) is None
    assert found.at(11) == job(8)
    assert found.index_of(7) == 12
    assert found.index_of(6) is None


FOLLOWED = [
    ("still there", [5, 4, 3, 2], 0, [6, 5, 4, 3], 0, 4, 1, Place(2)),
    ("gone: the next one's place", [5, 4, 3, 2], 0, [5, 4, 2], 0, 3, 2, Place(2, is_gone=True)),
    ("gone, others moved", [5, 4, 3, 2], 0, [9, 8, 5, 4, 2], 0, 3, 2, Place(4, is_gone=True)),
    ("the last is gone", [5, 4, 3], 0, [5, 4], 0, 3, 2, Place(1, is_gone=True)),
    ("the first is gone", [5, 4, 3], 0, [4, 3], 0, 5, 0, Place(0, is_gone=True)),
    ("all are gone", [5, 4, 3], 0, [], 0, 4, 1, Place(0, is_gone=True)),
    ("its neighbours are gone too", [5, 4, 3, 2], 0, [5], 0, 3, 2, Place(0, is_gone=True)),
    ("gone, others before it", [5, 4, 3], 0, [9, 8, 4, 3], 0, 5, 0, Place(2, is_gone=True)),
    ("another list", [5, 4, 3], 0, [9, 8, 7], 0, 4, 1, Place(1, is_gone=True)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "old_top", "after", "new_top", "job_id", "index", "place"),
    [case[1:] for case in FOLLOWED],
    ids=[case[0] for case in FOLLOWED],
)
def test_a_job_is_followed(
    *,
    before: list[int],
    old_top: int,
    after: list[int],
    new_top: int,
    job_id: int,
    index: int,
    place: Place,
) -> None:
    """By its id; where it is gone, the row that took its place."""
    assert follow(window(before, old_top), window(after, new_top), job_id, index) == place


def test_a_job_that_was_pushed_out_of_what_is_read_is_not_gone() -> None:
    """New jobs came in above: it stands below with its neighbours."""
    old, new = window([5, 4, 3], total=50), window([8, 7, 6, 5], total=53)
    assert follow(old, new, 3, 2) == Place(5)


def test_scrolling_away_from_a_job_does_not_lose_it() -> None:
    """What was read is somewhere else entirely."""
    old, new = window([5, 4, 3], total=50), window([12, 11], top=30, total=50)
    assert follow(old, new, 4, 1) == Place(1)
    further = window([10, 9], top=32, total=50)
    assert follow(new, further, 4, 1) == Place(1)


def test_without_proof_the_cursor_does_not_go_to_another_job() -> None:
    """So many new jobs came in at once that no neighbour is in sight."""
    old, new = window([5, 4, 3], total=50), window([60, 59, 58], total=105)
    assert follow(old, new, 4, 1) == Place(1)
    inserted = window([5, 90, 91], total=52)
    assert follow(old, inserted, 4, 1) == Place(1)


@given(
    before=st.lists(st.integers(1, 40), unique=True, min_size=1, max_size=30),
    kept=st.lists(st.booleans(), min_size=30, max_size=30),
    added=st.lists(st.integers(41, 60), unique=True, max_size=10),
    at=st.integers(0, 29),
)
def test_the_cursor_never_hops_to_another_job_while_its_own_is_there(
    before: list[int], kept: list[bool], added: list[int], at: int
) -> None:
    """And where it is gone, it goes to a row that exists, at the place between its neighbours."""
    before.sort(reverse=True)
    at %= len(before)
    after = sorted(added, reverse=True)
    after += [one for one, keep in zip(before, kept, strict=False) if keep]
    place = follow(window(before), window(after), before[at], at)
    if before[at] in after:
        assert place == Place(after.index(before[at]))
        return
    assert place.is_gone
    assert 0 <= place.index < max(1, len(after))
    above = [one for one in before[:at] if one in after]
    below = [one for one in before[at:] if one in after]
    if below:
        assert after[place.index] == below[0]
    elif above:
        assert after[place.index] == above[-1]


def test_only_what_a_person_should_see_is_a_change() -> None:
    """State, status, finished tasks and troubles; not load, not a log line; not what is new."""
    old = Window(4, 0, [job(1), job(2), job(3), job(4)])
    new = Window(
        5,
        0,
        [
            job(1, state=ScheduleState.LAUNCHING),
            job(2, status=TaskStatus.RECOVERING),
            job(3, tasks=tasks(3, 5)),
            job(4, cpu=3.0, last_line="step 2"),
            running(5),
        ],
    )
    assert changes(old, new) == {1, 2, 3}


def selected(ids: Sequence[int], index: int, **where: int) -> Selection:
    """A selection with its cursor on a row."""
    found = Selection()
    found.update(window(ids, **where))
    found.place_at(index)
    return found


def test_a_cursor_on_a_row_that_is_not_read_yet_names_no_job() -> None:
    """An action has no target until the row is there."""
    found = selected([5, 4], 30, total=50)
    assert found.spot == Spot(None, 30)
    assert found.current is None
    found.update(window([9, 8, 7], top=29, total=50))
    assert found.spot == Spot(8, 30)
    assert found.current == job(8)


def test_who_knows_where_the_job_is_is_believed_while_it_is_about_that_job() -> None:
    """A late answer about another job changes nothing."""
    found = selected([5, 4, 3], 1, total=50)
    found.update(window([9, 8, 7], total=50), {4: Place(17)})
    assert found.spot == Spot(4, 17)
    found.update(window([9, 8, 7], total=50), {5: Place(2)})
    assert found.spot == Spot(4, 17)
    found.update(window([9, 8, 7], total=50), {4: Place(2, is_gone=True)})
    assert found.spot == Spot(7, 2)
    found.update(window([10, 9, 8, 7], total=50), {7: Place(2)})
    assert found.spot == Spot(7, 3)


def test_a_locked_cursor_stays_with_a_job_that_is_gone() -> None:
    """It is on no row then, and never on another job."""
    found = selected([5, 4, 3], 1)
    found.locked = True
    found.update(window([5, 3]))
    assert found.spot.job_id == 4
    assert found.current is None
    assert not any(found.is_on(at, found.window.at(at)) for at in range(2))


def test_marks_stay_with_their_jobs() -> None:
    """Whatever moves or leaves the list."""
    found = selected([5, 4, 3], 1)
    found.toggle()
    found.update(window([9, 5, 3]))
    assert found.marks == {4}
    assert not any(found.is_marked(at, found.window.at(at)) for at in range(3))
    found.update(window([9, 5, 4, 3]))
    assert [found.is_marked(at, found.window.at(at)) for at in range(4)] == [
        *(False, False, True, False)
    ]


def test_a_range_moves_with_both_of_its_ends() -> None:
    """Jobs that come in between belong to it; where its beginning is gone there is none."""
    found = selected([5, 4, 3, 2], 1)
    found.start = found.spot
    found.place_at(2)
    assert found.range_ids() == (Spot(4, 1), Spot(3, 2), [4, 3])
    found.update(window([6, 5, 4, 3, 2]))
    assert found.range_ids() == (Spot(4, 2), Spot(3, 3), [4, 3])
    found.update(window([6, 5, 3, 2]))
    assert found.start is None


def test_a_range_over_rows_that_are_not_read_has_no_ids_yet() -> None:
    """Its owner must be asked, by the jobs at its ends."""
    found = selected([5, 4, 3], 1, total=50)
    found.start = found.spot
    found.update(window([20, 19], top=30, total=50))
    found.place_at(31)
    assert found.range_ids() == (Spot(4, 1), Spot(19, 31), None)
