"""A terminal with sixteen colours gets no others; one without colours still shows every cursor."""

from __future__ import annotations

import pytest

from jobsched_tui.data.scenes import SCENES
from tests.tui.snapshots.stage import ANSI, DARK, NO_COLOUR, picture

SIZE = (80, 24)


@pytest.mark.parametrize(
    "name", ["limits", "force-done", "columns", "submit", "help", "command", "filtering", "signal"]
)
def test_no_colour_of_a_theme_is_sent(name: str) -> None:
    """Borders, fields, buttons, lists and the footer are drawn in the terminal's own colours."""
    found = picture(SCENES[name], SIZE, ANSI)
    leaks = {
        (row, style)
        for row, runs in zip(found.rows, found.runs, strict=True)
        for _, style in runs
        if "#" in style
    }
    assert leaks == set()


def test_an_answer_that_cannot_be_given_yet_can_be_read() -> None:
    """It is faint and without brackets, and no frame is drawn over it."""
    for look in (DARK, ANSI):
        (row,) = [row for row in picture(SCENES["force-done"], SIZE, look).rows if "[ No ]" in row]
        assert "[ Cancel first ]      Yes, force-done" in row


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("filtering", " / nope:"),
        ("columns", "[x] id "),
        ("sort", "* id "),
        ("limits", "Launch   5"),
    ],
)
def test_without_colour_every_cursor_is_seen(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a field and of a list: it is in reverse."""
    monkeypatch.setenv("NO_COLOR", "1")
    found = picture(SCENES[name], SIZE, NO_COLOUR)
    (runs,) = [runs for row, runs in zip(found.rows, found.runs, strict=True) if text in row]
    assert any("reverse" in style for _, style in runs)
