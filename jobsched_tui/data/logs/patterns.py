"""What is looked for in a log: a regular expression over its bytes, with smart case.

Owns how what a person typed is understood, and what an error looks like. A pattern also carries
*needles*, of which every match contains one: whole blocks that have none are passed over quickly.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from typing import Final

from jobsched_tui.data.elsewhere.safety import is_quick

_ESCAPED: Final = re.compile(r"\\.")
_SPECIAL: Final = re.compile(r"[\\.^$*+?{}\[\]|()]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something to look for, in bytes and in text."""

    #: As it was typed.
    source: str
    regex: re.Pattern[bytes] = field(repr=False)
    text_regex: re.Pattern[str] = field(repr=False)
    #: One of them is in every match; none: nothing is known.
    needles: tuple[bytes, ...] = ()
    #: Whether needles are lower case and are to be looked for in lower case.
    folded: bool = False
    #: Whether it is found, or not, in hardly more time than a look at the text takes.
    is_quick: bool = False

    def may_be_in(self, data: bytes) -> bool:
        """Whether it is worth while to look closer."""
        if not self.needles:
            return True
        searched = data.lower() if self.folded else data
        return any(needle in searched for needle in self.needles)


def compile_pattern(source: str, *, literal: bool = False) -> Pattern:
    """What a person typed: a regular expression if it is one, else just these characters.

    A capital letter in it (one behind a backslash is none) makes it mind case.
    """
    literal = literal or not _is_expression(source)
    folded = not any(character.isupper() for character in _ESCAPED.sub("", source))
    expression = re.escape(source) if literal else source
    needle = source.encode("utf-8", "surrogateescape")
    is_plain = (literal or not _SPECIAL.search(source)) and (source.isascii() or not folded)
    needles = (needle,) if is_plain and needle else ()
    quick = literal or is_quick(source)
    return _pattern(source, expression, needles, folded=folded, quick=quick)


def _is_expression(source: str) -> bool:
    """Whether it is one, and one that is not likely to mean something else."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(source)
            re.compile(source.encode("utf-8", "surrogateescape"))
    except (re.error, Warning, OverflowError, RecursionError):
        return False
    return True


def _pattern(
    source: str, expression: str, needles: tuple[bytes, ...], *, folded: bool, quick: bool
) -> Pattern:
    flags = re.MULTILINE | (re.IGNORECASE if folded else 0)
    data = expression.encode("utf-8", "surrogateescape")
    return Pattern(
        source,
        re.compile(data, flags),
        re.compile(expression, flags),
        needles,
        folded=folded,
        is_quick=quick,
    )


#: What errors look like: words of loggers, of Python and of programs that print "error: ...".
ERROR: Final = _pattern(
    "error",
    r"\b(?:ERROR|FATAL|CRITICAL|Traceback|panic:|[Ee]rror:|[A-Z]\w*(?:Error|Exception)\b)",
    (b"ERROR", b"FATAL", b"CRITICAL", b"Traceback", b"panic:", b"rror", b"Exception"),
    folded=False,
    quick=True,
)
