"""The stored row and its transitions."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from jobsched.models import Placement
from jobsched.recovery import Cause, RecoveryRow, WaitCode
from jobsched.store.catalogue.schema import tasks
from tests.unit.recovery.fakes import R1, R2, row_at

PLACES = st.builds(Placement, region=st.sampled_from(["R1", "R2"]), candidate=st.integers(0, 3))


def test_every_field_is_a_column_of_tasks() -> None:
    """A row can be read from and written to the table of tasks by the names of its fields."""
    assert {field.name for field in fields(RecoveryRow)} <= set(tasks.columns.keys())


def test_a_row_survives_the_database() -> None:
    """What was stored comes back the same, enums and flags included."""
    row = row_at(R2).recovering(Cause.USER_ERROR, spends=True).launching("c", R1)
    row = row.waiting(tries=2, until=5.0, code=WaitCode.NO_ROOM, reason="full")
    stored = {
        name: int(value) if isinstance(value, bool) else value
        for name, value in row.columns().items()
    }
    texts = {name: str(v) if name in ("cause", "backoff_code") else v for name, v in stored.items()}
    back = RecoveryRow.of(SimpleNamespace(**texts, started_at=row.started_at))
    assert back == row
    assert back.cause is Cause.USER_ERROR
    assert back.backoff_code is WaitCode.NO_ROOM
    assert back.torn_down is False


def test_the_start_is_written_by_the_move_of_the_status() -> None:
    """A row is stored without its start, so that it cannot undo the one that the move wrote."""
    assert "started_at" not in row_at(R1).columns()


@given(place=PLACES, counts=st.tuples(*[st.integers(0, 9)] * 3))
def test_a_preemption_spends_no_restart(place: Placement, counts: tuple[int, int, int]) -> None:
    """Preempted and running again: one recovery more, the restarts untouched."""
    recoveries, restarts, spent = counts
    row = row_at(
        place,
        recovery_count=recoveries,
        restart_count=restarts,
        restarts_spent=min(spent, restarts),
    )
    lost = row.recovering(Cause.PREEMPTED)
    assert (lost.recovery_count, lost.lost) == (recoveries, place)
    back = lost.launching("next", R1).running(9.0)
    assert back.recovery_count == recoveries + 1
    assert (back.restart_count, back.restarts_spent) == (restarts, row.restarts_spent)


@given(place=PLACES, spends=st.booleans(), before=st.integers(0, 9))
def test_a_restart_counts_once(place: Placement, spends: bool, before: int) -> None:
    """A restart is counted when it is decided, spent only if it is to be, and not when it runs."""
    row = row_at(place, restart_count=before, restarts_spent=before)
    again = row.recovering(Cause.USER_ERROR, spends=spends).launching("next", place).running(9.0)
    assert again.restart_count == before + 1
    assert again.restarts_spent == before + spends
    assert again.recovery_count == 0


def test_running_forgets_what_was_under_way() -> None:
    """Tries, pause and cause belong to one recovery; the first start stays."""
    row = row_at(R1).recovering(Cause.PREEMPTED)
    row = row.waiting(tries=4, until=9.0, code=WaitCode.BACKOFF, reason="x").launching("n", R2)
    back = row.running(2000.0)
    assert (back.cause, back.lost, back.tries, back.backoff_until) == (None, None, 0, None)
    assert back.started_at == 1000.0
    assert back.placement == R2


def test_a_name_that_is_stored_counts_as_a_cluster_until_it_is_gone() -> None:
    """From the moment it is named a cluster may exist."""
    row = RecoveryRow()
    assert not row.has_cluster
    named = row.launching("c", R1)
    assert named.has_cluster
    assert named.launches == 1
    assert not named.cleared().has_cluster
    assert named.cleared().cluster == "c"
