"""Kinds of values that a setting can have: what each is called, accepts and looks like as text.

Owns checking and the words of a refusal; knows no setting and reads no file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, NamedTuple


class Kind(NamedTuple):
    """One kind of value."""

    #: Completes "expected ...".
    expected: str
    #: From the form of ``config.toml`` to that of the program. Raises ``ValueError`` or ``Unfit``.
    accept: Callable[[Any], Any]
    #: From the text of an environment variable to the form of ``config.toml``; ``None``: a text
    #: cannot hold such a value. Raises ``ValueError``.
    parse: Callable[[str], object] | None


class Fault(NamedTuple):
    """One thing wrong with a value."""

    #: The keys that lead to it from where reading began.
    path: tuple[str, ...]
    message: str


class Unfit(ValueError):
    """A value was not accepted. ``faults``: all that is wrong with it, at least one."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__("; ".join(fault.message for fault in faults))


def fit(kind: Kind, raw: object, *path: str, what: str = "") -> Any:
    """``raw`` in the form of the program. Raises ``Unfit`` with all places under ``path``."""
    try:
        return kind.accept(raw)
    except Unfit as unfit:
        raise Unfit(*(Fault((*path, *one.path), one.message) for one in unfit.faults)) from None
    except ValueError:
        shown = json.dumps(raw, ensure_ascii=False, default=str)
        raise Unfit(Fault(path, f"expected {what}{kind.expected}, found {shown}")) from None


def nearest(word: str, known: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """The one of ``known`` that ``word`` may have been meant to be; ``likeness``: 0 any, 1 same."""
    from difflib import get_close_matches  # noqa: PLC0415 - who makes no mistake need not load it

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=likeness)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a refusal of ``word``: the nearest of ``known``, or all of them."""
    names = list(known)
    near = nearest(word, names)
    return f"; did you mean {near}?" if near else f"; there are {', '.join(names)}"


def number(low: float, high: float) -> Kind:
    """A number within bounds, whole or not."""

    def accept(raw: Any) -> float:
        _require(type(raw) in {int, float} and low <= raw <= high)
        return float(raw)

    return Kind(f"a number from {low:.10g} to {high:.10g}", accept, float)


def count(low: int, high: int) -> Kind:
    """A whole number within bounds."""

    def accept(raw: Any) -> int:
        _require(type(raw) is int and low <= raw <= high)
        return int(raw)

    return Kind(f"a whole number from {low} to {high}", accept, int)


def auto_or(kind: Kind) -> Kind:
    """``"auto"``, which the program sees as ``None``, or a value of ``kind``."""
    parse_other = kind.parse

    def accept(raw: Any) -> Any:
        return None if raw == "auto" else kind.accept(raw)

    def parse(text: str) -> object:
        return text if text == "auto" or parse_other is None else parse_other(text)

    return Kind(f'"auto" or {kind.expected}', accept, parse)


def flag() -> Kind:
    """True or false."""
    texts = {"true": True, "1": True, "false": False, "0": False}

    def accept(raw: Any) -> bool:
        _require(type(raw) is bool)
        return bool(raw)

    def parse(text: str) -> bool:
        _require(text.lower() in texts)
        return texts[text.lower()]

    return Kind("true or false", accept, parse)


def text(expected: str, pattern: str) -> Kind:
    """A text that matches ``pattern`` from end to end."""

    def accept(raw: Any) -> str:
        _require(isinstance(raw, str) and re.fullmatch(pattern, raw) is not None)
        return str(raw)

    return Kind(expected, accept, str)


def choice(*options: str) -> Kind:
    """One of a few words."""
    return text(" or ".join(f'"{option}"' for option in options), "|".join(options))


def list_of(item: Kind) -> Kind:
    """A list, as a tuple; as text a JSON list, or entries separated by commas."""

    def accept(raw: Any) -> tuple[Any, ...]:
        _require(isinstance(raw, list))
        return tuple(item.accept(entry) for entry in raw)

    def parse(text: str) -> object:
        if text.lstrip().startswith("["):
            return json.loads(text)
        return [entry.strip() for entry in text.split(",")] if text.strip() else []

    return Kind(f"a list, each entry {item.expected}", accept, parse)


def map_of(name: Kind, value: Kind) -> Kind:
    """A table with keys of the user's choice."""

    def accept(raw: Any) -> dict[str, Any]:
        _require(isinstance(raw, dict))
        every = _Every()
        found = {
            every.fit(name, key, key, what="as its name "): every.fit(value, entry, key)
            for key, entry in raw.items()
        }
        every.require_none()
        return found

    return Kind(f"a table, each entry {value.expected}", accept, None)


def table(cls: type[Any]) -> Kind:
    """A table with the fields of a dataclass as its keys, all optional.

    Each field's metadata holds its ``kind``.
    """
    kinds: dict[str, Kind] = {entry.name: entry.metadata["kind"] for entry in fields(cls)}

    def accept(raw: Any) -> Any:
        _require(isinstance(raw, dict))
        every = _Every()
        found: dict[str, Any] = {}
        for key, value in raw.items():
            if key in kinds:
                found[key] = every.fit(kinds[key], value, key)
            else:
                every.add(Fault((key,), f"there is no such key{did_you_mean(key, kinds)}"))
        every.require_none()
        return cls(**found)

    return Kind("a table", accept, None)


class _Every:
    """Goes through the parts of a value to its end, whatever is found wrong on the way."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []

    def add(self, *faults: Fault) -> None:
        self._faults += faults

    def fit(self, kind: Kind, raw: object, *path: str, what: str = "") -> Any:
        """As :func:`fit`, but what does not fit is kept in mind, and ``None`` stands for it."""
        try:
            return fit(kind, raw, *path, what=what)
        except Unfit as unfit:
            self.add(*unfit.faults)
            return None

    def require_none(self) -> None:
        """Raise ``Unfit`` with all faults, if there are any."""
        if self._faults:
            raise Unfit(*self._faults)


def _require(fits: bool) -> None:  # noqa: FBT001 - it reads as the sentence it is
    if not fits:
        raise ValueError
