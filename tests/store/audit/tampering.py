"""Damage to a home that only its audit can find, and what that says."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from jobsched import audit
from jobsched.audit import Invariant
from jobsched.clock import SystemClock
from jobsched.context import Context


class QuickClock(SystemClock):
    """Sleeps in no time."""

    def __init__(self) -> None:
        self.slept = 0.0

    def monotonic(self) -> float:
        """The machine's, and what was slept."""
        return super().monotonic() + self.slept

    def sleep(self, seconds: float) -> None:
        """Say that so much time has passed."""
        self.slept += seconds


def change(context: Context, statement: str, *values: object) -> None:
    """Tamper with the database, past every guard."""
    with closing(sqlite3.connect(context.home.database)) as raw, raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute("PRAGMA ignore_check_constraints = ON")
        raw.execute(statement, values)


def note(context: Context, job_id: int, before: str, to: str, attempt: int = 1) -> None:
    """Forge a schedule move in the history."""
    change(
        context,
        "INSERT INTO history (at, kind, job_id, from_value, to_value, attempt, actor)"
        " VALUES (1, 'SCHEDULE', ?, ?, ?, ?, 'test')",
        job_id,
        before,
        to,
        attempt,
    )


def broken(context: Context) -> set[Invariant]:
    """The invariants that are broken."""
    return {violation.invariant for violation in audit.check(context).violations}


def said(context: Context) -> str:
    """All that is said."""
    return "\n".join(map(str, audit.check(context).violations))
