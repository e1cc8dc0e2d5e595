"""Where measurements take place: homes of their own, processes of their own, nothing left behind.

Owns what is made on disk and what lives. Folders are removed at the very end: where many files were
just deleted, making new ones is dear for a while.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from jobsched import Scheduler
from jobsched.states import ScheduleState
from jobsched.store import views
from tests.bench import meter, procfs
from tests.bench.child import Child

#: Where files are kept in memory, if anywhere.
_SHM: Final = Path("/dev/shm")
_GLANCE: Final = 0.01
#: What is quiet uses less than this share of a core for so many seconds.
_NEXT_TO_NOTHING, _WHILE = 0.02, 0.5
#: Seconds beyond its time in which a controller that is to rest has come to it.
_CALM: Final = 5.0
#: A job that ends at once, one that goes on, and one that goes on until its gate is opened.
NOOP: Final = 'name: noop\nrun: "true"\n'
SLEEP: Final = "name: sleep\nrun: exec sleep 86400\n"


@dataclass
class Site:
    """One home, and whoever works in it. ``root``: a folder of its own, the home inside it."""

    root: Path

    def __post_init__(self) -> None:
        self.door = Scheduler(self.home, actor="bench")
        self.noop = self.file("noop.yaml", NOOP)
        self.sleep = self.file("sleep.yaml", SLEEP)

    @property
    def home(self) -> Path:
        """The home's directory."""
        return self.root / "home"

    def file(self, name: str, text: str) -> Path:
        """A file beside the home."""
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        return path

    def child(self) -> Child:
        """A program that works in this home."""
        return Child(self.home)

    def count(self, state: ScheduleState) -> int:
        """How many jobs are in that state."""
        with self.door.context.db.read() as tx:
            return views.counts(tx).get(state, 0)

    def wait_for(self, condition: Callable[[], bool], what: str, seconds: float = 120.0) -> None:
        """Look until it holds. Raises ``TimeoutError`` that names it."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"waited {seconds:g} s in vain for {what}")
            time.sleep(_GLANCE)

    def wait_for_count(self, state: ScheduleState, wanted: int, seconds: float = 300.0) -> None:
        """Until so many jobs are in that state, or more."""
        self.wait_for(lambda: self.count(state) >= wanted, f"{wanted} jobs to be {state}", seconds)

    def settle(self, seconds: float = 20.0) -> None:
        """Until what lives here does next to nothing for a while, or never does by then."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with meter.Meter() as watched:
                time.sleep(_WHILE)
            if watched.cpu < _NEXT_TO_NOTHING * watched.wall:
                return

    def controllers(self, count: int) -> list[int]:
        """PIDs of the controllers of the newest ``count`` unfinished jobs."""
        rows = self.door.queue(limit=count)
        found = [row["controller_pid"] for row in rows if row["controller_alive"]]
        if len(found) != count:
            raise RuntimeError(f"{len(found)} controllers live, and not {count}")
        return found

    def until_rest(self, count: int, after: float) -> list[int]:
        """Until small processes wait in place of all controllers, as they do ``after`` seconds.

        That is when no job's process has changed for longer; the processes that wait.
        """
        seen: tuple[float, set[int]] = (time.monotonic(), set())

        def all_rest() -> bool:
            nonlocal seen
            pids = {row["controller_pid"] for row in self.door.queue(limit=count)}
            if pids != seen[1]:
                seen = (time.monotonic(), pids)
            time.sleep(_WHILE)
            return time.monotonic() - seen[0] > after + _CALM

        self.wait_for(all_rest, "controllers to rest", 600)
        self.settle()
        return self.controllers(count)

    def require_succeeded(self, count: int) -> None:
        """What ran must have done so, else its speed means nothing. Raises ``RuntimeError``."""
        found = self.door.queue(all=True, limit=count + 1)
        good = sum(row["status"] == "SUCCEEDED" for row in found)
        if good != count:
            raise RuntimeError(f"{good} jobs have succeeded, and not {count}")

    def close(self) -> None:
        """End whatever lives below this program, and let go of the database."""
        meter.end_all()
        self.door.context.db.close()


@dataclass
class Bench:
    """One run of the bench. ``folder``: for homes on disk; ``say``: tells how it goes on."""

    folder: Path
    quick: bool = False
    say: Callable[[str], None] = lambda _: None
    #: Whether memory is looked at once more an hour later.
    hour: bool = False
    #: Which repeat this is, from 0: the seed of what is left to chance.
    repeat: int = 0
    _made: list[Path] = field(default_factory=list)
    _kept: dict[str, Path] = field(default_factory=dict)

    def size(self, full: int, quick: int) -> int:
        """How many, by how long it may take."""
        return quick if self.quick else full

    def in_memory(self) -> Path | None:
        """Where a home in memory can be, if anywhere."""
        return _SHM if _SHM.is_dir() else None

    def fresh(self, base: Path | None = None) -> Path:
        """An empty folder, removed at the end of the run."""
        where = self.folder if base is None else base
        where.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix="jobsched-bench-", dir=where))
        self._made.append(made)
        return made

    @contextmanager
    def site(self, base: Path | None = None) -> Iterator[Site]:
        """A fresh home on disk, or below ``base``; everything that lives is ended afterwards."""
        with self._open(self.fresh(base)) as site:
            yield site

    @contextmanager
    def kept(self, name: str, make: Callable[[Site], None]) -> Iterator[Site]:
        """A home that is made once a run, by ``make``, and used again and again."""
        if name not in self._kept:
            root = self.fresh()
            with self._open(root) as site:
                make(site)
            self._kept[name] = root
        with self._open(self._kept[name]) as site:
            yield site

    @contextmanager
    def _open(self, root: Path) -> Iterator[Site]:
        site = Site(root)
        try:
            yield site
        finally:
            site.close()

    def clean(self) -> None:
        """Leave nothing: no process, no folder."""
        with suppress(TimeoutError):
            meter.end_all()
        for path in self._made:
            shutil.rmtree(path, ignore_errors=True)
        with suppress(OSError):
            self.folder.rmdir()


def console_script(name: str = "jobsched") -> str:
    """The command as it is installed beside this Python."""
    return str(Path(sys.executable).with_name(name))


def others(controllers: list[int]) -> list[int]:
    """PIDs of the nursery and of those that it keeps beside controllers: they tick.

    Raises ``LookupError`` if there is none.
    """
    known = set(controllers)
    found = [
        one.pid
        for one in procfs.living()
        if one.pid not in known and "jobsched.controller.nest" in procfs.command_line(one.pid)
    ]
    if not found:
        raise LookupError("no nursery lives")
    return found
