"""A list to take away: its records, and their forms for programs.

Owns which fields a record has, the names of files, and that no cell of a table is a formula. What a
list looks like for people is ``present.printed``; files are written by ``saving``.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from enum import StrEnum, unique
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeVar

from jobsched.text import safe
from jobsched_tui.data.files import expanded
from jobsched_tui.data.frame import Attention, JobLine
from jobsched_tui.data.lines import job_line

RecordT = TypeVar("RecordT")
#: By the name of a field: what it is of a record.
Fields = Mapping[str, Callable[[RecordT], object]]

#: Jobs that are read at once.
_PAGE: Final = 500
#: What spreadsheets take for the beginning of a formula; the wide ones count as the narrow ones.
_FORMULA: Final = re.compile("\\s*[=+@\t\r\uff1d\uff0b\uff0d\uff20-]")
_UNSAFE: Final = re.compile("[^a-z0-9]+")


@unique
class Form(StrEnum):
    """What a file can be, by its ending."""

    CSV = "csv"
    JSON = "json"
    TXT = "txt"
    SVG = "svg"


def form_of(path: Path) -> Form | None:
    """What a file is to be; ``None``: its ending says nothing that is known."""
    ending = path.suffix.removeprefix(".").lower()
    return next((form for form in Form if form == ending), None)


def default_name(view: str, at: float, form: Form, zone: tzinfo | None = None) -> str:
    """``jobs-failed-20261130-031200.csv``: what is shown, and of which moment."""
    moment = datetime.fromtimestamp(at, UTC).astimezone(zone).strftime("%Y%m%d-%H%M%S")
    word = _UNSAFE.sub("-", view.lower()).strip("-") or "view"
    return f"{word}-{moment}.{form}"


def problem(typed: str, forms: Collection[Form]) -> str | None:
    """Why nothing can be saved under a name as it was typed."""
    if not typed.strip() or "\0" in typed:
        return "a name is needed"
    path = expanded(typed.strip())
    try:
        if path.is_dir():
            return "that is a directory"
        if not path.parent.is_dir():
            return f"there is no directory {path.parent}"
    except OSError as error:  # a name that is too long
        return f"{error.strerror}"
    if form_of(path) not in forms:
        known = ", ".join(forms)
        return f"the ending says what it becomes: {known}"
    return None


# Records.


_JOB: Final[Fields[JobLine]] = {
    "id": lambda one: one.job_id,
    "name": lambda one: one.name,
    "state": lambda one: str(one.state),
    "status": lambda one: str(one.status),
    "tasks_done": lambda one: one.tasks_done,
    "tasks": lambda one: len(one.tasks),
    "priority": lambda one: one.priority,
    "attempt": lambda one: one.attempt,
    "pid": lambda one: one.pid,
    "alive": lambda one: one.alive,
    "held": lambda one: one.held,
    "submitted_at": lambda one: moment(one.submitted_at),
    "started_at": lambda one: moment(one.started_at),
    "ended_at": lambda one: moment(one.ended_at),
    "recoveries": lambda one: one.recovery_count,
    "restarts": lambda one: one.restart_count,
    "regions": lambda one: " ".join(dict.fromkeys(t.region for t in one.tasks if t.region)),
    "source": lambda one: one.source,
    "reason": lambda one: one.reason,
    "why": lambda one: one.why,
    "failure": lambda one: one.failure_reason,
    "cpu_percent": lambda one: one.cpu,
    "rss_bytes": lambda one: one.rss,
    "last_line": lambda one: one.last_line,
    "trouble": lambda one: None if one.trouble is None else str(one.trouble.trouble),
    "trouble_text": lambda one: None if one.trouble is None else one.trouble.text,
}
JOB: Final = MappingProxyType(_JOB)
_ATTENTION: Final[Fields[Attention]] = {
    "trouble": lambda one: str(one.trouble),
    "job_id": lambda one: one.job_id,
    "since": lambda one: moment(one.since),
    "text": lambda one: one.text,
    "command": lambda one: one.command,
}
ATTENTION: Final = MappingProxyType(_ATTENTION)


def moment(at: float | None) -> str | None:
    """As programs read it: ``2026-11-30T03:12:00Z``."""
    return None if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Rows(Protocol):
    """Who is asked for jobs: a ``Watch``, or a moment of the past."""

    def rows(self, job_ids: Collection[int]) -> dict[int, dict[str, Any]]:
        """Those of some jobs that there are."""
        ...


def job_lines(
    source: Rows, job_ids: Sequence[int], told: Callable[[JobLine], JobLine]
) -> Iterator[JobLine]:
    """Jobs in order, read page by page; those that are gone meanwhile are left out."""
    for start in range(0, len(job_ids), _PAGE):
        page = job_ids[start : start + _PAGE]
        rows = source.rows(page)
        yield from (told(job_line(rows[job_id])) for job_id in page if job_id in rows)


# Forms.


def as_csv(fields: Fields[RecordT], records: Iterable[RecordT]) -> Iterator[str]:
    """A table in UTF-8, a line each, none of whose cells does anything where it is opened."""
    yield _row(list(fields))
    for one in records:
        yield _row([cell(value(one)) for value in fields.values()])


def _row(cells: Sequence[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def cell(value: object) -> object:
    """A value as a cell: numbers as they are, text in harmless signs and never as a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return value
    text = str(value)
    shown = safe(text)
    return f"'{shown}" if _FORMULA.match(text) else shown


def as_json(
    head: Mapping[str, object], name: str, fields: Fields[RecordT], records: Iterable[RecordT]
) -> Iterator[str]:
    """One object: what it is of, then the records under ``name``, a line each; pure ASCII."""
    yield "{\n"
    for key, value in head.items():
        yield f"{json.dumps(key)}: {json.dumps(value)},\n"
    yield f"{json.dumps(name)}: ["
    between = "\n"
    for one in records:
        yield between + json.dumps({key: value(one) for key, value in fields.items()})
        between = ",\n"
    yield "\n]}\n"
