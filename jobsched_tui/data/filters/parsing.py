"""From what was typed to a :class:`Query`, or to the one thing that is wrong with it.

Each word becomes a clause by itself; a query is its clauses together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from jobsched.api import Field, Op, Order, Term
from jobsched.errors import InvalidInput
from jobsched_tui.data.filters import values
from jobsched_tui.data.filters.fields import (
    ABSENT,
    ABSENT_WORDS,
    ALIASES,
    FIELDS,
    LIMIT,
    SORT,
    SORTS,
    UNSORTED,
    Kind,
    Value,
)
from jobsched_tui.data.filters.local import STANDINGS
from jobsched_tui.data.filters.query import FilterError, LocalField, LocalTerm, Query
from jobsched_tui.data.filters.words import HEAD, NOT, Word, in_quotes, words

_MOST_ROWS: Final = 1_000_000
_WHOLE: Final = re.compile("[0-9]{1,9}")
_COMPARISONS: Final = frozenset({Op.MORE, Op.LESS, Op.AT_LEAST, Op.AT_MOST})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clause:
    """What one word asks for. ``text``: its one spelling."""

    text: str
    terms: tuple[Term, ...] = ()
    local: tuple[LocalTerm, ...] = ()
    sort: tuple[Order, ...] = ()
    limit: int | None = None


def parse(text: str) -> Query:
    """Understand a filter. Raises ``FilterError``, and nothing else, whatever is typed."""
    found = words(text)
    clauses = [_clause(word) for word in found]
    _refuse_second([word for word, clause in zip(found, clauses, strict=True) if clause.sort])
    _refuse_second([word for word, clause in zip(found, clauses, strict=True) if clause.limit])
    return Query(
        terms=tuple(term for clause in clauses for term in clause.terms),
        local=tuple(term for clause in clauses for term in clause.local),
        sort=tuple(order for clause in clauses for order in clause.sort),
        limit=next((clause.limit for clause in clauses if clause.limit), None),
        text=" ".join(clause.text for clause in clauses),
    )


def _refuse_second(same: Sequence[Word]) -> None:
    for word in same[1:]:
        raise word.error("a list has one order and one limit; this is the second")


def _clause(word: Word) -> _Clause:
    try:
        return _read(word)
    except FilterError:
        raise
    except InvalidInput as error:  # what makes no sense to the store either
        raise word.error(str(error)) from None


def _read(word: Word) -> _Clause:
    negated = word.mask.startswith(NOT)
    body = word.part(1) if negated else word
    head = HEAD.match(body.mask)
    if head is None:
        return _plain(body, negated=negated)
    typed, symbol = head[1].lower(), head[2]
    name, rest = ALIASES.get(typed, typed), body.part(head.end())
    if name in FIELDS:
        if symbol not in FIELDS[name][1].ops:
            usable = " ".join(f"{name}{usable}" for usable in FIELDS[name][1].ops)
            raise body.error(f"{name} is not compared by {symbol}", f"it takes {usable}")
        return _field(name, symbol, rest, negated=negated)
    if name not in (SORT, LIMIT):
        raise _no_field(body.part(0, head.end(1)), name)
    if negated or symbol not in (":", "="):
        raise word.error(f"{name} says how the list is made; write it as {name}:")
    return _sort(rest) if name == SORT else _limit(rest)


def _no_field(name: Word, known_as: str) -> FilterError:
    if known_as in ABSENT:
        return name.error(ABSENT[known_as])
    guess = values.nearest(known_as, [*FIELDS, *ALIASES, SORT, LIMIT])
    hint = f"did you mean {guess}?" if guess else "text with such a sign in it stands in quotes"
    return name.error(f"there is no field {known_as[:40]}", hint)


def _plain(body: Word, *, negated: bool) -> _Clause:
    """A word that names no field: text to look for."""
    parts = tuple(part.text for part in _filled(body, "a word"))
    first, *others = parts
    text = "|".join([in_quotes(first, alone=True), *map(in_quotes, others)])
    return _Clause(
        text=_signed(text, negated=negated),
        terms=(Term(Field.TEXT, Op.CONTAINS, parts, negated),),
    )


def _field(name: str, symbol: str, rest: Word, *, negated: bool) -> _Clause:
    target, kind = FIELDS[name]
    op = kind.ops[symbol]
    whole = op is Op.MATCHES  # in a pattern | and , have meanings of their own
    parts = _filled(rest, f"a value behind {name}{symbol}", split=not whole)
    if op in _COMPARISONS and len(parts) > 1:
        raise parts[1].error(f"{name}{symbol} compares with one value")
    found = tuple(value for part in parts for value in _values(name, part, kind, symbol))
    spelled = ",".join(in_quotes(kind.spell(part.text), splits=not whole) for part in parts)
    text = _signed(f"{name}{symbol}{spelled}", negated=negated)
    if isinstance(target, Field):
        return _Clause(text=text, terms=(Term(target, op, found, negated),))
    return _look(text, LocalTerm(target, op, found, negated))


def _look(text: str, term: LocalTerm) -> _Clause:
    """A clause that only a row can answer, unless the database knows that word too."""
    if term.field in STANDINGS and len(term.values) == 1:
        same = STANDINGS[term.field][str(term.values[0])].terms
        if len(same) == 1 or (same and not term.negated):
            terms = tuple(replace(one, negated=one.negated is not term.negated) for one in same)
            return _Clause(text=text, terms=terms)
    return _Clause(text=text, local=(term,))


def _values(name: str, part: Word, kind: Kind, symbol: str) -> tuple[Value, ...]:
    """What one alternative stands for."""
    spelled = kind.spell(part.text)
    if name == LocalField.IS and spelled in ABSENT_WORDS:
        raise part.error(ABSENT_WORDS[spelled])
    if symbol == ":" and spelled in kind.families:
        return kind.families[spelled]
    read = values.pattern if kind.ops[symbol] is Op.MATCHES else kind.read
    try:
        return (read(part.text),)
    except values.Unfit as error:
        raise part.error(error.message, error.suggestion, at=error.at) from None


def _sort(rest: Word) -> _Clause:
    orders: list[tuple[str, Order]] = []
    for part in _filled(rest, "what to sort by"):
        descending = part.text.startswith("-")
        typed = values.spelled(part.text.removeprefix("-"))
        name = ALIASES.get(typed, typed)
        if name in UNSORTED:
            raise part.error(f"{name} is known of the rows on the screen alone, not of a list")
        try:
            by = SORTS[values.one_of(name, SORTS)]
        except values.Unfit as error:
            raise part.error(error.message, error.suggestion) from None
        orders.append((f"{'-' if descending else ''}{name}", Order(by, descending)))
    return _Clause(
        text=f"{SORT}:{','.join(name for name, _ in orders)}",
        sort=tuple(order for _, order in orders),
    )


def _limit(rest: Word) -> _Clause:
    limit = int(rest.text) if _WHOLE.fullmatch(rest.text) else 0
    if not 1 <= limit <= _MOST_ROWS:
        raise rest.error(f"a limit is a number of rows from 1 to {_MOST_ROWS}")
    return _Clause(text=f"{LIMIT}:{limit}", limit=limit)


def _filled(word: Word, what: str, *, split: bool = True) -> Sequence[Word]:
    """The alternatives of a word, of which none may be empty."""
    parts = list(word.alternatives()) if split else [word]
    for part in parts:
        if not part.text:
            raise part.error(f"{what} is missing here")
    return parts


def _signed(text: str, *, negated: bool) -> str:
    return f"-{text}" if negated else text
