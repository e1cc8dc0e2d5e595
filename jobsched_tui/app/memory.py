"""What is remembered from one run of the console to the next, and while it runs.

Owns when it is read and written. A console that may only read writes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from jobsched_tui.data import session
from jobsched_tui.data.logs.values import Habits
from jobsched_tui.data.session import FILE_NAME, MOST_ENTRIES, Session


class Memory:
    """The memory of one console on one home."""

    def __init__(self, home: Path, *, reads: bool, writes: bool) -> None:
        self._path = home / FILE_NAME
        self._writes = writes
        self.session, note = session.load(self._path) if reads else (Session(), None)
        #: Worth telling the operator.
        self.notes = [note] if note else []
        self._typed: dict[str, list[str]] = {}

    @property
    def habits(self) -> Habits:
        """How logs are to be drawn."""
        known = self.session
        return Habits(known.wrap, known.numbers, known.timestamps)

    def remember(self, **changes: Any) -> None:
        """Keep this until the console is left."""
        self.session = replace(self.session, **changes)

    def remember_filter(self, text: str) -> None:
        """A filter that was used, to be recalled in this run and later ones."""
        others = [one for one in self.session.filter_history if one != text]
        self.remember(filter_history=tuple([*others, text][-MOST_ENTRIES:]))

    def recalled(self, prompt: str) -> list[str]:
        """What was typed at a prompt in this run, oldest first."""
        return list(self._typed.get(prompt, ()))

    def recall(self, prompt: str, text: str) -> None:
        """Keep what was typed at a prompt."""
        others = [one for one in self._typed.get(prompt, ()) if one != text]
        self._typed[prompt] = [*others, text][-MOST_ENTRIES:]

    def save(self, **changes: Any) -> None:
        """Write it down; a row that was seen stays seen."""
        changes["seen_seq"] = max(changes.get("seen_seq", 0), self.session.seen_seq)
        self.remember(**changes)
        if self._writes and self._path.parent.exists():
            session.save(self._path, self.session)
