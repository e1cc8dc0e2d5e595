"""The line of keys at the bottom."""

from __future__ import annotations

import pytest

from jobsched_tui.data.keymap import BY_ID, KEYS
from jobsched_tui.present.glyphs import ASCII
from jobsched_tui.present.hints import ACTING, HINTS, first_key, hints, shown
from jobsched_tui.present.spans import plain, width

DEFAULTS = {key.id: key.keys for key in KEYS}


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("slash", "/"), ("ctrl+d", "^d"), ("shift+tab", "Shift-Tab"), ("f12", "F12"), ("f", "f"),
        ("X", "X"), ("ctrl+slash", "^/"), ("escape", "Esc"), ("left_square_bracket", "["),
    ],
)  # fmt: skip
def test_names_of_keys(key: str, name: str) -> None:
    """As they stand on a keyboard."""
    assert shown(key) == name


def test_the_first_of_several() -> None:
    """The others are in help."""
    assert first_key("full_stop,comma") == "."
    assert first_key("none") == ""
    assert first_key("") == ""


def test_hints_of_the_list() -> None:
    """The most useful first, as keys are bound."""
    line = plain(hints("list", {**DEFAULTS, "job.submit": "f9"}, 120, read_only=False))
    assert line.startswith(" ? Help  Enter Open  / Filter  F9 Submit  x Cancel")


def test_who_may_only_read_is_told_of_nothing_else() -> None:
    """No key that would change something, and none that is not bound."""
    keys = {**DEFAULTS, "app.help": "none"}
    line = plain(hints("list", keys, 120, read_only=True))
    assert line == " Enter Open  / Filter  q Quit  Space Mark  : Command  z Zoom"


def test_narrow_lines_are_cut() -> None:
    """Never wider than there is room; in ASCII with another ellipsis."""
    for cells in (0, 1, 9, 40):
        line = hints("list", DEFAULTS, cells, read_only=False, pen=ASCII)
        assert width(line) <= cells
        assert plain(line).isascii()


def test_all_of_them_are_actions() -> None:
    """A hint is about a key of the table."""
    assert {name for pane in HINTS.values() for name, _ in pane} <= set(BY_ID)
    assert set(BY_ID) >= ACTING
