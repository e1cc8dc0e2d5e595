"""What lies in directories: the YAML files to choose from, and how a half typed path may go on.

Owns which entries are offered. Opens no file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

#: Entries of one directory that are looked at, at most.
MOST_ENTRIES: Final = 2000
SUFFIXES: Final = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to choose."""

    name: str
    path: Path
    is_directory: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """A directory's entries: the way up, directories, then YAML files."""

    directory: Path
    entries: tuple[Entry, ...] = ()
    #: Why it could not be looked at.
    error: str | None = None


def expanded(typed: str) -> Path:
    """A path as typed, ``~`` at its beginning replaced where that means anything."""
    try:
        return Path(typed).expanduser()
    except RuntimeError:  # there is no such user
        return Path(typed)


def listing(directory: Path) -> Listing:
    """What is offered of a directory; nothing hidden."""
    up = Entry("..", directory.parent, is_directory=True)
    try:
        with os.scandir(directory) as found:
            seen = [
                Entry(one.name, Path(one.path), _is_directory(one))
                for one in islice(found, MOST_ENTRIES)
                if not one.name.startswith(".")
            ]
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        return Listing(directory, (up,), why)
    offered = [one for one in seen if one.is_directory or one.name.lower().endswith(SUFFIXES)]
    offered.sort(key=lambda one: (not one.is_directory, one.name))
    return Listing(directory, (up, *offered))


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads in a circle
        return False


def completed(typed: str) -> str | None:
    """``typed``, gone on as far as there is only one way; ``None`` if there is none."""
    head, slash, begun = typed.rpartition("/")
    directory = expanded(f"{head}{slash}" or ".")
    names = [
        f"{one.name}/" if one.is_directory else one.name
        for one in listing(directory).entries
        if one.name != ".." and one.name.startswith(begun)
    ]
    shared = _shared_start(names)
    return f"{head}{slash}{shared}" if len(shared) > len(begun) else None


def _shared_start(names: Sequence[str]) -> str:
    first, last = min(names, default=""), max(names, default="")
    length = 0
    while length < min(len(first), len(last)) and first[length] == last[length]:
        length += 1
    return first[:length]
