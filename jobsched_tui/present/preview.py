"""Which log of a job is shown beside the list, and what is said where there is none.

Owns that choice. Opens nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jobsched_tui.data.frame import JobLine
from jobsched_tui.data.tails import newest
from jobsched_tui.present.logstatus import Writer

CONTROLLER: Final = "controller"


@dataclass(frozen=True, slots=True)
class Preview:
    """One log. ``path`` is ``None``: there is none yet, and ``why`` says why."""

    path: Path | None
    #: Whose it is: a task's name, or the controller.
    which: str = CONTROLLER
    #: Who is to write it, for as long as it is empty.
    writer: Writer | None = None
    why: str = ""


def preview(line: JobLine, home: str, now: float) -> Preview:
    """The log of the task that runs or ran last; before that the controller's."""
    task = newest(line)
    if task is not None and task.log_path:
        return Preview(Path(task.log_path), task.name, writer(line, now))
    if line.attempt > 0:
        path = Path(home) / "logs" / "controller" / f"{line.job_id}.log"
        return Preview(path, CONTROLLER, writer(line, now))
    reason = line.why or line.failure_reason or f"it is {line.state}"
    return Preview(None, CONTROLLER, None, f"it has not started, so there is no log: {reason}")


def writer(line: JobLine, now: float) -> Writer | None:
    """The controller, and how long it has lived where that is known: it is the job's first."""
    if line.pid is None or line.alive is None:
        return None
    if not line.alive:
        return Writer(line.pid)
    first = line.attempt == 1 and line.started_at is not None
    return Writer(line.pid, max(0.0, now - (line.started_at or now)) // 1) if first else None
