"""The process table, read in one pass: who is whose child, what it uses, since when it runs.

Owns reading and identity: a PID alone is none, it is reused. Builds no tree and sends no signal.
Reads ``/proc``; where there is none (macOS), ``psutil`` answers.
"""

# Thousands of short names in /proc: an object for each would cost more than everything else.
# ruff: noqa: PTH112, PTH123, PTH208

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NamedTuple

import psutil

_HAS_PROC: Final = os.path.isdir("/proc/self")
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
#: Bytes of a command line that are read.
_MOST_COMMAND: Final = 4096
_STATES: Final = {
    psutil.STATUS_RUNNING: "R",
    psutil.STATUS_DISK_SLEEP: "D",
    psutil.STATUS_STOPPED: "T",
    psutil.STATUS_TRACING_STOP: "T",
    psutil.STATUS_ZOMBIE: "Z",
    psutil.STATUS_DEAD: "X",
}


class Identity(NamedTuple):
    """One process, told apart from every other that has had or will have its PID."""

    pid: int
    #: When it started, in seconds since boot (on macOS since 1970): compared, never shown.
    started: float


class Entry(NamedTuple):
    """One line of the process table."""

    identity: Identity
    parent: int
    #: One letter: R S D T Z, and what else the kernel has (I, X).
    state: str
    #: Seconds of CPU that it has used.
    cpu_seconds: float
    rss: int
    #: Seconds that it has run.
    elapsed: float
    #: What the kernel calls it, at most 15 characters.
    name: str

    @property
    def pid(self) -> int:
        """Its number."""
        return self.identity.pid

    @property
    def is_dead(self) -> bool:
        """Whether it has ended and only waits to be collected by its parent."""
        return self.state in "ZX"


def table(now: float) -> dict[int, Entry]:
    """Every process that can be seen at ``now`` (Unix seconds), by PID."""
    found = _proc_entries() if _HAS_PROC else _psutil_entries(psutil.process_iter(), now)
    return {entry.pid: entry for entry in found}


def identify(pid: int) -> Identity | None:
    """Who has that PID now; ``None`` if nobody, or one that has ended (a zombie)."""
    if _HAS_PROC:
        entry = _proc_entry(pid, _uptime())
    else:
        entry = next(_psutil_entries(_one(pid), 0.0), None)
    return None if entry is None or entry.is_dead else entry.identity


def _one(pid: int) -> Iterator[psutil.Process]:
    with suppress(psutil.Error):
        yield psutil.Process(pid)


def command_of(entry: Entry) -> str:
    """Its command line as it is, or its name in brackets; not yet fit to be shown."""
    if _HAS_PROC:
        raw = _read(f"/proc/{entry.pid}/cmdline", _MOST_COMMAND)
        words = raw.rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")
    else:
        try:
            words = " ".join(psutil.Process(entry.pid).cmdline())[:_MOST_COMMAND]
        except psutil.Error:
            words = ""
    return words or f"[{entry.name}]"


def _proc_entries() -> Iterator[Entry]:
    uptime = _uptime()
    for name in os.listdir("/proc"):
        if name.isdecimal() and (entry := _proc_entry(int(name), uptime)) is not None:
            yield entry


def _proc_entry(pid: int, uptime: float) -> Entry | None:
    stat = _read(f"/proc/{pid}/stat", _MOST_COMMAND)
    opening, closing = stat.find(b"("), stat.rfind(b")")
    fields = stat[closing + 2 :].split()  # the name before it may hold anything
    if not fields:
        return None
    started = int(fields[19]) / _TICKS
    return Entry(
        identity=Identity(pid, started),
        parent=int(fields[1]),
        state=fields[0].decode("ascii").upper(),  # t: stopped by a debugger
        cpu_seconds=(int(fields[11]) + int(fields[12])) / _TICKS,
        rss=int(fields[21]) * _PAGE,
        elapsed=max(0.0, uptime - started),
        name=stat[opening + 1 : closing].decode("utf-8", "replace"),
    )


def _uptime() -> float:
    return float(_read("/proc/uptime", 64).split()[0])


def _read(path: str, most: int) -> bytes:
    """The beginning of a file of ``/proc``; nothing if what it speaks of is gone or hidden."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(most)
    except OSError:
        return b""


def _psutil_entries(processes: Iterator[psutil.Process], now: float) -> Iterator[Entry]:
    for process in processes:
        try:
            with process.oneshot():
                started, times = process.create_time(), process.cpu_times()
                yield Entry(
                    identity=Identity(process.pid, started),
                    parent=process.ppid(),
                    state=_STATES.get(process.status(), "S"),
                    cpu_seconds=times.user + times.system,
                    rss=process.memory_info().rss,
                    elapsed=max(0.0, now - started),
                    name=process.name(),
                )
        except psutil.Error:
            continue
