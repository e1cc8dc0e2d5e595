"""What is left of a console that failed: a report in a file, and one line that names it.

Owns the report. Whoever calls restores the terminal; nothing of a traceback goes there.
"""

from __future__ import annotations

import logging
import os
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

from jobsched import __version__
from jobsched.text import safe
from jobsched_tui.present import formats

_PREFIX: Final = "jobsched-tui-crash-"
#: Characters of an error that are said; the rest is in the report.
_SAID: Final = 200


def report(
    error: BaseException, now: float, folder: Path | None, *, what: str = "the console failed"
) -> str:
    """Write down what happened, for the owner alone; the sentence for the operator.

    ``folder``: where, if it can be written; else the folder for files that may be lost.
    """
    cause = getattr(error, "error", None)  # a failed worker has the true one there
    true = cause if isinstance(cause, BaseException) else error
    text = "".join(traceback.format_exception(true))
    name = safe(f"{type(true).__name__}: {true}")[:_SAID]
    path = _write(f"jobsched {__version__}, {formats.moment(now)}\n\n{text}", folder)
    where = "no report could be written" if path is None else f"the report is in {safe(str(path))}"
    return f"jobsched-tui: {what} ({name}); {where}"


def _write(text: str, folder: Path | None) -> Path | None:
    for where in (folder, None):
        try:
            descriptor, name = tempfile.mkstemp(prefix=_PREFIX, suffix=".txt", dir=where)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except OSError:
            continue
        return Path(name)
    return None


class Reporter(logging.Handler):
    """What is broken but not fatal is reported once for each place, and said."""

    def __init__(self, say: Callable[[BaseException], None]) -> None:
        super().__init__(logging.ERROR)
        self._say = say
        self._places: set[tuple[str, int]] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """In whatever thread."""
        place = (record.pathname, record.lineno)
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and place not in self._places:
            self._places.add(place)
            self._say(error)
