"""What of a task's output may reach a terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.cli.neutral import Neutraliser


def shown(*pieces: bytes) -> str:
    """What a stream of these pieces looks like."""
    filter_ = Neutraliser()
    return "".join([filter_.feed(piece) for piece in pieces]) + filter_.end()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"plain\ttext\r\n", "plain\ttext\r\n"),
        ("Grüße, 日本 \U0001f600\n".encode(), "Grüße, 日本 \U0001f600\n"),
        (b"\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m\x1b[0m"),
        (b"\x1b[38:5:200mpink", "\x1b[38:5:200mpink\x1b[0m"),
        (b"\x1b]52;c;ZXZpbA==\x07", "␛]52;c;ZXZpbA==␇"),
        (b"\x1b[2J\x1b[H", "␛[2J␛[H"),
        (b"\x1b[6n", "␛[6n"),
        (b"\x1bP+q\x1b\\", "␛P+q␛\\"),
        (b"a\x08b\x00", "a␈b␀"),
        ("\u009b2J".encode(), "\\u009b2J"),
        (b"\x9b2J", "\\x9b2J"),
        ("\u202eevil".encode(), "\\u202eevil"),
        (b"cut \xe2\x82", "cut \\xe2\\x82"),
        (b"ends in \x1b", "ends in ␛"),
        (b"ends in \x1b[3", "ends in ␛[3"),
    ],
)
def test_only_colours_act(raw: bytes, expected: str) -> None:
    """Colours and plain text pass; whatever else a terminal would act upon is made visible."""
    assert shown(raw) == expected


_PIECES = st.lists(
    st.sampled_from([b"\x1b", b"[", b"3", b"1", b";", b"m", b"\xc3\xa9", b"x", b"\n"])
)


@given(_PIECES, st.integers(0, 30))
def test_it_does_not_matter_where_pieces_end(pieces: list[bytes], cut: int) -> None:
    """A stream cut anywhere looks as the same stream in one piece."""
    whole = b"".join(pieces)
    assert shown(whole[:cut], whole[cut:]) == shown(whole)


@given(st.binary(max_size=200))
def test_no_bytes_get_past(raw: bytes) -> None:
    """After its colours are taken away, nothing shown can act on a terminal."""
    rest = re.sub(r"\x1b\[[0-9;:]*m", "", shown(raw))
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", rest)
