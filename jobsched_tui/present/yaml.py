"""A DAG file as it was submitted, with line numbers.

Owns how it is numbered and toned. Parses nothing: what is shown is the text.
"""

from __future__ import annotations

import re
from typing import Final

from jobsched_tui.present.glyphs import UNICODE, Pen, ascii_line
from jobsched_tui.present.spans import Line, Span, Tone, clip_line, span

_KEY: Final = re.compile(r"(\s*(?:- )?)([\w.\-/$]+)(:(?:\s|$))")


def lines(text: str | None, source: str | None, cells: int, pen: Pen = UNICODE) -> list[Line]:
    """The file, and where it came from."""
    if text is None:
        return [[span("it was not submitted yet, so there is no file", Tone.MUTED)]]
    where = source or "an unknown file"
    found: list[Line] = [[span(f"as submitted from {where}; secrets are left out", Tone.MUTED)]]
    rows = text.splitlines()
    digits = len(str(len(rows)))
    for number, row in enumerate(rows, 1):
        found.append([Span(f"{number:>{digits}}  ", Tone.MUTED), *_toned(row)])
    cut = [clip_line(line, cells) for line in found]
    return [ascii_line(line) for line in cut] if pen.is_ascii else list(cut)


def _toned(row: str) -> list[Span]:
    """One line: comments and what parts documents muted, keys strong."""
    if row.lstrip().startswith("#"):
        return [span(row, Tone.MUTED)]
    if row.strip() == "---":
        return [span(row, Tone.MUTED)]
    key = _KEY.match(row)
    if key is None:
        return [span(row)]
    before, name, colon = key.groups()
    return [
        span(before),
        span(name, Tone.STRONG),
        span(colon.rstrip() + " "),
        span(row[key.end() :]),
    ]
