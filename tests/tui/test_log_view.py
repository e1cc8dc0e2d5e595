"""The log view at work: following, scrolling, searching, drawing."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from textual.pilot import Pilot

from jobsched_tui.widgets.log_view import LogView
from tests.tui.log_stage import (
    Screen,
    grow,
    numbered,
    play,
    quiet,
    shown,
    status,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log is, or will be."""
    return tmp_path / "task.log"


def test_a_log_is_opened_at_its_end_and_followed(path: Path) -> None:
    """The last lines are in sight; new ones come below, and the view goes along."""
    numbered(path, 1000)

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        assert shown(screen)[:-1] == [f"line {number}" for number in range(982, 1000)]
        assert status(screen) == "task.log ─ 1000 lines 8.7K ─ follow ●"
        await grow(screen, pilot, path, "new 1\nnew 2\n")
        assert shown(screen)[-4:-1] == ["line 999", "new 1", "new 2"]
        assert screen.view.following

    play(path, scene)


def test_scrolling_up_lets_go_and_g_takes_hold_again(path: Path) -> None:
    """Lines that come meanwhile are counted; the lines in sight stay where they are."""
    numbered(path, 1000)

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        await pilot.press("k")
        await grow(screen, pilot, path, "a\nb\nc\n")
        assert shown(screen)[:-1] == [f"line {number}" for number in range(981, 999)]
        assert (screen.view.following, screen.view.new_lines) == (False, 3)
        assert status(screen).endswith("3 new lines ↓ (G follows)")
        await pilot.press("G")
        await quiet(screen, pilot)
        assert shown(screen)[-4:-1] == ["a", "b", "c"]
        assert (screen.view.following, screen.view.new_lines) == (True, 0)
        follows = [one.follow for one in screen.heard if isinstance(one, LogView.FollowChanged)]
        assert follows == [False, True]

    play(path, scene)


def test_the_keys_move_through_the_whole_log(path: Path) -> None:
    """First line, a page, half a page, a line; f follows again."""
    numbered(path, 1000)

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        tops = []
        for key in ("g", "pagedown", "ctrl+d", "j", "up", "ctrl+u", "pageup", "f", "home"):
            await pilot.press(key)
            await quiet(screen, pilot)
            tops.append(shown(screen)[0])
        expected = [0, 17, 25, 26, 25, 17, 0, 982, 0]
        assert tops == [f"line {number}" for number in expected]

    play(path, scene)


def test_the_place_is_kept_while_a_long_log_is_counted(path: Path) -> None:
    """Lines are in sight before they have numbers; these come, and nothing moves."""
    numbered(path, 1_000_000)
    path.write_bytes(path.read_bytes() * 5)

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        view = screen.view
        while view._update is None:  # noqa: ASYNC110 -- between two steps, which no event tells
            await asyncio.sleep(0)
        assert not view._update.numbered
        view.action_numbers()
        view.action_page(-2)
        assert shown(screen)[0].strip() == "line 999948"
        await quiet(screen, pilot)
        assert shown(screen)[0] == "4999949 line 999948"
        assert shown(screen)[17] == "4999966 line 999965"
        assert not view.following
        await pilot.press("g")
        await quiet(screen, pilot)
        assert shown(screen)[0] == "      1 line 0"

    play(path, scene)


def test_long_lines_are_moved_sideways_and_stay_so_while_following(path: Path) -> None:
    """New lines do not bring the view back to the left."""
    path.write_text("abcdefgh" * 20 + "\n")

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        await pilot.press("right", "l", "h")
        await grow(screen, pilot, path, "0123456789\n")
        assert shown(screen)[1] == "89"
        assert screen.view.following

    play(path, scene)


def test_wrapped_lines_end_where_the_log_ends(path: Path) -> None:
    """Following shows the last row of the last line; each row counts."""
    path.write_text("".join(f"{number:02}" + "x" * 98 + "\n" for number in range(30)))

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        await pilot.press("w")
        await quiet(screen, pilot)
        rows = shown(screen)
        width = screen.view.scrollable_content_region.width
        assert rows[16] == "29" + "x" * (width - 2)
        assert rows[17] == "x" * (100 - width)
        assert rows[0][:2] == "21"
        await pilot.press("k")
        await quiet(screen, pilot)
        assert shown(screen)[0][:2] == "20"

    play(path, scene)


def test_what_is_searched_is_counted_and_jumped_to(path: Path) -> None:
    """The nearest match first; n and N go on and back, and say when there is none."""
    lines = [f"line {number}" for number in range(1000)]
    for at in (100, 500, 900):
        lines[at] = f"needle {at}"
    path.write_text("\n".join(lines) + "\n")

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        view = screen.view
        await quiet(screen, pilot)
        view.search("needle")
        await quiet(screen, pilot)
        assert (view.match_count, view.position, view.following) == (3, 3, False)
        assert "needle 900" in shown(screen)
        await pilot.press("N")
        await quiet(screen, pilot)
        assert view.position == 2
        assert "needle 500" in shown(screen)
        assert "2/3 matches of needle" in status(screen)
        await pilot.press("n", "n")
        await quiet(screen, pilot)
        await pilot.press("n")
        await quiet(screen, pilot)
        assert "no more matches below" in status(screen)
        assert isinstance(screen.heard[-1], LogView.Missed)
        assert view.clear_search()
        assert (view.match_count, view.clear_search()) == (None, False)

    play(path, scene, size=(100, 19))


def test_errors_are_jumped_to_without_a_search(path: Path) -> None:
    """Either pair of keys."""
    lines = [f"line {number}" for number in range(1000)]
    lines[10], lines[700] = "ValueError: first", "ERROR second"
    path.write_text("\n".join(lines) + "\n")

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        seen = []
        for key in ("left_square_bracket", "comma", "full_stop", "right_square_bracket"):
            await pilot.press(key)
            await quiet(screen, pilot)
            seen.append(next(text for text in shown(screen) if re.search("rror|ERR", text)))
        assert seen[:3] == ["ERROR second", "ValueError: first", "ERROR second"]
        assert "no more errors below" in status(screen)

    play(path, scene)


def test_a_filter_shows_matches_of_the_whole_log_and_gives_the_place_back(path: Path) -> None:
    """Only lines that match, with the numbers they have; without it their surroundings again."""
    numbered(path, 10_000)

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        view = screen.view
        await quiet(screen, pilot)
        await pilot.press("number_sign")
        view.keep("99$")
        await quiet(screen, pilot)
        assert shown(screen)[17] == "10000 line 9999"
        assert shown(screen)[16] == " 9900 line 9899"
        assert "only 100 lines with 99$" in status(screen)
        await pilot.press("g")
        await quiet(screen, pilot)
        assert shown(screen)[:2] == ["  100 line 99", "  200 line 199"]
        assert (view.following, view.new_lines) == (False, 0)
        await grow(screen, pilot, path, "not kept\n")
        assert view.new_lines == 1
        assert view.clear_search()
        await quiet(screen, pilot)
        assert "  100 line 99" in shown(screen)
        assert "  101 line 100" in shown(screen)

    play(path, scene)


def test_nothing_is_drawn_when_nothing_changed(path: Path) -> None:
    """A look at an unchanged log refreshes no row."""
    numbered(path, 100)

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        drawn: list[int] = []
        original = screen.view.render_line

        def counting(y: int) -> Any:
            drawn.append(y)
            return original(y)

        screen.view.render_line = counting  # type: ignore[method-assign] # to see who calls
        screen.view.refresh_log()
        await quiet(screen, pilot)
        assert drawn == []

    play(path, scene)


def test_colours_of_the_program_are_drawn_and_escapes_are_not(path: Path) -> None:
    """Red is red; an escape that is not on the list is text."""
    path.write_bytes(b"\x1b[31;1mred\x1b[0m plain \x1b]52;c;AAAA\x07[bold]x[/bold]\n")

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        assert shown(screen)[0] == "red plain ␛]52;c;AAAA␇[bold]x[/bold]"
        style = next(iter(screen.view.render_line(0))).style
        assert isinstance(style, Style)
        assert style.color is not None
        assert (style.color.number, style.bold) == (1, True)

    play(path, scene)


def test_any_size_can_be_drawn(path: Path) -> None:
    """Down to one cell, and back."""
    numbered(path, 100)

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        for size in ((1, 1), (3, 2), (200, 50), (60, 19)):
            await pilot.resize_terminal(*size)
            await quiet(screen, pilot)
        assert shown(screen)[17] == "line 99"
        assert screen.view.following

    play(path, scene)


def test_keys_are_answered_during_a_flood(path: Path) -> None:
    """While 80,000 lines arrive, a key press is done within a fraction of a second."""
    numbered(path, 1000)

    async def scene(screen: Screen, pilot: Pilot[None]) -> None:
        await quiet(screen, pilot)
        worst = 0.0
        with path.open("a") as log:
            for batch in range(8):
                log.write("".join(f"flood {batch} {number}\n" for number in range(10_000)))
                log.flush()
                screen.view.refresh_log()
                began = time.monotonic()
                await pilot.press("k" if batch % 2 else "G")
                worst = max(worst, time.monotonic() - began)
        await pilot.press("G")
        await quiet(screen, pilot)
        assert shown(screen)[17] == "flood 7 9999"
        assert worst < 1.0

    play(path, scene)
