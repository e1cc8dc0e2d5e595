"""The palette: every action with its key, the words of the command line, jobs, themes and views.

Owns what is offered. Jobs are looked up by a query of their own, in a thread, and never all shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from rich.text import Text
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider

from jobsched.api import Scheduler
from jobsched.errors import JobschedError
from jobsched_tui.app.deeds.general import run
from jobsched_tui.data import filters
from jobsched_tui.data.filters import FilterError
from jobsched_tui.data.filters.words import in_quotes
from jobsched_tui.data.keymap import KEYS, PANES, Context
from jobsched_tui.present.glyphs import ascii_line
from jobsched_tui.present.hints import first_key
from jobsched_tui.present.spans import clip, plain, span

if TYPE_CHECKING:
    from jobsched_tui.app import Console

#: Jobs that are offered at most.
MOST_JOBS: Final = 50
_CELLS: Final = 60
#: How near a hit is: words that hold the text as it stands, then jobs, then words with its letters.
_EXACT: Final = 1.0
_JOB: Final = 0.9
_NEAR: Final = 0.5
#: Where an action is heard that can be asked for here; a dialog's own keys are not offered.
_OFFERED: Final = PANES | {Context.EVERYWHERE}
#: Moving is quicker by its keys than by their names.
_LEFT_OUT: Final = ("nav.", "app.palette")


class Offer(NamedTuple):
    """One line of the palette, and what is typed on the command line for the same."""

    title: str
    help: str
    command: str


class Actions(Provider):
    """What can be done here, found by any of its words."""

    @property
    def console(self) -> Console:
        """The console that asks."""
        return cast("Console", self.app)

    async def discover(self) -> Hits:
        """Everything, before a word is typed."""
        for offer in offers(self.console):
            yield DiscoveryHit(
                self._shown(offer.title), self._doing(offer), offer.title, offer.help
            )

    async def search(self, query: str) -> Hits:
        """What a text is in; and the jobs that it is the id of, or a part of the name."""
        matcher = self.matcher(query)
        for offer in offers(self.console):
            said = f"{offer.title} {offer.command}"
            score = _EXACT if query.lower() in said.lower() else min(matcher.match(said), _NEAR)
            if score > 0:
                shown, doing = self._shown(offer.title), self._doing(offer)
                yield Hit(score, shown, doing, offer.title, offer.help)
        jobs = await asyncio.to_thread(find_jobs, self.console.door, query)
        for rank, (job_id, name) in enumerate(jobs):
            shown = self._shown(f"job {job_id} {clip(name, _CELLS)}")
            doing = partial(self.console.open_job, job_id)
            yield Hit(_JOB - rank / 1000, shown, doing, f"job {job_id}")

    def _doing(self, offer: Offer) -> Callable[[], None]:
        return partial(run, self.console, offer.command)

    def _shown(self, title: str) -> Text:
        """As text that is nobody's markup."""
        line = [span(title)]
        return Text(plain(ascii_line(line) if self.console.options.pen.is_ascii else line))


def offers(console: Console) -> Iterator[Offer]:
    """Everything but jobs."""
    for key in KEYS:
        if key.contexts & _OFFERED and not key.id.startswith(_LEFT_OUT):
            pressed = first_key(console.options.keys.get(key.id, key.keys))
            title = f"{key.description}  ({pressed})" if pressed else key.description
            yield Offer(title, f"{key.group}, {key.id}", key.id)
    yield Offer("what was done by whom", "the audit", "audit")
    for name in sorted(console.available_themes):
        yield Offer(f"theme {name}", "colours", f"theme {name}")
    for name, text in console.session.saved_views.items():
        yield Offer(f"view {clip(name, _CELLS)}", clip(text, _CELLS), f"view {name}")


def find_jobs(door: Scheduler, text: str) -> list[tuple[int, str]]:
    """Id and name of jobs with that id, or with that text in the name; the newest first."""
    word = text.strip().removeprefix("job ").strip()
    if not word:
        return []
    watch = door.watch()
    try:
        query = filters.parse(in_quotes(word, alone=True))
        ids = [job_id for _, job_id in watch.listing(query.terms)][:MOST_JOBS]
        if word.isdecimal() and word.isascii() and len(word) < 19:  # noqa: PLR2004 - SQLite's integers
            ids = [int(word), *(one for one in ids if one != int(word))]
        rows = watch.rows(ids)
    except (JobschedError, FilterError):
        return []
    finally:
        watch.close()
    return [(job_id, str(rows[job_id]["name"])) for job_id in ids if job_id in rows]


def open_palette(console: Console) -> None:
    """Show it."""
    classes = "-ascii-palette" if console.options.pen.is_ascii else None
    console.push_screen(
        CommandPalette([Actions], placeholder="action, job, theme or view", classes=classes)
    )
