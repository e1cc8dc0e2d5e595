"""Deeds that take something out: to the clipboard, to a file, to a pager or an editor.

Owns what is offered. The text is put together in ``data.reports`` and ``present``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jobsched_tui.app.deeds.looking import log_of
from jobsched_tui.data import reports
from jobsched_tui.data.frame import JobLine
from jobsched_tui.present.spans import Tone, span
from jobsched_tui.screens.choose import Choice, ChooseScreen
from jobsched_tui.screens.detail import DetailScreen
from jobsched_tui.screens.jobs import JobsScreen

if TYPE_CHECKING:
    from jobsched_tui.app import Console

#: Characters that terminals take at once.
_MOST: Final = 70_000


def copy(console: Console, text: str, what: str) -> None:
    """To the clipboard by way of the terminal, and to a file: no terminal says if it took it."""
    console.copy_to_clipboard(text[:_MOST])
    path = _keep(console, text, "copied.txt")
    where = "" if path is None else f"; also in {path}"
    console.say([span(f"copied {what}{where}", Tone.GOOD)])


def _keep(console: Console, text: str, name: str) -> Path | None:
    """Into a file; whoever may only read writes nothing into the home."""
    home = console.door.home
    if console.options.read_only or not home.exists():
        home = Path(tempfile.mkdtemp(prefix="jobsched-tui-"))
    return reports.keep(home, text, name)


def _line(console: Console, then: Callable[[JobLine], None]) -> None:
    chosen = console.chosen()[:1]
    if chosen:
        console.look_up(
            lambda live: live.lines(chosen), lambda lines: then(lines[0]) if lines else None
        )


def _menu(console: Console) -> None:
    def ask(line: JobLine) -> None:
        offers = reports.offers(line, console.door.home)
        choices = [Choice(key=key, label=key, detail=text) for key, text in offers.items()]

        def chosen(keys: tuple[str, ...] | None) -> None:
            if keys:
                copy(console, offers[keys[0]], keys[0])

        console.push_screen(ChooseScreen("Copy", choices, pen=console.options.pen), chosen)

    _line(console, ask)


def _command(console: Console) -> None:
    chosen = console.chosen()
    words = console.acting.twin or (f"jobsched show {chosen[0]}" if chosen else "jobsched queue")
    copy(console, words, "the command")


def _report(console: Console) -> None:
    """Metadata, timeline and the end of the log of one job, ready for an issue."""
    chosen = console.chosen()[:1]
    if chosen:
        console.reader.ask(
            lambda live: reports.failure(live.detail(chosen[0])),
            lambda text: console.later(lambda: copy(console, text, "a report")),
        )


def _shown_file(console: Console) -> Path | None:
    """What a pager or editor is to show: the log that is seen, else the YAML."""
    screen = console.screen
    if isinstance(screen, DetailScreen) and screen.detail is not None and screen.tab == "yaml":
        text = screen.detail.yaml or ""
        return _keep(console, text, f"{screen.job_id}.yaml")
    if isinstance(screen, DetailScreen | JobsScreen) and log_of(console) is not None:
        return screen.log_path
    return None


def _open_in(program: Callable[[Console], tuple[str, ...]]) -> Callable[[Console], None]:
    def deed(console: Console) -> None:
        path = _shown_file(console)
        if path is None or not path.is_file():
            console.say([span("no file is shown that could be opened", Tone.MUTED)])
        else:
            _run(console, [*program(console), str(path)])

    return deed


def _run(console: Console, words: Sequence[str]) -> None:
    problem = console.run_program(words)
    if problem is not None:
        console.say([span(problem, Tone.BAD)], alarming=True)


DEEDS: Final[Mapping[str, Callable[[Console], None]]] = {
    "copy.menu": _menu,
    "copy.command": _command,
    "copy.report": _report,
    "export.pager": _open_in(lambda console: console.options.pager),
    "export.editor": _open_in(lambda console: console.options.editor),
}
