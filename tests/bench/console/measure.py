"""``make bench-console``: what the console costs at a hundred thousand jobs, beside its budget.

Owns the measurements, one function each. Run it on a machine that does nothing else.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path
from typing import Final

from tests.bench.console.home import JOBS, make
from tests.bench.console.terminal import Terminal

_MIB: Final = 1024 * 1024
#: Seconds that rates are measured over.
_LONG: Final = 10.0
#: Seconds until it counts as idle, and for which it is then watched.
_SETTLE, _IDLE = 15.0, 60
#: Seconds after a full minute in which the clock is drawn.
_CLOCK: Final = 3.0
_STARTS: Final = 5
_KEYS: Final = ("j", "k", "\x04", "\x15", "\x1b[6~", "\x1b[5~", "G", "g")
_PRESSES: Final = 80
_COMMITS: Final = 40
#: What a row says of a job that is held, and of one that is not.
_SAYS: Final = ("held", "paused")


@dataclass(frozen=True, slots=True)
class Measured:
    """One number and the most that it may be."""

    name: str
    value: float
    budget: float | None
    unit: str

    @property
    def verdict(self) -> str:
        """In words."""
        if self.budget is None:
            return ""
        return "ok" if self.value <= self.budget else "MISSED"


def part(values: Sequence[float], share: float) -> float:
    """A quantile."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def command(home: Path) -> list[str]:
    """The console on that home."""
    return ["-m", "jobsched_tui", "--home", str(home)]


def opened(home: Path) -> Terminal:
    """The console with its rows drawn."""
    terminal = Terminal(command(home))
    terminal.wait_for(f"-{JOBS}")
    return terminal


def start(home: Path) -> list[Measured]:
    """From the command to the first row."""
    times, loads = [], []
    for _ in range(_STARTS):
        with Terminal(command(home)) as terminal:
            times.append(terminal.wait_for(f"-{JOBS}") - terminal.started_at)
            loads.append(terminal.cpu)
            terminal.wait_until_quiet(0.5)
    return [
        Measured("start to first paint", part(times, 0.5), 1.0, "s"),
        Measured("start to first paint, slowest", max(times), None, "s"),
        Measured("CPU until then", part(loads, 0.5), 0.6, "s"),
    ]


def keys(home: Path) -> list[Measured]:
    """From a key to what it draws."""
    loads, times = [], []
    with opened(home) as terminal:
        terminal.wait_until_quiet(1.0)
        for _, key in zip(range(_PRESSES), cycle(_KEYS), strict=False):
            before, at, written = terminal.cpu, time.monotonic(), terminal.written
            terminal.press(key)
            while terminal.written == written and time.monotonic() < at + 1:
                time.sleep(0.001)
            terminal.wait_until_quiet()
            loads.append(1000 * (terminal.cpu - before))
            times.append(1000 * (terminal.last_at - at))
    return [
        Measured("key to paint, CPU p50", part(loads, 0.5), None, "ms"),
        Measured("key to paint, CPU p95", part(loads, 0.95), 50.0, "ms"),
        Measured("key to last byte p50", part(times, 0.5), None, "ms"),
        Measured("key to last byte p95", part(times, 0.95), None, "ms"),
    ]


def idle(home: Path) -> list[Measured]:
    """Nothing happens, and has not for a while. Once a minute the clock goes on."""
    with opened(home) as terminal:
        terminal.wait_until_quiet(2.0)
        time.sleep(_SETTLE)
        before, said = terminal.cpu, 0
        for _ in range(_IDLE):
            written = terminal.written
            time.sleep(1.0)
            # The clock goes on within two seconds after the minute.
            said += terminal.written - written if time.time() % 60 > _CLOCK else 0
        load = 100 * (terminal.cpu - before) / _IDLE
    return [
        Measured("idle CPU", load, 0.5, "% of a core"),
        Measured("idle output, the clock left out", said / _IDLE, 0.0, "B/s"),
    ]


def memory(home: Path) -> list[Measured]:
    """A log of a GiB is open, and counted to its beginning."""
    with opened(home) as terminal:
        terminal.press("l")
        terminal.wait_for(" lines ", seconds=60.0)
        terminal.wait_until_quiet(1.0)
        found = terminal.rss / _MIB
    return [Measured("memory with a log of 1 GiB", found, 120.0, "MiB")]


def changes(home: Path) -> list[Measured]:
    """Ten rows that are seen change every second."""
    stop = threading.Event()

    def write() -> None:
        with sqlite3.connect(home / "jobsched.db") as database:
            for number in cycle(range(20)):
                if stop.wait(0.1):
                    return
                _toggle(database, JOBS - 1 - number)

    with opened(home) as terminal:
        terminal.wait_until_quiet(1.0)
        writer = threading.Thread(target=write)
        writer.start()
        time.sleep(1.0)
        load, rate = _over(terminal, _LONG)
        stop.set()
        writer.join()
    return [
        Measured("output at 10 changed rows a second", rate / 1000, 20.0, "kB/s"),
        Measured("CPU at 10 changed rows a second", load, 10.0, "% of a core"),
    ]


def commits(home: Path) -> list[Measured]:
    """From a commit to the row that shows it."""
    times = []
    with opened(home) as terminal, sqlite3.connect(home / "jobsched.db") as database:
        terminal.wait_until_quiet(1.0)
        for number in range(_COMMITS):
            time.sleep(0.5 + 0.013 * (number % 10))
            terminal.forget()
            held = _toggle(database, JOBS - 1 - number % 10)
            at = time.monotonic()
            times.append(1000 * (terminal.wait_for(_SAYS[0] if held else _SAYS[1]) - at))
    return [
        Measured("commit to screen p50", part(times, 0.5), None, "ms"),
        Measured("commit to screen p95", part(times, 0.95), 150.0, "ms"),
    ]


def _over(terminal: Terminal, seconds: float) -> tuple[float, float]:
    """Percent of a core, and bytes a second."""
    load, written, at = terminal.cpu, terminal.written, time.monotonic()
    time.sleep(seconds)
    spent = time.monotonic() - at
    return 100 * (terminal.cpu - load) / spent, (terminal.written - written) / spent


def _toggle(database: sqlite3.Connection, job_id: int) -> bool:
    """Hold a job, or release it, as an operator does; whether it is held now."""
    (held,) = database.execute(
        "UPDATE jobs SET hold = 1 - hold WHERE job_id = ? RETURNING hold", (job_id,)
    ).fetchone()
    database.execute(
        "INSERT INTO history (at, kind, job_id, subject, actor)"
        " VALUES (?, 'ACTION', ?, ?, 'bench')",
        (time.time(), job_id, "HOLD" if held else "RELEASE"),
    )
    database.commit()
    return bool(held)


_MEASURES: Final = (start, keys, idle, memory, changes, commits)


def main(folder: Path, names: Sequence[str]) -> int:
    """Measure, print, and keep it; 1 if something costs too much."""
    home = make(folder / "bench-console")
    found: list[Measured] = []
    for measure in _MEASURES:
        if not names or measure.__name__ in names:
            for one in measure(home):
                found.append(one)
                budget = "" if one.budget is None else f"{one.budget:g}"
                sys.stdout.write(
                    f"{one.name:<38}{one.value:>10.2f} {one.unit:<12}{budget:>6}  {one.verdict}\n"
                )
                sys.stdout.flush()
    (folder / "bench-console.json").write_text(json.dumps([asdict(one) for one in found], indent=1))
    return int(any(one.verdict == "MISSED" for one in found))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
