"""A console beside somebody who writes all the time: nothing is missed, nothing stays stale.

Takes ``FUZZ_SECONDS`` from the environment.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from jobsched.api import Change, Scheduler
from jobsched.clock import SystemClock
from jobsched.context import Context
from jobsched.store.catalogue.schema import history
from jobsched_tui.data.filters import parse
from jobsched_tui.data.frame import Frame
from jobsched_tui.data.live import Live
from jobsched_tui.data.reader import Reader
from jobsched_tui.data.source import View
from jobsched_tui.data.watcher import Watcher
from tests.support import wait_until

ROOT = Path(__file__).parents[2]
SECONDS = float(os.environ.get("FUZZ_SECONDS", "8"))
ROWS = 60
QUERIES = ("", "-state:done", "name:a sort:name", "sort:-prio,age", "status:failed", "is:alive")
TABS = ("all", "active", "waiting", "failed", "done")
#: Kept for the second half, and brought up to date change by change.
LAST = View(query=parse("-status:cancelled sort:name"), height=ROWS, cursor=20, detail=20)


class Console:
    """What the console does with its reader, without a terminal."""

    def __init__(self, context: Context) -> None:
        clock = SystemClock()
        self.live = Live(Scheduler(context=context), clock)
        self.seqs: list[int] = []
        self.live._news._listeners = (*self.live._news._listeners, self._told)
        self.frames: list[tuple[Frame, float]] = []
        self.reader = Reader(self.live, clock, self._report)
        self.watcher = Watcher(
            context.home.root,
            lambda name: name.startswith("jobsched.db"),
            lambda _: self.reader.tell(),
        )

    def _told(self, changes: Sequence[Change]) -> None:
        self.seqs += [change.seq for change in changes]

    def _report(self, frame: Frame) -> None:
        self.frames.append((frame, time.monotonic()))

    @property
    def last(self) -> Frame:
        """The newest frame."""
        return self.frames[-1][0]


def summary(frame: Frame) -> dict[str, object]:
    """What a frame shows of the database: not what is measured, and not when."""
    limits = frame.limits
    return {
        "lines": [replace(line, cpu=None, rss=None, trouble=None) for line in frame.lines],
        "counts": frame.counts,
        "seq": frame.seq,
        "place": (frame.matched, frame.cursor_index),
        "limits": [(gauge.limit, gauge.used) for gauge in (limits.launch, limits.alive)],
        "waiting": (limits.paused, limits.paused_at, limits.waiting, limits.waiting_since),
        "record": None if frame.detail is None else frame.detail.record,
    }


def latencies(commits: list[tuple[int, float]], console: Console) -> list[float]:
    """Seconds from each commit to the first frame that shows it, in order."""
    found = []
    frames = iter(console.frames)
    frame, at = next(frames)
    for seq, committed in commits:
        while frame.seq < seq:
            frame, at = next(frames)
        found.append(max(0.0, at - committed))
    return sorted(found)


@pytest.mark.timeout(SECONDS + 52)
def test_beside_a_writer(context: Context, capsys: pytest.CaptureFixture[str]) -> None:
    """At the end all that is shown is as a fresh look shows it, and every row was told once."""
    console = Console(context)
    console.watcher.start()
    console.reader.start()
    wait_until(lambda: console.frames, 20, "the first frame")
    first = console.last.seq
    command = [sys.executable, "-m", "tests.tui.fuzz", str(context.home.root), str(SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
        _look_around(console, SECONDS / 2)
        console.reader.look(LAST)
        printed, _ = writer.communicate(timeout=SECONDS + 20)
    assert writer.returncode == 0
    rows = [line.split() for line in printed.splitlines()]
    commits = [(int(seq), float(at)) for seq, at in rows]
    fresh = Live(Scheduler(context=context), SystemClock())
    expected = summary(fresh.frame(LAST))
    with suppress(AssertionError):  # the comparison below says what was not so
        wait_until(lambda: summary(console.last) == expected, 10, "the last frame")
    console.watcher.stop()
    console.reader.stop()
    assert summary(console.last) == expected
    assert console.live.ids(None, None) == fresh.ids(None, None) != []
    fresh.close()
    with context.db.read() as tx:
        written = {row[0] for row in tx.tuples(select(history.c.seq).where(history.c.seq > first))}
    assert console.seqs == sorted(set(console.seqs))
    assert written <= set(console.seqs)
    _tell(latencies(commits, console), len(console.frames), capsys)


def _look_around(console: Console, seconds: float) -> None:
    """Change the view all the time."""
    chance = random.Random(3)  # noqa: S311 -- no secret
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        view = View(
            query=parse(chance.choice(QUERIES)), tab=chance.choice(TABS), height=ROWS,
            top=chance.choice((0, 0, 5)), cursor=chance.randint(1, 50),
            detail=chance.choice((None, chance.randint(1, 50))),
        )  # fmt: skip
        console.reader.look(view)
        time.sleep(chance.choice((0.01, 0.1, 0.5)))


def _tell(found: list[float], frames: int, capsys: pytest.CaptureFixture[str]) -> None:
    p50, p95 = (1000 * found[int(len(found) * part)] for part in (0.5, 0.95))
    with capsys.disabled():
        sys.stdout.write(
            f"\n{len(found)} commits, {frames} frames,"
            f" commit to frame p50 {p50:.0f} ms, p95 {p95:.0f} ms\n"
        )
