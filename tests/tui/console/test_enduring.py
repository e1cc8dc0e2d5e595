"""The console at any size, and how it ends when it fails itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jobsched_tui.app import Console
from tests.tui.stand import Scene, home_with, play, rows, sees

# Sizes.


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50), (60, 15), (20, 5), (1, 1)])
def test_every_size(home: Path, size: tuple[int, int]) -> None:
    """No screen is too small to be drawn on, and no row is wider than it."""
    home_with(home, "one", "two")

    async def scene(console: Console, pilot: Scene) -> None:
        await pilot.pause()
        for keys in (["z"], ["z"], ["6"], ["1"], ["question_mark"], ["escape"], ["enter"]):
            await pilot.press(*keys)
            assert all(len(row) <= size[0] for row in rows(console))
        for key in ("t", "D", "P", "y", "E", "l", "escape", "L", "escape", "S", "escape"):
            await pilot.press(key)
        assert console.is_running

    play(home, scene, size)


def test_a_storm_of_sizes(home: Path) -> None:
    """Many sizes one after another do no harm."""
    home_with(home, "one")

    async def scene(console: Console, pilot: Scene) -> None:
        for step in range(20):
            await pilot.resize_terminal(1 + step * 37 % 211, 1 + step * 17 % 61)
        await pilot.resize_terminal(120, 36)
        await sees(pilot, "1 one")
        assert console.is_running

    play(home, scene)


# Failures of our own.


def test_a_crash_leaves_a_report(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the console ends it with code 1, a report and one line, without a traceback."""
    home_with(home, "one")

    def break_down(*_: Any) -> None:
        raise RuntimeError("a part is broken")

    async def scene(console: Console, pilot: Scene) -> None:
        await sees(pilot, "1 one")
        monkeypatch.setattr(console.sight, "freeze", break_down)
        await pilot.press("p")

    console: list[Console] = []

    async def keep(one: Console, pilot: Scene) -> None:
        console.append(one)
        await scene(one, pilot)

    with pytest.raises(RuntimeError, match="a part is broken"):
        play(home, keep)
    (report,) = home.glob("jobsched-tui-crash-*.txt")
    assert console[0].return_code == 1
    assert str(report) in console[0].failure
    assert "\n" not in console[0].failure
    assert "Traceback" in report.read_text()
    assert report.stat().st_mode & 0o777 == 0o600
