"""A moment as an operator types it: a time of day, a date, or so long ago.

Owns that grammar. The clock is handed in.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

_AGO: Final = re.compile(r"-\s*(\d+(?:\.\d+)?)\s*([smhd])")
_SECONDS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_FORMS: Final = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d")
_TIMES: Final = ("%H:%M:%S", "%H:%M")


def parse(text: str, now: float, zone: tzinfo | None = None) -> float | None:
    """Unix seconds; ``None`` if it is not understood. A time of day is the last one that was."""
    words = text.strip()
    ago = _AGO.fullmatch(words)
    if ago is not None:
        return now - float(ago[1]) * _SECONDS[ago[2]]
    try:
        return _of_date(words, zone) or _of_day(words, now, zone)
    except (OverflowError, ValueError, OSError):
        return None  # so far away that no clock tells it


def _of_date(words: str, zone: tzinfo | None) -> float | None:
    """A date that has no zone is one of this machine's, with the clock as it was set then."""
    found = next((found for form in _FORMS if (found := _read(words, form))), None)
    return None if found is None else found.replace(tzinfo=zone).timestamp()


def _of_day(words: str, now: float, zone: tzinfo | None) -> float | None:
    found = next((found for form in _TIMES if (found := _read(words, form))), None)
    if found is None:
        return None
    today = datetime.fromtimestamp(now, UTC).astimezone(zone).date()
    at = datetime.combine(today, found.time(), zone)
    return (at if at.timestamp() <= now else at - timedelta(days=1)).timestamp()


def problem(text: str, now: float, zone: tzinfo | None = None) -> str | None:
    """Why it is not understood, or is no moment of the past."""
    if not text.strip():
        return None
    at = parse(text, now, zone)
    if at is None:
        return "a moment is 03:12, 03:12:40, 2026-11-30 03:12, or -2h"
    return "that moment is still to come" if at > now else None


def _read(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)  # noqa: DTZ007 - the zone is added by the caller
    except ValueError:
        return None
