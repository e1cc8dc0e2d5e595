"""Small decisions about lines that whole pictures show but do not explain."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from jobsched_tui.data.keymap import KEYS
from jobsched_tui.data.scenes.home import DEAD, STUCK, failure
from jobsched_tui.present.attention import brief
from jobsched_tui.present.hints import HINTS, hints
from jobsched_tui.present.spans import Span, Tone, plain
from jobsched_tui.widgets.painting import palette, strip

_BOUND = {key.id: key.keys for key in KEYS}
_PALETTE = palette({}, ansi=False, colour=False)


@pytest.mark.parametrize("pane", sorted(HINTS))
@given(cells=st.integers(0, 140))
def test_a_hint_is_shown_whole_or_not_at_all(pane: str, cells: int) -> None:
    """A key without its word says nothing; the first ones stay longest."""
    whole = plain(hints(pane, _BOUND, 400, read_only=False)).split("  ")
    shown = plain(hints(pane, _BOUND, cells, read_only=False)).rstrip().split("  ")
    assert len("  ".join(shown)) <= cells
    assert shown == whole[: len(shown)] or shown == [""]


def test_a_row_says_of_a_trouble_what_stands_nowhere_else_in_it() -> None:
    """Neither its job nor its kind; a sentence that is not known is shown as it is."""
    assert brief(DEAD) == "pid 87640 gone since 12:20"
    assert brief(STUCK) == "silent, idle since 11:52; it used to print every 12 s"
    assert brief(failure(7, 0.0, "exit code 1")) == "exit code 1"
    assert brief(replace(DEAD, text="nobody knows")) == "nobody knows"


def test_blanks_around_words_are_not_underlined() -> None:
    """A key stands out, the gap beside it does not."""
    drawn = strip([Span(" a ", Tone.KEY), Span("b")], 6, _PALETTE, Style())
    underlined = [(one.text, bool(one.style and one.style.underline)) for one in drawn]
    assert "".join(text for text, is_underlined in underlined if is_underlined) == "a"
    assert "".join(text for text, _ in underlined) == " a b  "
