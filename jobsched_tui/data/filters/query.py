"""A filter, understood: values that are valid once they are made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique

from jobsched.api import Op, Order, Term
from jobsched.errors import InvalidInput


@unique
class LocalField(StrEnum):
    """What only a look at a row, its processes and its logs can tell."""

    #: Bytes, of the controller and the tasks together.
    RSS = "rss"
    #: Percent of one core, likewise.
    CPU = "cpu"
    #: The last controller's.
    PID = "pid"
    #: The last line of the newest log.
    LOG = "log"
    #: Why it is where it is: code and sentence.
    WHY = "why"
    #: Words of ``is:`` and ``has:``.
    IS = "is"
    HAS = "has"


@dataclass(frozen=True, slots=True)
class LocalTerm:
    """One condition that the database cannot answer; a job must meet all of them.

    Several ``values``: one of them is enough. What is not known of a job meets no condition, and
    ``negated`` every one.
    """

    field: LocalField
    op: Op
    values: tuple[str | float, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Which jobs, in which order. ``Query()``: all of them."""

    terms: tuple[Term, ...] = ()
    local: tuple[LocalTerm, ...] = ()
    #: Empty: the newest first.
    sort: tuple[Order, ...] = ()
    #: Only the first so many; ``None``: all.
    limit: int | None = None
    #: The filter in its one spelling; :func:`parse` makes an equal query of it.
    text: str = ""


class FilterError(InvalidInput):
    """A filter that is not understood; ``str()`` is a sentence.

    ``text[start:end]`` is what is wrong with ``text``; ``suggestion`` may be empty. A message may
    quote what was typed, so it is shown like any text from outside.
    """

    def __init__(self, text: str, start: int, end: int, message: str, suggestion: str = "") -> None:
        self.text, self.start, self.end = text, start, end
        self.message, self.suggestion = message, suggestion
        super().__init__(f"{message}; {suggestion}" if suggestion else message)
