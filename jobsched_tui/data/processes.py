"""What the processes of jobs are and use: trees below the roots that the library names.

Owns the trees, the sums and the load between two samples, all from one pass over the process table.
Whether an attempt or a task lives is told by its lock (the library says it), never by what is here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from jobsched.api import ProcessGroup, Seen
from jobsched.clock import Clock
from jobsched_tui.data import proctable
from jobsched_tui.data.proctable import Entry, Identity

#: Seconds between two samples below which a load says nothing.
_SHORTEST: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Proc:
    """One process in a tree."""

    identity: Identity
    depth: int
    state: str
    #: Percent of one core since the sample before; ``None``: there was none.
    cpu: float | None
    rss: int
    elapsed: float
    #: As the process gave it: must be made harmless before it is shown.
    command: str

    @property
    def pid(self) -> int:
        """Its number."""
        return self.identity.pid

    @property
    def program(self) -> str:
        """The name of what it runs, without folders and arguments."""
        first = self.command.split(" ", 1)[0]
        return first.strip("[]").rpartition("/")[2] or "another program"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The processes below the roots of one group, parents before children."""

    kind: str
    name: str
    #: The roots that were asked for.
    pids: tuple[int, ...]
    seen: Seen
    procs: tuple[Proc, ...] = ()
    #: For a PID that was reused: what runs under it now.
    usurper: Proc | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What all processes of one job are and use together."""

    trees: tuple[Tree, ...] = ()

    @property
    def procs(self) -> Iterator[Proc]:
        """All of them, each once."""
        return (proc for tree in self.trees for proc in tree.procs)

    @property
    def rss(self) -> int | None:
        """Bytes; ``None`` if nothing runs."""
        sizes = [proc.rss for proc in self.procs]
        return sum(sizes) if sizes else None

    @property
    def cpu(self) -> float | None:
        """Percent of one core; ``None`` if nothing runs, or before the second sample."""
        loads = [proc.cpu for proc in self.procs if proc.cpu is not None]
        return sum(loads) if loads else None

    @property
    def controller(self) -> Proc | None:
        """The process of the attempt."""
        found = (tree.procs[0] for tree in self.trees if tree.kind == "controller" and tree.procs)
        return next(found, None)


class Sampler:
    """Looks at the process table whenever it is asked; remembers the last look for the loads.

    For one thread.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._before: Mapping[Identity, float] = {}
        self._before_at: float | None = None

    def sample(self, roots_by_job: Mapping[int, Sequence[ProcessGroup]]) -> dict[int, Usage]:
        """The processes of each job; one pass over the table, however many jobs."""
        at = self._clock.monotonic()
        look = _Look(proctable.table(self._clock.now()), self._before, self._seconds(at))
        usages = {job_id: look.usage(groups) for job_id, groups in roots_by_job.items()}
        if self._before_at is None or at - self._before_at >= _SHORTEST:
            self._before = {one.identity: one.cpu_seconds for one in look.table.values()}
            self._before_at = at
        return usages

    def _seconds(self, at: float) -> float | None:
        """Since the look that loads are compared with."""
        seconds = None if self._before_at is None else at - self._before_at
        return seconds if seconds is not None and seconds > 0 else None


class _Look:
    """One pass over the table, and what it is compared with."""

    def __init__(
        self, table: Mapping[int, Entry], before: Mapping[Identity, float], seconds: float | None
    ) -> None:
        self.table = table
        self._before, self._seconds = before, seconds
        self._children: dict[int, list[Entry]] = {}
        for entry in table.values():
            self._children.setdefault(entry.parent, []).append(entry)

    def usage(self, groups: Sequence[ProcessGroup]) -> Usage:
        """The trees of one job; a process belongs to the nearest root above it."""
        owners = {pid: index for index, group in enumerate(groups) for pid in self._roots(group)}
        return Usage(
            trees=tuple(self._tree(group, index, owners) for index, group in enumerate(groups))
        )

    def _roots(self, group: ProcessGroup) -> list[int]:
        if group.seen is Seen.REUSED:
            return []
        return [pid for pid in group.pids if pid > 1 and pid in self.table]

    def _tree(self, group: ProcessGroup, index: int, owners: Mapping[int, int]) -> Tree:
        roots = [pid for pid in self._roots(group) if self._owner_above(pid, owners) != index]
        others = [self.table[pid] for pid in group.pids if pid in self.table]
        is_reused = group.seen is Seen.REUSED and bool(others)
        return Tree(
            kind=group.kind,
            name=group.name,
            pids=tuple(group.pids),
            seen=group.seen,
            procs=tuple(self._below(roots, index, owners)),
            usurper=self._proc(others[0], 0) if is_reused else None,
        )

    def _owner_above(self, pid: int, owners: Mapping[int, int]) -> int | None:
        """The group that the nearest root above a process belongs to."""
        seen = {pid}
        while (entry := self.table.get(pid)) is not None and entry.parent not in seen:
            pid = entry.parent
            if pid in owners:
                return owners[pid]
            seen.add(pid)
        return None

    def _below(self, roots: Sequence[int], index: int, owners: Mapping[int, int]) -> Iterator[Proc]:
        waiting = [(self.table[pid], 0) for pid in sorted(roots, reverse=True)]
        seen: set[int] = set()
        while waiting:
            entry, depth = waiting.pop()
            if entry.pid in seen:
                continue
            seen.add(entry.pid)
            yield self._proc(entry, depth)
            children = self._children.get(entry.pid, [])
            own = [one for one in children if owners.get(one.pid, index) == index]
            waiting += [(one, depth + 1) for one in sorted(own, reverse=True)]

    def _proc(self, entry: Entry, depth: int) -> Proc:
        return Proc(
            identity=entry.identity,
            depth=depth,
            state=entry.state,
            cpu=self._load(entry),
            rss=entry.rss,
            elapsed=entry.elapsed,
            command=proctable.command_of(entry),
        )

    def _load(self, entry: Entry) -> float | None:
        """A process that was not there a look ago has used all its time since."""
        if self._seconds is None:
            return None
        used = entry.cpu_seconds - self._before.get(entry.identity, 0.0)
        return max(0.0, 100 * used / self._seconds)
