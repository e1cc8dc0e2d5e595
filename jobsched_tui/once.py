"""One view without a terminal: as text, as JSON or as a picture, from the code of the console.

Owns the forms. What is shown comes from the same source and the same ``present`` as on the screen.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from datetime import tzinfo
from enum import Enum
from pathlib import Path
from typing import Any, Final

from jobsched.api import Scheduler
from jobsched.clock import SystemClock
from jobsched.errors import NotFound
from jobsched_tui.data.frame import Detail, Frame, Link
from jobsched_tui.data.live import Live
from jobsched_tui.data.source import View
from jobsched_tui.data.tails import newest
from jobsched_tui.present import (
    attention,
    columns,
    dag,
    events,
    processes,
    rows,
    timeline,
    titles,
    yaml,
)
from jobsched_tui.present.glyphs import Pen, ascii_line, pen_for
from jobsched_tui.present.header import (
    ATTENTION,
    Drawing,
    Looking,
    empty_list,
    limits_line,
    summary,
)  # fmt: skip
from jobsched_tui.present.spans import Line, plain, span

#: Rows of the job list that are printed.
_ROWS: Final = 200
#: Bytes of a log's end.
_LOG_BYTES: Final = 256 * 1024
#: Looks for the first frame of a picture, 50 ms each.
_PATIENCE: Final = 200
#: What the database can count to.
_HIGHEST: Final = 2**63 - 1
_FINE, _ATTENTION, _UNREADABLE = 0, 1, 2


def print_view(
    door: Scheduler,
    *,
    view: str,
    job_id: int | None,
    form: str,
    is_ascii: bool,
    size: tuple[int, int],
) -> int:
    """Print it; 0 fine, 1 something needs attention, 2 unreadable. Raises ``NotFound``."""
    live = Live(door, SystemClock(), read_only=True)
    try:
        frame = live.frame(View(height=_ROWS))
        if frame.health.link is Link.STALE:
            sys.stderr.write(f"jobsched-tui: {frame.health.cause}\n")
            return _UNREADABLE
        if view not in ("jobs", "attention", "limits"):
            chosen = _job(job_id, frame)
            frame = live.frame(View(height=_ROWS, cursor=chosen, detail=chosen))
            if frame.detail is None:
                raise NotFound("job", chosen)
    finally:
        live.close()
    if form == "svg":
        text = asyncio.run(_picture(door, view, frame, is_ascii=is_ascii, size=size))
    elif form == "json":
        text = json.dumps(_value(_part(frame, view)))
    else:
        text = "\n".join(_plain(view, frame, size[0], pen_for(is_ascii=is_ascii)))
    _write(text)
    return _ATTENTION if frame.attention else _FINE


def _plain(view: str, frame: Frame, cells: int, pen: Pen) -> Iterator[str]:
    for line in _LINES[view](frame, cells, pen, None):
        yield plain(ascii_line(line) if pen.is_ascii else line).rstrip()


def _write(text: str) -> None:
    """In the encoding of whoever reads, with question marks for what it cannot say."""
    encoding = sys.stdout.encoding or "utf-8"
    shown = f"{text}\n".encode(encoding, "replace").decode(encoding)
    try:
        sys.stdout.write(shown)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads may leave; Python flushes once more at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _job(asked: int | None, frame: Frame) -> int:
    """The job that is asked for, else the first row."""
    if asked is not None:
        if not 0 < asked <= _HIGHEST:
            raise NotFound("job", asked)
        return asked
    if not frame.lines:
        raise NotFound("job", "in this home: there is none yet")
    return frame.lines[0].job_id


# As text.


def _jobs(frame: Frame, cells: int, pen: Pen, zone: tzinfo | None) -> list[Line]:
    drawing = Drawing(width=cells, pen=pen, zone=zone)
    lines: list[Line] = [*summary(frame, Looking(), frame.now, drawing)]
    if not frame.lines:
        return [*lines, *empty_list(frame, "")]
    layout = columns.layout(cells)
    lines.append(rows.header_row(layout, (("id", True),), pen))
    return [
        *lines,
        *(rows.row(line, layout, frame.now, pen=pen, zone=zone) for line in frame.lines),
    ]


def _attention(frame: Frame, cells: int, pen: Pen, zone: tzinfo | None) -> list[Line]:
    del zone
    if not frame.attention:
        return [attention.none_found(cells, pen)]
    return [
        line
        for one in frame.attention
        for line in (attention.row(one, frame.now, cells, pen), attention.command(one, cells, pen))
    ]


def _limits(frame: Frame, cells: int, pen: Pen, zone: tzinfo | None) -> list[Line]:
    return [limits_line(frame, Drawing(width=cells, pen=pen, zone=zone))]


def _of_job(
    lines: Callable[[Detail, int, Pen, tzinfo | None], Sequence[Line]],
) -> Callable[[Frame, int, Pen, tzinfo | None], list[Line]]:
    def lay(frame: Frame, cells: int, pen: Pen, zone: tzinfo | None) -> list[Line]:
        detail = frame.detail
        if detail is None:
            return []
        head = [titles.job(detail.line, frame.now, cells, pen), titles.why(detail.line, cells, pen)]
        return [*head, [], *lines(detail, cells, pen, zone)]

    return lay


def _timeline(detail: Detail, cells: int, pen: Pen, zone: tzinfo | None) -> list[Line]:
    found = detail.timeline
    dated = timeline.is_dated(found)
    steps = [timeline.row(one, cells, dated=dated, pen=pen, zone=zone) for one in found.steps]
    return [timeline.summary(found, cells, pen), [], *timeline.chart(found, cells, pen), [], *steps]


def _log(detail: Detail, cells: int, pen: Pen, zone: tzinfo | None) -> list[Line]:
    del cells, pen, zone
    task = newest(detail.line)
    path = Path(task.log_path) if task is not None else detail.logs[0][1]
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _LOG_BYTES))
            text = file.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return [[span(f"not created yet: {path}")]]
    except OSError as error:
        return [[span(f"{path} cannot be read: {error.strerror}")]]
    return [[span(row.rsplit("\r", 1)[-1])] for row in text.lstrip("\0").split("\n")]


def _events(detail: Detail, cells: int, pen: Pen, zone: tzinfo | None) -> list[Line]:
    return events.rows(detail, cells, pen=pen, zone=zone)


_LINES: Final = {
    "jobs": _jobs,
    "attention": _attention,
    "limits": _limits,
    "log": _of_job(_log),
    "timeline": _of_job(_timeline),
    "dag": _of_job(lambda one, cells, pen, _: dag.draw(one.graph, cells, pen).lines),
    "processes": _of_job(
        lambda one, cells, pen, _: [row.line for row in processes.rows(one.usage, cells, pen)],
    ),
    "yaml": _of_job(lambda one, cells, pen, _: yaml.lines(one.yaml, one.source, cells, pen)),
    "events": _of_job(_events),
}


# As JSON.


def _part(frame: Frame, view: str) -> object:
    if view == "jobs":
        return frame
    if view == "attention":
        return frame.attention
    if view == "limits":
        return frame.limits
    return frame.detail


def _value(found: Any) -> Any:
    """What JSON can hold: dataclasses as objects, all else as it is or as text."""
    if is_dataclass(found) and not isinstance(found, type):
        return {one.name: _value(getattr(found, one.name)) for one in fields(found)}
    if isinstance(found, Enum):
        return found.value
    if isinstance(found, dict):
        return {str(key): _value(value) for key, value in found.items()}
    if isinstance(found, list | tuple | set | frozenset):
        return [_value(one) for one in found]
    if found is None or isinstance(found, str | int | float | bool):
        return found
    return str(found)


# As a picture.


async def _picture(
    door: Scheduler, view: str, frame: Frame, *, is_ascii: bool, size: tuple[int, int]
) -> str:
    """The console's own screen, drawn without a terminal."""
    from jobsched_tui.app import Console, Options  # noqa: PLC0415 - Textual is dear

    options = Options(read_only=True, remembers=False, pen=pen_for(is_ascii=is_ascii))
    console = Console(door, options)
    async with console.run_test(size=size) as pilot:
        for _ in range(_PATIENCE):
            if console.frame is not None:
                break
            await pilot.pause(0.05)
        if view == "attention":
            console.show_tab(ATTENTION)
        elif view in _LINES and frame.detail is not None:
            console.open_job(frame.detail.line.job_id, view)
        await pilot.pause(0.5)  # a log is read in threads of its own
        return console.export_screenshot()
