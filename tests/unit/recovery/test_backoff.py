"""Pauses between tries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.config import RecoveryConfig
from jobsched.recovery.backoff import JITTER, jittered, longest_pause, pause
from tests.unit.recovery.fakes import rng

SETTINGS = RecoveryConfig()


def test_pauses_grow_to_the_maximum() -> None:
    """60 s, each 1.6 times the one before, and never more than 300 s."""
    pauses = [pause(tries, SETTINGS) for tries in range(1, 8)]
    assert pauses == pytest.approx([60, 96, 153.6, 245.76, 300, 300, 300])


@given(seconds=st.floats(0, 1e6), seed=st.integers())
def test_jitter_stays_within_forty_percent(seconds: float, seed: int) -> None:
    """A pause is at most 40 % longer or shorter than it would be."""
    got = jittered(seconds, rng(seed))
    assert 0.6 * seconds - 1e-6 <= got <= 1.4 * seconds + 1e-6


def test_jitter_spreads() -> None:
    """Jobs that failed together do not come back together."""
    got = [jittered(100, rng(seed)) for seed in range(200)]
    assert min(got) < 70
    assert max(got) > 130


@given(
    tries=st.integers(1, 10**6),
    first=st.floats(0, 86_400),
    most=st.floats(0, 86_400),
    seed=st.integers(),
)
def test_no_pause_is_longer_than_the_longest(
    tries: int, first: float, most: float, seed: int
) -> None:
    """Whatever is set and however often it failed, the longest pause bounds it."""
    settings = RecoveryConfig(retry_gap_seconds=first, retry_gap_max_seconds=most)
    seconds = pause(tries, settings)
    assert 0 <= seconds <= most
    assert jittered(seconds, rng(seed)) <= longest_pause(settings) + 1e-6
    assert longest_pause(settings) == most * (1 + JITTER)
