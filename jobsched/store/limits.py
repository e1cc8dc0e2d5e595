"""The two limits and the pause, as stored: the only place that writes them.

Every change of an effective limit, ``auto`` included, is made under the scheduler lock and leaves a
history row, so that ``check`` can tell which limit was in force at any row.
"""

from __future__ import annotations

from typing import Final

from jobsched.lock import Held
from jobsched.store import reads, sql
from jobsched.store.moves import By, record
from jobsched.store.rows import Limits
from jobsched.store.tx import Tx

LAUNCH: Final = "LAUNCH"
ALIVE: Final = "ALIVE"
PAUSED: Final = "PAUSED"


def begin(tx: Tx, launch: int | None, alive: int | None, auto: tuple[int, int], by: By) -> None:
    """The limits of a new database; ``None`` = auto, whose values now are ``auto``."""
    for name, wanted, automatic in ((LAUNCH, launch, auto[0]), (ALIVE, alive, auto[1])):
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


def refresh(tx: Tx, held: Held, auto: tuple[int, int], by: By) -> Limits:
    """Bring limits that are automatic up to date (``auto``: launch, alive); the limits in force."""
    current = reads.current_limits(tx)
    why = by.because("automatic")
    if current.launch_auto and current.launch != auto[0]:
        put(tx, held, LAUNCH, auto[0], why, auto=True)
    if current.alive_auto and current.alive != auto[1]:
        put(tx, held, ALIVE, auto[1], why, auto=True)
    return reads.current_limits(tx)
