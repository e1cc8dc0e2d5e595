"""How far a line says that its task is.

Owns which notations count as progress. Conservative: a fraction alone (``took 3/4 of it``) is none.
"""

from __future__ import annotations

import re
from typing import Final

from jobsched_tui.data.frame import Progress

_WORDS: Final = re.compile(
    r"\b((?:global[ _])?(?:steps?|epochs?|iter(?:ations?)?|batch(?:es)?|it|rounds?|episodes?))"
    r"[ :=\[(#]{0,3}(\d{1,12})(?:\s*/\s*|\s+of\s+)(\d{1,12})\b",
    re.IGNORECASE,
)
#: ``46%|####      | 46/100 [00:38<00:00, 21.2it/s]``: the counts, if they are there.
_BAR: Final = re.compile(
    r"(\d{1,3})%\|[^|]{0,400}\|(?: *([\d.]{1,12})([kMG]?)/([\d.]{1,12})([kMG]?))?"
)
#: The same of a bar that was cut off, or of an unknown width: ``12/50 [00:38<``.
_COUNTS: Final = re.compile(r"(?:^|\s)(\d{1,12})/(\d{1,12}) \[\d")
_HUNDRED: Final = 100
_UNITS: Final = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


def progress_of(text: str) -> Progress | None:
    """The last statement of progress in a line, or ``None``."""
    if bar := _last(_BAR, text):
        return _of_bar(bar)
    if counts := _last(_COUNTS, text):
        return _checked(float(counts[1]), float(counts[2]), f"{counts[1]}/{counts[2]}")
    if words := _last(_WORDS, text):
        return _checked(float(words[2]), float(words[3]), words[0])
    return None


def _last(expression: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = None
    for found in expression.finditer(text):  # noqa: B007 -- the last one is wanted
        pass
    return found


def _of_bar(bar: re.Match[str]) -> Progress | None:
    percent, done, done_unit, total, total_unit = bar.groups()
    if int(percent) > _HUNDRED:
        return None
    if total is not None:
        try:
            parts = float(done) * _UNITS[done_unit], float(total) * _UNITS[total_unit]
        except ValueError:
            return None
        return _checked(*parts, f"{done}{done_unit}/{total}{total_unit}")
    return Progress(done=float(percent), total=float(_HUNDRED), text=f"{percent}%")


def _checked(done: float, total: float, text: str) -> Progress | None:
    return Progress(done=done, total=total, text=text) if total > 0 and done <= total else None
