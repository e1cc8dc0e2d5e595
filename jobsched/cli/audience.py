"""Whoever watches the demonstration: a terminal sees a table, everybody else reads lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from jobsched.cli.formatting import counts
from jobsched.cli.listing import jobs_listing
from jobsched.cli.tables import LiveTable, live_table
from jobsched.cli.terminal import Terminal

Job = Mapping[str, Any]


class Audience(Protocol):
    """Whoever watches."""

    def hear(self, text: str) -> None:
        """Be told something."""
        ...

    def see(self, jobs: Sequence[Job], now: float) -> None:
        """Look at the jobs, newest first, as they are."""
        ...


@contextmanager
def audience(terminal: Terminal) -> Iterator[Audience]:
    """The audience in front of ``terminal``, for the block."""
    if not terminal.out_is_tty:
        yield _Readers(terminal)
        return
    with live_table(terminal) as table:
        yield _Watchers(terminal, table)


class _Readers:
    """They get a line for each change."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._told: dict[int, str] = {}

    def hear(self, text: str) -> None:
        self._say(f"* {text}")

    def see(self, jobs: Sequence[Job], now: float) -> None:
        del now
        for job in reversed(jobs):
            text = _in_short(job)
            if self._told.get(job["job_id"]) != text:
                self._told[job["job_id"]] = text
                self._say(text)

    def _say(self, text: str) -> None:
        self._terminal.say(text)
        self._terminal.out.flush()


class _Watchers:
    """They see the table of ``queue``, drawn anew in its place."""

    def __init__(self, terminal: Terminal, table: LiveTable) -> None:
        self._terminal, self._table = terminal, table

    def hear(self, text: str) -> None:
        self._table.say(f"* {text}")

    def see(self, jobs: Sequence[Job], now: float) -> None:
        self._table.show(jobs_listing(jobs, now, self._terminal))


def _in_short(job: Job) -> str:
    several = len(job["tasks"]) > 1
    more = f" ({counts(task['status'] for task in job['tasks'])})" if several else ""
    return f"job {job['job_id']} {job['name']}: {job['status']}{more}"
