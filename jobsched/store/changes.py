"""The history as a stream: what happened after a row, before one, or since a moment.

Owns questions by ``seq``, so that each costs the rows that it goes over, however long the history
is. Wall time has no index and needs none: rows are written in its order, and a few looks find a
moment. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from jobsched.states import ALIVE_STATES, ScheduleState
from jobsched.store import reads, sql
from jobsched.store.rows import HistoryRow
from jobsched.store.tx import Tx


def latest(tx: Tx) -> int:
    """The newest ``seq``; 0 if there is none."""
    return int(tx.tuples(sql.LATEST)[0][0] or 0)


def after(tx: Tx, seq: int, most: int) -> list[HistoryRow]:
    """The first ``most`` rows after a row, in order."""
    return [HistoryRow.of(row) for row in tx.rows(sql.CHANGES_AFTER, after=seq, most=most)]


def before(tx: Tx, seq: int, most: int, kinds: Collection[str]) -> list[HistoryRow]:
    """The last ``most`` rows of some kinds before a row, the newest first."""
    found = tx.rows(sql.CHANGES_BEFORE, before=seq, most=most, kinds=sorted(kinds))
    return [HistoryRow.of(row) for row in found]


def limit_changes(tx: Tx, since: float) -> list[HistoryRow]:
    """The changes of limits after a moment, in order."""
    return [HistoryRow.of(row) for row in tx.rows(sql.LIMIT_CHANGES, after=moment(tx, since))]


def moment(tx: Tx, at: float) -> int:
    """The newest ``seq`` at or before a wall time; 0 if there is none.

    Where the clock was set back a time may have come twice: it is then one of the two.
    """
    found = low = 0
    high = latest(tx)
    while low < high:
        middle = (low + high + 1) // 2
        rows = tx.tuples(sql.NEWEST_UPTO, upto=middle)
        if rows and rows[0][1] > at:
            high = rows[0][0] - 1
        else:
            low = middle
            found = rows[0][0] if rows else found
    return found


def time_of(tx: Tx, seq: int) -> float:
    """When row ``seq`` (or the last before it) was written; 0 if there is none."""
    rows = tx.tuples(sql.NEWEST_UPTO, upto=seq)
    return float(rows[0][1]) if rows else 0.0


def usage(tx: Tx, since: float, steps: int, now: float) -> tuple[list[int], list[int]]:
    """Launch slots and alive slots that were used at ``steps`` even steps, the last of them now.

    Rebuilt backwards from what is used now, so that it costs the rows since then.
    """
    rows = tx.tuples(sql.USES, after=moment(tx, since))
    used = reads.current_limits(tx)
    launching = used.launching_used - sum(_launch_step(row) for row in rows)
    alive = used.alive_used - sum(_alive_step(row) for row in rows)
    found: tuple[list[int], list[int]] = ([], [])
    place = 0
    for step in range(1, steps + 1):
        until = since + (now - since) * step / steps
        while place < len(rows) and rows[place][0] <= until:
            launching += _launch_step(rows[place])
            alive += _alive_step(rows[place])
            place += 1
        found[0].append(launching)
        found[1].append(alive)
    return found


def _launch_step(row: tuple[Any, ...]) -> int:
    launching = ScheduleState.LAUNCHING
    return int(row[2] == launching) - int(row[1] == launching)


def _alive_step(row: tuple[Any, ...]) -> int:
    return int(row[2] in ALIVE_STATES) - int(row[1] in ALIVE_STATES)
