"""The two limits and the pause, as stored: the only place that writes them.

Every change of an effective limit, ``auto`` included, is made under the scheduler lock and leaves a
history row, so that ``check`` can tell which limit was in force at any row.
"""

from __future__ import annotations

from typing import Final

from jobsched.lock import Held
from jobsched.machine.auto import Auto
from jobsched.machine.room import is_worth_it
from jobsched.store import reads, sql
from jobsched.store.moves import By, record
from jobsched.store.rows import Limits
from jobsched.store.tx import Tx

LAUNCH: Final = "LAUNCH"
ALIVE: Final = "ALIVE"
PAUSED: Final = "PAUSED"


def begin(tx: Tx, launch: int | None, alive: int | None, auto: Auto, by: By) -> None:
    """The limits of a new database; ``None`` = automatic, whose values now are ``auto``."""
    first = auto.room(used=0).limit
    for name, wanted, automatic in ((LAUNCH, launch, auto.launch), (ALIVE, alive, first)):
        value = automatic if wanted is None else wanted
        tx.change(sql.ADD_LIMIT, name=name, value=value, auto=int(wanted is None))
        record(tx, by, "LIMIT", subject=name, to_value=str(value))
    tx.change(sql.ADD_LIMIT, name=PAUSED, value=0, auto=0)


def put(tx: Tx, held: Held, name: str, value: int, by: By, *, auto: bool) -> None:
    """Set one limit (or PAUSED to 0 or 1)."""
    held.require()
    current = reads.current_limits(tx)
    before = {LAUNCH: current.launch, ALIVE: current.alive, PAUSED: int(current.paused)}[name]
    tx.change(sql.SET_LIMIT, which=name, value=value, auto=int(auto))
    if before != value:
        record(tx, by, "LIMIT", subject=name, from_value=str(before), to_value=str(value))


def outdated(current: Limits, auto: Auto) -> dict[str, int]:
    """Limits that are automatic and not what ``auto`` gives, with what it gives.

    The alive limit only where the difference is worth it: memory is never the same twice.
    """
    found = {}
    if current.launch_auto and current.launch != auto.launch:
        found[LAUNCH] = auto.launch
    if current.alive_auto:
        wanted = auto.room(current.alive_used).limit
        if is_worth_it(current.alive, wanted, current.alive_used):
            found[ALIVE] = wanted
    return found


def refresh(tx: Tx, held: Held, auto: Auto, by: By) -> Limits:
    """Bring limits that are automatic up to date; the limits in force."""
    current = reads.current_limits(tx)
    changed = outdated(current, auto)
    for name, value in changed.items():
        why = f": {auto.in_words(value, current.alive_used)}" if name == ALIVE else ""
        put(tx, held, name, value, by.because(f"automatic{why}"), auto=True)
    return reads.current_limits(tx) if changed else current


def sum_in_words(now: Limits, auto: Auto) -> str:
    """Where the alive limit in force comes from, as a clause; empty where it is set by hand."""
    return auto.in_words(now.alive, now.alive_used) if now.alive_auto else ""
