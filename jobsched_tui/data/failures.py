"""Failures that are the same but for numbers and names, together: ``7 jobs: CUDA out of memory``.

Owns what of an error counts as its kind. Pure; the texts come from outside and stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

#: Characters of an error that tell its kind; the rest is detail.
_MOST: Final = 300

#: What is taken out, in this order. Exit codes and signals stay: they are the kind.
_VARIABLE: Final = (
    (re.compile(r"\x1b\[[0-9;]*[A-Za-z]"), ""),
    (re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'|`[^`]*`"), "'…'"),
    (re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE), "URL"),
    (re.compile(r"(?<![\w…])~?(?:\.{0,2}/[\w.@%+=,-]+)+/?"), "PATH"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE), "#"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "#"),
    (re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{8,}\b", re.IGNORECASE), "#"),
    (re.compile(r"(?<!exit code )(?<!signal )(?<![\w#])\d+(?:[.,:]\d+)*(?:-\d+)*"), "#"),
    (re.compile(r"\s+"), " "),
)
_CODE: Final = re.compile(r"exit code (\d+)")
#: What an exit code usually means; a guess, and worded as one.
_HINTS: Final = {
    "126": "not executable?",
    "127": "command not found?",
    "130": "interrupted?",
    "134": "aborted?",
    "137": "killed, out of memory?",
    "139": "segmentation fault?",
    "143": "terminated?",
}


@dataclass(frozen=True, slots=True)
class Cluster:
    """Jobs that failed in the same way."""

    #: The failure without what differs.
    kind: str
    #: As the first of them has it.
    example: str
    job_ids: tuple[int, ...]
    #: What it may come from.
    hint: str | None = None


def normalise(text: str) -> str:
    """The kind of an error: its text without numbers, paths, addresses and quoted names."""
    kind = text[: 4 * _MOST]
    for pattern, instead in _VARIABLE:
        kind = pattern.sub(instead, kind)
    return kind.strip()[:_MOST] or "no reason given"


def clusters(failures: Iterable[tuple[int, str | None]]) -> tuple[Cluster, ...]:
    """Jobs and their errors by kind, the most frequent kind first; a job counts once in each."""
    found: dict[str, tuple[str, list[int]]] = {}
    for job_id, text in failures:
        _, job_ids = found.setdefault(normalise(text or ""), (text or "", []))
        if job_id not in job_ids:
            job_ids.append(job_id)
    order = sorted(found.items(), key=lambda item: (-len(item[1][1]), item[1][1][0]))
    return tuple(
        Cluster(kind, example, tuple(job_ids), _hint(kind)) for kind, (example, job_ids) in order
    )


def _hint(kind: str) -> str | None:
    code = _CODE.search(kind)
    return _HINTS.get(code[1]) if code else None
