"""The words of a filter and of a sort order: what can be asked for, and what makes no sense.

Owns :class:`Term` and :class:`Order`, values that are valid once they are made; what they mean to
the database is for ``listing`` to say. Reads nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Any, Final, TypeAlias

from jobsched.errors import InvalidInput
from jobsched.states import ScheduleState, TaskStatus
from jobsched.text import is_storable


@unique
class Field(StrEnum):
    """What a filter asks about."""

    #: Name, id or source: whichever.
    TEXT = "text"
    ID = "id"
    NAME = "name"
    STATE = "state"
    STATUS = "status"
    #: The file as it was submitted.
    SOURCE = "source"
    PRIORITY = "priority"
    #: Seconds since submission, else since creation.
    AGE = "age"
    #: Seconds from the first start to the end, or to now.
    RUNTIME = "runtime"
    ATTEMPT = "attempt"
    RECOVERIES = "recoveries"
    RESTARTS = "restarts"
    #: Why it failed.
    REASON = "reason"
    #: Yes or no: held, asked to end, has a reason of failure.
    HELD = "held"
    CANCEL = "cancel"
    ERROR = "error"


@unique
class Op(StrEnum):
    """How a field is compared."""

    IS = "is"
    #: Anywhere in it, in upper or lower case.
    CONTAINS = "contains"
    #: A regular expression, found anywhere in it.
    MATCHES = "matches"
    LESS = "less"
    MORE = "more"
    AT_LEAST = "at least"
    AT_MOST = "at most"


@dataclass(frozen=True, slots=True)
class Term:
    """One condition of a filter; a job must meet all of them.

    Several ``values``: one of them is enough. A field that is yes or no takes none. Where a job has
    no such thing (no runtime, no reason) the condition is not met, and ``negated`` it is.
    Raises ``InvalidInput``, with a sentence, for what makes no sense.
    """

    field: Field
    op: Op
    values: tuple[str | float, ...] = ()
    negated: bool = False

    def __post_init__(self) -> None:
        _check(self)


@unique
class OrderBy(StrEnum):
    """What a list is sorted by. States and statuses: in the order of a job's life."""

    ID = "id"
    NAME = "name"
    STATE = "state"
    STATUS = "status"
    #: The youngest first.
    AGE = "age"
    STARTED = "started"
    ENDED = "ended"
    PRIORITY = "priority"
    #: Of what still runs: as of the ``now`` that was given.
    RUNTIME = "runtime"


@dataclass(frozen=True, slots=True)
class Order:
    """One sort key. A job without such a value (never started, say) comes last either way."""

    by: OrderBy
    descending: bool = False


#: Where a job stands in a list: as tuples compare, so the jobs stand. Comparable only between keys
#: of the same orders (and of the same ``now``, if one of them is RUNTIME).
Key: TypeAlias = tuple[Any, ...]


#: Fields by what they are compared with: text, one of some words, a number, nothing.
TEXTS: Final = frozenset({Field.TEXT, Field.NAME, Field.SOURCE, Field.REASON})
WORDS: Final[Mapping[Field, type[StrEnum]]] = {
    Field.STATE: ScheduleState,
    Field.STATUS: TaskStatus,
}
FLAGS: Final = frozenset({Field.HELD, Field.CANCEL, Field.ERROR})
_NUMBER_OPS: Final = (Op.IS, Op.LESS, Op.MORE, Op.AT_LEAST, Op.AT_MOST)
_TEXT_OPS: Final = (Op.IS, Op.CONTAINS, Op.MATCHES)

#: Characters of a value at most: SQLite refuses patterns beyond 50,000 bytes.
_MAX_TEXT: Final = 4_000


def _check(term: Term) -> None:
    if term.field in FLAGS:
        if term.op is not Op.IS or term.values:
            raise InvalidInput(f"{term.field} is yes or no: it is compared with nothing")
        return
    allowed = _ops_of(term.field)
    if term.op not in allowed:
        raise InvalidInput(
            f"{term.field} cannot be asked for '{term.op}', only for {', '.join(allowed)}"
        )
    if not term.values:
        raise InvalidInput(f"{term.field} needs a value to compare with")
    for value in term.values:
        _check_value(term, value)


def _ops_of(field: Field) -> tuple[Op, ...]:
    if field in TEXTS:
        return _TEXT_OPS
    return (Op.IS,) if field in WORDS else _NUMBER_OPS


def _check_value(term: Term, value: str | float) -> None:
    if term.field not in TEXTS and term.field not in WORDS:
        if isinstance(value, str) or not math.isfinite(value):
            raise InvalidInput(f"{term.field} is a number, which {value!r} is not")
    elif not isinstance(value, str):
        raise InvalidInput(f"{term.field} is a word, which {value!r} is not")
    elif term.field in WORDS:
        _check_word(term.field, value)
    elif len(value) > _MAX_TEXT or not is_storable(value):
        raise InvalidInput(f"{term.field} cannot be compared with {value[:40]!r}")
    elif term.op is Op.MATCHES:
        _check_pattern(value)


def _check_word(field: Field, value: str) -> None:
    words = [str(word) for word in WORDS[field]]
    if value not in words:
        raise InvalidInput(f"there is no {field} {value[:40]!r}, only {', '.join(words)}")


def _check_pattern(value: str) -> None:
    try:
        re.compile(value)
    except re.error as error:
        where = "" if error.pos is None else f" at position {error.pos}"
        raise InvalidInput(f"{value!r} is no regular expression: {error.msg}{where}") from error
    except (OverflowError, RecursionError) as error:
        raise InvalidInput(f"{value[:40]!r} is too much for a regular expression") from error
