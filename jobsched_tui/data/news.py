"""What has happened in a home since the last frame, and to which jobs.

Owns the place in the history up to which everything has been told. Reads the history alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from jobsched.api import Change

#: Rows of the history that are read at once.
_PAGE: Final = 5_000
#: Rows that are told at most: whoever was away for longer than they tell has to look anew anyway.
_MOST: Final = 100_000
#: Jobs that are worth being brought up to date one by one.
_FEW: Final = 1_000

Listener: TypeAlias = Callable[[Sequence[Change]], None]


class History(Protocol):
    """What is asked: a ``Watch``."""

    def version(self) -> int:
        """Another number whenever anybody has committed."""
        ...

    def latest(self) -> int:
        """The newest row."""
        ...

    def changes(self, after: int, *, most: int = 5000) -> list[Change]:
        """The first rows after one, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Happened:
    """What is new."""

    #: Whether anybody has written anything at all, also what leaves no row in the history.
    committed: bool = False
    #: Jobs of which the history says something new; ``None``: of too many, or all of it is new.
    jobs: frozenset[int] | None = frozenset()


class News:
    """The history of one watch, told to ``listeners`` row by row, none twice and none left out."""

    def __init__(self, history: History, listeners: Sequence[Listener] = ()) -> None:
        self._history, self._listeners = history, listeners
        self._version: int | None = None
        #: The newest row that was told, or that was there when the telling began.
        self.seq = 0

    def has_come(self) -> bool:
        """Whether somebody has committed since :meth:`read`."""
        return self._history.version() != self._version

    def read(self) -> Happened:
        """Tell the listeners what has happened since the last call."""
        version = self._history.version()
        if version == self._version:
            return Happened()
        # The version was asked for first: what comes after it is news again.
        if self._version is None:
            self.seq = self._history.latest()
            jobs = None
        else:
            jobs = self._tell()
        self._version = version
        return Happened(committed=True, jobs=jobs)

    def _tell(self) -> frozenset[int] | None:
        jobs: set[int] = set()
        for page in self._pages():
            for listener in self._listeners:
                listener(page)
            if len(jobs) <= _FEW:
                jobs.update(change.job_id for change in page if change.job_id is not None)
            self.seq = page[-1].seq
        return frozenset(jobs) if len(jobs) <= _FEW else None

    def _pages(self) -> Iterator[list[Change]]:
        """Page by page, so that much news needs no more memory than a little."""
        after = max(self.seq, self._history.latest() - _MOST)
        while page := self._history.changes(after, most=_PAGE):
            yield page
            if len(page) < _PAGE:
                return
            after = page[-1].seq
