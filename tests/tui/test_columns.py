"""Which columns are shown, and how wide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched_tui.present.columns import GUTTER, KINDS, Col, Layout, defaults, layout


def names(found: Layout) -> list[str]:
    """The columns in order."""
    return [placed.col.value for placed in found.columns]


def cells(found: Layout) -> dict[str, int]:
    """How wide each is."""
    return {placed.col.value: placed.cells for placed in found.columns}


def test_every_column_has_a_kind() -> None:
    """The table is exhaustive."""
    assert set(KINDS) == set(Col)


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (40, "id name sched why"),
        (80, "id name sched task age why"),
        (120, "id name sched status task pid cpu rss age why"),
        (160, "id name sched status task prio pid cpu rss age runtime recov region why"),
    ],
)
def test_columns_by_width(width: int, expected: str) -> None:
    """As designed for each width; the rest is the operator's choice."""
    assert names(layout(width)) == expected.split()
    assert [col.value for col in defaults(width)] == expected.split()


def test_narrow_lists_fold_the_status_into_the_state() -> None:
    """Where STATUS is missing SCHED has short words, and less room."""
    assert layout(80).folded
    assert cells(layout(80))["sched"] == 9
    assert not layout(120).folded
    assert cells(layout(120))["sched"] == 15


def test_widths_at_120_and_80() -> None:
    """Fixed for all but NAME and WHY, which share what is left."""
    assert cells(layout(118)) == {
        "id": 6,
        "name": 17,
        "sched": 15,
        "status": 12,
        "task": 5,
        "pid": 8,
        "cpu": 4,
        "rss": 4,
        "age": 6,
        "why": 30,
    }
    assert cells(layout(80)) == {"id": 6, "name": 17, "sched": 9, "task": 5, "age": 6, "why": 30}


def test_the_operator_chooses_names_and_order() -> None:
    """Unknown and repeated names are passed over; letters may be large."""
    found = layout(100, ["NAME", "id", "nonsense", "id", "Restarts"])
    assert names(found) == ["name", "id", "restarts"]
    assert cells(found)["name"] == 100 - GUTTER - 6 - 8 - 2
    assert names(layout(80, ["nonsense"])) == names(layout(80))


def test_what_does_not_fit_goes_from_the_right_but_never_the_id() -> None:
    """The state stays longer than other fixed columns."""
    chosen = ["id", "name", "sched", "pid", "region", "source", "why"]
    assert names(layout(86, chosen)) == ["id", "name", "sched", "pid", "region", "why"]
    assert names(layout(50, chosen)) == ["id", "name", "sched", "pid", "why"]
    assert names(layout(40, chosen)) == ["id", "name", "sched", "why"]
    assert names(layout(20, chosen)) == ["id", "name"]
    assert names(layout(8, chosen)) == ["id"]


@given(
    st.integers(1, 250),
    st.one_of(st.none(), st.lists(st.sampled_from([*Col]), min_size=1, max_size=20)),
)
def test_columns_never_overlap_nor_leave_the_terminal(width: int, chosen: list[Col] | None) -> None:
    """Whatever is chosen, at any width."""
    found = layout(width, chosen)
    assert found.columns
    end = 0
    for placed in found.columns:
        assert placed.start >= end
        assert placed.cells >= 0
        end = placed.start + placed.cells
    assert end <= width


def test_a_click_finds_the_column_and_its_order() -> None:
    """The gap behind a column belongs to it; the gutter to none; not every column is an order."""
    found = layout(80)
    assert found.at(0) is None
    assert found.order_at(1) is None
    assert found.at(2) is Col.ID
    assert found.order_at(7) == "id"
    assert found.at(8) is Col.ID
    assert found.at(9) is Col.NAME
    assert found.order_at(30) == "state"
    assert found.at(79) is Col.WHY
    assert found.order_at(79) is None
