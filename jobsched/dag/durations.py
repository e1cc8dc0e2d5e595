"""Spans of time as people write them: ``90``, ``"90s"``, ``5m``, ``12h``, ``30d``, ``2w``."""

from __future__ import annotations

import re
from typing import Final

from jobsched.errors import InvalidInput

#: What a value may look like, for messages.
FORMAT: Final = "NUMBER[s|m|h|d|w]"

_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_WRITTEN: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhdw]?)", re.IGNORECASE)
#: A century: beyond it a deadline is a mistake, and dates cannot be printed.
_LONGEST: Final = 36_525 * 86_400


def parse_duration(value: object) -> float:
    """Seconds from a number of seconds or from ``NUMBER[s|m|h|d|w]``.

    Raises ``InvalidInput`` for anything else, for less than nothing and for more than a century.
    """
    seconds = _seconds(value)
    if seconds is None:
        raise InvalidInput(
            f"{str(value)[:40]!r} is no duration; expected {FORMAT}, such as 90s or 2h"
        )
    if not 0 <= seconds <= _LONGEST:
        raise InvalidInput(f"{str(value)[:40]!r} is out of range; expected 0 to 36525d")
    return float(seconds)


def _seconds(value: object) -> float | None:
    if isinstance(value, str) and (match := _WRITTEN.fullmatch(value.strip())):
        return float(match[1]) * _SECONDS[match[2].lower()]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return None
