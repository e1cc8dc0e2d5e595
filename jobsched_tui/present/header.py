"""The lines around the job list: is it live, may I write, why do things wait, what is hidden.

Owns words and order of the header, the limits, the tabs, the filter and the attention line, and
what is said where the list is empty. Each is made for a width, and never wider.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from jobsched_tui.data.frame import Attention, Frame, Gauge, Health, LimitsLine, Link
from jobsched_tui.present import formats, glyphs
from jobsched_tui.present.attention import brief
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line, Span, Tone, clip, clip_line, joined, span, width

#: From this width on lines are drawn in full, below it in short words.
FULL: Final = 100
#: Which line of the summary the tabs are on, at every width.
TABS_LINE: Final = 2
_GAUGE: Final = 10
#: Cells of a limit's bar and of its past, and with how little they make do beside a long pause.
_FULL: Final = ((_GAUGE, 8), (_GAUGE, 0), (0, 0))
_SHORT: Final = ((0, 3), (0, 0))
_WARM: Final = 0.7
_PATH_MOST: Final = 34
_PATH_NARROW: Final = 18
#: Cells that the sentence about a trouble gets at least.
_LEAST_SAID: Final = 24

#: Cells of a sentence that may be long: there is room for them in every list.
_NARROW: Final = 76
_GAP: Final = Span("  ")
_TO_NOW: Final = (Span(" "), Span("Esc", Tone.KEY), Span(":now", Tone.MUTED))

#: The tabs: the key, the name of the count, the title in full and in short.
TABS: Final = (
    ("1", "all", "All", "All"),
    ("2", "active", "Active", "Act"),
    ("3", "waiting", "Waiting", "Wait"),
    ("4", "failed", "Failed", "Fail"),
    ("5", "done", "Done", "Done"),
)
#: The last tab: what a person should look at.
ATTENTION: Final = "attention"


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    """How the operator looks at the list: what no database knows."""

    tab: str = "all"
    filter_text: str = ""
    sort: Sequence[tuple[str, bool]] = (("id", True),)
    marked: int = 0
    #: Whether the list stays with the job under the cursor.
    locked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What every line is drawn for."""

    width: int
    pen: Pen = UNICODE
    zone: tzinfo | None = None

    @property
    def is_full(self) -> bool:
        """Whether there is room for whole words."""
        return self.width >= FULL

    def spread(self, left: Line, right: Line = ()) -> list[Span]:
        """One line: ``right`` flush right; where both do not fit, the left one is cut."""
        right = clip_line(right, self.width)
        room = self.width - width(right)
        cut = clip_line(left, room - 1 if right else room)
        line = [*cut, Span(" " * (room - width(cut))), *right]
        return glyphs.ascii_line(line) if self.pen.is_ascii else line


def summary(frame: Frame, looking: Looking, now: float, drawing: Drawing) -> list[Line]:
    """All lines above the list: four, or three where there is little room."""
    lines = [header_line(frame, now, drawing), limits_line(frame, drawing)]
    if drawing.is_full:
        below = [tabs_line(frame, looking, drawing), filter_line(frame, looking, drawing)]
        return [*lines, *below]
    return [*lines, compact_line(frame, looking, drawing)]


# The header: what is looked at, whether it is true, where, and whether it may be changed.


def header_line(frame: Frame, now: float, drawing: Drawing) -> list[Span]:
    """Home, link, machine; flush right what may be done, by whom, and the time of day."""
    most = _PATH_MOST if drawing.is_full else _PATH_NARROW
    left = [
        *(Span(" jobsched", Tone.TITLE), *_demo(frame), _GAP),
        *(span(shortened(frame.home, most)), _GAP),
        *link(frame.health, now if frame.health.link is Link.STALE else frame.now, drawing),
    ]
    if drawing.is_full and frame.host.cpus:
        left += [Span("   "), *_host(frame)]
    access = Span("RO", Tone.ALARM) if frame.read_only else Span("RW", Tone.GOOD)
    # Without seconds: a line that changes every second costs 600 bytes on its way to the terminal.
    clock = Span(formats.clock(now, drawing.zone, seconds=False))
    user = [span(frame.user, Tone.MUTED)] if drawing.is_full and frame.user else []
    right = joined([[access], *([user] if user else []), [clock]], _GAP)
    return drawing.spread(left, [*right, Span(" ")])


def shortened(path: str, cells: int) -> str:
    """A path in at most so many characters: the middle goes, its two ends tell the most."""
    if len(path) <= cells:
        return path
    start = cells // 3
    return f"{path[:start]}…{path[len(path) - (cells - start - 1) :]}"


def link(health: Health, now: float, drawing: Drawing) -> list[Span]:
    """Whether what is shown is true: ``● live 0.1s``, ``✗ stale 12s: disk full``."""
    dot, gone = drawing.pen.dot, drawing.pen.gone
    behind = max(0.0, now - health.at)
    cause = f": {health.cause}" if health.cause else ""
    match health.link:
        case Link.LIVE:
            lag = f"{behind:.1f}s" if behind < 10 else formats.age(behind)  # noqa: PLR2004 - three cells
            return [Span(f"{dot} live", Tone.GOOD), Span(f" {lag}", Tone.MUTED)]
        case Link.POLLING:
            return [Span(f"{dot} poll 1s", Tone.WARN), span(cause, Tone.MUTED)]
        case Link.FROZEN:
            return [Span(f"{dot} frozen", Tone.WARN)]
        case Link.PAST:
            return [Span(f"PAST {formats.clock(health.at, drawing.zone)}", Tone.ALARM), *_TO_NOW]
        case Link.MISSING:
            return [Span(f"{gone} no database", Tone.WARN)]
        case Link.STALE:
            return [span(f"{gone} stale {formats.age(behind)}{cause}", Tone.ALARM)]


def _demo(frame: Frame) -> list[Span]:
    return [Span(" "), Span("DEMO", Tone.WARN)] if frame.is_demo else []


def _host(frame: Frame) -> list[Span]:
    host = frame.host
    used, total = formats.size(host.memory_used), formats.size(host.memory_total)
    pieces = [
        [Span("host ", Tone.MUTED), span(host.name)],
        [Span("load ", Tone.MUTED), Span(f"{host.load:.1f}/{host.cpus}")],
        [Span("mem ", Tone.MUTED), Span(f"{used}/{total}")],
    ]
    return joined(pieces if host.name else pieces[1:], _GAP)


# The limits: why things wait.


def limits_line(frame: Frame, drawing: Drawing) -> list[Span]:
    """Both limits with what they were used for lately, the pause, and who waits."""
    if not frame.limits.known:
        return drawing.spread([Span(" the limits are not known", Tone.MUTED)])
    right = [Span("L", Tone.KEY), Span(":limits ", Tone.MUTED)]
    if not drawing.is_full:
        alarms = len(frame.attention)
        right = [Span(f"{drawing.pen.attention}{alarms}", Tone.ALARM)] if alarms else []
    lines = [_limits(frame, drawing, cells) for cells in (_FULL if drawing.is_full else _SHORT)]
    room = drawing.width - width(right) - 1
    return drawing.spread(next((one for one in lines if width(one) <= room), lines[-1]), right)


def _limits(frame: Frame, drawing: Drawing, cells: tuple[int, int]) -> list[Span]:
    limits = frame.limits
    parts = [
        gauge("LAUNCH", limits.launch, drawing, *cells),
        gauge("ALIVE", limits.alive, drawing, *cells),
        *([_pause(limits, drawing)] if limits.paused else []),
        _waiting(limits, frame.now, drawing),
    ]
    return [Span(" "), *joined(parts, _GAP)]


def gauge(
    title: str, value: Gauge, drawing: Drawing, bar: int = _GAUGE, history: int = 8
) -> list[Span]:
    """``LAUNCH 3/3 [██████████] FULL ▂▃▅▇█``; a limit of 0 is a word, never an empty bar.

    ``bar``, ``history``: cells for how full it is, and for what was used lately.
    """
    if value.limit == 0:
        over = [Span(f" draining {value.used}", Tone.WARN)] if value.used else []
        return [Span(f"{title} "), Span("PAUSED(0)", Tone.WARN), *over]
    tone, word = _fill(value)
    pieces: list[Line] = [[Span(f"{title} {value.used}/{value.limit}")]]
    if bar:
        filled = formats.bar(value.used / value.limit, bar, drawing.pen)
        pieces.append([Span("[", Tone.MUTED), Span(filled, tone), Span("]", Tone.MUTED)])
    if word:
        pieces.append([Span(word, tone)])
    if history:
        pieces.append(_history(value, history, drawing.pen))
    return joined(pieces, Span(" "))


def _fill(value: Gauge) -> tuple[Tone, str]:
    """How full it is: the tone of its bar, and the word that says the same."""
    if value.used > value.limit:
        return Tone.WARN, f"draining {value.used - value.limit}"
    if value.is_full:
        return Tone.BAD, "FULL"
    return (Tone.WARN if value.used >= _WARM * value.limit else Tone.MUTED), ""


def _history(value: Gauge, cells: int, pen: Pen) -> list[Span]:
    """A sparkline; where the limit was changed its height is underlined as something to look at."""
    shares = formats.shares(len(value.history), cells)
    line = formats.sparkline(value.history, cells, pen, top=max(value.limit, *value.history, 1))
    changed = [any(first <= at < last for at in value.changes) for first, last in shares]
    return [
        Span(height, Tone.KEY if is_changed else Tone.MUTED)
        for height, is_changed in zip(line, changed, strict=True)
    ]


def _pause(limits: LimitsLine, drawing: Drawing) -> list[Span]:
    by = f" by {limits.paused_by}" if limits.paused_by and drawing.is_full else ""
    at = formats.clock(limits.paused_at, drawing.zone, seconds=False)
    when = f" {at}" if limits.paused_at is not None and drawing.is_full else ""
    return [span(f"STARTS PAUSED{by}{when}" if drawing.is_full else "PAUSED", Tone.WARN)]


def _waiting(limits: LimitsLine, now: float, drawing: Drawing) -> list[Span]:
    tone = Tone.QUEUED if limits.waiting else Tone.MUTED
    title = "WAITING" if drawing.is_full else "WAIT"
    pieces = [Span(f"{title} {formats.count(limits.waiting)}", tone)]
    if limits.waiting and limits.waiting_since is not None:
        oldest = formats.since(limits.waiting_since, now)
        pieces.append(Span(f" oldest {oldest}" if drawing.is_full else f" ({oldest})"))
    return pieces


# Tabs and filter: what is hidden.


def tabs_line(frame: Frame, looking: Looking, drawing: Drawing) -> list[Span]:
    """The tabs with their counts; the one that is shown stands in brackets."""
    pause = "resume" if frame.health.link is Link.FROZEN else "pause"
    lock = "locked" if looking.locked else "lock-row"
    right = [
        *(Span("p", Tone.KEY), Span(f":{pause}  ", Tone.MUTED)),
        *(Span("F", Tone.KEY), Span(f":{lock} ", Tone.STRONG if looking.locked else Tone.MUTED)),
    ]
    return drawing.spread(joined(tabs(frame, looking, drawing).values(), Span("")), right)


def tabs(frame: Frame, looking: Looking, drawing: Drawing) -> dict[str, list[Span]]:
    """Each tab as it stands in the line, by name and in order."""
    shown = {}
    for key, name, title, short in TABS:
        count = formats.count(frame.counts.get(name))
        words = f"{key} {title} {count}" if drawing.is_full else f"{key}{short}"
        shown[name] = _tab(words, current=name == looking.tab)
    alarms = len(frame.attention)
    sign = drawing.pen.attention
    words = f"6 {sign} Attention {alarms}" if drawing.is_full else f"6{sign}{alarms or ''}"
    shown[ATTENTION] = _tab(words, current=looking.tab == ATTENTION, alarm=alarms > 0)
    return shown


def tab_at(frame: Frame, looking: Looking, drawing: Drawing, x: int) -> str | None:
    """The name of the tab in which a cell of the line lies."""
    for name, line in tabs(frame, looking, drawing).items():
        x -= width(line)
        if x < 0:
            return name
    return None


def _tab(words: str, *, current: bool, alarm: bool = False) -> list[Span]:
    tone = Tone.ALARM if alarm else Tone.TITLE if current else Tone.PLAIN
    left, right = ("[", "]") if current else (" ", " ")
    return [Span(left, Tone.TITLE), Span(words, tone), Span(right, Tone.TITLE)]


def filter_line(frame: Frame, looking: Looking, drawing: Drawing) -> list[Span]:
    """The filter, or why it was not applied; how many match of how many, order and marks."""
    parts: list[Line] = [_matched(frame, " of ")]
    order = " ".join(f"{'-' if descends else ''}{name}" for name, descends in looking.sort)
    parts.append([Span("sort ", Tone.MUTED), span(order)])
    if looking.marked:
        parts.append([Span(f"{looking.marked} marked", Tone.KEY)])
    return drawing.spread(
        _filter(frame, looking, drawing), [*joined(parts, Span("   ")), Span(" ")]
    )


def compact_line(frame: Frame, looking: Looking, drawing: Drawing) -> list[Span]:
    """Tabs and filter in one line, for narrow terminals."""
    left = joined(tabs(frame, looking, drawing).values(), Span(""))
    marked = [Span(f"  {looking.marked}*", Tone.KEY)] if looking.marked else []
    right = [*_matched(frame, "/"), *marked, Span(" ")]
    return drawing.spread([*left, Span(" "), *_filter(frame, looking, drawing)], right)


def _filter(frame: Frame, looking: Looking, drawing: Drawing) -> list[Span]:
    if frame.complaint:
        return [Span(f" {drawing.pen.gone} ", Tone.BAD), span(frame.complaint, Tone.BAD)]
    key = [Span(" "), Span("/", Tone.KEY)]
    if not looking.filter_text:
        return [*key, Span("filter", Tone.MUTED)] if drawing.is_full else []
    return [*key, span(looking.filter_text, Tone.MATCH)]


def _matched(frame: Frame, between: str) -> list[Span]:
    total = frame.counts.get("all")
    if total is None:
        return []
    return [Span(f"{frame.matched}"), Span(f"{between}{formats.count(total)}", Tone.MUTED)]


def attention_line(frame: Frame, drawing: Drawing) -> list[Span]:
    """The most urgent trouble, what to do about it, and how many more there are."""
    if not frame.attention:
        return drawing.spread([])
    first = frame.attention[0]
    right = [Span("  "), Span("a", Tone.KEY), Span(f":next of {len(frame.attention)} ", Tone.MUTED)]
    return drawing.spread(_told(first, drawing.width - width(right) - 1, drawing), right)


def _told(trouble: Attention, cells: int, drawing: Drawing) -> list[Span]:
    """What is cut where there is little room is the sentence, not what to do about it."""
    at = "" if trouble.since is None else f"{formats.clock(trouble.since, drawing.zone)} "
    job = "" if trouble.job_id is None else f"job {trouble.job_id}: "
    sign = Span(f" {drawing.pen.attention} {trouble.trouble.value} ", Tone.ALARM)
    command = span(f"  {trouble.command}", Tone.STRONG)
    said = f" {at if drawing.is_full else ''}{job}{brief(trouble)}"
    room = max(_LEAST_SAID, cells - width([sign, command]))
    return [sign, Span(clip(said, room), Tone.BAD), command]


# Where there is nothing to list: never an empty space without a reason.

#: A file that runs as it stands: to be copied.
NEWCOMER_YAML: Final = (
    "name: hello",
    "resources:",
    "  job_recovery: {strategy: failover, max_restarts_on_errors: 2}",
    "run: |",
    '  echo "hello from $SKYPILOT_TASK_ID"',
    "  sleep 5",
)


def empty_list(frame: Frame, filter_text: str) -> list[Line]:
    """Why no job is listed, and what to do about it."""
    total = frame.counts.get("all", 0)
    if frame.health.link is Link.MISSING:
        return _no_database(frame)
    if total and filter_text:
        return [
            [span(f"0 of {total} match "), span(filter_text, Tone.MATCH)],
            [*_key("esc", "clears the filter"), _GAP, *_key("/", "edits it")],
        ]
    if total:
        return [[span(f"none of {formats.plural(total, 'job')} is here")], _key("1", "shows all")]
    if frame.health.link is Link.STALE:
        cause = frame.health.cause or "the database cannot be read"
        said = [[span(part, Tone.BAD)] for part in textwrap.wrap(cause, _NARROW)]
        return [*said, [span(frame.health.remedy or "")]]
    return _newcomer()


def _no_database(frame: Frame) -> list[Line]:
    return [
        [Span("No database yet in "), span(frame.home, Tone.STRONG)],
        [Span("The first command that writes makes it, and this screen comes alive.")],
        [Span("jobsched-tui --home DIR", Tone.STRONG), Span("  opens another home")],
        [
            Span("jobsched-tui --demo", Tone.STRONG),
            Span("      shows jobs that are made up; so does "),
            Span("d", Tone.KEY),
        ],
    ]


def _newcomer() -> list[Line]:
    return [
        [Span("No jobs yet. A job is a YAML file, such as this one:", Tone.TITLE)],
        *[[Span(f"    {line}", Tone.STRONG)] for line in NEWCOMER_YAML],
        [*_key("S", "submits a file"), _GAP, *_key("?", "shows the keys")],
    ]


def _key(key: str, does: str) -> list[Span]:
    return [Span(key, Tone.KEY), Span(f" {does}")]
