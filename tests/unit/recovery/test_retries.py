"""What follows a try that failed, and max_duration."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.config import RecoveryConfig
from jobsched.errors import BackendError, NoCapacity, PrecheckFailed
from jobsched.recovery import (
    Cause,
    Fail,
    Failure,
    RecoveryRow,
    Wait,
    WaitCode,
    after_failed_try,
    deadline,
)
from jobsched.recovery.retries import out_of_time
from jobsched.states import TaskStatus
from tests.unit.recovery.fakes import R1, R2, R3, full, rng, row_at, task

NEVER = PrecheckFailed(["wrong name", "no access"])
ERRORS = st.sampled_from(
    [full(), full(knows_room=True), NEVER, BackendError("broken"), OSError("disk")]
)
FAILURES = st.lists(st.builds(Failure, st.sampled_from([R1, R2, R3]), ERRORS), min_size=1)


def decide(
    *failures: Failure, row: RecoveryRow | None = None, retries: int = 0, seed: int = 1
) -> Wait | Fail:
    """The decision at the time 1000."""
    settings = RecoveryConfig(max_launch_retries=retries)
    return after_failed_try(row or RecoveryRow(), failures, 1000.0, rng(seed), settings)


@given(failures=FAILURES, tries=st.integers(0, 50), seed=st.integers())
def test_it_gives_up_exactly_when_nothing_can_ever_help(
    failures: list[Failure], tries: int, seed: int
) -> None:
    """Without a limit on retries only prechecks end the tries; all else waits for the next."""
    got = decide(*failures, row=RecoveryRow(tries=tries), seed=seed)
    if all(failure.error is NEVER for failure in failures):
        assert isinstance(got, Fail)
        assert got.status is TaskStatus.FAILED_PRECHECKS
    else:
        assert isinstance(got, Wait)
        assert got.row.tries == tries + 1
        assert got.row.backoff_until is not None
        assert 1036.0 <= got.row.backoff_until <= 1420.0


def test_all_reasons_of_a_precheck_are_told() -> None:
    """A failure that was known beforehand names every reason, each once."""
    got = decide(Failure(R1, NEVER), Failure(R1, NEVER), Failure(R2, PrecheckFailed(["no GPU"])))
    assert got == Fail(TaskStatus.FAILED_PRECHECKS, "R1: wrong name; no access; R2: no GPU")


@pytest.mark.parametrize("cause", [None, Cause.PREEMPTED, Cause.USER_ERROR])
def test_a_precheck_ends_a_recovery_too(cause: Cause | None) -> None:
    """The same error during recovery is final, not retried for ever."""
    got = decide(Failure(None, NEVER), row=replace(row_at(R1), cause=cause))
    assert isinstance(got, Fail)
    assert got.status is TaskStatus.FAILED_PRECHECKS


@pytest.mark.parametrize("retries", [1, 2, 5])
def test_max_launch_retries_come_after_the_first_try(retries: int) -> None:
    """N retries make N+1 tries; then FAILED_NO_RESOURCE with the reasons."""
    row = RecoveryRow()
    for tries in range(1, retries + 1):
        got = decide(Failure(R1, full()), row=row, retries=retries)
        assert isinstance(got, Wait)
        row = got.row
        assert row.tries == tries
    last = decide(Failure(R1, full()), Failure(R2, OSError("cable")), row=row, retries=retries)
    assert last == Fail(
        TaskStatus.FAILED_NO_RESOURCE,
        f"no cluster in {retries + 1} tries: R1: no room; R2: OSError: cable",
    )


@pytest.mark.parametrize(
    ("errors", "code"),
    [
        ([full(knows_room=True)], WaitCode.NO_ROOM),
        ([full(knows_room=True), NEVER], WaitCode.NO_ROOM),
        ([full()], WaitCode.BACKOFF),
        ([full(knows_room=True), full()], WaitCode.BACKOFF),
        ([full(knows_room=True), OSError("disk")], WaitCode.BACKOFF),
    ],
)
def test_only_a_lack_of_room_that_announces_its_end_waits_for_room(
    errors: list[Exception], code: WaitCode
) -> None:
    """A wait may end early only if room would have helped everywhere."""
    got = decide(*[Failure(R1, error) for error in errors])
    assert isinstance(got, Wait)
    assert got.row.backoff_code is code
    assert got.row.backoff_reason


def test_an_error_without_words_is_named_by_its_kind() -> None:
    """A reason is never empty."""
    assert str(Failure(R1, KeyError())) == "R1: KeyError"
    assert str(Failure(None, NoCapacity([]))) == "NoCapacity"
    assert str(Failure(R1, full(), "train")) == "train: R1: no room"


@pytest.mark.parametrize(
    ("duration", "started", "expected"),
    [(None, 5.0, None), (10.0, None, None), (10.0, 5.0, 15.0), (10.0, 0.0, 10.0)],
)
def test_the_deadline_counts_from_the_stored_start(
    duration: float | None, started: float | None, expected: float | None
) -> None:
    """No start or no max_duration: no deadline."""
    assert deadline(RecoveryRow(started_at=started), task(max_duration=duration)) == expected


def test_a_recovery_ends_with_max_duration() -> None:
    """A task that waits to run again fails at its deadline; one that never ran waits on."""
    spec, running = task(max_duration=60.0), row_at(R1, started_at=1000.0)
    recovering = running.recovering(Cause.PREEMPTED)
    assert out_of_time(recovering, spec, 1059.9) is None
    late = out_of_time(recovering, spec, 1060.0)
    assert late is not None
    assert late.status is TaskStatus.FAILED_NO_RESOURCE
    assert "max_duration of 60 s" in late.reason
    assert out_of_time(replace(recovering, cause=None), spec, 9999.0) is None
