"""Which jobs a filter lets through, also where it holds a regular expression that never ends.

Owns who asks the database: we, or, where an expression may take long, a process with a watch of its
own that may be killed. SQLite calls back for each row, and until it is through nothing else runs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from jobsched.api import Key, Op, Order, Past, Scheduler, Term, Watch
from jobsched_tui.data.elsewhere.asking import Helper
from jobsched_tui.data.elsewhere.safety import is_quick

#: Seconds of a CPU for one question: the names of a hundred thousand jobs take a quarter of one.
_MOST: Final = 2.0

#: An expression, and a text that it may be found in.
Pair: TypeAlias = tuple[str, str]


class Asked(Protocol):
    """What is asked for jobs: a ``Watch``, or a :class:`Judge`. ``now``: for ages and runtimes."""

    def listing(
        self, terms: Sequence[Term] = (), sort: Sequence[Order] = (), *, now: float | None = None
    ) -> list[tuple[Key, int]]:
        """Sort key and id of every job that matches, in order."""
        ...

    def matching(
        self,
        job_ids: Collection[int],
        terms: Sequence[Term] = (),
        sort: Sequence[Order] = (),
        *,
        now: float | None = None,
    ) -> dict[int, Key]:
        """The keys of those of some jobs that match."""
        ...


class Judge:
    """A watch that no expression can hold up for long. All questions may raise ``TooLong``."""

    def __init__(self, watch: Asked, home: Path, seconds: float = _MOST) -> None:
        self._watch, self._home = watch, home
        self._helper = Helper(seconds)

    def listing(
        self, terms: Sequence[Term] = (), sort: Sequence[Order] = (), *, now: float | None = None
    ) -> list[tuple[Key, int]]:
        """Sort key and id of every job that matches, in order."""
        if _are_quick(terms):
            self._helper.rest()  # another filter: it is not needed for each change any more
            return self._watch.listing(terms, sort, now=now)
        return self._helper.ask(_listing, self._home, tuple(terms), tuple(sort), now)

    def matching(
        self,
        job_ids: Collection[int],
        terms: Sequence[Term] = (),
        sort: Sequence[Order] = (),
        *,
        now: float | None = None,
    ) -> dict[int, Key]:
        """The keys of those of some jobs that match."""
        if _are_quick(terms):
            return self._watch.matching(job_ids, terms, sort, now=now)
        ids = tuple(job_ids)
        return self._helper.ask(_matching, self._home, ids, tuple(terms), tuple(sort), now)

    def past(
        self, past: Past, terms: Sequence[Term], sort: Sequence[Order]
    ) -> list[tuple[Key, int]]:
        """Sort key and id of every job that matched at a moment of the past, in order."""
        if _are_quick(terms):
            return past.listing(terms, sort)
        return self._helper.ask(_past, self._home, past.seq, tuple(terms), tuple(sort))

    def found(self, pairs: Collection[Pair]) -> frozenset[Pair]:
        """Those of which the expression is found in the text."""
        quick = {pair for pair in pairs if is_quick(pair[0])}
        others = frozenset(pair for pair in pairs if pair not in quick)
        slow = self._helper.ask(_found, others) if others else frozenset()
        return _found(quick) | slow

    def close(self) -> None:
        """Let go of the other process. It is not asked any more."""
        self._helper.stop()


def _are_quick(terms: Sequence[Term]) -> bool:
    return all(is_quick(str(one)) for term in terms if term.op is Op.MATCHES for one in term.values)


# What the other process does.


@lru_cache(maxsize=1)
def _watch(home: Path) -> Watch:
    return Scheduler(home).watch()


@lru_cache(maxsize=1)
def _moment(home: Path, seq: int) -> Past:
    return _watch(home).past(seq)


def _listing(
    home: Path, terms: Sequence[Term], sort: Sequence[Order], now: float | None
) -> list[tuple[Key, int]]:
    return _watch(home).listing(terms, sort, now=now)


def _matching(
    home: Path,
    job_ids: Sequence[int],
    terms: Sequence[Term],
    sort: Sequence[Order],
    now: float | None,
) -> dict[int, Key]:
    return _watch(home).matching(job_ids, terms, sort, now=now)


def _past(
    home: Path, seq: int, terms: Sequence[Term], sort: Sequence[Order]
) -> list[tuple[Key, int]]:
    return _moment(home, seq).listing(terms, sort)


def _found(pairs: Collection[Pair]) -> frozenset[Pair]:
    return frozenset(pair for pair in pairs if re.search(*pair))
