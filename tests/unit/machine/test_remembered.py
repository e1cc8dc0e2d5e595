"""What is remembered of memory is read back, or is not there."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.machine.auto import Auto, Glance
from jobsched.machine.footprint import ASSUMED, Footprint
from jobsched.machine.memory import Memory, look
from jobsched.machine.remembered import Remembered, load, save
from jobsched.testing import FakeClock

MIB = 1024**2
GIB = 1024**3
NOW = 1_000_000.0

SEEN = Remembered(
    memory=Memory(total=24 * GIB, available=18 * GIB, stalled=1.5), alive=12, at=NOW,
    footprint=Footprint(5 * MIB, 40, NOW - 12),
)  # fmt: skip


def test_round_trip(tmp_path: Path) -> None:
    """As it was, for nobody else to read, with nothing left beside it."""
    path = tmp_path / "memory.json"
    save(path, SEEN)
    save(path, SEEN)
    assert load(path) == SEEN
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["memory.json"]


@pytest.mark.parametrize(
    "change",
    [{"total": 0}, {"available": -1}, {"alive": "3"}, {"at": None}, {"at": float("inf")},
     {"controller_bytes": 0}, {"controller_bytes": 2**80}, {"measured_at": float("nan")},
     {"controllers": 1.5}, {"stalled": []}],
    ids=str,
)  # fmt: skip
def test_nonsense_is_not_there(tmp_path: Path, change: dict[str, object]) -> None:
    """Whoever edited it, or however it came to be so."""
    path = tmp_path / "memory.json"
    save(path, SEEN)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert load(path) is None


@given(st.binary())
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Never an error."""
    path = tmp_path_factory.mktemp("any") / "memory.json"
    path.write_bytes(content)
    assert load(path) is None


@pytest.mark.parametrize("content", ["", "[]", "{}", "null", "[" * 100_000])
def test_other_things(tmp_path: Path, content: str) -> None:
    """A file that is none of ours."""
    path = tmp_path / "memory.json"
    path.write_text(content)
    assert load(path) is None
    assert load(tmp_path / "none.json") is None


def test_each_save_is_seen(tmp_path: Path) -> None:
    """Though one that was read is not read again."""
    path = tmp_path / "memory.json"
    for alive in range(20):
        seen = replace(SEEN, alive=alive)
        save(path, seen)
        assert load(path) == load(path) == seen


def test_auto_follows_a_look_that_is_fresh(tmp_path: Path) -> None:
    """What was seen counts, whoever asks and however many are alive by now."""
    path = tmp_path / "memory.json"
    save(path, SEEN)
    auto = Auto(path, NOW + 30)
    assert (auto.room(used=500).memory, auto.room(used=500).alive) == (SEEN.memory, 12)
    assert auto.in_words(auto.room(500).limit, 500) == (
        "3,206 = 12 alive + (18.0 GiB available - 2.4 GiB kept) / 5.0 MiB,"
        " measured on 40 controllers 42 s ago"
    )


@pytest.mark.parametrize("later", [3600.0, -3600.0])
def test_auto_looks_itself_where_nobody_has(tmp_path: Path, later: float) -> None:
    """Also after the clock was set back; what was measured of controllers still holds."""
    path = tmp_path / "memory.json"
    save(path, SEEN)
    room = Auto(path, NOW + later).room(used=3)
    assert (room.memory.total, room.each, room.alive) == (look().total, 5 * MIB, 3)


def test_auto_in_a_new_home(tmp_path: Path) -> None:
    """Nothing has been measured, and that is said."""
    auto = Auto(tmp_path / "none.json", NOW)
    assert auto.room(used=0).each == ASSUMED
    assert auto.footprint.controllers == 0
    said = auto.in_words(auto.room(0).limit, 0)
    assert said.endswith("/ 40.0 MiB, assumed until controllers are measured")


def test_a_process_of_many_passes_looks_seldom() -> None:
    """What it saw a moment ago still holds."""
    clock = FakeClock()
    glance = Glance(look, clock.monotonic)
    first = glance()
    clock.sleep(4)
    assert glance() is first
    clock.sleep(2)
    assert glance() is not first
