"""Lists to pick from: one row for each, and a cursor that can be seen on every terminal."""

from __future__ import annotations

import asyncio

import pytest
from rich.style import Style
from textual.pilot import Pilot

from jobsched_tui.present.glyphs import ASCII, UNICODE, Pen
from jobsched_tui.screens.choose import Choice, ChooseScreen
from tests.tui.acting import Stage

LONG = "it keeps its slot and its lock while it is stopped; CONT lets it go on"
CHOICES = [
    Choice(key="TERM", label="TERM  ask it to end", detail="its task may end FAILED"),
    Choice(key="HUP", label="HUP   tell it that its terminal is gone", detail=LONG),
]


def shown(
    size: tuple[int, int], *keys: str, ansi: bool = False, pen: Pen = UNICODE
) -> tuple[list[str], list[Style]]:
    """What stands on the screen, and the styles of the row under the cursor."""
    found: list[tuple[list[str], list[Style]]] = []

    async def look(pilot: Pilot[None]) -> None:
        await pilot.press(*keys)
        await pilot.pause()
        app = pilot.app
        assert isinstance(app, Stage)
        picture = app.picture()
        at = next(y for y, row in enumerate(picture) if "TERM " in row)
        strip = app.screen._compositor.render_strips()[at]
        styles = [piece.style for piece in strip if piece.style and "TERM " in piece.text]
        found.append((picture, styles))

    async def run() -> None:
        app = Stage(ChooseScreen("Signal", CHOICES, pen=pen))
        app.ansi_color = ansi
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await look(pilot)

    asyncio.run(run())
    return found[0]


def test_a_long_text_takes_one_row() -> None:
    """It is cut with an ellipsis, and no label is cut at all."""
    rows = [row for row in shown((80, 24))[0] if "HUP" in row]
    assert len(rows) == 1
    assert "HUP   tell it that its terminal is gone  it keeps" in rows[0]
    assert rows[0].rstrip(" │").endswith("…")


def test_it_is_cut_in_ascii_where_nothing_else_may_be_written() -> None:
    """The ellipsis is Textual's own."""
    rows = shown((80, 24), pen=ASCII)[0]
    assert "".join(rows).isascii()
    assert next(row for row in rows if "HUP" in row).rstrip(" |").endswith("~")


def test_what_was_cut_is_told_in_full_below() -> None:
    """For the one under the cursor."""
    text = " ".join(" ".join(shown((80, 24), "j")[0]).replace("│", " ").split())
    assert LONG in text


def test_nothing_is_told_twice_where_there_is_room() -> None:
    """A wide screen shows the whole of each row."""
    text = " ".join(shown((140, 40), "j")[0])
    assert text.count("its task may end FAILED") == 1


@pytest.mark.parametrize("ansi", [False, True], ids=["theme", "ansi"])
def test_the_cursor_can_be_seen(ansi: bool) -> None:
    """With a background in a theme, in reverse with the colours of the terminal."""
    (style, *_) = shown((80, 24), ansi=ansi)[1]
    (other, *_) = shown((80, 24), "j", ansi=ansi)[1]
    assert bool(style.reverse) is ansi
    assert not other.reverse
    assert style != other
