"""A controller's log: one line for each thing that happened, written at once.

Owns how a line looks. Written without the formatter of ``logging`` and without looking for the
caller, of which a line says nothing: in a process that was forked, code that is not run is memory
that stays shared.
"""

from __future__ import annotations

import logging
import os
import time
import traceback
from contextlib import suppress

_STDERR = 2


class PlainHandler(logging.Handler):
    """Writes to standard error, whatever ``sys.stderr`` is."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line, and the traceback that belongs to it."""
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.created))
        text = f"{at},{int(record.msecs):03d} {record.levelname} {record.getMessage()}\n"
        if record.exc_info:
            text += "".join(traceback.format_exception(*record.exc_info))
        with suppress(OSError):  # a full disk ends no controller
            os.write(_STDERR, text.encode("utf-8", "backslashreplace"))


def begin_log() -> None:
    """Print what happens from now on."""
    # What a record says of threads, processes and the caller is never printed; see the manual of
    # ``logging`` under "Optimization".
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging._srcfile = None  # noqa: SLF001 -- as the manual says
    root = logging.getLogger()
    root.handlers[:] = [PlainHandler()]
    root.setLevel(logging.INFO)
