"""Saving what is shown: a list as a table, as JSON, as text, and any screen as a picture.

Owns the course of it: which name, whether another file may be replaced, and what was saved. Jobs
are read in a thread of their own, so that a long list holds nothing up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from textual.screen import Screen

from jobsched.errors import JobschedError
from jobsched.states import ALIVE_STATES
from jobsched_tui.data import exporting, files, saving
from jobsched_tui.data.exporting import Form
from jobsched_tui.data.frame import Frame, JobLine, Link
from jobsched_tui.data.live import Listed
from jobsched_tui.data.tails import Tails
from jobsched_tui.present import columns, printed
from jobsched_tui.present.header import ATTENTION, Drawing, Looking
from jobsched_tui.present.spans import Tone, span
from jobsched_tui.screens.choose import Choice, ChooseScreen
from jobsched_tui.screens.detail import DetailScreen
from jobsched_tui.screens.jobs import JobsScreen
from jobsched_tui.screens.prompt import PromptScreen

if TYPE_CHECKING:
    from jobsched_tui.app import Console

_HINT: Final = " the ending says what it becomes: {}"
_LEAST_CELLS: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What was on the screen when it was asked to be saved."""

    view: str
    frame: Frame
    looking: Looking
    drawing: Drawing
    layout: columns.Layout
    #: A picture of it.
    svg: str
    #: Whether it is a list.
    is_list: bool

    @property
    def forms(self) -> tuple[Form, ...]:
        """What it can become."""
        return tuple(Form) if self.is_list else (Form.SVG,)

    @property
    def is_of_jobs(self) -> bool:
        """Whether its jobs have to be read."""
        return self.is_list and self.looking.tab != ATTENTION

    @property
    def head(self) -> Mapping[str, object]:
        """What the records are of."""
        return {
            "home": self.frame.home,
            "shown_at": exporting.moment(self.frame.now),
            "is_past": self.frame.health.link is Link.PAST,
            "tab": self.looking.tab,
            "filter": self.looking.filter_text,
            "sort": [f"{'-' if down else ''}{name}" for name, down in self.looking.sort],
        }


def save(console: Console) -> None:
    """Ask for a name, and save what is shown."""
    shown = _shown(console)
    if shown is None:
        console.say([span("there is nothing yet that could be saved", Tone.WARN)])
        return
    form, zone = shown.forms[0], console.options.zone
    name = exporting.default_name(shown.view, shown.frame.now, form, zone)

    def given(typed: str | None) -> None:
        if typed is not None:
            _save_as(console, shown, files.expanded(typed.strip()).absolute())

    prompt = PromptScreen(
        "save as", name, check=lambda text: exporting.problem(text, shown.forms),
        complete=_complete, hint=_HINT.format(", ".join(shown.forms)), pen=console.options.pen,
    )  # fmt: skip
    console.push_screen(prompt, given)


def _complete(text: str, at: int) -> tuple[str, int]:
    found = files.completed(text[:at])
    return (found, len(found)) if found and at == len(text) else (text, at)


def _shown(console: Console) -> Shown | None:
    frame, screen = console.freshness.frame, console.screen
    if frame is None:
        return None
    looking, width = console.sight.looking, max(_LEAST_CELLS, console.size.width)
    pen, zone = console.options.pen, console.options.zone
    chosen = console.session.columns or None
    return Shown(
        view=_view(screen, looking, frame), frame=frame, looking=looking,
        is_list=isinstance(screen, JobsScreen),
        drawing=Drawing(width=width, pen=pen, zone=zone), layout=columns.layout(width, chosen),
        svg=console.export_screenshot(),
    )  # fmt: skip


def _view(screen: Screen[Any], looking: Looking, frame: Frame) -> str:
    """What it is called in the name of a file."""
    if isinstance(screen, DetailScreen):
        return f"job-{screen.job_id}-{screen.tab}"
    if not isinstance(screen, JobsScreen):
        return "logs"
    then = "-past" if frame.health.link is Link.PAST else ""
    return f"jobs-{looking.tab}{then}" if looking.tab != ATTENTION else "attention"


def _save_as(console: Console, shown: Shown, path: Path) -> None:
    """Under that name; where there is something already, not without asking."""
    if not (path.is_symlink() or path.exists()):
        _write(console, shown, path, replacing=False)
        return
    choices = [
        Choice(key="keep", label="keep it", detail="and save nothing", chosen=True),
        Choice(key="replace", label="replace it", detail=str(path)),
    ]

    def chosen(keys: tuple[str, ...] | None) -> None:
        if keys == ("replace",):
            _write(console, shown, path, replacing=True)
        else:
            console.say([span(f"nothing was saved: {path} is there already", Tone.MUTED)])

    title = f"There is a file {path.name} already"
    console.push_screen(ChooseScreen(title, choices, pen=console.options.pen), chosen)


def _write(console: Console, shown: Shown, path: Path, *, replacing: bool) -> None:
    form = exporting.form_of(path)
    if form is Form.SVG:
        _store(console, path, lambda: iter([shown.svg]), replacing=replacing)
    elif not shown.is_of_jobs:
        _store(console, path, lambda: _troubles(shown, form), replacing=replacing)
    elif shown.frame.health.link in (Link.STALE, Link.MISSING):
        why = "the database cannot be read; a picture (svg) can be had"
        console.say([span(f"nothing was saved: {why}", Tone.BAD)], alarming=True)
    else:
        console.say([span(f"saving {path}", Tone.MUTED)])
        console.reader.ask(
            lambda live: live.listed(),
            lambda listed: _store(
                console, path, lambda: _jobs(console, shown, form, listed), replacing=replacing
            ),
        )


def _store(
    console: Console, path: Path, pieces: Callable[[], Iterator[str]], *, replacing: bool
) -> None:
    """In a thread; what became of it is said."""

    def work() -> None:
        try:
            saving.save(path, pieces(), replacing=replacing)
        except (JobschedError, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            said, tone = f"{path} was not saved: {why}", Tone.BAD
        else:
            said, tone = f"saved {path}", Tone.GOOD
        console.later(lambda: console.say([span(said, tone)], alarming=tone is Tone.BAD))

    threading.Thread(target=work, name="saving", daemon=True).start()


def _troubles(shown: Shown, form: Form | None) -> Iterator[str]:
    found, fields = shown.frame.attention, exporting.ATTENTION
    if form is Form.CSV:
        return exporting.as_csv(fields, found)
    if form is Form.JSON:
        return exporting.as_json(shown.head, "attention", fields, found)
    return printed.troubles(found, shown.frame.now, shown.drawing.width, shown.drawing.pen)


def _jobs(console: Console, shown: Shown, form: Form | None, listed: Listed) -> Iterator[str]:
    """All jobs of the list, read anew."""
    with closing(console.door.watch()) as watch:
        if listed.past is None:
            tails = Tails()

            def told(line: JobLine) -> JobLine:
                return listed.told(tails.complete(line) if line.state in ALIVE_STATES else line)

            yield from _of_jobs(shown, form, exporting.job_lines(watch, listed.ids, told))
            return
        with closing(watch.past(listed.past)) as past:
            then = exporting.job_lines(past, listed.ids, lambda line: line)
            yield from _of_jobs(shown, form, then)


def _of_jobs(shown: Shown, form: Form | None, lines: Iterator[JobLine]) -> Iterator[str]:
    if form is Form.CSV:
        yield from exporting.as_csv(exporting.JOB, lines)
    elif form is Form.JSON:
        yield from exporting.as_json(shown.head, "jobs", exporting.JOB, lines)
    else:
        drawing = shown.drawing
        yield from printed.head(shown.frame, shown.looking, drawing)
        yield from printed.jobs(
            lines, shown.layout, shown.looking.sort, shown.frame.now,
            pen=drawing.pen, zone=drawing.zone,
        )  # fmt: skip


DEEDS: Final[Mapping[str, Callable[[Console], None]]] = {"export.save": save}
