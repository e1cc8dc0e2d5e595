"""Deeds of the console itself: help, the command line, the audit, themes, the way back and out.

Owns the words of the command line; whatever has a key can be typed by its id, too.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from os.path import commonprefix
from typing import TYPE_CHECKING, Final

from jobsched_tui.data.keymap import BY_ID, KEYS
from jobsched_tui.present import events, manual
from jobsched_tui.present.spans import Tone, span
from jobsched_tui.screens.base import FrameScreen
from jobsched_tui.screens.choose import Choice, ChooseScreen
from jobsched_tui.screens.detail import DetailScreen
from jobsched_tui.screens.prompt import PromptScreen
from jobsched_tui.screens.reading import ReadingScreen
from jobsched_tui.screens.side_by_side import SideBySideScreen

if TYPE_CHECKING:
    from jobsched.api import Change
    from jobsched_tui.app import Console

#: Rows of the audit that are read at once.
_AUDIT: Final = 1_000
#: Of a job's id; no database counts further.
_DIGITS: Final = 18
_HINT: Final = (
    " job ID, filter WORDS, past WHEN, theme NAME, audit, save NAME, view NAME, or any action"
)


def _help(console: Console) -> None:
    screen = console.screen
    pane = screen.pane if isinstance(screen, FrameScreen) else "list"
    panes = (pane, "detail") if isinstance(screen, DetailScreen) else (pane,)
    keys = console.options.keys
    console.push_screen(
        ReadingScreen(
            "Keys of this pane, then all others",
            lambda cells: manual.lines(panes, keys, cells, console.options.pen),
            pen=console.options.pen,
        )
    )


def _audit(console: Console) -> None:
    """What operators and limits did, the newest first."""
    pen, zone = console.options.pen, console.options.zone

    def show(changes: list[Change]) -> None:
        console.push_screen(
            ReadingScreen(
                "What was done by whom, the newest first",
                lambda cells: [events.row(one, cells, pen=pen, zone=zone) for one in changes],
                pen=pen,
            )
        )

    console.reader.ask(
        lambda live: live.changes_before(2**62, _AUDIT),
        lambda changes: console.later(lambda: show(changes)),
    )


def _theme(console: Console, name: str = "") -> None:
    if name:
        _set_theme(console, name)
        return
    choices = [
        Choice(key=one, label=one, chosen=one == console.theme)
        for one in sorted(console.available_themes)
    ]

    def chosen(keys: tuple[str, ...] | None) -> None:
        if keys:
            _set_theme(console, keys[0])

    console.push_screen(ChooseScreen("Theme", choices, pen=console.options.pen), chosen)


def _set_theme(console: Console, name: str) -> None:
    if name in console.available_themes:
        console.theme = name
        console.memory.remember(theme=name)
    else:
        close = difflib.get_close_matches(name, console.available_themes, 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        console.say([span(f"there is no theme {name}{hint}", Tone.WARN)])


def _mouse(console: Console) -> None:
    """Whether the terminal's own selection works, or clicks do."""
    is_on = not console.memory.session.mouse
    console.memory.remember(mouse=is_on)
    console.set_mouse(is_on=is_on)
    words = "mouse on: clicks work here" if is_on else "mouse off: the terminal selects text"
    console.say([span(words, Tone.GOOD)])


def _leave(console: Console) -> None:
    """From a job to the list, from there out."""
    if isinstance(console.screen, DetailScreen):
        console.close_job()
    elif isinstance(console.screen, SideBySideScreen):
        console.pop_screen()
    else:
        console.leave()


def _demo(console: Console) -> None:
    """Leave for a demonstration: whoever runs the console begins it."""
    console.wants_demo = True
    console.leave()


def _copy_selected(console: Console) -> None:
    """Where text is selected, the screen has copied it before it comes to this."""
    console.say([span("no text is selected; q leaves the job list", Tone.MUTED)])


# The command line.


def _command(console: Console) -> None:
    def given(text: str | None) -> None:
        if text and text.strip():
            console.memory.recall(":", text)
            run(console, text.strip())

    prompt = PromptScreen(
        ":", history=console.memory.recalled(":"), hint=_HINT, complete=_complete,
        pen=console.options.pen,
    )  # fmt: skip
    console.push_screen(prompt, given)


def _complete(text: str, at: int) -> tuple[str, int]:
    """The word that is meant; of several what they have in common."""
    typed = text[:at]
    found = [word for word in _words() if word.startswith(typed)]
    if not typed or not found or " " in text:
        return text, at
    shared = commonprefix(found)  # noqa: RUF071 - of words, letter by letter is meant
    return shared, len(shared)


def _words() -> list[str]:
    return [*COMMANDS, *(key.id for key in KEYS)]


def run(console: Console, text: str) -> None:
    """Do what was typed."""
    word, _, rest = text.partition(" ")
    if word in COMMANDS:
        COMMANDS[word](console, rest.strip())
    elif word in BY_ID:
        console.do(word)
    else:
        close = difflib.get_close_matches(word, _words(), 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        console.say([span(f"there is no command {word}{hint}", Tone.WARN)])


def _job(console: Console, text: str) -> None:
    if text.isdecimal() and text.isascii() and len(text) <= _DIGITS:
        console.open_job(int(text))
    else:
        console.say([span("job takes a number", Tone.WARN)])


def _save_view(console: Console, name: str) -> None:
    """Keep the filter under a name."""
    if not console.sight.looking.filter_text:
        console.say([span("there is no filter that could be kept", Tone.WARN)])
        return
    views = dict(console.session.saved_views)
    views[name or console.sight.looking.filter_text] = console.sight.looking.filter_text
    console.memory.remember(saved_views=views)
    shown = name or console.sight.looking.filter_text
    console.say([span(f"saved; `view {shown}` shows it again", Tone.GOOD)])


def _open_view(console: Console, name: str) -> None:
    """Show what a saved filter lets through; without a name choose one."""
    views = console.session.saved_views
    if name in views:
        console.sight.try_filter(views[name])
        return
    choices = [Choice(key=one, label=one, detail=text) for one, text in views.items()]
    if not choices:
        console.say([span("no view is saved yet: `save NAME` keeps this filter", Tone.WARN)])
        return

    def chosen(keys: tuple[str, ...] | None) -> None:
        if keys:
            console.sight.try_filter(views[keys[0]])

    console.push_screen(ChooseScreen("Views", choices, pen=console.options.pen), chosen)


COMMANDS: Final[Mapping[str, Callable[[Console, str], None]]] = {
    "job": _job,
    "filter": lambda console, text: console.sight.try_filter(text),
    "past": lambda console, text: console.sight.try_past(text),
    "theme": _theme,
    "audit": lambda console, _: _audit(console),
    "save": _save_view,
    "view": _open_view,
    "quit": lambda console, _: console.leave(),
    "q": lambda console, _: console.leave(),
}
DEEDS: Final[Mapping[str, Callable[[Console], None]]] = {
    "app.help": _help,
    "app.command": _command,
    "app.mouse": _mouse,
    "app.demo": _demo,
    "app.quit": lambda console: console.leave(),
    "copy.text": _copy_selected,
    "nav.back": lambda console: console.go_back(),
    "nav.leave": _leave,
}
