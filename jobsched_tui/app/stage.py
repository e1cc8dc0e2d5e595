"""The part of the console that actions play on: see ``acting.Stage``.

Owns how the operator is told and asked, and how rows are looked up for an action.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from textual import events
from textual.screen import Screen

from jobsched.api import Scheduler
from jobsched_tui.app import crash
from jobsched_tui.app.options import Options
from jobsched_tui.app.sturdy import SturdyApp
from jobsched_tui.data.live import Live
from jobsched_tui.data.reader import Reader
from jobsched_tui.present.glyphs import Pen
from jobsched_tui.present.spans import Line, Tone, span

#: Seconds that a sentence about what was done stays.
_SAID: Final = 8.0
#: Seconds that keys wait for an answer at most: where there is no database, there is none.
_DEAF: Final = 2.0

T = TypeVar("T")


class StageApp(SturdyApp):
    """What actions need. Subclasses make the fields, and draw."""

    door: Scheduler
    options: Options
    reader: Reader[Live]
    _said: tuple[Line, float] = ((), 0.0)
    _deaf_until = 0.0

    def show(self) -> None:
        """Draw again."""
        raise NotImplementedError

    @property
    def report_folder(self) -> Path | None:
        """The home, where it may be written."""
        return None if self.options.read_only else self.door.home

    def flawed(self, error: BaseException) -> None:
        """Something of ours is broken, but the rest goes on; may be called in any thread."""
        said = crash.report(error, self.clock.now(), self.report_folder, what="something failed")
        self.later(lambda: self.say([span(said, Tone.BAD)], alarming=True))

    @property
    def grace(self) -> float:
        """Seconds in which an action can still be dropped."""
        return self.options.grace

    @property
    def pen(self) -> Pen:
        """What is drawn with."""
        return self.options.pen

    @property
    def named_home(self) -> Path | None:
        """The home, where commands have to name it."""
        return self.options.named_home

    def later(self, action: Callable[[], object]) -> None:
        """Do something in the loop, unless it is being left; may be called in any thread."""
        self.call_later(self._unless_left, action)

    def _unless_left(self, action: Callable[[], object]) -> None:
        if self.screen_stack:
            action()

    def ask_operator(self, screen: Screen[Any], then: Callable[[Any], None]) -> None:
        """Show a question."""
        self.push_screen(screen, then)

    def look_up(self, question: Callable[[Live], T], then: Callable[[T], None]) -> None:
        """Ask the home as it is now; the answer comes in the loop.

        What is typed until then was meant for the dialog that the answer brings: nobody hears it.
        """
        self._deaf_until = self.clock.monotonic() + _DEAF

        def answered(answer: T) -> None:
            self._deaf_until = 0.0
            then(answer)

        self.reader.ask(question, lambda answer: self.later(partial(answered, answer)))

    async def on_event(self, event: events.Event) -> None:
        """Keys go on, unless a dialog is about to come up."""
        if isinstance(event, events.Key) and self.clock.monotonic() < self._deaf_until:
            return
        await super().on_event(event)

    def say(self, line: Line, *, alarming: bool = False) -> None:
        """Tell the operator, at the bottom of the screen for a while."""
        self._said = (line, self.clock.monotonic() + _SAID)
        if alarming:
            self.bell()
        self.show()

    @property
    def said(self) -> Line:
        """What was said a moment ago; nothing once it is stale."""
        line, until = self._said
        return line if self.clock.monotonic() < until else ()
