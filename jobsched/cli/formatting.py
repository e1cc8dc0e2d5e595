"""How values look: spans and moments of time, statuses, counts. Pure text, no terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from jobsched.states import TaskStatus

_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 86_400

_COLOURS: Final = {
    TaskStatus.PENDING: "blue",
    TaskStatus.STARTING: "blue",
    TaskStatus.RUNNING: "green",
    TaskStatus.SUCCEEDED: "green",
    TaskStatus.RECOVERING: "cyan",
    TaskStatus.CANCELLING: "yellow",
    TaskStatus.CANCELLED: "yellow",
}
#: The order in which statuses are counted up.
_ORDER: Final = tuple(TaskStatus)


def colour(status: str) -> str:
    """The colour of a status; failures, all of them, are red."""
    try:
        return _COLOURS.get(TaskStatus(status), "red")
    except ValueError:
        return "default"


def span(seconds: float | None) -> str:
    """A span of time in its two largest units: ``42s``, ``3m 12s``, ``2h 5m``, ``3d 4h``."""
    if seconds is None:
        return "-"
    whole = max(0, int(seconds))
    for unit, name, next_unit, next_name in (
        (_DAY, "d", _HOUR, "h"),
        (_HOUR, "h", _MINUTE, "m"),
        (_MINUTE, "m", 1, "s"),
    ):
        if whole >= unit:
            rest = whole % unit // next_unit
            return f"{whole // unit}{name} {rest}{next_name}" if rest else f"{whole // unit}{name}"
    return f"{whole}s"


def ago(at: float | None, now: float) -> str:
    """How long ago a moment was."""
    return "-" if at is None else f"{span(now - at)} ago"


def moment(at: float | None) -> str:
    """A moment in local time, to the second."""
    if at is None:
        return "-"
    return datetime.fromtimestamp(at, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def duration(started: float | None, ended: float | None, now: float) -> str:
    """How long something has gone on, or went on."""
    return "-" if started is None else span((now if ended is None else ended) - started)


def counts(statuses: Iterable[str]) -> str:
    """``1 PENDING, 3 RUNNING``: how often each status occurs."""
    found = Counter(statuses)
    return ", ".join(f"{found[status]} {status}" for status in _ORDER if found[status])


def plural(number: int, word: str) -> str:
    """``1 job``, ``2 jobs``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def listed(ids: Iterable[int]) -> str:
    """``1, 2 and 5``."""
    words = [str(number) for number in ids]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
