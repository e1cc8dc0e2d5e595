"""Ending a task: finding every process of it, asking politely, then not any more.

Owns who belongs to a task, and hits nobody else. These do: whoever holds the workload lock, and
whoever is in the session of one of its runners. The second matters for programs that close the
descriptors they inherit, as Python's ``subprocess`` does. A session is the runner's own only where
that is proven, for its number is a PID, which can be reused once the session is empty. A process that
both closed the lock and made a session of its own has escaped, and is nobody's.
"""

from __future__ import annotations

import os
import signal
from typing import Final

from jobsched import lock, process
from jobsched.backends.local import record
from jobsched.backends.local.folder import Folder
from jobsched.backends.local.record import Node
from jobsched.clock import Clock
from jobsched.errors import BackendError
from jobsched.lock import Grip
from jobsched.process import Entry, Identity

#: Seconds between two looks: at first, and at most.
_FIRST, _LONGEST, _GROWTH = 0.001, 0.25, 1.6
#: Seconds in which the runners and their descendants may end before all processes are searched.
_BEFORE_SEARCH: Final = 0.05
#: Seconds that a process may take to go after it was killed.
_PATIENCE: Final = 10.0


class Task:
    """The processes of one cluster's task, here and now."""

    def __init__(self, folder: Folder, num_nodes: int) -> None:
        self._folder = folder
        self._nodes = record.read_all(folder, num_nodes)
        self._known: set[Entry] = set()

    @property
    def runners(self) -> list[Identity]:
        """The runners that are alive."""
        return [who for who in self._sessions() if process.is_same(who) is True]

    def may_live(self) -> bool:
        """False only if nothing of the task is left; cheap, and true when in doubt."""
        if lock.probe(self._folder.lock) is not Grip.FREE:
            return True
        return any(_is_group(who.pid) for who in self._sessions())

    def search(self) -> list[Entry]:
        """Every process of the task, runners first."""
        table = [entry for entry in process.table() if not entry.is_dead]
        holding = set(process.holders(self._folder.lock))
        if holding:
            holding -= {os.getpid(), *process.holders(self._folder.facts_file)}
        found = {entry for entry in table if entry.pid in holding}
        for node in self._nodes:
            session = {entry for entry in table if node.runner and entry.session == node.runner.pid}
            if any(self._proves(entry, node, found) for entry in session):
                found |= session
        self._known |= found
        leaders = {who.pid for who in self._sessions()}
        return sorted(found, key=lambda entry: (entry.pid not in leaders, entry.pid))

    def _proves(self, entry: Entry, node: Node, found: set[Entry]) -> bool:
        """Whether the session in which ``entry`` is must be the runner's own."""
        if node.runner not in self._sessions():
            return False
        is_runner = (entry.pid, entry.start_ticks) == (node.runner.pid, node.runner.start_ticks)
        began_under_it = node.end is not None and entry.start_ticks < node.end.ticks
        return is_runner or began_under_it or entry in found or entry in self._known
