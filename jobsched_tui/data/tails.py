"""The last line of what each job prints, for the list: read again only when its log has changed.

Owns which log of a job counts, and a small memory of what was read.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from jobsched.states import TaskStatus
from jobsched_tui.data.frame import JobLine, TaskLine
from jobsched_tui.data.logs.progress import progress_of
from jobsched_tui.data.logs.tail import TailLine, tail_line

#: Logs that are remembered: more than any screen has rows.
_MOST: Final = 2_000
_BEGUN: Final = frozenset({TaskStatus.RUNNING, TaskStatus.RECOVERING, TaskStatus.CANCELLING})


class Tails:
    """For one thread."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[tuple[int, int], TailLine | None]] = {}

    def complete(self, line: JobLine) -> JobLine:
        """The row with its last line, when that was written, and what it says of progress.

        The same row if it has that already.
        """
        task = newest(line)
        tail = None if task is None else self._tail(task.log_path)
        if tail is None or (line.last_line, line.log_at) == tail:
            return line
        return replace(line, last_line=tail.text, log_at=tail.at, progress=progress_of(tail.text))

    def _tail(self, path: str) -> TailLine | None:
        try:
            found = os.stat(path)  # noqa: PTH116 -- for hundreds of logs a Path costs more than this
        except OSError:
            self._read.pop(path, None)
            return None
        stamp = (found.st_mtime_ns, found.st_size)
        known = self._read.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        if len(self._read) >= _MOST:
            self._read.clear()
        tail = tail_line(Path(path))
        self._read[path] = (stamp, tail)
        return tail


def newest(line: JobLine) -> TaskLine | None:
    """The task whose log is looked at first: one that runs, else the last that has begun."""
    running = [task for task in line.tasks if task.status in _BEGUN]
    if running:
        return running[0]
    begun = [task for task in line.tasks if task.started_at is not None]
    return max(begun, key=lambda task: task.started_at or 0.0, default=None)
