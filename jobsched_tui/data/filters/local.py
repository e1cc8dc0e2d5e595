"""What the database cannot answer, asked of one row of the list.

Owns the words of ``is:`` and ``has:``: what each means of a row, and to the database where that can
say it too. Looks at nothing but the values that it is handed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from jobsched.api import Field, Op, Term
from jobsched.states import ALIVE_STATES, FAILURES, ScheduleState
from jobsched_tui.data.filters.query import LocalField, LocalTerm
from jobsched_tui.data.frame import JobLine, Trouble

_Holds: TypeAlias = Callable[[JobLine, Collection[int]], bool]
#: Expressions and texts: those pairs of which the one is found in the other.
Found: TypeAlias = Collection[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One word of ``is:`` or ``has:``."""

    #: Completes "jobs that ...".
    meaning: str
    #: Of a row, and the ids that are marked.
    holds: _Holds
    #: The same for the database, all of them together; empty: it cannot tell.
    terms: tuple[Term, ...] = ()


def _troubled(*troubles: Trouble) -> _Holds:
    return lambda line, _: line.trouble is not None and line.trouble.trouble in troubles


_DONE: Final = Term(Field.STATE, Op.IS, (str(ScheduleState.DONE),))
_NOT_DONE: Final = Term(Field.STATE, Op.IS, (str(ScheduleState.DONE),), negated=True)
_ALIVE: Final = Term(Field.STATE, Op.IS, tuple(sorted(str(state) for state in ALIVE_STATES)))
_FAILED: Final = Term(Field.STATUS, Op.IS, tuple(sorted(str(status) for status in FAILURES)))

_IS: Final[Mapping[str, Standing]] = {
    "alive": Standing(
        meaning="are LAUNCHING, ALIVE or ALIVE_WAITING",
        holds=lambda line, _: line.state in ALIVE_STATES,
        terms=(_ALIVE,),
    ),
    "done": Standing(
        meaning="are DONE",
        holds=lambda line, _: line.state is ScheduleState.DONE,
        terms=(_DONE,),
    ),
    "failed": Standing(
        meaning="have one of the FAILED statuses",
        holds=lambda line, _: line.status in FAILURES,
        terms=(_FAILED,),
    ),
    "held": Standing(
        meaning="are held",
        holds=lambda line, _: line.held,
        terms=(Term(Field.HELD, Op.IS),),
    ),
    "cancelling": Standing(
        meaning="were asked to end and are not DONE",
        holds=lambda line, _: line.cancel_requested and line.state is not ScheduleState.DONE,
        terms=(Term(Field.CANCEL, Op.IS), _NOT_DONE),
    ),
    "marked": Standing(meaning="are marked", holds=lambda line, marks: line.job_id in marks),
    "attention": Standing(meaning="need attention", holds=lambda line, _: line.trouble is not None),
    "dead": Standing(
        meaning="lost their controller", holds=_troubled(Trouble.DEAD, Trouble.REUSED)
    ),
    "stuck": Standing(meaning="print and compute nothing", holds=_troubled(Trouble.STUCK)),
    "stopped": Standing(
        meaning="have a controller that is stopped", holds=_troubled(Trouble.STOPPED)
    ),
    "unknown": Standing(
        meaning="have a controller of which nothing is known", holds=_troubled(Trouble.UNKNOWN)
    ),
    "orphan": Standing(
        meaning="are DONE and left processes behind", holds=_troubled(Trouble.ORPHAN)
    ),
    "blocked": Standing(
        meaning="wait for a job that did not succeed", holds=_troubled(Trouble.BLOCKED)
    ),
}
_HAS: Final[Mapping[str, Standing]] = {
    "error": Standing(
        meaning="have a reason of failure",
        holds=lambda line, _: line.failure_reason is not None,
        terms=(Term(Field.ERROR, Op.IS),),
    ),
    "recovery": Standing(
        meaning="were recovered",
        holds=lambda line, _: line.recovery_count > 0,
        terms=(Term(Field.RECOVERIES, Op.MORE, (0,)),),
    ),
    "restart": Standing(
        meaning="were restarted after an error",
        holds=lambda line, _: line.restart_count > 0,
        terms=(Term(Field.RESTARTS, Op.MORE, (0,)),),
    ),
    "progress": Standing(
        meaning="say how far they are", holds=lambda line, _: line.progress is not None
    ),
}
STANDINGS: Final[Mapping[LocalField, Mapping[str, Standing]]] = MappingProxyType(
    {LocalField.IS: _IS, LocalField.HAS: _HAS}
)


def matches_local(
    line: JobLine, terms: Iterable[LocalTerm], marks: Collection[int], found: Found = ()
) -> bool:
    """Whether a row meets all of ``terms``. ``marks``: ids of the jobs that are marked.

    ``found``: those of :func:`patterns_in` that match. An expression may take for ever, so nobody
    looks for one here.
    """
    return all(_met(line, term, marks, found) is not term.negated for term in terms)


def patterns_in(line: JobLine, terms: Iterable[LocalTerm]) -> Iterator[tuple[str, str]]:
    """Expressions that ``terms`` ask for, each with a text of the row that it may be found in."""
    for term in terms:
        if term.op is Op.MATCHES:
            for text in _texts(line, term):
                yield from ((str(word), text) for word in term.values)


def _met(line: JobLine, term: LocalTerm, marks: Collection[int], found: Found) -> bool:
    match term.field:
        case LocalField.IS | LocalField.HAS:
            known = STANDINGS[term.field]
            return any(known[str(word)].holds(line, marks) for word in term.values)
        case LocalField.LOG | LocalField.WHY:
            return any(_says(term, text, found) for text in _texts(line, term))
        case LocalField.RSS:
            return _compares(term, line.rss)
        case LocalField.CPU:
            return _compares(term, line.cpu)
        case LocalField.PID:
            return _compares(term, line.pid)


def _texts(line: JobLine, term: LocalTerm) -> Sequence[str]:
    """What a term may be found in."""
    if term.field is LocalField.WHY:
        return (line.reason, line.why)
    return () if line.last_line is None else (line.last_line,)


def _says(term: LocalTerm, text: str, found: Found) -> bool:
    """As the database does it: a word in upper or lower case, a pattern as it is written."""
    words = [str(word) for word in term.values]
    if term.op is Op.MATCHES:
        return any((word, text) in found for word in words)
    if term.op is Op.IS:
        return text in words
    return any(word.casefold() in text.casefold() for word in words)


def _compares(term: LocalTerm, number: float | None) -> bool:
    if number is None:
        return False
    return any(_COMPARISONS[term.op](number, float(value)) for value in term.values)


_COMPARISONS: Final[Mapping[Op, Callable[[float, float], bool]]] = {
    Op.IS: lambda found, asked: found == asked,
    Op.MORE: lambda found, asked: found > asked,
    Op.LESS: lambda found, asked: found < asked,
    Op.AT_LEAST: lambda found, asked: found >= asked,
    Op.AT_MOST: lambda found, asked: found <= asked,
}
