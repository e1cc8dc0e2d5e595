"""Process trees in lines: a head for each group, a line for each process.

Owns columns and wording. A command line is public to every user of the machine, but comes from
outside: it is made harmless here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from jobsched.api import Seen
from jobsched_tui.data.processes import Proc, Tree, Usage
from jobsched_tui.data.proctable import Identity
from jobsched_tui.present import formats, glyphs
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Span, Tone, clip_line, fit, span

#: The column heads; CPU: 100 is one core.
HEAD: Final = f"{'PID':>8} {'CPU%':>5} {'RSS':>5} S {'ELAPSED':>7}  COMMAND (100 CPU% is one core)"

_STATES: Final = {
    "R": ("runs", Tone.GOOD),
    "S": ("sleeps", Tone.PLAIN),
    "D": ("waits in the kernel, cannot be interrupted", Tone.WARN),
    "T": ("stopped", Tone.BAD),
    "Z": ("ended, not collected by its parent", Tone.BAD),
}
_SEEN: Final = {
    Seen.SAME: ("runs, as recorded", Tone.GOOD),
    Seen.REUSED: ("its PID belongs to another process", Tone.ALARM),
    Seen.GONE: ("not running", Tone.BAD),
    Seen.UNKNOWN: ("whether it is the recorded one cannot be told", Tone.WARN),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line; ``identity`` and ``kind`` of the process that it is about, if it is about one."""

    line: tuple[Span, ...]
    identity: Identity | None = None
    kind: str = ""


def rows(usage: Usage, cells: int, pen: Pen = UNICODE) -> list[Row]:
    """The trees of a job, each below its head, in lines of at most so many cells."""
    if not usage.trees:
        return [_row([span("no process: no controller was started, no cluster runs")], cells, pen)]
    return [row for tree in usage.trees for row in _tree(tree, cells, pen)]


def state_in_words(state: str) -> str:
    """What a letter of the table means."""
    return _STATES.get(state, (f"state {state}", Tone.PLAIN))[0]


def _tree(tree: Tree, cells: int, pen: Pen) -> Iterator[Row]:
    yield _row(_head(tree, pen), cells, pen)
    if tree.usurper is not None:
        yield _row(_process(tree.usurper, pen, note="not of this job: "), cells, pen)
    for proc in tree.procs:
        row = _row(_process(proc, pen), cells, pen)
        yield Row(row.line, proc.identity, tree.kind)


def _head(tree: Tree, pen: Pen) -> list[Span]:
    words, tone = _SEEN[tree.seen]
    sign = pen.lives if tone is Tone.GOOD else pen.gone if tone is Tone.BAD else pen.unknown
    pids = ", ".join(str(pid) for pid in tree.pids)
    line = [span(f"{tree.kind} {tree.name}".rstrip(), Tone.TITLE), span(" · ", Tone.MUTED)]
    if tree.usurper is not None:
        return [
            *line,
            span(
                f"{sign} pid {tree.usurper.pid} now belongs to {tree.usurper.program}", Tone.ALARM
            ),
        ]
    if tree.seen is Seen.SAME and not tree.procs:
        return [*line, span(f"{pen.gone} pid {pids} has just ended", Tone.BAD)]
    line.append(span(f"{sign} {f'pid {pids}: ' if not tree.procs and pids else ''}{words}", tone))
    if tree.procs:
        loads = [proc.cpu for proc in tree.procs if proc.cpu is not None]
        line.append(
            span(
                f" · {_count(len(tree.procs))}"
                f" · CPU {formats.cpu(sum(loads) if loads else None)}%"
                f" · {formats.size(sum(proc.rss for proc in tree.procs))}",
                Tone.MUTED,
            )
        )
    return line


def _process(proc: Proc, pen: Pen, note: str = "") -> list[Span]:
    tone = _STATES.get(proc.state, ("", Tone.PLAIN))[1]
    branch = "  " * (proc.depth - 1) + pen.corners[2] + pen.horizontal if proc.depth else ""
    return [
        span(f"{fit(str(proc.pid), 8, right=True)} "),
        span(f"{formats.cpu(proc.cpu, 5)} {formats.size(proc.rss, 5)} "),
        span(f"{fit(proc.state, 1)} ", tone),
        span(f"{formats.age(proc.elapsed, 7)}  ", Tone.MUTED),
        span(branch, Tone.MUTED),
        span(note, Tone.ALARM),
        span(proc.command),
    ]


def _row(line: list[Span], cells: int, pen: Pen) -> Row:
    shown = clip_line(line, cells)
    return Row(tuple(glyphs.ascii_line(shown) if pen.is_ascii else shown))


def _count(number: int) -> str:
    return "1 process" if number == 1 else f"{number} processes"
