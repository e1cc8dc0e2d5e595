"""The budget of probes that fail."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.models import ClusterState, Observation
from jobsched.recovery.watch import FAILED_PROBES, FAILED_SECONDS, Watch

UP = Observation(state=ClusterState.UP)
UNKNOWN = Observation(state=ClusterState.UNKNOWN)


def silent(probes: int, every: float) -> tuple[Watch, float]:
    """After so many failed probes, and the time of the last."""
    watch, at = Watch(), 0.0
    for number in range(probes):
        at = number * every
        watch = watch.saw(UNKNOWN, at)
    return watch, at


@pytest.mark.parametrize("probes", [1, 5, 100])
def test_noise_is_no_loss(probes: int) -> None:
    """A hundred failed probes in a row, at the usual pace, prove nothing."""
    watch, at = silent(probes, 15.0)
    assert not watch.is_spent(at)


def test_many_probes_in_a_short_time_are_no_loss() -> None:
    """The budget of probes alone is not enough."""
    watch, at = silent(FAILED_PROBES * 10, 0.001)
    assert not watch.is_spent(at)


def test_few_probes_over_a_long_time_are_no_loss() -> None:
    """The budget of time alone is not enough."""
    watch, at = silent(FAILED_PROBES - 1, FAILED_SECONDS)
    assert not watch.is_spent(at)


def test_both_budgets_spent_are_a_loss() -> None:
    """Long silence through many probes counts as a loss."""
    watch, at = silent(FAILED_PROBES, FAILED_SECONDS / (FAILED_PROBES - 1))
    assert watch.is_spent(at + 0.001)


@given(st.lists(st.tuples(st.booleans(), st.floats(0.01, 1000)), max_size=300))
def test_the_window_starts_anew_with_every_answer(steps: list[tuple[bool, float]]) -> None:
    """Only probes since the last answer count, both their number and their time."""
    watch, at, failed, since = Watch(), 0.0, 0, 0.0
    for answered, pause in steps:
        at += pause
        watch = watch.saw(UP if answered else UNKNOWN, at)
        if answered:
            failed = 0
        else:
            since = at if failed == 0 else since
            failed += 1
        expected = failed >= FAILED_PROBES and at - since >= FAILED_SECONDS
        assert watch.is_spent(at) == expected
        assert watch.failed_probes == failed
