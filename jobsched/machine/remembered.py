"""What the one who ticks has seen of memory and controllers, in a file that everybody can read.

Owns the file: replaced as a whole, never edited, and not there if it makes no sense. Old sights are
for the reader to judge, by ``at``.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from jobsched.machine.footprint import Footprint
from jobsched.machine.memory import Memory

#: More than any number of bytes.
_MOST: Final = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The tightest look at memory lately, and the newest measure of controllers."""

    memory: Memory
    #: Jobs that were alive at that look.
    alive: int
    #: When somebody last looked, Unix seconds; the tightest look may be a little older.
    at: float
    footprint: Footprint


def save(path: Path, seen: Remembered) -> None:
    """Remember it instead of what was there. Raises ``OSError``.

    Not synced to disk: what a power cut takes of it is seen anew.
    """
    new = path.with_name(f"{path.name}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(new, flags, 0o600), "w", encoding="ascii") as file:
        json.dump(_as_json(seen), file)
    new.replace(path)


def load(path: Path) -> Remembered | None:
    """What was seen last; ``None`` if nothing was, or what is there makes no sense."""
    try:
        found = path.stat()
        return _load(path, (found.st_ino, found.st_mtime_ns, found.st_size))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


@lru_cache(maxsize=1)
def _load(path: Path, _signs: tuple[int, int, int]) -> Remembered:
    """Read once as long as the file is the same: each pass asks, and it is put anew by ticks."""
    return _of_json(json.loads(path.read_bytes()))


def _as_json(seen: Remembered) -> dict[str, Any]:
    return {
        "at": seen.at,
        "total": seen.memory.total,
        "available": seen.memory.available,
        "stalled": seen.memory.stalled,
        "alive": seen.alive,
        "controller_bytes": seen.footprint.each,
        "controllers": seen.footprint.controllers,
        "measured_at": seen.footprint.at,
    }


def _of_json(told: dict[str, Any]) -> Remembered:
    measured_at = told["measured_at"]
    return Remembered(
        memory=Memory(
            total=_count(told["total"], least=1),
            available=_count(told["available"]),
            stalled=_number(told["stalled"]),
        ),
        alive=_count(told["alive"]),
        at=_number(told["at"]),
        footprint=Footprint(
            each=_count(told["controller_bytes"], least=1),
            controllers=_count(told["controllers"]),
            at=None if measured_at is None else _number(measured_at),
        ),
    )


def _count(value: Any, *, least: int = 0) -> int:
    if not isinstance(value, int) or not least <= value < _MOST:
        raise ValueError(value)
    return value


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(value)
    return float(value)
