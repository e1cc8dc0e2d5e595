"""Why a job is where it is: a code and one true, printable line for every state of affairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.scheduler.reasons import (
    NOT_WAITING,
    Facts,
    Reason,
    ReasonCode,
    reason_for,
)
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.rows import HELD, HELD_BY_REBOOT, AttemptRow, JobRow, Limits, TaskRow
from jobsched.store.views import Ahead, Blocker
from jobsched.sweep.liveness import Liveness
from jobsched.text import is_printable

NOW = 1_000_000.0
JOB = JobRow(
    job_id=7, name="job", schedule_state=ScheduleState.WAITING, status=TaskStatus.PENDING,
    attempt=0, priority=0, hold=0, queue_seq=1, created_at=1.0, submitted_at=2.0,
    started_at=None, ended_at=None, cancel_at=None, cancel_reason=None, not_before=None,
    requeues=0, failed_starts=0, failure_reason=None,
)  # fmt: skip
TASK = TaskRow(
    job_id=7, task_id=0, name="train", status=TaskStatus.PENDING, counts=1, cluster=None,
    region=None, candidate=None, torn_down=0, launches=0, tries=0, backoff_until=None,
    backoff_code=None, backoff_reason=None, cause=None, lost_launch=None, lost_region=None,
    lost_candidate=None, exit_code=None, recovery_count=0, restart_count=0, restarts_spent=0,
    started_at=None, ended_at=None, failure_reason=None, cleanup_error=None, callback_seq=0,
)  # fmt: skip
ATTEMPT = AttemptRow(
    job_id=7, attempt=1, kind="CONTROLLER", started_at=3.0, boot_id="b", pid=123, start_ticks=1,
    pid_ns=1, called_at=4.0, stop_sent_at=None, ended_at=None, end_reason=None,
)  # fmt: skip
NO_START = ATTEMPT._replace(
    pid=None, start_ticks=None, pid_ns=None, called_at=None, end_reason="no memory"
)
LIMITS = Limits(launch=4, launch_auto=True, alive=8, alive_auto=True, paused=False)
ALIVE, GONE = Liveness(alive=True), Liveness(alive=False)
STOPPED = Liveness(alive=True, stopped=123)


def facts(**changes: Any) -> Facts:
    """Facts of a job that waits for its first start, but for what is changed.

    Names of columns change the job; ``task`` and ``limits`` are dicts of changes to those.
    """
    task = TASK._replace(**changes.pop("task", {}))
    limits = replace(LIMITS, **changes.pop("limits", {}))
    own = {name: changes.pop(name) for name in list(changes) if hasattr(JOB, name)}
    seen = {"tasks": [task], "liveness": GONE, "now": NOW, **changes}
    return Facts(job=JOB._replace(**own), limits=limits, **seen)


def alive(**changes: Any) -> Facts:
    """Facts of a job whose controller is at work, but for what is changed."""
    usual = {"schedule_state": ScheduleState.ALIVE, "attempt": 1, "liveness": ALIVE}
    return replace(facts(**{**usual, **changes}), attempt=ATTEMPT)


FULL = {"launch": 2, "launching_used": 2}
RUNNING = {"status": TaskStatus.RUNNING, "region": "here", "cluster": "c-7"}
RESTING = {"backoff_until": NOW + 30, "tries": 2, "backoff_reason": "no reply"}

TABLE: list[tuple[str, Facts, ReasonCode, tuple[str, ...]]] = [
    ("not submitted", facts(schedule_state=ScheduleState.INACTIVE), ReasonCode.NOT_SUBMITTED,
     ("job 7", "not submitted")),
    ("next", facts(is_next=True), ReasonCode.STARTING, ("job 7", "next scheduling pass")),
    ("held", facts(hold=HELD, is_next=True), ReasonCode.HELD, ("jobsched release 7",)),
    ("held before all else", facts(hold=HELD, limits={"paused": True}), ReasonCode.HELD, ()),
    ("paused", facts(limits={"paused": True}), ReasonCode.PAUSED, ("limits --resume",)),
    ("full of alive", facts(limits={"alive": 1, "alive_used": 1}), ReasonCode.ALIVE_LIMIT,
     ("1 of 1",)),
    ("more alive than may be", facts(limits={"alive": 0, "alive_used": 3}),
     ReasonCode.ALIVE_LIMIT, ("3 of 0",)),
    ("behind others", facts(limits={"alive": 0}, starts_ahead=Ahead((1, 2, 3), 9)),
     ReasonCode.ALIVE_LIMIT, ("in front of it: jobs 1, 2, 3 and 6 more",)),
    ("first in line", facts(limits={"alive": 0}, starts_ahead=Ahead()), ReasonCode.ALIVE_LIMIT,
     ("next in line",)),
    ("full of launches", facts(limits=FULL), ReasonCode.LAUNCH_LIMIT, ("2 of 2 launch slots",)),
    ("behind a resume", facts(limits=FULL, resumes_ahead=Ahead((5,), 1), starts_ahead=Ahead()),
     ReasonCode.LAUNCH_LIMIT, ("in front of it: job 5",)),
    ("follows", facts(blockers=[Blocker(3, TaskStatus.PENDING)], blocker_code=ReasonCode.PAUSED),
     ReasonCode.DEPENDS_ON, ("job 3 has succeeded", "job 3 is PENDING (PAUSED)")),
    ("follows two", facts(blockers=[Blocker(3, TaskStatus.RUNNING), Blocker(4, None)],
                          blocker_code=ReasonCode.RUNNING),
     ReasonCode.DEPENDS_ON, ("jobs 3, 4 have succeeded", "job 3 is RUNNING")),
    ("follows nobody known", facts(blockers=[Blocker(4, None)]), ReasonCode.DEPENDS_ON,
     ("no longer known",)),
    ("start put off", facts(not_before=NOW + 9), ReasonCode.BACKOFF,
     ("job 7 could not be started", "tried again", "in 9 s")),
    ("start put off until before", facts(not_before=NOW - 9, is_next=True), ReasonCode.STARTING,
     ()),
    ("next controller", facts(attempt=2), ReasonCode.STARTING,
     ("starts the next", "jobsched sweep")),
    ("next controller, full and paused",
     facts(attempt=2, limits={"alive": 0, "launch": 0, "paused": True}, hold=HELD),
     ReasonCode.STARTING, ()),
    ("next controller later", facts(attempt=2, not_before=NOW + 9), ReasonCode.BACKOFF,
     ("the controller of job 7 has ended", "the next one is started", "in 9 s")),
    ("next controller after none",
     replace(facts(attempt=2, not_before=NOW + 9), attempt=NO_START), ReasonCode.BACKOFF,
     ("the last start of a controller of job 7 came to nothing (no memory)", "in 9 s")),
    ("held by a reboot", facts(attempt=2, hold=HELD_BY_REBOOT), ReasonCode.HELD,
     ("restarted", "jobsched release 7")),
    ("cancelled before a pass", facts(attempt=2, cancel_at=NOW, status=TaskStatus.CANCELLING),
     ReasonCode.CANCELLING, ("whoever makes the next scheduling pass", "jobsched sweep")),
    ("wants a slot", alive(schedule_state=ScheduleState.ALIVE_WAITING, limits=FULL),
     ReasonCode.LAUNCH_LIMIT, ("2 of 2",)),
    ("gets a slot", alive(schedule_state=ScheduleState.ALIVE_WAITING, is_next=True),
     ReasonCode.STARTING, ("next scheduling pass",)),
    ("held while alive", alive(schedule_state=ScheduleState.ALIVE_WAITING, hold=HELD),
     ReasonCode.HELD, ()),
    ("being started", replace(alive(schedule_state=ScheduleState.LAUNCHING), attempt=None),
     ReasonCode.STARTING, ("being started",)),
    ("before its first task", alive(), ReasonCode.STARTING, ("first task",)),
    ("between tasks", alive(tasks=[TASK._replace(status=TaskStatus.SUCCEEDED), TASK]),
     ReasonCode.STARTING, ("next task",)),
    ("looking", alive(status=TaskStatus.STARTING, task={"status": TaskStatus.STARTING,
                                                        "tries": 1}),
     ReasonCode.STARTING, ("train", "try 2")),
    ("recovering", alive(status=TaskStatus.RECOVERING, task={"status": TaskStatus.RECOVERING}),
     ReasonCode.STARTING, ("RECOVERING",)),
    ("resting", alive(task={**RESTING, "status": TaskStatus.STARTING}), ReasonCode.BACKOFF,
     ("no reply", "try 3", "in 30 s")),
    ("no room", alive(task={**RESTING, "status": TaskStatus.STARTING, "backoff_code": "NO_ROOM"}),
     ReasonCode.NO_ROOM, ("as soon as there is room",)),
    ("running", alive(status=TaskStatus.RUNNING, task=RUNNING), ReasonCode.RUNNING,
     ("train in here",)),
    ("running, controller dead", alive(status=TaskStatus.RUNNING, task=RUNNING, liveness=GONE),
     ReasonCode.RUNNING, ("controller has died", "jobsched sweep")),
    ("running, controller stopped",
     alive(status=TaskStatus.RUNNING, task=RUNNING, liveness=STOPPED), ReasonCode.RUNNING,
     ("train in here", "PID 123) is stopped", "kill -CONT 123", "jobsched requeue 7")),
    ("launching, controller stopped",
     alive(schedule_state=ScheduleState.LAUNCHING, liveness=STOPPED,
           task={"status": TaskStatus.STARTING}), ReasonCode.STARTING,
     ("PID 123) is stopped", "jobsched requeue 7")),
    ("resting, controller stopped",
     alive(task={**RESTING, "status": TaskStatus.STARTING}, liveness=STOPPED), ReasonCode.STARTING,
     ("PID 123) is stopped",)),
    ("cancelled, controller stopped",
     alive(cancel_at=NOW, status=TaskStatus.CANCELLING, liveness=STOPPED, is_watched=True),
     ReasonCode.CANCELLING, ("PID 123) is stopped", "that watches for deaths ends it")),
    ("cancelled, controller dead, somebody ticks",
     alive(cancel_at=NOW, status=TaskStatus.CANCELLING, liveness=GONE, is_watched=True),
     ReasonCode.CANCELLING, ("that watches for deaths ends 1 of its 1 tasks",)),
    ("cancelled, controller stopped, nobody ticks",
     alive(cancel_at=NOW, status=TaskStatus.CANCELLING, liveness=STOPPED),
     ReasonCode.CANCELLING, ("PID 123) is stopped", "`jobsched requeue 7` ends it")),
    ("starting, controller dead", alive(liveness=GONE), ReasonCode.STARTING,
     ("controller has died",)),
    ("ends a task", alive(task={"status": TaskStatus.CANCELLING}), ReasonCode.CANCELLING,
     ("train",)),
    ("cannot be told", alive(liveness=Liveness(alive=None)), ReasonCode.UNKNOWN_LIVENESS,
     ("jobsched requeue 7",)),
    ("somebody has its lock", alive(liveness=Liveness(alive=None, holders=(41, 42))),
     ReasonCode.UNKNOWN_LIVENESS, ("PIDs 41, 42",)),
    ("cancelled", alive(cancel_at=NOW, status=TaskStatus.CANCELLING), ReasonCode.CANCELLING,
     ("its controller ends 1 of its 1 tasks",)),
    ("cleaned up", alive(status=TaskStatus.FAILED, cancel_at=NOW,
                         task={**RUNNING, "status": TaskStatus.FAILED, "cleanup_error": "busy"}),
     ReasonCode.CLEANUP, ("FAILED", "c-7", "busy")),
    ("done", facts(schedule_state=ScheduleState.DONE, status=TaskStatus.FAILED, ended_at=NOW,
                   failure_reason="exit 3"), ReasonCode.DONE, ("FAILED", "exit 3", "1970-01-12")),
    ("done at no time", facts(schedule_state=ScheduleState.DONE, status=TaskStatus.SUCCEEDED),
     ReasonCode.DONE, ("SUCCEEDED", "unknown time")),
    ("done at an impossible time",
     facts(schedule_state=ScheduleState.DONE, status=TaskStatus.SUCCEEDED, ended_at=1e18),
     ReasonCode.DONE, ("1000000000000000000",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "code", "said"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_a_reason(given: Facts, code: ReasonCode, said: tuple[str, ...]) -> None:
    """The code that it must be, and a line that names ids, numbers and what to do."""
    reason = reason_for(given)
    assert reason.code is code, reason
    for words in said:
        assert words in reason.text
    assert reason.text
    assert is_printable(reason.text)


def test_each_code_is_in_the_table() -> None:
    """No code is without a case, and only the two that wait for nothing are not waiting."""
    assert {row[2] for row in TABLE} == set(ReasonCode)
    assert set(NOT_WAITING) == {ReasonCode.RUNNING, ReasonCode.DONE}


HOSTILE = "a\x1b[2J\nb\u202ec"


@pytest.mark.parametrize(
    "given",
    [
        alive(task={**RUNNING, "name": HOSTILE, "region": HOSTILE}),
        alive(task={**RESTING, "name": HOSTILE, "backoff_reason": HOSTILE}),
        alive(status=TaskStatus.FAILED, task={"cluster": HOSTILE, "cleanup_error": HOSTILE,
                                              "status": TaskStatus.FAILED}),
        alive(task={"name": HOSTILE, "status": TaskStatus.STARTING}),
        alive(task={"name": HOSTILE, "status": TaskStatus.CANCELLING}),
        replace(facts(attempt=2), attempt=ATTEMPT._replace(end_reason=HOSTILE)),
    ],
)  # fmt: skip
def test_nothing_stored_gets_out_of_its_line(given: Facts) -> None:
    """Whatever names and reasons hold, the sentence is one printable line."""
    text = reason_for(given).text
    assert is_printable(text)
    assert "␛[2J␊b\\u202ec" in text


def test_a_reason_of_several_lines_is_told_by_its_first() -> None:
    """What stands below it is evidence, which `show` has; nothing of the line gets out of it."""
    stored = "died\x1b[2J twice\nlast lines: a | b"
    text = reason_for(facts(schedule_state=ScheduleState.DONE, failure_reason=stored)).text
    assert text.endswith(": died␛[2J twice")


@given(
    st.sampled_from(ScheduleState), st.sampled_from(TaskStatus), st.sampled_from(TaskStatus),
    st.integers(0, 2), st.integers(0, 2), st.sampled_from([True, False, None]),
    st.sampled_from([None, NOW - 1, NOW + 1]), st.sampled_from([None, NOW]), st.booleans(),
)  # fmt: skip
def test_there_is_always_one(
    state: ScheduleState, status: TaskStatus, of_task: TaskStatus, attempt: int, hold: int,
    lives: bool | None, not_before: float | None, cancel_at: float | None, is_next: bool,
) -> None:  # fmt: skip
    """No combination, possible or not, is without a reason; and DONE alone is DONE."""
    reason = reason_for(
        facts(
            schedule_state=state, status=status, task={"status": of_task}, attempt=attempt,
            hold=hold, liveness=Liveness(alive=lives), not_before=not_before, cancel_at=cancel_at,
            is_next=is_next,
        )
    )  # fmt: skip
    assert isinstance(reason, Reason)
    assert is_printable(reason.text)
    assert (reason.code is ReasonCode.DONE) == (state is ScheduleState.DONE)
