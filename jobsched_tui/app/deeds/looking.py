"""Deeds that change what is looked at: filter, order, columns, attention, the past, searches.

Owns which prompt or list comes up for which key. They change nothing but the view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from jobsched.api import OrderBy
from jobsched_tui.app.sight import filter_problem
from jobsched_tui.data import filters, moments
from jobsched_tui.present.columns import KINDS
from jobsched_tui.present.logpanes import LEAST, MOST, TOO_FEW, PaneLog, of_job, of_jobs
from jobsched_tui.present.spans import Tone, span
from jobsched_tui.screens.choose import Choice, ChooseScreen
from jobsched_tui.screens.detail import DetailScreen
from jobsched_tui.screens.jobs import JobsScreen
from jobsched_tui.screens.prompt import PromptScreen
from jobsched_tui.screens.side_by_side import SideBySideScreen
from jobsched_tui.widgets.log_view import LogView

if TYPE_CHECKING:
    from jobsched_tui.app import Console

_FILTER_HINT: Final = (
    " word -word state:alive status:failed name~regex age>1h is:dead   Tab completes"  # The list.
)


def _filter(console: Console) -> None:
    """Type a filter; the list follows while one types."""

    def done(text: str | None) -> None:
        if text:
            console.memory.remember_filter(text)

    prompt = PromptScreen(
        "/", console.sight.looking.filter_text, history=console.session.filter_history,
        check=filter_problem, complete=_complete, changed=console.sight.filter,
        hint=_FILTER_HINT, pen=console.options.pen,
    )  # fmt: skip
    console.push_screen(prompt, done)


def _complete(text: str, at: int) -> tuple[str, int]:
    found = filters.complete(text, at)
    return filters.completed(text, at, found[0]) if found else (text, at)


def _sort(console: Console) -> None:
    now = console.sight.looking.sort[0][0] if console.sight.looking.sort else "id"
    choices = [Choice(key=str(one), label=str(one), chosen=str(one) == now) for one in OrderBy]

    def chosen(keys: tuple[str, ...] | None) -> None:
        if keys:
            console.sight.sort(keys[0], descending=keys[0] == "id")

    console.push_screen(ChooseScreen("Sort by", choices, pen=console.options.pen), chosen)


def _shift_sort(step: int) -> Callable[[Console], None]:
    def deed(console: Console) -> None:
        orders = [str(one) for one in OrderBy]
        now, descending = console.sight.looking.sort[0]
        at = (orders.index(now) + step) % len(orders)
        console.sight.sort(orders[at], descending=descending)

    return deed


def _invert(console: Console) -> None:
    now, descending = console.sight.looking.sort[0]
    console.sight.sort(now, descending=not descending)


def _columns(console: Console) -> None:
    screen = console.screen
    if not isinstance(screen, JobsScreen):
        return
    shown = screen.jobs.columns
    choices = [
        Choice(key=str(col), label=str(col), detail=kind.says, chosen=str(col) in shown)
        for col, kind in KINDS.items()
    ]

    def chosen(keys: tuple[str, ...] | None) -> None:
        if keys is not None:
            console.set_columns(keys)

    console.push_screen(
        ChooseScreen("Columns", choices, several=True, pen=console.options.pen), chosen
    )


def _wide(console: Console) -> None:
    """All columns, or those that fit."""
    is_wide = len(console.session.columns) == len(KINDS)
    console.set_columns(() if is_wide else tuple(str(col) for col in KINDS))


def _next_attention(console: Console) -> None:
    """Go to the next job that needs attention, or to the list of all that do."""
    frame = console.frame
    jobs = [one.job_id for one in frame.attention if one.job_id is not None] if frame else []
    if not jobs:
        console.say([span("nothing needs attention", Tone.GOOD)])
        return
    screen = console.screen
    here = console.chosen()
    at = (jobs.index(here[0]) + 1) % len(jobs) if here and here[0] in jobs else 0
    if isinstance(screen, DetailScreen):
        console.open_job(jobs[at], replacing=True)
    elif isinstance(screen, SideBySideScreen):
        console.open_job(jobs[at])
    else:
        console.go_to(jobs[at])


# Time.


def _past(console: Console) -> None:
    """Ask for a moment; an empty one leads back to the present."""

    def given(text: str | None) -> None:
        if text is not None:
            console.sight.try_past(text)

    prompt = PromptScreen(
        "@", check=lambda text: moments.problem(text, console.clock.now(), console.options.zone),
        hint=" a moment: 03:12, 2026-11-30 03:12, or -2h; empty: now",
        pen=console.options.pen,
    )  # fmt: skip
    console.push_screen(prompt, given)


# A log.


def log_of(console: Console) -> LogView | None:
    """The log that is seen, of several the one that has the keys; if there is one."""
    found = [one for one in console.screen.query(LogView) if one.is_on_screen]
    return next((one for one in found if one.has_focus), found[0] if found else None)


def _in_log(
    label: str, hint: str, act: Callable[[LogView, str], None]
) -> Callable[[Console], None]:
    def deed(console: Console) -> None:
        log = log_of(console)
        if log is None:
            console.say([span("no log is shown", Tone.MUTED)])
            return

        def given(text: str | None) -> None:
            if text is not None:
                console.memory.recall(label, text)
                act(log, text)

        console.push_screen(
            PromptScreen(
                label, history=console.memory.recalled(label), hint=hint, pen=console.options.pen
            ),
            given,
        )

    return deed


def _side_by_side(console: Console) -> None:
    """Show the logs of several jobs, or of one job's tasks; leave them again."""
    screen, chosen, frame = console.screen, console.chosen(), console.frame
    now, home = console.clock.now(), str(console.door.home)

    def show(logs: Sequence[PaneLog]) -> None:
        if len(logs) < LEAST or frame is None:
            console.say([span(TOO_FEW, Tone.WARN)], alarming=True)
        elif console.screen is screen:
            console.push_screen(SideBySideScreen(logs[:MOST], frame, console.around))
            if len(logs) > MOST:
                console.say([span(f"the first {MOST} of {len(logs)} logs", Tone.WARN)])

    if isinstance(screen, SideBySideScreen):
        console.pop_screen()
    elif len(chosen) >= LEAST:
        console.look_up(
            lambda live: live.lines(chosen), lambda lines: show(of_jobs(lines, home, now))
        )
    elif chosen:
        console.look_up(
            lambda live: live.detail(chosen[0]),
            lambda detail: show([] if detail is None else of_job(detail, now)),
        )
    else:
        show([])


def with_tab(console: Console, tab: str) -> None:
    """Look into the chosen job at a tab."""
    chosen = console.chosen()
    if isinstance(console.screen, SideBySideScreen):
        console.pop_screen()
    if isinstance(console.screen, DetailScreen):
        console.screen.action_tab(tab)
    elif chosen:
        console.open_job(chosen[0], tab)


def _tab(tab: str) -> Callable[[Console], None]:
    return lambda console: with_tab(console, tab)


DEEDS: Final[Mapping[str, Callable[[Console], None]]] = {
    "list.filter": _filter,
    "list.sort": _sort,
    "list.sort_left": _shift_sort(-1),
    "list.sort_right": _shift_sort(1),
    "list.invert": _invert,
    "list.columns": _columns,
    "list.wide": _wide,
    "attention.next": _next_attention,
    "app.past": _past,
    "app.pause": lambda console: console.sight.freeze(),
    "app.reload": lambda console: console.reader.wake(),
    "job.log": _tab("log"),
    "job.logs": _side_by_side,
    "job.timeline": _tab("timeline"),
    "job.dag": _tab("dag"),
    "job.processes": _tab("processes"),
    "job.yaml": _tab("yaml"),
    "job.events": _tab("events"),
    "log.search": _in_log("/", " search: an expression; n next, N previous", LogView.search),
    "log.keep": _in_log("&", " keep only lines that match; empty: all", LogView.keep),
}
