"""The automatic alive limit as arithmetic: over machines, and over what memory may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.bounds import MOST_JOBS
from jobsched.machine.footprint import ASSUMED
from jobsched.machine.memory import Memory
from jobsched.machine.room import STALLED, Bound, is_worth_it, kept_bytes, room_for

MIB = 1024**2
GIB = 1024**3

sizes = st.integers(MIB, 512 * GIB)
each = st.integers(MIB, GIB)
alive = st.integers(0, 20_000)


@pytest.mark.parametrize(
    ("total", "available", "taken", "used", "limit", "bound"),
    [
        pytest.param(8 * GIB, 5 * GIB, ASSUMED, 0, 107, Bound.AVAILABLE, id="laptop, unmeasured"),
        pytest.param(8 * GIB, 5 * GIB, 5 * MIB, 0, 860, Bound.AVAILABLE, id="laptop"),
        pytest.param(24 * GIB, 22 * GIB, 5 * MIB, 0, 4014, Bound.AVAILABLE, id="24 GiB"),
        pytest.param(24 * GIB, 22 * GIB, 32 * MIB, 0, 627, Bound.AVAILABLE, id="not forked"),
        pytest.param(24 * GIB, 2 * GIB, 5 * MIB, 4000, 3918, Bound.AVAILABLE, id="headroom used"),
        pytest.param(24 * GIB, 23 * GIB, 5 * MIB, 2000, 4423, Bound.TOTAL, id="taken for more"),
        pytest.param(24 * GIB, 0, 5 * MIB, 40, 1, Bound.LEAST, id="full"),
        pytest.param(512 * MIB, 400 * MIB, 5 * MIB, 0, 54, Bound.AVAILABLE, id="container"),
        pytest.param(512 * MIB, 400 * MIB, ASSUMED, 0, 6, Bound.AVAILABLE, id="and unmeasured"),
        pytest.param(64 * MIB, 8 * MIB, ASSUMED, 0, 1, Bound.LEAST, id="tiny"),
        pytest.param(4096 * GIB, 4000 * GIB, MIB, 0, MOST_JOBS, Bound.MOST, id="enormous"),
    ],
)
def test_machines(
    total: int, available: int, taken: int, used: int, limit: int, bound: Bound
) -> None:
    """What a machine is found to have room for, and why no more."""
    found = room_for(Memory(total=total, available=available), taken, used)
    assert (found.limit, found.bound) == (limit, bound)


def test_who_waits_for_memory_admits_no_more() -> None:
    """Those that are alive stay so, and nobody joins them; a smaller stall is no matter."""
    stalled = Memory(total=24 * GIB, available=20 * GIB, stalled=STALLED)
    assert (room_for(stalled, 5 * MIB, 70).limit, room_for(stalled, 5 * MIB, 70).bound) == (
        70, Bound.STALLED,
    )  # fmt: skip
    assert room_for(stalled, 5 * MIB, 0).limit == 1
    calm = Memory(total=24 * GIB, available=20 * GIB, stalled=STALLED - 1)
    assert room_for(calm, 5 * MIB, 70).limit > 3000


@given(total=sizes, first=sizes, second=sizes, taken=each, used=alive, stalled=st.floats(0, 100))
def test_more_available_never_admits_fewer(
    total: int, first: int, second: int, taken: int, used: int, stalled: float
) -> None:
    """Whatever else there is."""
    low, high = sorted((first, second))
    limits = [
        room_for(Memory(total=total, available=one, stalled=stalled), taken, used).limit
        for one in (low, high)
    ]
    assert limits == sorted(limits)


@given(total=sizes, available=sizes, taken=each, used=alive, stalled=st.floats(0, 100))
def test_bounds(total: int, available: int, taken: int, used: int, stalled: float) -> None:
    """At least one, and never more than all memory is enough for; what is kept is not given."""
    memory = Memory(total=total, available=min(total, available), stalled=stalled)
    found = room_for(memory, taken, used)
    assert 1 <= found.limit <= min(MOST_JOBS, max(1, total // taken))
    more = found.limit - used
    if more > 1:
        assert memory.available - more * taken >= found.kept


@given(total=sizes, available=sizes, taken=each, used=alive, started=st.integers(0, 500))
def test_who_starts_changes_nothing(
    total: int, available: int, taken: int, used: int, started: int
) -> None:
    """A controller that takes what it was reckoned to take leaves the limit as it was."""
    before = room_for(Memory(total=total, available=available), taken, used)
    left = available - started * taken
    if left >= 0:
        after = room_for(Memory(total=total, available=left), taken, used + started)
        assert after.limit == before.limit


@given(total=sizes)
def test_headroom(total: int) -> None:
    """A tenth, between what is little and what helps no more; at most a quarter."""
    kept = kept_bytes(total)
    assert kept <= max(total // 4, 1)
    assert kept <= 4 * GIB
    assert kept >= min(total // 10, 4 * GIB)


@pytest.mark.parametrize(
    ("in_force", "wanted", "used", "changed"),
    [
        (3000, 3000, 0, False),
        (3000, 2800, 0, False),
        (3000, 3200, 100, False),
        (3000, 2600, 0, True),
        (3000, 3400, 0, True),
        (3000, 2990, 2995, True),  # the one in force would let five more start
        (3000, 2990, 3000, False),  # none can start, whichever it is
        (3000, 3020, 3000, False),
        (3000, 3100, 3000, True),  # some wait for it
        (1, 2, 0, True),
        (2, 1, 0, True),
        (0, 1, 0, True),
        (0, 0, 0, False),
    ],
)
def test_what_is_worth_a_change(in_force: int, wanted: int, used: int, changed: bool) -> None:
    """It does not follow every breath of memory, but is never open where there is no room."""
    assert is_worth_it(in_force, wanted, used) is changed


@given(in_force=st.integers(1, 10_000), wanted=st.integers(1, 10_000), used=alive)
def test_a_change_comes_to_rest(in_force: int, wanted: int, used: int) -> None:
    """Once it has been followed there is nothing to follow; a limit that is left is nearly it."""
    if is_worth_it(in_force, wanted, used):
        assert not is_worth_it(wanted, wanted, used)
    else:
        assert abs(wanted - in_force) <= in_force // 10
