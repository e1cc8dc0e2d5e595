"""What can still be said of a controller that died: for the person who has to find out why.

Owns how the evidence is gathered and put into words. Reads, and judges nothing.
"""

from __future__ import annotations

import os
from typing import Final

from jobsched.context import Context
from jobsched.machine import memory
from jobsched.store.rows import JobRow
from jobsched.text import safe

_LAST_LINES: Final = 5
_LAST_BYTES: Final = 4096


def how_it_ended(context: Context, job: JobRow) -> str:
    """One clause, as far as known."""
    return context.endings.get((job.job_id, job.attempt), "how it ended is not known")


def evidence(context: Context, job: JobRow) -> str:
    """One line: free memory now, and the last lines of its log."""
    parts = [f"{memory.look().available // 2**20} MiB of memory available now"]
    lines = _last_lines(context, job.job_id)
    parts.append(f"last lines of its log: {lines}" if lines else "its log is empty")
    return "; ".join(parts)


def describe_exit(code: int) -> str:
    """A sentence for a child's return code as ``subprocess`` gives it (negative: signal)."""
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


def _last_lines(context: Context, job_id: int) -> str:
    try:
        with context.home.controller_log(job_id).open("rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - _LAST_BYTES))
            text = log.read().decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return safe(" | ".join(lines[-_LAST_LINES:]))
