"""The folds over histories as chance has them: whole ones, and with one wrong row."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobsched.audit import fold
from jobsched.store.record import Event
from tests.unit.histories import History, play


@settings(max_examples=300)
@given(st.data())
def test_legal_histories_are_clean(data: st.DataObject) -> None:
    """Whatever the product may do, nothing is said against it."""
    history = History(launch=2, alive=3)
    steps = data.draw(st.integers(0, 60))
    play(history, lambda names: data.draw(st.sampled_from(names)), steps)
    assert fold(history.rows) == []


def forge_from(rows: list[Event], at: int) -> None:
    """The row says that it moved from somewhere else."""
    row = rows[at]
    rows[at] = row._replace(from_value="DONE" if row.kind == "SCHEDULE" else "FAILED_SETUP")


def forge_attempt(rows: list[Event], at: int) -> None:
    """The row says another attempt."""
    rows[at] = rows[at]._replace(attempt=(rows[at].attempt or 0) + 1)


def forge_to(rows: list[Event], at: int) -> None:
    """The row says that it moved to somewhere else; a later row knows better."""
    other = "FAILED_CONTROLLER" if rows[at].kind == "STATUS" else "DONE"
    if has_next(rows, at) and rows[at].to_value != other:
        rows[at] = rows[at]._replace(to_value=other)
    else:
        forge_from(rows, at)


def drop(rows: list[Event], at: int) -> None:
    """The row is missing; a later row knows."""
    if has_next(rows, at):
        del rows[at]
    else:
        forge_from(rows, at)


def double(rows: list[Event], at: int) -> None:
    """The row is there twice."""
    rows[at + 1 :] = [row._replace(seq=row.seq + 1) for row in rows[at:]]


def swap(rows: list[Event], at: int) -> None:
    """The row and the next that moves the same thing have changed places."""
    other = next_of(rows, at)
    if other is None:
        forge_from(rows, at)
    else:
        early, late = rows[at], rows[other]
        rows[at], rows[other] = late._replace(seq=early.seq), early._replace(seq=late.seq)


def has_next(rows: list[Event], at: int) -> bool:
    """Whether a later row moves the same thing on."""
    return next_of(rows, at) is not None


def next_of(rows: list[Event], at: int) -> int | None:
    """Where the next row that moves the same thing is."""
    row = rows[at]
    key = (row.kind, row.job_id, row.task_id)
    later = range(at + 1, len(rows))
    return next(
        (
            index
            for index in later
            if (rows[index].kind, rows[index].job_id, rows[index].task_id) == key
        ),
        None,
    )


@settings(max_examples=100)
@given(st.data())
@pytest.mark.parametrize("mutate", [forge_from, forge_attempt, forge_to, drop, double, swap])
def test_one_wrong_row_is_found(
    mutate: Callable[[list[Event], int], None], data: st.DataObject
) -> None:
    """One row changed, dropped, doubled or moved: something is said."""
    history = History(launch=2, alive=3)
    history.create()
    steps = data.draw(st.integers(0, 40))
    play(history, lambda names: data.draw(st.sampled_from(names)), steps)
    moves = [at for at, row in enumerate(history.rows) if row.kind in ("SCHEDULE", "STATUS")]
    if moves:
        mutate(history.rows, data.draw(st.sampled_from(moves)))
        assert fold(history.rows) != []
