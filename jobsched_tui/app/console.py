"""The console: it shows what is read, and has done what is asked.

Owns the reading thread and the screens. What is looked at is in ``sight``, what a key does in
``deeds``, how an action goes in ``acting``; what is shown is decided in ``data`` and ``present``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, Final

from textual import on
from textual.app import App
from textual.binding import BindingType

from jobsched.api import Scheduler
from jobsched.clock import Clock, SystemClock
from jobsched_tui.app import programs, unavailable
from jobsched_tui.app.acting import Acting
from jobsched_tui.app.deeds import DEEDS
from jobsched_tui.app.deeds.acting import signal as ask_signal
from jobsched_tui.app.freshness import Freshness
from jobsched_tui.app.memory import Memory
from jobsched_tui.app.news import News, told
from jobsched_tui.app.options import ANSI_THEME, Options
from jobsched_tui.app.sight import Sight
from jobsched_tui.app.stage import StageApp
from jobsched_tui.app.starting import collect_garbage
from jobsched_tui.app.ticking import Ticking
from jobsched_tui.data.actions import Plan
from jobsched_tui.data.applying import Result
from jobsched_tui.data.frame import Frame, Link
from jobsched_tui.data.live import Live
from jobsched_tui.data.reader import Reader
from jobsched_tui.data.session import Session
from jobsched_tui.data.shelf import Shelf
from jobsched_tui.data.watcher import Watcher
from jobsched_tui.messages import FrameRead, Remember
from jobsched_tui.present.header import ATTENTION
from jobsched_tui.present.spans import Tone, span
from jobsched_tui.screens.base import Around, FrameScreen, Look, OpenJob
from jobsched_tui.screens.detail import DetailScreen
from jobsched_tui.screens.jobs import JobsScreen
from jobsched_tui.widgets.bindings import bindings
from jobsched_tui.widgets.job_list import JobList
from jobsched_tui.widgets.scroll_bars import draw_scroll_bars
from jobsched_tui.widgets.stylesheet import SHEET

_DRAFT: Final = "console-draft.json"
#: Seconds after which it has begun.
_STARTED: Final = 3.0
#: Those of list and log are heard there, because they have keys in common.
_OWN: Final = [name for name in DEEDS if not name.startswith(("list.", "log."))]


class Console(StageApp):
    """The console on one home."""

    TITLE = "jobsched"
    ENABLE_COMMAND_PALETTE = False  # Textual's own: ours has a key of the table
    CSS: ClassVar[str] = SHEET
    BINDINGS: ClassVar[list[BindingType]] = bindings({name: f"do('{name}')" for name in _OWN})

    #: Whether it was left for a demonstration.
    wants_demo = False

    def __init__(self, door: Scheduler, options: Options, *, clock: Clock | None = None) -> None:
        super().__init__(ansi_color=True if options.is_ansi else None)
        self.door, self.options = door, options
        self.clock = clock or SystemClock()
        self.frame: Frame | None = None
        self.memory = Memory(
            door.home, reads=options.remembers, writes=options.remembers and not options.read_only
        )
        self.set_reactive(App.theme, self._first_theme())
        self.stylesheet.set_variables(self.get_css_variables())  # they were another theme's
        self.acting: Acting = Acting(self)
        self.shelf = Shelf(None if options.read_only else door.home / _DRAFT)
        self._watcher = Watcher(door.home, lambda name: name.startswith("jobsched.db"), self._told)
        self.reader = Reader(self._live(), self.clock, self._report)
        self.sight: Sight = Sight(self, self.session)
        self.freshness = Freshness(self)
        self._ticking = Ticking(door, self._may_tick)
        self._news, self._is_owing, self._is_hurried = News(), False, True
        if options.slow:
            self.animation_level = "none"
        draw_scroll_bars(plain=options.pen.is_ascii or self.no_color)

    def _live(self) -> Live:
        return Live(
            self.door, self.clock, user=self.options.user, read_only=self.options.read_only,
            seen_seq=self.session.seen_seq, polled=lambda: self._watcher.cause,
        )  # fmt: skip

    def _first_theme(self) -> str:
        if self.options.is_ansi:
            return ANSI_THEME
        wanted = (self.session.theme, self.options.theme)
        return next((one for one in wanted if one in self.available_themes), self.theme)

    @property
    def session(self) -> Session:
        """What is remembered from before."""
        return self.memory.session

    # Beginning and ending.

    async def on_mount(self) -> None:
        """Begin to read, and show the list as it was left."""
        self.set_keymap(dict(self.options.keys))
        self.leave_when_told()
        screen = JobsScreen(self.around)
        await self.push_screen(screen)
        screen.restore(self.session.columns, self.session.split)
        if not self.session.mouse:
            self.set_mouse(is_on=False)
        self._watcher.start()
        self.reader.look(self.sight.view)
        self.reader.start()
        self._ticking.start()
        self.set_interval(1.0, self._tick)
        self.set_timer(_STARTED, collect_garbage)
        for note in (*self.options.notes, *self.memory.notes):
            self.say([span(note, Tone.WARN)], alarming=True)

    def on_unmount(self) -> None:
        """Do what is still to be done, stop reading, remember how the console was left."""
        if not self.failure:
            self.acting.flush()
        self._watcher.stop()
        self._ticking.stop()
        self.reader.stop()
        looking = self.sight.looking
        if looking.tab == ATTENTION:
            self.saw_troubles()
        self.memory.save(tab=looking.tab, filter=looking.filter_text, sort=self.sight.order)

    def _may_tick(self) -> bool:
        """Whether there is a home that may be changed, with jobs that are not done."""
        frame = self.frame
        if frame is None or self.options.read_only:
            return False
        counts, link = frame.counts, frame.health.link
        waits = counts.get("active", 1) + counts.get("waiting", 1) > 0
        # Whoever comes to a home that was taken away would make another one in its place.
        return link not in (Link.MISSING, Link.STALE) and (waits or self.sight.is_past)

    @property
    def is_homeless(self) -> bool:
        """Whether there is no database yet, nor one that is about to be made."""
        frame, is_demo = self.frame, self.options.is_demo
        return frame is not None and frame.health.link is Link.MISSING and not is_demo

    # Reading.

    def _told(self, names: Collection[str]) -> None:
        """In the watcher's thread: the database may have changed."""
        del names
        self.reader.tell()

    def _report(self, frame: Frame) -> None:
        """In the reader's thread: there is something new."""
        self.post_message(FrameRead(frame))

    @on(FrameRead)
    def _frame_read(self, event: FrameRead) -> None:
        self.frame = replace(event.frame, is_demo=self.options.is_demo)
        self.freshness.take(event.frame)
        self._tell_news(event.frame)
        if self.options.slow and not self._is_hurried:
            self._is_owing = True  # the next second shows it
        else:
            self._is_hurried = False
            self.show()

    def _tell_news(self, frame: Frame) -> None:
        """Once for each trouble, so that it is heard in another window."""
        news = self._news.fresh(frame)
        if news and not self.options.slow:
            self.bell()
            if self._driver is not None:
                self._driver.write(f"\x1b]9;{told(news)}\x07")

    def forget_news(self) -> None:
        """What there is now is no news, whatever there was before."""
        self._news = News()

    def saw_troubles(self) -> None:
        """The operator has seen the attention list as it is."""
        frame = self.frame
        if frame is not None and frame.health.link in (Link.LIVE, Link.POLLING):
            self.memory.remember(seen_seq=frame.seq)
            self.reader.ask(lambda live: live.seen(frame.seq), lambda _: None)

    def hurry(self) -> None:
        """The operator waits for the next frame."""
        self._is_hurried = True

    def show(self) -> None:
        """Hand the newest frame to every screen that shows one."""
        self._is_owing = False
        frame, around = self.freshness.frame, self.around
        for screen in self.screen_stack:
            if frame is not None and isinstance(screen, FrameScreen) and screen.is_ready:
                screen.set_class(self.freshness.is_stale, "-stale")
                screen.show_frame(frame, around)

    def _tick(self) -> None:
        if not self.screen_stack:
            return  # the console is being left
        self.acting.tick()
        still = self.sight.is_past or self.sight.is_frozen
        if isinstance(self.screen, FrameScreen) and self.screen.is_ready and not still:
            self.screen.tick(self.clock.now())
        if self.freshness.tick() or self._is_owing or self.acting.said or self._said[0]:
            if not self.said:
                self._said = ((), 0.0)
            self.show()

    @property
    def around(self) -> Around:
        """What screens show beside the frame."""
        return Around(
            looking=self.sight.looking, pen=self.options.pen, zone=self.options.zone,
            keys=self.options.keys, twin=self.acting.twin,
            events=not self.options.slow, habits=self.memory.habits,
            said=self.acting.said or self.said or self.freshness.line,
        )  # fmt: skip

    def acted(self, plan: Plan, result: Result) -> None:
        """What could not be done stays marked for the next try."""
        self.reader.wake()
        screen = self.screen
        if isinstance(screen, JobsScreen) and len(plan.targets) > 1:
            screen.jobs.set_marks(result.remaining)

    # What screens and lists ask.

    @on(Look)
    def _look(self, event: Look) -> None:
        self.sight.look(**event.changes)

    @on(Remember)
    def _remember(self, event: Remember) -> None:
        self.memory.remember(**event.changes)

    @on(OpenJob)
    def _open_job(self, event: OpenJob) -> None:
        self.open_job(event.job_id, event.tab)

    @on(JobsScreen.TabAsked)
    def _tab_asked(self, event: JobsScreen.TabAsked) -> None:
        self.show_tab(event.tab)

    @on(JobList.MarksChanged)
    def _marks_changed(self, event: JobList.MarksChanged) -> None:
        self.sight.mark(event.marks)
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
        by, descending = self.sight.looking.sort[0]
        self.sight.sort(event.column, descending=by == event.column and not descending)

    @on(JobList.LockChanged)
    def _lock_changed(self, event: JobList.LockChanged) -> None:
        self.sight.lock(locked=event.locked)
        self.show()

    @on(DetailScreen.Signal)
    def _signal(self, event: DetailScreen.Signal) -> None:
        why = unavailable.why_not(self, "process.signal")
        if why is None:
            ask_signal(self, event.identity, event.kind)
        else:
            self.say([span(why, Tone.WARN)], alarming=True)

    # Going places.

    def show_tab(self, tab: str) -> None:
        """Another tab of the list."""
        self.sight.tab(tab)
        self.show()
        if isinstance(self.screen, JobsScreen):
            self.screen.show_tab()

    def open_job(self, job_id: int, tab: str = "log", *, replacing: bool = False) -> None:
        """Look into a job."""
        self.sight.look(detail=job_id, cursor=job_id)
        screen = DetailScreen(job_id, self.around, tab)
        if replacing or isinstance(self.screen, DetailScreen):
            self.switch_screen(screen)
        else:
            self.push_screen(screen)

    def go_to(self, job_id: int) -> None:
        """Put the cursor of the list on a job, in a tab where it is."""
        screen = self.screen
        if isinstance(screen, JobsScreen):
            if self.sight.looking.tab == ATTENTION:
                screen.go_to_trouble(job_id)
                return
            self.reader.ask(
                lambda live: live.index_of(job_id),
                lambda index: self.later(partial(self._go_to, screen, job_id, index)),
            )

    def _go_to(self, screen: JobsScreen, job_id: int, index: int | None) -> None:
        if index is None:
            self.open_job(job_id)  # the filter hides it
        else:
            screen.jobs.go_to(job_id, index)

    def go_back(self) -> None:
        """One step: from a search, a job, the past, another pane, a tab, a filter; never out."""
        screen = self.screen
        if isinstance(screen, FrameScreen) and screen.step_back():
            return
        if isinstance(screen, DetailScreen):
            self.close_job()
        elif self.sight.is_past:
            self.sight.travel(None)
        elif self.sight.looking.filter_text:
            self.sight.filter("")
        elif self.sight.looking.tab != "all":
            self.show_tab("all")
        else:
            self.say([span("this is the job list; q leaves", Tone.MUTED)])

    def close_job(self) -> None:
        """From a job to the list."""
        self.pop_screen()
        self.sight.look(detail=None)

    # Keys.

    def action_do(self, name: str) -> None:
        """What a key of the table does."""
        self.do(name)

    def do(self, name: str) -> None:
        """Do an action by its id, wherever it is heard; or say why it cannot be done here."""
        why = unavailable.why_not(self, name)
        if why is not None:
            self.say([span(why, Tone.WARN)], alarming=True)
        elif name in DEEDS:
            DEEDS[name](self)
        else:
            self._do_in_pane(name)

    def _do_in_pane(self, name: str) -> None:
        """What a pane does by itself, as if its key were pressed."""
        for active in self.screen.active_bindings.values():
            if active.binding.id == name:
                self.call_next(self.run_action, active.binding.action, active.node)
                return
        self.say([span(unavailable.elsewhere(name), Tone.WARN)], alarming=True)

    def chosen(self) -> tuple[int, ...]:
        """The jobs that an action is about."""
        screen = self.screen
        return screen.chosen() if isinstance(screen, FrameScreen) else ()

    # What the terminal does.

    def set_columns(self, columns: Sequence[str]) -> None:
        """Show these columns; none: those that fit."""
        self.memory.remember(columns=tuple(columns))
        for screen in self.screen_stack:
            if isinstance(screen, JobsScreen):
                screen.jobs.set_columns(columns or None)

    def set_mouse(self, *, is_on: bool) -> None:
        """Take the mouse from the terminal, or give it back."""
        name = "_enable_mouse_support" if is_on else "_disable_mouse_support"
        getattr(self._driver, name, lambda: None)()

    def run_program(self, words: Sequence[str]) -> str | None:
        """Give the terminal to a program until it ends; a sentence if it did not end well."""
        problem = programs.run(self, words)
        if not self.session.mouse:
            self.set_mouse(is_on=False)
        return problem
