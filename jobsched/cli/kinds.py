"""Kinds of values on a command line: from a word to a value, or a sentence for whoever wrote it."""

from __future__ import annotations

import argparse
import re
from typing import Final

from jobsched.bounds import MOST_JOBS, PRIORITIES
from jobsched.errors import InvalidInput
from jobsched.states import TaskStatus

_WHOLE: Final = re.compile("[0-9]{1,18}")
_SIGNED: Final = re.compile("[+-]?[0-9]{1,18}")


def job_id(word: str) -> int:
    """A job's number."""
    if not _WHOLE.fullmatch(word) or int(word) == 0:
        raise argparse.ArgumentTypeError(
            f"{word!r} is no job's number; `jobsched queue` lists them"
        )
    return int(word)


def number(word: str) -> int:
    """A whole number of 0 or more."""
    return _at_least(0, word)


def count(word: str) -> int:
    """A whole number of at least 1."""
    return _at_least(1, word)


def _at_least(least: int, word: str) -> int:
    if not _WHOLE.fullmatch(word) or int(word) < least:
        raise argparse.ArgumentTypeError(
            f"expected a whole number of at least {least}, found {word!r}"
        )
    return int(word)


def priority(word: str) -> int:
    """A priority."""
    if not _SIGNED.fullmatch(word) or int(word) not in PRIORITIES:
        raise argparse.ArgumentTypeError(
            f"expected a number from {PRIORITIES[0]} to {PRIORITIES[-1]}, found {word!r}"
        )
    return int(word)


def limit(word: str) -> int | str:
    """A limit: a number or ``auto``."""
    if word.lower() == "auto":
        return "auto"
    if not _WHOLE.fullmatch(word) or int(word) > MOST_JOBS:
        raise argparse.ArgumentTypeError(
            f"expected a number from 0 to {MOST_JOBS} or auto, not {word!r}"
        )
    return int(word)


def seconds(word: str) -> float:
    """A span of time, in seconds or as in ``90s``, ``5m``, ``12h``, ``30d``."""
    from jobsched.dag.durations import parse_duration  # noqa: PLC0415 -- loaded when used

    try:
        return parse_duration(word)
    except InvalidInput as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def statuses(words: str) -> tuple[TaskStatus, ...]:
    """Statuses, separated by commas, in any case."""
    return tuple(_status(word.strip()) for word in words.split(",") if word.strip())


def _status(word: str) -> TaskStatus:
    try:
        return TaskStatus(word.upper())
    except ValueError:
        from difflib import get_close_matches  # noqa: PLC0415 -- only for who made a mistake

        near = get_close_matches(word.upper(), list(TaskStatus), n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(TaskStatus)}"
        raise argparse.ArgumentTypeError(f"{word!r} is no status; {hint}") from None
