"""The console: it shows what is read, and has done what is asked.

Owns the reading thread, what is looked at, and the screens. What a key does is in ``deeds``, how an
action goes in ``acting``; what is shown is decided in ``data`` and ``present``.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from textual import on
from textual.app import App
from textual.binding import BindingType
from textual.screen import Screen

from jobsched.api import Scheduler
from jobsched.clock import Clock, SystemClock
from jobsched_tui.app.acting import Acting
from jobsched_tui.app.deeds import DEEDS
from jobsched_tui.app.deeds.acting import signal
from jobsched_tui.app.deeds.looking import filter_problem
from jobsched_tui.app.memory import Memory
from jobsched_tui.app.options import Options
from jobsched_tui.data import filters, moments
from jobsched_tui.data.actions import Plan
from jobsched_tui.data.applying import Result
from jobsched_tui.data.frame import Frame, JobLine
from jobsched_tui.data.live import Live
from jobsched_tui.data.reader import Reader
from jobsched_tui.data.session import Session
from jobsched_tui.data.shelf import Shelf
from jobsched_tui.data.source import View
from jobsched_tui.data.watcher import Watcher
from jobsched_tui.messages import FrameRead
from jobsched_tui.present.glyphs import Pen
from jobsched_tui.present.header import ATTENTION, Looking
from jobsched_tui.present.hints import ACTING
from jobsched_tui.present.spans import Line, Tone, span
from jobsched_tui.screens.base import Around, FrameScreen, Look, OpenJob
from jobsched_tui.screens.detail import DetailScreen
from jobsched_tui.screens.jobs import JobsScreen
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.job_list import JobList

__all__ = ["Console", "Options"]

#: Seconds that a sentence about what was done stays.
_SAID: Final = 8.0
_DRAFT: Final = "console-draft.json"


class Console(App[int]):
    """The console on one home."""

    TITLE = "jobsched"
    ENABLE_COMMAND_PALETTE = True
    #: Those of list and log are heard there, because they have keys in common.
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        {name: f"do('{name}')" for name in DEEDS if not name.startswith(("list.", "log."))}
    )

    def __init__(self, door: Scheduler, options: Options, *, clock: Clock | None = None) -> None:
        super().__init__(ansi_color=True if options.is_ansi else None)
        self.door = door
        self.options: Options = options
        self.clock: Clock = clock or SystemClock()
        self.frame: Frame | None = None
        self.memory = Memory(door.home, read_only=options.read_only)
        self.acting: Acting = Acting(self)
        self.shelf = Shelf(None if options.read_only else door.home / _DRAFT)
        session = self.memory.session
        self.looking = Looking(tab=session.tab, filter_text=_valid(session.filter))
        self.view = View(tab=_listed(session.tab), query=filters.parse(_valid(session.filter)))
        self._said: tuple[Line, float] = ((), 0.0)
        self._frozen = False
        self._watcher = Watcher(door.home, lambda name: name.startswith("jobsched.db"), self._told)
        live = Live(
            door, self.clock, user=options.user, read_only=options.read_only,
            seen_seq=session.seen_seq, polled=lambda: self._watcher.cause,
        )  # fmt: skip
        self.reader: Reader[Live] = Reader(live, self.clock, self._report)

    # Reading.

    def on_mount(self) -> None:
        """Begin to read, and show the list."""
        self.theme = self.memory.session.theme or self.options.theme or self.theme
        if self.options.keys:
            self.set_keymap(dict(self.options.keys))
        self.push_screen(JobsScreen(self.around))
        self._watcher.start()
        self.reader.start()
        self.set_interval(1.0, self._tick)
        for note in (*self.options.notes, *self.memory.notes):
            self.say([span(note, Tone.WARN)], alarming=True)

    def on_unmount(self) -> None:
        """Do what is still to be done, stop reading, remember how the console was left."""
        self.acting.flush()
        self._watcher.stop()
        self.reader.stop()
        seen = self.frame.seq if self.frame is not None and self.view.past is None else 0
        self.memory.save(
            tab=self.looking.tab, filter=self.looking.filter_text, theme=self.theme, seen_seq=seen
        )

    def _told(self, names: Collection[str]) -> None:
        """In the watcher's thread: the database may have changed."""
        del names
        self.reader.tell()

    def _report(self, frame: Frame) -> None:
        """In the reader's thread: there is something new."""
        self.post_message(FrameRead(frame))

    @on(FrameRead)
    def _frame_read(self, event: FrameRead) -> None:
        self.frame = event.frame
        self.show()

    def show(self) -> None:
        """Hand the newest frame to every screen that shows one."""
        for screen in self.screen_stack:
            if self.frame is not None and isinstance(screen, FrameScreen) and screen.is_mounted:
                screen.show_frame(self.frame, self.around)

    def _tick(self) -> None:
        self.acting.tick()
        if isinstance(self.screen, FrameScreen) and self.view.past is None and not self._frozen:
            self.screen.tick(self.clock.now())
        if self.acting.said or self._said[0]:
            self.show()

    @property
    def around(self) -> Around:
        """What screens show beside the frame."""
        line, until = self._said
        if line and self.clock.monotonic() >= until:
            line, self._said = (), ((), 0.0)
        return Around(
            looking=self.looking, pen=self.options.pen, zone=self.options.zone,
            keys=self.options.keys, said=self.acting.said or line, twin=self.acting.twin,
        )  # fmt: skip

    # The stage on which actions play: see ``acting``.

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
        """Do something in the loop; may be called in any thread."""
        self.call_later(action)

    def ask_operator(self, screen: Screen[Any], then: Callable[[Any], None]) -> None:
        """Show a question."""
        self.push_screen(screen, then)

    def look_up(self, job_ids: Collection[int], then: Callable[[list[JobLine]], None]) -> None:
        """The rows of some jobs as they are now; the answer comes in the loop."""
        wanted = list(job_ids)
        self.reader.ask(
            lambda live: live.lines(wanted), lambda lines: self.later(partial(then, lines))
        )

    def look_in_line(self, then: Callable[[list[JobLine]], None]) -> None:
        """The rows of those that wait for a slot, in order."""
        self.reader.ask(lambda live: live.queue(), lambda lines: self.later(partial(then, lines)))

    def say(self, line: Line, *, alarming: bool = False) -> None:
        """Tell the operator, at the bottom of the screen for a while."""
        self._said = (line, self.clock.monotonic() + _SAID)
        if alarming:
            self.bell()
        self.show()

    def acted(self, plan: Plan, result: Result) -> None:
        """What could not be done stays marked for the next try."""
        self.reader.wake()
        screen = self.screen
        if isinstance(screen, JobsScreen) and len(plan.targets) > 1:
            screen.jobs.set_marks(result.remaining)

    # What is looked at.

    def look(self, **changes: Any) -> None:
        """Change what is looked at."""
        self.view = replace(self.view, **changes)
        self.reader.look(self.view)

    @on(Look)
    def _look(self, event: Look) -> None:
        self.look(**event.changes)

    @on(OpenJob)
    def _open_job(self, event: OpenJob) -> None:
        self.open_job(event.job_id, event.tab)

    def open_job(self, job_id: int, tab: str = "log", *, replacing: bool = False) -> None:
        """Look into a job."""
        self.look(detail=job_id, cursor=job_id)
        screen = DetailScreen(job_id, self.around, tab)
        if replacing:
            self.switch_screen(screen)
        else:
            self.push_screen(screen)

    def go_to(self, job_id: int) -> None:
        """Put the cursor of the list on a job, in a tab where it is."""
        screen = self.screen
        if isinstance(screen, JobsScreen):
            self.reader.ask(
                lambda live: live.index_of(job_id),
                lambda index: self.later(partial(self._go_to, screen, job_id, index)),
            )

    def _go_to(self, screen: JobsScreen, job_id: int, index: int | None) -> None:
        if index is None:
            self.open_job(job_id)  # the filter hides it
        else:
            screen.jobs.go_to(job_id, index)

    @on(JobsScreen.TabAsked)
    def _tab_asked(self, event: JobsScreen.TabAsked) -> None:
        self.looking = replace(self.looking, tab=event.tab)
        self.look(tab=_listed(event.tab), top=0)
        self.show()
        if isinstance(self.screen, JobsScreen):
            self.screen.show_tab()

    @on(JobList.MarksChanged)
    def _marks_changed(self, event: JobList.MarksChanged) -> None:
        self.looking = replace(self.looking, marked=len(event.marks))
        self.look(marks=event.marks)
        self.show()

    @on(JobList.MarkAsked)
    def _mark_asked(self, event: JobList.MarkAsked) -> None:
        screen = self.screen
        if isinstance(screen, JobsScreen):
            self.reader.ask(
                lambda live: live.ids(event.first, event.last),
                lambda ids: self.later(partial(screen.jobs.mark, ids)),
            )

    @on(JobList.SortAsked)
    def _sort_asked(self, event: JobList.SortAsked) -> None:
        by, descending = self.looking.sort[0]
        self.sort(event.column, descending=by == event.column and not descending)

    def sort(self, column: str, *, descending: bool) -> None:
        """Order the list by a column."""
        query = filters.parse(f"sort:{'-' if descending else ''}{column}")
        self.looking = replace(self.looking, sort=((column, descending),))
        self.look(query=replace(self.view.query, sort=query.sort))
        self.show()

    def set_columns(self, columns: Sequence[str]) -> None:
        """Show these columns; none: those that fit."""
        self.memory.remember(columns=tuple(columns))
        for screen in self.screen_stack:
            if isinstance(screen, JobsScreen):
                screen.jobs.set_columns(columns or None)

    @on(JobList.LockChanged)
    def _lock_changed(self, event: JobList.LockChanged) -> None:
        self.looking = replace(self.looking, locked=event.locked)
        self.show()

    def set_filter(self, text: str) -> None:
        """Show what a filter lets through; it must be a valid one."""
        query = filters.parse(text)
        self.looking = replace(self.looking, filter_text=text)
        self.look(query=replace(query, sort=query.sort or self.view.query.sort), top=0)
        self.show()

    def try_filter(self, text: str) -> None:
        """The same, or say why not."""
        problem = filter_problem(text)
        if problem is None:
            self.set_filter(text)
        else:
            self.say([span(problem, Tone.BAD)], alarming=True)

    def try_past(self, text: str) -> None:
        """Go to a moment as it was typed; to the present if nothing was."""
        now, zone = self.clock.now(), self.options.zone
        problem, at = moments.problem(text, now, zone), moments.parse(text, now, zone)
        if problem is not None:
            self.say([span(problem, Tone.BAD)], alarming=True)
        elif at is None:
            self.travel(None)
        else:
            self.reader.ask(
                lambda live: live.moment(at), lambda seq: self.later(partial(self.travel, seq))
            )

    def travel(self, seq: int | None) -> None:
        """Show everything as it was up to a row of the history; ``None``: as it is."""
        self.look(past=seq, top=0)

    def freeze(self) -> None:
        """Stop or resume live updates."""
        self._frozen = not self._frozen
        self.reader.freeze(frozen=self._frozen)
        words = "updates are stopped; the same key resumes them" if self._frozen else "live again"
        self.say([span(words, Tone.WARN if self._frozen else Tone.GOOD)])

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nobody acts who may only read, or who looks at the past."""
        if action != "do" or parameters[0] not in ACTING:
            return True
        return not (self.options.read_only or self.view.past is not None)

    def action_do(self, name: str) -> None:
        """What a key of the table does."""
        self.do(name)

    def do(self, name: str) -> None:
        """Do an action by its id, if it may be done here."""
        if name in DEEDS and self.check_action("do", (name,)):
            DEEDS[name](self)

    @property
    def session(self) -> Session:
        """What is remembered from before."""
        return self.memory.session

    def chosen(self) -> tuple[int, ...]:
        """The jobs that an action is about."""
        screen = self.screen
        return screen.chosen() if isinstance(screen, FrameScreen) else ()

    def go_back(self) -> None:
        """One step back: from a job to the list, from the past to now, from a filter to all."""
        if isinstance(self.screen, DetailScreen):
            self.pop_screen()
            self.look(detail=None)
        elif self.view.past is not None:
            self.travel(None)
        elif self.view.marks and isinstance(self.screen, JobsScreen):
            self.screen.jobs.set_marks(())
        elif self.looking.filter_text:
            self.set_filter("")
        else:
            self.leave()

    def leave(self) -> None:
        """Leave the console."""
        self.exit(0)

    @on(DetailScreen.Signal)
    def _signal(self, event: DetailScreen.Signal) -> None:
        if not self.options.read_only:
            signal(self, event.identity, event.kind)

    @property
    def recent_files(self) -> tuple[str, ...]:
        """Files that were submitted, the newest first."""
        lines = self.frame.lines if self.frame is not None else ()
        return tuple(dict.fromkeys(line.source for line in lines if line.source))

    def set_mouse(self, is_on: bool) -> None:  # noqa: FBT001 - the thing itself
        """Take the mouse from the terminal, or give it back."""
        driver = self._driver
        if driver is not None:
            name = "_enable_mouse_support" if is_on else "_disable_mouse_support"
            getattr(driver, name, lambda: None)()

    def run_program(self, words: Sequence[str]) -> None:
        """Give the terminal to a program until it ends."""
        with self.suspend():
            subprocess.run(list(words), check=False)


def _listed(tab: str) -> str:
    """Which list a tab shows; attention is a list of its own beside that of all jobs."""
    return "all" if tab == ATTENTION else tab


def _valid(text: str) -> str:
    """A remembered filter; none if this version does not understand it."""
    return "" if filter_problem(text) else text
