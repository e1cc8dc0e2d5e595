"""The line of keys at the bottom: what can be pressed here, as far as there is room.

Owns which actions are worth a hint in which pane. Keys come from whoever knows what was remapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from jobsched_tui.present.glyphs import UNICODE, Pen, ascii_line
from jobsched_tui.present.spans import Line, Span, Tone, clip_line, joined, span, width

#: By pane: action and word, the most useful first.
HINTS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "list": (
        ("app.help", "Help"), ("nav.open", "Open"), ("list.filter", "Filter"),
        ("job.submit", "Submit"), ("job.cancel", "Cancel"), ("limits.edit", "Limits"),
        ("nav.leave", "Quit"), ("mark.toggle", "Mark"), ("job.done", "Force-done"),
        ("job.retry", "Rerun"), ("app.command", "Command"), ("pane.zoom", "Zoom"),
    ),
    "attention": (
        ("app.help", "Help"), ("nav.open", "Open"), ("job.requeue", "Requeue"),
        ("job.cancel", "Cancel"), ("job.done", "Force-done"), ("job.retry", "Rerun"),
        ("nav.back", "Back"), ("copy.report", "Report"), ("limits.edit", "Limits"),
    ),
    "log": (
        ("app.help", "Help"), ("log.search", "Search"), ("log.keep", "Keep"),
        ("log.follow", "Follow"), ("log.next_error", "Next error"), ("log.wrap", "Wrap"),
        ("nav.back", "Back"),
    ),
    "logs": (
        ("app.help", "Help"), ("pane.next", "Next log"), ("pane.zoom", "Zoom"),
        ("log.search", "Search"), ("log.keep", "Keep"), ("log.follow", "Follow"),
        ("log.next_error", "Next error"), ("nav.back", "Back"),
    ),
    "dag": (
        ("app.help", "Help"), ("nav.open", "Log of task"), ("dag.upstream", "Upstream"),
        ("dag.downstream", "Downstream"), ("dag.collapse", "Fold"), ("nav.back", "Back"),
    ),
    "timeline": (
        ("app.help", "Help"), ("nav.open", "Log at that moment"), ("nav.back", "Back"),
        ("job.cancel", "Cancel"), ("job.done", "Force-done"), ("job.retry", "Rerun"),
        ("copy.report", "Report"),
    ),
    "processes": (
        ("app.help", "Help"), ("process.signal", "Signal"), ("nav.back", "Back"),
        ("job.requeue", "Requeue"), ("job.cancel", "Cancel"), ("job.done", "Force-done"),
        ("copy.report", "Report"),
    ),
    "yaml": (
        ("app.help", "Help"), ("nav.back", "Back"), ("job.retry", "Rerun"), ("copy.menu", "Copy"),
        ("export.pager", "Pager"), ("export.editor", "Editor"),
    ),
    "detail": (
        ("app.help", "Help"), ("nav.back", "Back"), ("job.cancel", "Cancel"),
        ("job.done", "Force-done"), ("job.retry", "Rerun"), ("copy.menu", "Copy"),
        ("copy.report", "Report"), ("attention.next", "Next attention"),
    ),
}  # fmt: skip
_GAP: Final = Span("  ")
#: What the keys are called on a keyboard.
_NAMES: Final = {
    "slash": "/", "question_mark": "?", "colon": ":", "ampersand": "&", "asterisk": "*",
    "at": "@", "minus": "-", "plus": "+", "underscore": "_", "number_sign": "#",
    "left_square_bracket": "[", "right_square_bracket": "]", "full_stop": ".", "comma": ",",
    "less_than_sign": "<", "greater_than_sign": ">", "escape": "Esc", "space": "Space",
    "enter": "Enter", "vertical_line": "|", "tab": "Tab", "pagedown": "PgDn", "pageup": "PgUp",
}  # fmt: skip


def shown(key: str) -> str:
    """A key's name as it stands on a keyboard: ``slash`` is ``/``, ``ctrl+d`` is ``^d``."""
    if key.startswith("ctrl+"):
        return f"^{shown(key.removeprefix('ctrl+'))}"
    if key.startswith("shift+"):
        return f"Shift-{shown(key.removeprefix('shift+'))}"
    if key.startswith("f") and key[1:].isdecimal():
        return key.upper()
    return _NAMES.get(key, key)


def first_key(keys: str) -> str:
    """The first of several keys, as shown; empty where an action has none."""
    first = keys.split(",", maxsplit=1)[0].strip()
    return "" if first in ("", "none") else shown(first)


def hints(
    pane: str, keys: Mapping[str, str], cells: int, *, read_only: bool, pen: Pen = UNICODE
) -> Line:
    """The keys of a pane with what they do. ``keys``: by action, as they are bound now."""
    pieces: list[Line] = []
    left = cells - 1
    for action, word in HINTS.get(pane, HINTS["detail"]):
        key = first_key(keys.get(action, ""))
        if key and not (read_only and action in ACTING):
            piece = [Span(key, Tone.KEY), span(f" {word}")]
            left -= width(piece)
            if left >= 0:
                pieces.append(piece)
            left -= width([_GAP])
    line = clip_line([Span(" "), *joined(pieces, _GAP)], cells)
    return ascii_line(line) if pen.is_ascii else line


#: Actions that change something: not there for whoever may only read.
ACTING: Final = frozenset(
    {
        "job.submit", "job.cancel", "job.done", "job.retry", "job.requeue", "job.hold",
        "job.priority", "limits.edit", "op.undo", "op.sweep", "process.signal",
    }
)  # fmt: skip
