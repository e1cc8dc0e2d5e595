"""What the console remembers from one run to the next, in a file of the home that it belongs to.

Owns the file's form, its bounds and its two errands. What is broken in it is left out and said in a
note, never fatal: whoever cannot remember starts afresh. A console that only reads does not save.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

#: The file's name in the home.
FILE_NAME: Final = "console.json"

#: Entries of ``filter_history``, ``saved_views`` and ``columns`` that are kept.
MOST_ENTRIES: Final = 50
#: Characters of any one text; a filter has no more.
MOST_TEXT: Final = 1_000
#: Bytes of the file; the longest texts of the widest characters fit.
MOST_BYTES: Final = 2 * 1024 * 1024

#: Names that a note gives; of more it says that there are more.
_NAMED: Final = 5
_NAME_SHOWN: Final = 40
_HIGHEST: Final = 2**63 - 1
_FOREIGN: Final = "it is not a console's memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """How a person left the console. ``Session()``: nobody has been here."""

    #: The tab of the job list, by name.
    tab: str = "all"
    filter: str = ""
    #: Oldest first.
    filter_history: tuple[str, ...] = ()
    #: As after ``sort:`` in a filter; empty: newest first.
    sort: str = ""
    #: Names of columns in order; empty: those that fit the width.
    columns: tuple[str, ...] = ()
    #: Empty: what ``config.toml`` says, else the console's own.
    theme: str = ""
    #: How list and preview share the screen; empty: by its size.
    split: str = ""
    #: How logs are drawn: long lines broken, lines numbered, times at their beginning shown.
    wrap: bool = False
    numbers: bool = False
    timestamps: bool = True
    mouse: bool = True
    #: Name to filter, oldest first.
    saved_views: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    #: The newest history row that the person has seen.
    seen_seq: int = 0


def load(path: Path) -> tuple[Session, str | None]:
    """What was remembered, and a sentence about what could not be."""
    try:
        raw = json.loads(_read(path))
    except FileNotFoundError:
        return Session(), None
    except OSError as error:
        return Session(), f"{path} was not read: {error.strerror}"
    except (ValueError, RecursionError):
        return Session(), f"{path} was not read: {_FOREIGN}"
    if not isinstance(raw, dict):
        return Session(), f"{path} was not read: {_FOREIGN}"
    read = {name: kind.read(raw[name]) for name, kind in _KINDS.items() if name in raw}
    known = {name: value for name, value in read.items() if value is not None}
    return Session(**known), _note(path, [name for name in raw if name not in known])


def save(path: Path, session: Session) -> str | None:
    """Remember, whole or not at all; a sentence if that could not be.

    A text that is too long is forgotten; of too many entries the last are kept. Makes no directory:
    where there is no home yet, there is nothing to remember.
    """
    written = {name: kind.write(getattr(session, name)) for name, kind in _KINDS.items()}
    try:
        _replace(path, json.dumps(written, indent=1).encode("ascii"))
    except OSError as error:
        return f"{path} was not written: {error.strerror}"
    return None


def _note(path: Path, left_out: Sequence[str]) -> str | None:
    if not left_out:
        return None
    named = ", ".join(name[:_NAME_SHOWN] for name in left_out[:_NAMED])
    more = f" and {len(left_out) - _NAMED} more" if len(left_out) > _NAMED else ""
    return f"{path}: left out what it says of {named}{more}"


def _read(path: Path) -> bytes:
    """Never through a link, and without waiting: a pipe of that name has nothing to say."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(content) > MOST_BYTES:
        raise ValueError
    return content


def _replace(path: Path, content: bytes) -> None:
    """The new content or the old one, whoever dies when; for its owner alone, as ``mkstemp``."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


# What a field looks like in JSON. A reader gives None for what is none of its kind.


@dataclass(frozen=True, slots=True)
class _Kind:
    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


def _read_text(value: Any) -> str | None:
    return value if isinstance(value, str) and len(value) <= MOST_TEXT else None


def _write_text(value: str) -> str:
    return value if len(value) <= MOST_TEXT else ""


def _read_texts(value: Any) -> tuple[str, ...] | None:
    fits = isinstance(value, list) and len(value) <= MOST_ENTRIES
    return tuple(value) if fits and all(_read_text(one) is not None for one in value) else None


def _write_texts(values: Sequence[str]) -> list[str]:
    return [value for value in values if len(value) <= MOST_TEXT][-MOST_ENTRIES:]


def _read_views(value: Any) -> Mapping[str, str] | None:
    fits = isinstance(value, dict) and len(value) <= MOST_ENTRIES
    texts = [*value, *value.values()] if fits else [None]
    return None if any(_read_text(one) is None for one in texts) else MappingProxyType(value)


def _write_views(views: Mapping[str, str]) -> dict[str, str]:
    short = [name for name, text in views.items() if len(text) <= MOST_TEXT]
    return {name: views[name] for name in _write_texts(short)}


def _read_flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _read_number(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= _HIGHEST else None


_TEXT: Final = _Kind(_read_text, _write_text)
_TEXTS: Final = _Kind(_read_texts, _write_texts)
_FLAG: Final = _Kind(_read_flag, bool)
_KINDS: Final[Mapping[str, _Kind]] = MappingProxyType(
    {
        "tab": _TEXT,
        "filter": _TEXT,
        "filter_history": _TEXTS,
        "sort": _TEXT,
        "columns": _TEXTS,
        "theme": _TEXT,
        "split": _TEXT,
        "wrap": _FLAG,
        "numbers": _FLAG,
        "timestamps": _FLAG,
        "mouse": _FLAG,
        "saved_views": _Kind(_read_views, _write_views),
        "seen_seq": _Kind(_read_number, int),
    }
)
