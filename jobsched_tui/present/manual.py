"""Help, made from the table of keys: those of the pane one is in, then all others, then the filter.

Owns the order and the wording around it; what a key does stands in the table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from jobsched_tui.data.filters import HELP
from jobsched_tui.data.keymap import KEYS, Context, Key
from jobsched_tui.present.glyphs import STATES, UNICODE, Pen, ascii_line
from jobsched_tui.present.hints import shown
from jobsched_tui.present.spans import Line, Span, Tone, clip_line, fit, span

_CONTEXTS: Final = {
    "list": Context.LIST, "log": Context.LOG, "dag": Context.DAG, "detail": Context.DETAIL,
    "logs": Context.LOG,
}  # fmt: skip
_KEYS: Final = 14
_EXAMPLE: Final = 26
_DESCRIBED: Final = 56
#: What an action's id and the gaps take.
_IDS: Final = 22


def lines(
    panes: Collection[str], keys: Mapping[str, str], cells: int, pen: Pen = UNICODE
) -> list[Line]:
    """Everything: first what is heard in any of these panes. ``keys``: as they are bound now."""
    here = {_CONTEXTS[pane] for pane in panes}
    mine = [key for key in KEYS if here & key.contexts]
    others = [key for key in KEYS if not here & key.contexts]
    found: list[Line] = [[span("In this pane", Tone.TITLE)], *_grouped(mine, keys, cells)]
    found += [[], [span("Everywhere and elsewhere", Tone.TITLE)], *_grouped(others, keys, cells)]
    found += [[], [span("Filter", Tone.TITLE)]]
    found += [[span(f"  {fit(example, _EXAMPLE)}", Tone.KEY), span(does)] for example, does in HELP]
    found += [[], [span("States", Tone.TITLE)]]
    found += [
        [Span("  "), Span(fit(mark.label(pen), 18), mark.tone), span(_MEANINGS[str(state)])]
        for state, mark in STATES.items()
    ]
    cut = [clip_line(line, cells) for line in found]
    return [ascii_line(line) for line in cut] if pen.is_ascii else list(cut)


def _grouped(chosen: list[Key], keys: Mapping[str, str], cells: int) -> list[Line]:
    found: list[Line] = []
    group = ""
    described = max(0, min(_DESCRIBED, cells - _KEYS - _IDS))
    for key in chosen:
        if key.group != group:
            group = key.group
            found.append([span(f" {group}", Tone.MUTED)])
        names = [shown(one.strip()) for one in keys.get(key.id, key.keys).split(",")]
        bound = " ".join(name for name in names if name != "none") or "-"
        tone = Tone.WARN if key.destructive else Tone.PLAIN
        found.append(
            [
                span(f"  {fit(bound, _KEYS)}", Tone.KEY),
                span(fit(key.description, described), tone),
                span(f" {key.id}", Tone.MUTED),
            ]
        )
    return found


_MEANINGS: Final = {
    "INACTIVE": "recorded, not handed to the scheduler",
    "WAITING": "queued for its first launch slot, or for its next controller",
    "LAUNCHING": "holds a launch slot and an alive slot",
    "ALIVE": "its controller watches; no launch slot held",
    "ALIVE_WAITING": "alive, wants a launch slot again",
    "DONE": "the scheduler has finished with it",
}
