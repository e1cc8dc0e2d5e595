"""What a controller takes: the median of a sample, on files and on real processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.machine.footprint import SAMPLE, Footprint, measure, proportional_bytes, spread

MIB = 1024**2


def tell(proc: Path, sizes: Sequence[int]) -> list[int]:
    """PIDs of processes whose proportional sizes are those, in KiB."""
    for pid, kib in enumerate(sizes, 100):
        (proc / str(pid)).mkdir()
        text = f"55d0-7ffe ---p 00000000 00:00 0 [rollup]\nRss: 99999 kB\nPss: {kib} kB\n"
        (proc / str(pid) / "smaps_rollup").write_text(text)
    return list(range(100, 100 + len(sizes)))


@pytest.mark.parametrize(
    ("kib", "each"),
    [
        ([6000], 6000),
        ([6000, 9000], 9000),
        ([6000, 5000, 900_000], 6000),
        ([12], 1024),  # it has not begun yet
        ([9_000_000], 1024 * 1024),
    ],
)
def test_the_median_within_bounds(tmp_path: Path, kib: list[int], each: int) -> None:
    """One that is out of the way moves it little; nonsense is not believed."""
    pids = tell(tmp_path, kib)
    assert measure(pids, 12.0, proc=tmp_path) == Footprint(each * 1024, len(kib), 12.0)


def test_who_is_gone_is_left_out(tmp_path: Path) -> None:
    """Where nobody is left nothing was measured."""
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "smaps_rollup").touch()
    pids = tell(tmp_path, [6000])
    assert measure([7, *pids, 8], 12.0, proc=tmp_path) == Footprint(6000 * 1024, 1, 12.0)
    assert measure([7, 8], 12.0, proc=tmp_path) is None
    assert measure([], 12.0, proc=tmp_path) is None


@given(st.integers(0, 5000))
def test_a_sample_is_spread_over_all(count: int) -> None:
    """Few are looked at, each once, from the oldest to nearly the newest."""
    chosen = spread(range(count))
    assert len(chosen) == len(set(chosen)) == min(count, SAMPLE)
    assert chosen == sorted(chosen)
    if count:
        assert chosen[0] == 0
        assert count - chosen[-1] <= count / SAMPLE + 1


def test_a_real_process() -> None:
    """A Python of its own takes some MiB that nobody else has; once it is gone it takes none."""
    child = subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); import time; time.sleep(60)"],
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout is not None
        child.stdout.readline()
        assert MIB < (proportional_bytes(child.pid) or 0) < 200 * MIB
    finally:
        child.kill()
        child.communicate()
    assert proportional_bytes(child.pid) is None


def test_without_a_kernel_that_tells(tmp_path: Path) -> None:
    """Another way gives a size that is no smaller than what the process has alone."""
    assert (proportional_bytes(os.getpid(), tmp_path) or 0) > MIB
