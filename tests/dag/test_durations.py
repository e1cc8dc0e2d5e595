from __future__ import annotations

import pytest

from jobsched.dag import parse_duration
from jobsched.errors import InvalidInput


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (0, 0),
        (90, 90),
        (1.5, 1.5),
        ("90", 90),
        ("90s", 90),
        ("5m", 300),
        ("12h", 43_200),
        ("30d", 2_592_000),
        ("2w", 1_209_600),
        ("1.5H", 5_400),
        (" 5s ", 5),
    ],
)
def test_durations_are_seconds(value: object, seconds: float) -> None:
    """A number is seconds; a unit multiplies it."""
    assert parse_duration(value) == seconds


@pytest.mark.parametrize(
    "value",
    ["", "abc", "5x", "5 s s", "-5", "s", "1e3", "٣s", "5m30s", True, None, [], {}, -1, "1 0"],
)
def test_anything_else_is_refused(value: object) -> None:
    """The message says what was expected."""
    with pytest.raises(InvalidInput, match=r"expected (NUMBER\[s\|m\|h\|d\|w\]|0 to 36525d)"):
        parse_duration(value)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), "36526d", "9" * 4_000, 10**400])
def test_a_duration_is_at_most_a_century(value: object) -> None:
    """A deadline that no clock can show is refused, in a short message."""
    with pytest.raises(InvalidInput, match="out of range") as caught:
        parse_duration(value)
    assert len(str(caught.value)) < 120
