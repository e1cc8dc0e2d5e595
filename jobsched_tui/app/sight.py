"""What the operator looks at: tab, filter, order, marks, which moment; by every way of changing it.

Owns that state. The reading thread is told of each change; what comes of it is the next frame.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from jobsched.api import Order
from jobsched_tui.data import filters, moments
from jobsched_tui.data.filters import FilterError
from jobsched_tui.data.session import Session
from jobsched_tui.data.source import View
from jobsched_tui.present.header import ATTENTION, TABS, Looking
from jobsched_tui.present.spans import Tone, span

if TYPE_CHECKING:
    from jobsched_tui.app import Console


class Sight:
    """What one console shows of a home."""

    def __init__(self, console: Console, session: Session) -> None:
        self._console = console
        known = {ATTENTION, *(name for _, name, _, _ in TABS)}
        tab = session.tab if session.tab in known else "all"
        text = "" if filter_problem(session.filter) else session.filter
        order = "" if filter_problem(f"sort:{session.sort}") else f"sort:{session.sort}"
        query = filters.parse(text)
        query = replace(query, sort=query.sort or filters.parse(order).sort)
        self.looking = Looking(tab=tab, filter_text=text, sort=_told(query.sort))
        self.view = View(tab=_listed(tab), query=query)
        self.is_frozen = False

    # What is remembered.

    @property
    def order(self) -> str:
        """The order of the list, as after ``sort:`` in a filter."""
        return ",".join(f"{'-' if down else ''}{name}" for name, down in self.looking.sort)

    @property
    def is_past(self) -> bool:
        """Whether this is another moment than now."""
        return self.view.past is not None

    # What is looked at.

    def look(self, **changes: Any) -> None:
        """Change fields of the view."""
        self.view = replace(self.view, **changes)
        self._console.hurry()
        self._console.reader.look(self.view)

    def tab(self, name: str) -> None:
        """Show another tab; whoever leaves that of attention has seen what is in it."""
        if self.looking.tab == ATTENTION != name:
            self._console.saw_troubles()
        self.looking = replace(self.looking, tab=name)
        self.look(tab=_listed(name), top=0)

    def mark(self, job_ids: Collection[int]) -> None:
        """These jobs are marked."""
        self.looking = replace(self.looking, marked=len(job_ids))
        self.look(marks=frozenset(job_ids))

    def lock(self, *, locked: bool) -> None:
        """The list stays with the job under the cursor, or no longer."""
        self.looking = replace(self.looking, locked=locked)

    def sort(self, column: str, *, descending: bool) -> None:
        """Order the list by a column."""
        query = filters.parse(f"sort:{'-' if descending else ''}{column}")
        self.looking = replace(self.looking, sort=((column, descending),))
        self.look(query=replace(self.view.query, sort=query.sort))
        self._console.show()

    # Filters.

    def filter(self, text: str) -> None:
        """Show what a filter lets through; it must be a valid one."""
        query = filters.parse(text)
        query = replace(query, sort=query.sort or self.view.query.sort)
        self.looking = replace(self.looking, filter_text=text, sort=_told(query.sort))
        self.look(query=query, top=0)
        self._console.show()

    def try_filter(self, text: str) -> None:
        """The same, or say why not."""
        problem = filter_problem(text)
        if problem is None:
            self.filter(text)
        else:
            self._console.say([span(problem, Tone.BAD)], alarming=True)

    # Time.

    def try_past(self, text: str) -> None:
        """Go to a moment as it was typed; to the present if nothing was."""
        console = self._console
        now, zone = console.clock.now(), console.options.zone
        problem, at = moments.problem(text, now, zone), moments.parse(text, now, zone)
        if problem is not None:
            console.say([span(problem, Tone.BAD)], alarming=True)
        elif at is None:
            self.travel(None)
        else:
            console.reader.ask(
                lambda live: live.moment(at),
                lambda seq: console.later(partial(self.travel, seq)),
            )

    def travel(self, seq: int | None) -> None:
        """Show everything as it was up to a row of the history; ``None``: as it is."""
        if seq is not None and self.looking.tab == ATTENTION:
            self.tab("all")  # troubles are of now alone
        self.look(past=seq, top=0)
        if seq is None:
            self._console.say([span("this is the present again", Tone.GOOD)])
        else:
            self._console.say([span("this is the past: nothing can be changed; Esc leads back")])

    def freeze(self) -> None:
        """Stop or resume live updates."""
        self.is_frozen = not self.is_frozen
        self._console.reader.freeze(frozen=self.is_frozen)
        words = "updates are stopped; the same key resumes them" if self.is_frozen else "live again"
        self._console.say([span(words, Tone.WARN if self.is_frozen else Tone.GOOD)])


def filter_problem(text: str) -> str | None:
    """Why a filter is not understood."""
    try:
        filters.parse(text)
    except FilterError as error:
        return str(error)
    return None


def _listed(tab: str) -> str:
    """Which list a tab shows; attention is a list of its own beside that of all jobs."""
    return "all" if tab == ATTENTION else tab


def _told(sort: Sequence[Order]) -> tuple[tuple[str, bool], ...]:
    """An order as it is shown; the newest first where none is asked for."""
    return tuple((str(one.by), one.descending) for one in sort) or (("id", True),)
