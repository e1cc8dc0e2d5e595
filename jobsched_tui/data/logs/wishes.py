"""What a view is after in a log: searches, a jump on its way, and the rows that it remembers.

Owns that these stay true while rows are renumbered under them. Pure state, no reading.
"""

from __future__ import annotations

from dataclasses import replace

from jobsched_tui.data.logs.patterns import Pattern, compile_pattern
from jobsched_tui.data.logs.seeking import Direction
from jobsched_tui.data.logs.values import Jump, Landing, Request, Target, Update


class Wishes:
    """Of one view of one log."""

    def __init__(self) -> None:
        self.search: Pattern | None = None
        self.keep: Pattern | None = None
        #: The row that was jumped to last.
        self.current: int | None = None
        #: The how-manieth match it is, from 1.
        self.position: int | None = None
        #: How many lines there were when the view stopped following.
        self.left_at = 0
        self.jump: Jump | None = None
        self._serial = 0

    def look_for(self, pattern: str) -> None:
        """Search for this; for nothing if it is empty."""
        self.search = compile_pattern(pattern) if pattern else None
        self.position = self.jump = None

    def keep_only(self, pattern: str) -> None:
        """Show only what matches this; all if it is empty."""
        self.keep = compile_pattern(pattern) if pattern else None
        self.current = self.position = self.jump = None

    def leap(self, target: Target, direction: Direction, row: int, at: float = 0.0) -> None:
        """Go somewhere; a jump that is on its way is forgotten."""
        self._serial += 1
        self.jump = Jump(self._serial, target, row, direction, at)

    def leap_from(self, target: Target, direction: Direction, top: int, page: int) -> None:
        """The same from where the view is: the last place jumped to, if that is in sight."""
        row = self.current
        if row is None or not top <= row < top + page:
            row = top - 1 if direction is Direction.ON else top + page
        self.leap(target, direction, row)

    def request(self, first: int | None, count: int) -> Request:
        """All that is wanted now, with these rows."""
        return Request(first, count, self.search, self.keep, self.jump)

    def take(self, update: Update) -> tuple[Jump, Landing] | None:
        """Renumber what is remembered; the jump that has come to an end, if one has."""
        if update.fresh:
            self.current = None
        if update.fresh and update.event is not None:
            self.left_at = 0  # another content; else only other rows of the same
        self.left_at += update.shift
        if self.current is not None:
            self.current += update.shift
        jump, landing = self.jump, update.landing
        if jump is None:
            return None
        if landing is None or landing.serial != jump.serial:
            self.jump = replace(jump, row=jump.row + update.shift)
            return None
        self.jump = None
        if landing.row is not None:
            self.current = landing.row
            self.position = landing.ordinal or self.position
        return jump, landing
