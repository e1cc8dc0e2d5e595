"""On what a number was measured: processor, memory, kernel, Python, SQLite, file systems."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_MIB: Final = 1024 * 1024
#: How /proc/mounts writes what would end a field.
_ESCAPES: Final = {r"\040": " ", r"\011": "\t", r"\012": "\n", r"\134": "\\"}


def describe(homes: Mapping[str, Path]) -> dict[str, str]:
    """In words; ``homes``: where homes lie, by what that is called."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MIB
    mounts = Path("/proc/mounts").read_text("utf-8")
    return {
        "processor": f"{os.cpu_count()} cores of {_processor()}",
        "memory": f"{memory:,} MiB",
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        **{f"{name} home": filesystem(mounts, path.resolve()) for name, path in homes.items()},
        "load before": f"{os.getloadavg()[0]:.2f}",
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def filesystem(mounts: str, path: Path) -> str:
    """Of what kind it is where ``path`` lies, and how it is mounted; by the text of /proc/mounts.

    The last of the longest: a later mount covers an earlier one at the same place.
    """
    best, found = -1, "unknown"
    for line in mounts.splitlines():
        device, place, kind, options = (_plain(word) for word in line.split()[:4])
        if path.is_relative_to(place) and len(place) >= best:
            best, found = len(place), f"{kind} ({device}, {options})"
    return found


def _plain(word: str) -> str:
    for written, meant in _ESCAPES.items():
        word = word.replace(written, meant)
    return word
