"""What Tab offers while a filter is typed.

Owns the candidates for the word under the cursor; the part of it before the cursor decides.
"""

from __future__ import annotations

from collections.abc import Iterable

from jobsched_tui.data.filters.fields import ALIASES, FIELDS, LIMIT, SORT, SORTS
from jobsched_tui.data.filters.query import FilterError
from jobsched_tui.data.filters.values import spelled
from jobsched_tui.data.filters.words import HEAD, NOT, words


def complete(text: str, cursor: int) -> list[str]:
    """Words that the one before the cursor may become, in the order of the help."""
    begun = _begun(text, cursor)
    if begun is None:
        return []
    sign = begun[:1] if begun.startswith(NOT) else ""
    body = begun[len(sign) :]
    head = HEAD.match(body)
    if head is None:
        known = FIELDS if sign else [*FIELDS, SORT, LIMIT]
        names = [name for name in known if name.startswith(body.lower())]
        return [f"{sign}{name}{_usual(name)}" for name in names]
    typed = head[1].lower()
    options = _options(ALIASES.get(typed, typed), head[2])
    return [sign + word for word in _behind(body, head.end(), options)]


def completed(text: str, cursor: int, candidate: str) -> tuple[str, int]:
    """The filter with that candidate in it, and where the cursor then is."""
    place = min(max(0, cursor), len(text))
    start = place - len(_begun(text, cursor) or "")
    return text[:start] + candidate + text[place:], start + len(candidate)


def _begun(text: str, cursor: int) -> str | None:
    """The word before the cursor; ``None`` if it is in quotes, where nothing is known."""
    before = text[: max(0, cursor)]
    if not before or before[-1].isspace():
        return ""
    try:
        last = words(before)[-1]
    except FilterError:
        return None
    return last.text if last.mask == before[last.start : last.end] else None


def _usual(name: str) -> str:
    """What usually stands behind a field's name."""
    return next(iter(FIELDS[name][1].ops)) if name in FIELDS else ":"


def _options(name: str, symbol: str) -> Iterable[str]:
    if name == SORT:
        return [*SORTS, *(f"-{by}" for by in SORTS)]
    if name in FIELDS and symbol in FIELDS[name][1].ops:
        return FIELDS[name][1].words
    return ()


def _behind(body: str, start: int, options: Iterable[str]) -> list[str]:
    """The last of the values behind a field, completed; those that stand there already are not."""
    start_of_last = max(start, body.rfind(",") + 1, body.rfind("|") + 1)
    there = {spelled(value) for value in body[start:start_of_last].replace("|", ",").split(",")}
    begun = body[start_of_last:].lower()
    return [
        body[:start_of_last] + word
        for word in options
        if word.startswith(begun) and spelled(word) not in there
    ]
