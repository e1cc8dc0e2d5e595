"""What a log view says about its log: dividers between lines, and the line that is always there.

Owns the words. A view that shows no line says why. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jobsched_tui.data.logs.file import Event
from jobsched_tui.data.logs.seeking import Direction
from jobsched_tui.data.logs.values import Counting, Jump, Target, Update
from jobsched_tui.present import formats
from jobsched_tui.present.glyphs import UNICODE, Pen, ascii_line
from jobsched_tui.present.header import shortened
from jobsched_tui.present.spans import Line, Span, Tone, clip_line, joined, span, width

#: Cells of a path: it is its end that tells the most.
_PATH_MOST: Final = 46
#: By which zero bytes in a shown line are known.
_NUL: Final = "\N{SYMBOL FOR NULL}"


@dataclass(frozen=True, slots=True)
class Writer:
    """The process that is to write the log."""

    pid: int
    #: How long it has lived, in seconds; ``None``: it does not live.
    lives_for: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that the status line depends on."""

    path: str
    update: Update | None
    follow: bool = True
    wrap: bool = False
    numbers: bool = False
    timestamps: bool = True
    #: Lines that came while it does not follow.
    new_lines: int = 0
    #: The how-manieth match it is on, from 1.
    position: int | None = None
    #: What is searched for, and what is kept, as typed.
    search: str = ""
    keep: str = ""
    #: Seconds between looks where the file system gives no events.
    polling: float | None = None
    writer: Writer | None = None
    binary: bool = False
    #: What became of the last jump.
    note: str = ""


_HEADS: Final = {
    Event.TRUNCATED: "truncated: the file was cut off, this is what came after",
    Event.ROTATED: "rotated, reopened: another file has this path now",
    Event.RECREATED: "recreated: there was no file at this path for a while",
}
_FEET: Final = {
    Event.DELETED: "deleted: what was open is still shown; watching the path",
    Event.FAILED: "cannot be read any more",
}


def heads(update: Update, last: Event | None) -> list[str]:
    """What stands above the first line. ``last``: the last event after which all was new."""
    said = [_HEADS[last]] if last in _HEADS else []
    if update.dropped and update.numbered:
        said.append(f"… oldest {formats.size(update.dropped)} dropped")
    elif not update.numbered:
        said.append(f"… {formats.percent(update.indexed)} of the lines before are counted")
    return said


def feet(update: Update) -> list[str]:
    """What stands below the last line."""
    return [_FEET[update.standing]] if update.standing in _FEET and update.total else []


def divider(text: str, cells: int, pen: Pen = UNICODE) -> Line:
    """A rule across the view with words in it."""
    rule = pen.horizontal
    line = [span(f"{rule}{rule} {text} ", Tone.WARN)]
    line.append(Span(rule * max(0, cells - width(line)), Tone.MUTED))
    return _drawn(clip_line(line, cells), pen)


def missed(jump: Jump) -> str:
    """Why a jump went nowhere."""
    if jump.target is Target.TIME:
        return "no line tells when it was written"
    what = "matches" if jump.target is Target.MATCH else "errors"
    return f"no more {what} {'below' if jump.direction is Direction.ON else 'above'}"


def looks_binary(texts: Sequence[str]) -> bool:
    """Whether lines hold what no text does."""
    return any(_NUL in text for text in texts)


def status_line(facts: Facts, cells: int, pen: Pen = UNICODE) -> Line:
    """How the log stands, in exactly so many cells; what matters most is cut last."""
    gap = Span(f" {pen.horizontal} ", Tone.MUTED)
    right = _place(facts)
    left = joined([[piece] for piece in (*_condition(facts), *_looking(facts))], gap)
    left = clip_line(left, max(0, cells - width(right) - 2))
    rule = Span(pen.horizontal * max(0, cells - width(left) - width(right) - 2), Tone.MUTED)
    return _drawn(clip_line([*left, span(" "), rule, span(" "), *right], cells), pen)


def _condition(facts: Facts) -> list[Span]:
    """Why there is nothing to see, or what there is."""
    update = facts.update
    if update is None:
        return [span("opening", Tone.MUTED)]
    said = _absence(facts, update)
    if facts.binary:
        said.append(span("binary? showing escaped", Tone.WARN))
    if facts.polling is not None:
        every = f"{facts.polling:g}s"
        said.append(span(f"on a filesystem without events: polling {every}", Tone.WARN))
    if facts.note:
        said.insert(0, span(facts.note, Tone.WARN))
    return said


def _absence(facts: Facts, update: Update) -> list[Span]:
    name, path = facts.path.rpartition("/")[2], shortened(facts.path, _PATH_MOST)
    reason = {
        Event.ABSENT: f"not created yet (watching {path})",
        Event.DENIED: f"no permission to read {path}",
        Event.DELETED: f"{name} deleted",
        Event.IRREGULAR: f"{path} is not a regular file",
        Event.FAILED: f"cannot read {path}: {update.cause}",
    }.get(update.standing or Event.ABSENT)
    if reason is not None:
        return [span(reason, Tone.MUTED if update.standing is Event.ABSENT else Tone.WARN)]
    if update.size <= update.dropped:
        return [span(name), span(f"empty{_of_writer(facts.writer)}", Tone.MUTED)]
    return [span(name), span(_amount(update))]


def _of_writer(writer: Writer | None) -> str:
    if writer is None:
        return ""
    if writer.lives_for is None:
        return f", pid {writer.pid} not running"
    return f", pid {writer.pid} alive {formats.age(writer.lives_for)}"


def _amount(update: Update) -> str:
    size = formats.size(update.size - update.dropped)
    if not update.numbered:
        return f"counting lines {formats.percent(update.indexed)} of {size}"
    if update.keep is not None:
        return size
    return f"{formats.plural(update.total, 'line')} {size}"


def _looking(facts: Facts) -> list[Span]:
    """Searches, and what is not as usual."""
    said = []
    update = facts.update
    if update is not None and update.keep is not None:
        said.append(span(f"only {_counted(update.keep, 'line')} with {facts.keep}", Tone.KEY))
    if update is not None and update.search is not None:
        at = "" if facts.position is None else f"{facts.position}/"
        said.append(span(f"{at}{_counted(update.search, 'match')} of {facts.search}", Tone.KEY))
    for on, word in ((facts.wrap, "wrap"), (facts.numbers, "numbers")):
        if on:
            said.append(span(word, Tone.MUTED))
    if not facts.timestamps:
        said.append(span("no timestamps", Tone.MUTED))
    return said


def _counted(counting: Counting, word: str) -> str:
    ending = "" if counting.count == 1 else "es" if word.endswith("ch") else "s"
    so_far = "" if counting.part >= 1 else f" ({formats.percent(counting.part)} searched)"
    return f"{counting.count} {word}{ending}{so_far}"


def _place(facts: Facts) -> list[Span]:
    if facts.follow:
        return [span("follow ●", Tone.GOOD)]
    if facts.new_lines > 0:
        return [span(f"{formats.plural(facts.new_lines, 'new line')} ↓ (G follows)", Tone.KEY)]
    return [span("G follows", Tone.MUTED)]


def _drawn(line: Line, pen: Pen) -> Line:
    return ascii_line(line) if pen.is_ascii else line
