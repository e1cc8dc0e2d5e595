"""Where the problems of one file are collected, each with its place. Decides only their order."""

from __future__ import annotations

from typing import Any, NamedTuple

from jobsched.dag.loaded import Mode
from jobsched.errors import InvalidDag, Problem

#: Keys and list indices that lead from the top of a document to a value.
KeyPath = tuple[str | int, ...]


class Place(NamedTuple):
    """A stretch of a file: line and column (from 1) of its start, and its offsets in the text."""

    line: int
    column: int
    start: int
    end: int

    @classmethod
    def of_marks(cls, start: Any, end: Any) -> Place:
        """From a parser's marks, which count from 0."""
        return cls(start.line + 1, start.column + 1, start.index, end.index)

    @classmethod
    def of_offset(cls, text: str, offset: int) -> Place:
        """The single character at ``offset`` of ``text``."""
        line_start = text.rfind("\n", 0, offset) + 1
        return cls(text.count("\n", 0, offset) + 1, offset - line_start + 1, offset, offset + 1)

    @property
    def position(self) -> tuple[int, int]:
        """Line and column alone."""
        return self.line, self.column

    def touches(self, other: Place) -> bool:
        """Whether the two stretches have a character in common."""
        return self.start < other.end and other.start < self.end


#: Where a problem stands that belongs to the whole file or to an argument.
TOP = Place(1, 1, 0, 0)


class Report:
    """The errors and warnings found so far in one file. Saying the same twice counts once."""

    def __init__(self, file: str, mode: Mode) -> None:
        self._file, self._mode = file, mode
        self._errors: set[Problem] = set()
        self._warnings: set[Problem] = set()

    def error(self, place: Place, message: str, hint: str = "") -> None:
        """Something for which the file is refused."""
        self._errors.add(Problem(self._file, place.line, place.column, message, hint))

    def warn(self, place: Place, message: str, hint: str = "") -> None:
        """Something the author should know, though the file is accepted."""
        self._warnings.add(Problem(self._file, place.line, place.column, message, hint))

    def unmet(self, place: Place, message: str, hint: str = "") -> None:
        """Something that must be there to run: an error for ``submit``, else a warning."""
        (self.error if self._mode == "submit" else self.warn)(place, message, hint)

    def raise_errors(self) -> None:
        """Raise ``InvalidDag`` if there is any error."""
        if self._errors:
            raise InvalidDag(_in_order(self._errors))

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found."""
        return not (self._errors or self._warnings)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """All warnings, in the order of the file."""
        return _in_order(self._warnings)


def _in_order(problems: set[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda p: (p.line, p.column, p.message, p.hint)))
