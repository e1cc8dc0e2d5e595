"""Text to take away: what can be copied of a job, and a report of a failure.

Owns their contents, and the folder of the home that keeps what was copied last. Secrets are in none
of it: it is made of what the door shows.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from jobsched.api import Change
from jobsched.text import safe
from jobsched_tui.data.frame import Detail, JobLine
from jobsched_tui.data.logs.lines import clean_bytes
from jobsched_tui.data.tails import newest

#: Bytes of a log's end that go into a report.
_LOG_BYTES: Final = 128 * 1024
_LOG_LINES: Final = 200
_FOLDER: Final = "console"
_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def offers(line: JobLine, home: Path) -> Mapping[str, str]:
    """What can be copied of a job, by what it is called."""
    task = newest(line)
    found = {
        "id": str(line.job_id),
        "name": line.name,
        "pid": None if line.pid is None else str(line.pid),
        "task log": None if task is None else task.log_path,
        "controller log": str(home / "logs" / "controller" / f"{line.job_id}.log"),
        "source file": line.source,
        "why": line.why or line.failure_reason,
        "home": str(home),
    }
    return {name: safe(text) for name, text in found.items() if text}


def failure(detail: Detail | None) -> str:
    """All that somebody needs who is to find out what went wrong."""
    if detail is None:
        return ""
    line = detail.line
    parts = [
        f"job {line.job_id} {line.name}",
        f"state {line.state}, status {line.status}, attempt {line.attempt}",
        f"source {detail.source or '-'}",
        f"why: {line.why or line.failure_reason or '-'}",
        "",
        "tasks:",
        *(
            f"  {task.task_id} {task.name}: {task.status}, exit code {task.exit_code},"
            f" region {task.region}, {task.failure_reason or 'no failure'}"
            for task in line.tasks
        ),
        "",
        "history:",
        *(f"  {_event(one)}" for one in detail.record),
        "",
        *_log(line),
    ]
    return "\n".join(safe(part) for part in parts) + "\n"


def _event(one: Change) -> str:
    what = one.subject or ("job" if one.task_id is None else f"task {one.task_id}")
    moved = " -> ".join(value for value in (one.from_value, one.to_value) if value is not None)
    reason = f" ({one.reason})" if one.reason else ""
    return f"{_at(one.at)} {what}: {moved or 'done'} by {one.actor}{reason}"


def _log(line: JobLine) -> list[str]:
    task = newest(line)
    if task is None:
        return ["no task has printed anything"]
    try:
        data = _end(task.log_path)
    except OSError as error:
        return [f"the log {task.log_path} cannot be read: {error.strerror}"]
    rows = data.removesuffix(b"\n").split(b"\n")[-_LOG_LINES:]
    return [f"end of {task.log_path}:", *(f"  {clean_bytes(row).text}" for row in rows)]


def _end(path: str) -> bytes:
    """Of a file, never through a link: whatever else stands in its place could wait for ever."""
    with os.fdopen(os.open(path, _READ), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(0, "it is no file")
        file.seek(max(0, found.st_size - _LOG_BYTES))
        return file.read(_LOG_BYTES)


def _at(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def place(home: Path, name: str) -> Path:
    """A file of the console in the home; its folder is made."""
    folder = home / _FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / name


def keep(home: Path, text: str, name: str = "copied.txt") -> Path | None:
    """Write it where only the owner reads; ``None`` where nothing can be written."""
    try:
        path = place(home, name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        return None
    return path
