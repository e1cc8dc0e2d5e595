"""A moment as it is typed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched_tui.data.moments import parse, problem

#: 22:13:20 UTC on 14 November 2023.
NOW = 1_700_000_000.0
BERLIN = ZoneInfo("Europe/Berlin")
INDIA = timezone(timedelta(hours=5, minutes=30))

CASES: dict[str, tuple[tzinfo, str]] = {
    "22:13": (UTC, "2023-11-14T22:13:00+00:00"),
    "22:14": (UTC, "2023-11-13T22:14:00+00:00"),
    " 03:12:40 ": (UTC, "2023-11-14T03:12:40+00:00"),
    "03:12": (INDIA, "2023-11-15T03:12:00+05:30"),
    "2023-11-14 03:12": (UTC, "2023-11-14T03:12:00+00:00"),
    "2023-11-14T03:12:05": (INDIA, "2023-11-14T03:12:05+05:30"),
    "2023-11-01": (UTC, "2023-11-01T00:00:00+00:00"),
    "2023-07-01 12:00": (BERLIN, "2023-07-01T12:00:00+02:00"),
    "2023-01-01 12:00": (BERLIN, "2023-01-01T12:00:00+01:00"),
}
AGO = {"-90s": 90.0, "-2h": 7200.0, "- 1.5 d": 129_600.0, "-10m": 600.0}
NONSENSE = ["25:00", "yesterday", "-2 weeks", "2h", "2023-13-01", "1:2:3:4", "--2h", "0001-01-01x"]


@pytest.mark.parametrize("text", CASES)
def test_a_date_or_time_of_day(text: str) -> None:
    """It is read in the zone that is shown; a time of day is the last one that was."""
    zone, expected = CASES[text]
    assert parse(text, NOW, zone) == datetime.fromisoformat(expected).timestamp()
    assert problem(text, NOW, zone) is None


@pytest.mark.parametrize("text", AGO)
def test_so_long_ago(text: str) -> None:
    """Seconds, minutes, hours or days before now."""
    assert parse(text, NOW) == NOW - AGO[text]


def test_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a zone it is the machine's, with its clock as it was set on that day."""
    import time  # noqa: PLC0415 -- for this test alone

    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        found = parse("2023-07-01 12:00", NOW)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found == datetime.fromisoformat("2023-07-01T12:00:00+02:00").timestamp()


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense(text: str) -> None:
    """What is no moment is said to be none."""
    assert parse(text, NOW, UTC) is None
    assert "03:12" in (problem(text, NOW, UTC) or "")


def test_to_come() -> None:
    """Nobody can go to a moment that is still to come; nothing typed is no problem."""
    assert problem("2023-11-15", NOW, UTC) == "that moment is still to come"
    assert problem("  ", NOW, UTC) is None


@given(
    st.text(max_size=30) | st.from_regex(r"-?[0-9]{0,25}[-:. smhdT][0-9-]{0,12}", fullmatch=True)
)
def test_whatever_is_typed(text: str) -> None:
    """Nothing that can be typed breaks it."""
    for zone in (UTC, BERLIN, None):
        found = parse(text, NOW, zone)
        assert found is None or found <= NOW or problem(text, NOW, zone) is not None
