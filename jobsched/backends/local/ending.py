"""Ending a task: finding every process of it, asking politely once, then not any more.

Owns who belongs to a task, and hits nobody else. These do: whoever holds the workload lock, and
whoever is in the session of one of its runners or of another leader that holds the lock. The second
matters for programs that close the descriptors they inherit, as Python's ``subprocess`` does. A
session is the runner's own only where that is proven, for its number is a PID, which can be reused
once the session is empty. A process that both closed the lock and made a session of its own has
escaped, and is nobody's. Whoever holds the lock of an attempt or of another cluster is theirs.
"""

from __future__ import annotations

import signal
from itertools import chain
from typing import Final

from jobsched import process
from jobsched.backends.local import record, workload
from jobsched.backends.local.folder import Folder
from jobsched.backends.local.record import Node
from jobsched.clock import Clock
from jobsched.errors import BackendError
from jobsched.process import Entry, Identity

#: Seconds between two looks: at first, and at most.
_FIRST, _LONGEST, _GROWTH = 0.001, 0.25, 1.6
#: Seconds in which the runners and their descendants may end before all processes are searched.
_BEFORE_SEARCH: Final = 0.05
#: Seconds that a process may take to go after it was killed.
_PATIENCE: Final = 10.0


def stop(folder: Folder, num_nodes: int, *, grace: float, clock: Clock) -> None:
    """End every process of the task, by force after ``grace`` seconds.

    Those that run now are asked, once. What they start until then to end well, such as a copy of
    their work, is left alone. Raises ``BackendError`` naming those that would not end.
    """
    task = _Task(folder, num_nodes)
    if task.is_held or task.has_members:
        running = {entry.key for entry in process.table()}
        _end(task, task.family(), grace, clock, running)


def lose(folder: Folder, num_nodes: int, *, clock: Clock) -> None:
    """Kill every process of the task, the runners first so that they write no record."""
    task = _Task(folder, num_nodes)
    task.search()  # who is in a runner's session is proven while the runner lives
    for who in task.runners:
        process.signal(who, signal.SIGKILL)
    _end(task, [], 0.0, clock, set())


def _end(
    task: _Task, family: list[Entry], grace: float, clock: Clock, running: set[tuple[int, int]]
) -> None:
    """``running``: all processes of the machine from before anybody was asked."""
    began = clock.monotonic()
    unasked = running - {entry.key for entry in family}
    for entry in family:
        _ask(entry)
    pause = _FIRST
    while True:
        is_held = task.is_held
        if not is_held and not task.has_members and not any(_lives(entry) for entry in family):
            return
        waited = clock.monotonic() - began
        if not is_held or not family or waited >= min(_BEFORE_SEARCH, grace):
            found = task.search()
            if not found and task.is_explained:
                return
            if waited > grace + _PATIENCE:
                raise BackendError(_stubborn(task.name, found))
            for entry in found:
                if waited >= grace:
                    process.signal(entry.identity, signal.SIGKILL)
                elif entry.key in unasked:
                    _ask(entry)
            unasked -= {entry.key for entry in found}
        clock.sleep(pause)
        pause = min(pause * _GROWTH, _LONGEST)


def _ask(entry: Entry) -> None:
    """Ask a process to end; one that is stopped could not do it."""
    if process.signal(entry.identity, signal.SIGTERM) and entry.state == "T":
        process.signal(entry.identity, signal.SIGCONT)


def _lives(entry: Entry) -> bool:
    return process.is_same(entry.identity) is True


def _stubborn(cluster: str, found: list[Entry]) -> str:
    if not found:
        return (
            f"cluster {cluster}: a process that cannot be seen from here (another user's, or in"
            " another container) holds its lock; end it there"
        )
    names = ", ".join(f"PID {entry.pid} (state {entry.state})" for entry in found)
    return f"cluster {cluster}: killed, but not gone: {names}"


class _Task:
    """The processes of one cluster's task."""

    def __init__(self, folder: Folder, num_nodes: int) -> None:
        self._folder, self._num_nodes = folder, num_nodes
        self._me = process.me()
        self._nodes: list[Node] = []
        self._look()
        #: Who was found to belong to it: proof of a session for later searches.
        self._known: set[tuple[int, int]] = set()
        #: Whether what holds the lock, if anything does, is a launcher or this very process.
        self.is_explained = False

    @property
    def name(self) -> str:
        return self._folder.name

    @property
    def runners(self) -> list[Identity]:
        """The runners that live."""
        return [who for _, who in self._sessions if process.is_same(who) is True]

    @property
    def is_held(self) -> bool:
        """Whether somebody holds the workload lock; true when in doubt."""
        return workload.is_held(self._folder)

    @property
    def has_members(self) -> bool:
        """Whether a process, dead or alive, has a runner's number as its session: a hint."""
        return any(process.has_members(who.pid) for _, who in self._sessions)

    def family(self) -> list[Entry]:
        """The runners that live, then who of their descendants is in their sessions.

        Most often that is all of the task, and it is found fast. What else descends from it may be
        another job's: a task may submit one, and whoever submits may start a controller.
        """
        leaders = {who.pid: process.descendants(who.pid) for who in self.runners}
        found = [process.look_up(pid) for pid in [*leaders, *chain(*leaders.values())]]
        return [entry for entry in found if entry is not None and entry.session in leaders]

    def search(self) -> list[Entry]:
        """Every process of the task, runners first."""
        self._look()
        table = [entry for entry in process.table() if not entry.is_dead]
        held_by = workload.holders(self._folder)
        excused = {self._me.pid, *(process.holders(self._folder.facts_file) if held_by else ())}
        excused |= workload.strangers(self._folder, held_by)
        found = {entry for entry in table if entry.pid in held_by - excused}
        led = {entry.pid for entry in found if entry.pid == entry.session}
        found |= {entry for entry in table if entry.session in led}
        for node, who in self._sessions:
            session = {entry for entry in table if entry.session == who.pid}
            if any(entry in found or self._proves(entry, node, who) for entry in session):
                found |= session
        excused |= workload.strangers(self._folder, [entry.pid for entry in found])
        found = {entry for entry in found if entry.pid not in excused}
        self._known |= {entry.key for entry in found}
        self.is_explained = not self.is_held or bool(held_by & excused)
        leaders = {who.pid for _, who in self._sessions}
        return sorted(found, key=lambda entry: (entry.pid not in leaders, entry.pid))

    def _look(self) -> None:
        """Read again who the runners are and whether they ended."""
        self._nodes = record.read_all(self._folder, self._num_nodes)
        self._sessions = [
            (node, node.runner)
            for node in self._nodes
            if node.runner is not None
            and (node.runner.boot_id, node.runner.pid_ns) == (self._me.boot_id, self._me.pid_ns)
        ]

    def _proves(self, entry: Entry, node: Node, runner: Identity) -> bool:
        """Whether the session that ``entry`` is in must be that of the runner.

        It is if the runner itself is in it, or somebody who began while the runner lived (so that
        its PID was taken), or somebody who was known to belong to it before.
        """
        if entry.key == (runner.pid, runner.start_ticks) or entry.key in self._known:
            return True
        return node.end is not None and entry.start_ticks < node.end.ticks
