"""Values as an operator writes them, each kind with its reader.

A reader gives the value, or raises :class:`Unfit`: a sentence without a place.
"""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Iterable
from typing import Final

from jobsched_tui.data.filters.words import shown

_NUMBER: Final = r"[0-9]{1,15}(?:\.[0-9]{1,9})?"
_SIGNED: Final = re.compile(rf"[+-]?{_NUMBER}")
_WHOLE: Final = re.compile(r"[0-9]{1,15}")
_PERCENT: Final = re.compile(rf"({_NUMBER})%?")
_SPAN: Final = re.compile(rf"({_NUMBER})([smhdw]?)", re.IGNORECASE)
_SIZE: Final = re.compile(rf"({_NUMBER})([kmgt]?)(?:i?b)?", re.IGNORECASE)
_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_BYTES: Final = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class Unfit(ValueError):
    """A value is not of its kind. ``at``: which of its characters is wrong."""

    def __init__(self, message: str, suggestion: str = "", *, at: int | None = None) -> None:
        self.message, self.suggestion, self.at = message, suggestion, at
        super().__init__(message)


def number(text: str) -> float:
    """A number, also below zero."""
    if not _SIGNED.fullmatch(text):
        raise Unfit(f"{shown(text)} is no number")
    return float(text)


def whole(text: str) -> float:
    """A whole number."""
    if not _WHOLE.fullmatch(text):
        raise Unfit(f"{shown(text)} is no whole number")
    return int(text)


def percent(text: str) -> float:
    """Percent of one core: ``50`` or ``50%``."""
    if not (match := _PERCENT.fullmatch(text)):
        raise Unfit(f"{shown(text)} is no number of percent", "100 is one core")
    return float(match[1])


def span(text: str) -> float:
    """Seconds, from ``90``, ``90s``, ``5m``, ``12h``, ``30d`` or ``2w``."""
    if not (match := _SPAN.fullmatch(text)):
        raise Unfit(f"{shown(text)} is no span of time", "write it as 90s, 5m, 12h, 30d or 2w")
    return float(match[1]) * _SECONDS[match[2].lower()]


def size(text: str) -> float:
    """Bytes, from ``4096``, ``64k``, ``512m``, ``4g`` or ``1t``; a k is 1024."""
    if not (match := _SIZE.fullmatch(text)):
        raise Unfit(f"{shown(text)} is no size", "write it as 64k, 512m, 4g or 1t")
    return float(match[1]) * _BYTES[match[2].lower()]


def pattern(text: str) -> str:
    """A regular expression."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what some later Python may read otherwise
            re.compile(text)
    except re.error as error:
        message = f"no regular expression: {error.msg}"
        raise Unfit(message, at=error.pos) from None
    except (OverflowError, RecursionError):
        raise Unfit("more than a regular expression can be") from None
    return text


def one_of(text: str, allowed: Iterable[str]) -> str:
    """One of some words, in upper or lower case, with ``-`` for ``_`` if one likes."""
    known, word = list(allowed), spelled(text)
    if word not in known:
        guess = nearest(word, known)
        message = f"{shown(text)} is none of {', '.join(known)}"
        raise Unfit(message, f"did you mean {guess}?" if guess else "")
    return word


def spelled(text: str) -> str:
    """A word in its one spelling."""
    return text.lower().replace("-", "_")


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that may have been meant; empty if none is near."""
    near = difflib.get_close_matches(word.lower(), known, n=1)
    return near[0] if near else ""
