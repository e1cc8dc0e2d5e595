"""The two tables of moves and the status of a job, against a second copy of the contract."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.states import (
    ALIVE_STATES,
    FAILURES,
    SCHEDULE_MOVES,
    STATUS_MOVES,
    TERMINAL,
    UNFINISHED,
    ScheduleState,
    TaskStatus,
    job_status,
    status_sources,
)

# Written out from the contract on purpose, not derived from the tables under test.
SCHEDULE = {
    ("-", "INACTIVE"),
    ("INACTIVE", "WAITING"),
    ("WAITING", "LAUNCHING"),
    ("LAUNCHING", "ALIVE"),
    ("ALIVE", "ALIVE_WAITING"),
    ("ALIVE_WAITING", "LAUNCHING"),
    ("ALIVE_WAITING", "ALIVE"),
    ("LAUNCHING", "WAITING"),
    ("ALIVE", "WAITING"),
    ("ALIVE_WAITING", "WAITING"),
    ("WAITING", "ALIVE"),
    ("INACTIVE", "DONE"),
    ("WAITING", "DONE"),
    ("LAUNCHING", "DONE"),
    ("ALIVE", "DONE"),
    ("ALIVE_WAITING", "DONE"),
}
STATUS = {
    ("-", "PENDING"),
    ("PENDING", "STARTING"),
    ("PENDING", "SUCCEEDED"),
    ("PENDING", "CANCELLED"),
    ("PENDING", "CANCELLING"),
    ("PENDING", "FAILED_CONTROLLER"),
    ("STARTING", "RUNNING"),
    ("STARTING", "FAILED_PRECHECKS"),
    ("STARTING", "FAILED_NO_RESOURCE"),
    ("STARTING", "CANCELLING"),
    ("STARTING", "FAILED_CONTROLLER"),
    ("RUNNING", "RECOVERING"),
    ("RUNNING", "SUCCEEDED"),
    ("RUNNING", "FAILED"),
    ("RUNNING", "FAILED_SETUP"),
    ("RUNNING", "CANCELLING"),
    ("RUNNING", "FAILED_CONTROLLER"),
    ("RECOVERING", "RUNNING"),
    ("RECOVERING", "FAILED_PRECHECKS"),
    ("RECOVERING", "FAILED_NO_RESOURCE"),
    ("RECOVERING", "CANCELLING"),
    ("RECOVERING", "FAILED_CONTROLLER"),
    ("CANCELLING", "CANCELLED"),
    ("CANCELLING", "FAILED_CONTROLLER"),
}
STATES = ["INACTIVE", "WAITING", "LAUNCHING", "ALIVE", "ALIVE_WAITING", "DONE"]
OPEN = ["CANCELLING", "RECOVERING", "RUNNING", "STARTING", "PENDING"]  # what a job shows first
FAILED = ["FAILED", "FAILED_SETUP", "FAILED_PRECHECKS", "FAILED_NO_RESOURCE", "FAILED_CONTROLLER"]
ENDED = ["SUCCEEDED", "CANCELLED", *FAILED]

ended_tasks = st.tuples(
    st.sampled_from(ENDED).map(TaskStatus), st.booleans(), st.floats(1, 2_000_000_000)
)
open_tasks = st.tuples(st.sampled_from(OPEN).map(TaskStatus), st.booleans(), st.none())


def ended(status: str, at: float, *, counts: bool = True) -> tuple[TaskStatus, bool, float]:
    """A task that ended ``at``."""
    return TaskStatus(status), counts, at


def shown(*statuses: str) -> str:
    """The status of a job whose tasks have these and ended, if they did, in this order."""
    tasks = [
        (TaskStatus(status), True, float(at) if status in ENDED else None)
        for at, status in enumerate(statuses, start=1)
    ]
    return job_status(tasks)


def test_states_are_the_words_of_the_contract() -> None:
    """There are these states and statuses, and the value of each is its name."""
    assert [(state.name, state.value) for state in ScheduleState] == [(s, s) for s in STATES]
    assert {(status.name, status.value) for status in TaskStatus} == {
        (s, s) for s in [*OPEN, *ENDED]
    }


def test_groups_of_states() -> None:
    """Alive, failed, ended and unfinished mean what the contract says."""
    assert {"LAUNCHING", "ALIVE", "ALIVE_WAITING"} == ALIVE_STATES
    assert set(FAILED) == FAILURES
    assert set(ENDED) == TERMINAL
    assert set(OPEN) == UNFINISHED
    assert {status for status in TaskStatus if status.is_terminal} == set(ENDED)
    assert {status for status in TaskStatus if status.is_failure} == set(FAILED)


@pytest.mark.parametrize("to", STATES)
@pytest.mark.parametrize("source", ["-", *STATES])
def test_schedule_moves(source: str, to: str) -> None:
    """A schedule state may follow another where the contract says so, and nowhere else."""
    legal = (source, to) in SCHEDULE
    origin = None if source == "-" else ScheduleState(source)
    assert (ScheduleState(to) in SCHEDULE_MOVES[origin]) is legal


@pytest.mark.parametrize("to", [*OPEN, *ENDED])
@pytest.mark.parametrize("source", ["-", *OPEN, *ENDED])
def test_status_moves(source: str, to: str) -> None:
    """A status may follow another where the contract says so, and nowhere else."""
    legal = (source, to) in STATUS
    origin = None if source == "-" else TaskStatus(source)
    target = TaskStatus(to)
    assert (target in STATUS_MOVES[origin]) is legal
    if origin is not None:
        assert (origin in status_sources(target)) is legal


@pytest.mark.parametrize("to", [*OPEN, *ENDED])
@pytest.mark.parametrize("source", [*OPEN, *ENDED])
def test_ending_a_job_gives_any_unfinished_task_any_outcome(source: str, to: str) -> None:
    """``job_done`` ends what is unfinished in any terminal status; it moves nothing else."""
    legal = source in OPEN if to in ENDED else (source, to) in STATUS
    sources = status_sources(TaskStatus(to), ending_job=True)
    assert (TaskStatus(source) in sources) is legal


def test_nothing_leaves_a_final_state() -> None:
    """DONE and every terminal status lead nowhere, also when a job is ended."""
    assert not SCHEDULE_MOVES[ScheduleState.DONE]
    for to in TaskStatus:
        assert not status_sources(to) & TERMINAL
        assert not status_sources(to, ending_job=True) & TERMINAL


def test_sources_never_hold_the_missing_row() -> None:
    """A guard derived from the tables names states alone: ``None`` would match no row."""
    assert status_sources(TaskStatus.PENDING) == frozenset()


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([], "PENDING"),
        (["PENDING", "PENDING"], "PENDING"),
        (["STARTING", "PENDING"], "STARTING"),
        (["SUCCEEDED", "PENDING"], "RUNNING"),
        (["FAILED", "PENDING"], "RUNNING"),
        (["CANCELLED", "PENDING"], "RUNNING"),
        (["SUCCEEDED", "STARTING"], "STARTING"),
        (["SUCCEEDED", "STARTING", "PENDING"], "RUNNING"),
        (["SUCCEEDED", "RECOVERING", "PENDING"], "RECOVERING"),
        (["SUCCEEDED", "CANCELLING", "PENDING"], "CANCELLING"),
        (["STARTING", "RUNNING"], "RUNNING"),
        (["RUNNING", "RECOVERING"], "RECOVERING"),
        (["RECOVERING", "CANCELLING"], "CANCELLING"),
        (["SUCCEEDED", "SUCCEEDED"], "SUCCEEDED"),
        (["SUCCEEDED", "CANCELLED"], "CANCELLED"),
        (["CANCELLED", "FAILED"], "FAILED"),
        (["FAILED_SETUP", "FAILED"], "FAILED_SETUP"),
        (["FAILED", "FAILED_CONTROLLER", "CANCELLED"], "FAILED"),
    ],
)
def test_status_of_a_job(statuses: list[str], expected: str) -> None:
    """The table of examples: what a job with these tasks shows."""
    assert shown(*statuses) == expected


def test_first_failure_in_time_names_the_outcome() -> None:
    """The order of failures is that of their ends, not that of the tasks."""
    tasks = [ended("FAILED", 30.0), ended("FAILED_SETUP", 10.0), ended("FAILED_NO_RESOURCE", 20.0)]
    assert job_status([*tasks]) == "FAILED_SETUP"


def test_auxiliary_tasks_never_count_for_the_outcome() -> None:
    """An auxiliary task that failed or was cancelled changes nothing of what the primaries did."""
    primary = ended("SUCCEEDED", 20.0)
    assert job_status([primary, ended("FAILED", 10.0, counts=False)]) == "SUCCEEDED"
    assert job_status([primary, ended("CANCELLED", 30.0, counts=False)]) == "SUCCEEDED"
    failed = ended("FAILED_NO_RESOURCE", 20.0)
    assert job_status([failed, ended("FAILED", 10.0, counts=False)]) == "FAILED_NO_RESOURCE"


def test_auxiliary_task_keeps_the_job_unfinished() -> None:
    """Until an auxiliary task has ended the job has not."""
    tasks = [ended("SUCCEEDED", 20.0), (TaskStatus.RUNNING, False, None)]
    assert job_status([*tasks]) == "RUNNING"


@given(st.lists(open_tasks, min_size=1), st.lists(ended_tasks))
def test_unfinished_job_shows_the_first_status_that_a_task_has(
    unfinished: list[tuple[TaskStatus, bool, None]], over: list[tuple[TaskStatus, bool, float]]
) -> None:
    """With anything unfinished, the job shows the first of the order, RUNNING between tasks."""
    present = {status for status, _, _ in unfinished}
    if over and TaskStatus.PENDING in present:
        present.add(TaskStatus.RUNNING)
    assert job_status([*over, *unfinished]) == next(name for name in OPEN if name in present)


@given(st.lists(ended_tasks, min_size=1), st.lists(ended_tasks))
def test_outcome_depends_on_counting_tasks_alone(
    tasks: list[tuple[TaskStatus, bool, float]], others: list[tuple[TaskStatus, bool, float]]
) -> None:
    """Ended tasks that do not count, before or behind those that do, leave the outcome as it is."""
    counting = [(status, True, at) for status, _, at in tasks]
    auxiliary = [(status, False, at) for status, _, at in others]
    outcome = job_status([*counting])
    assert job_status([*auxiliary, *counting]) == outcome
    assert job_status([*counting, *auxiliary]) == outcome


@given(st.permutations(range(1, 6)), st.data())
def test_outcome_of_ended_tasks(ends: list[int], data: st.DataObject) -> None:
    """The failure that ended first, else CANCELLED if any was, else SUCCEEDED; in any order."""
    statuses = data.draw(st.lists(st.sampled_from(ENDED), min_size=5, max_size=5))
    failures = [(at, status) for at, status in zip(ends, statuses, strict=True) if status in FAILED]
    otherwise = "CANCELLED" if "CANCELLED" in statuses else "SUCCEEDED"
    expected = min(failures)[1] if failures else otherwise
    tasks = [ended(status, at) for at, status in zip(ends, statuses, strict=True)]
    assert job_status([*tasks]) == expected
