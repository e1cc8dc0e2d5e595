"""Why a job is where it is: every code from its facts, and sentences that can always be printed."""

from __future__ import annotations

import re
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsched.scheduler.reasons import Blocker, Facts, Reason, ReasonCode, reason_for
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.rows import HELD, HELD_BY_REBOOT, AttemptRow, JobRow, Limits, TaskRow
from jobsched.store.views import Ahead
from jobsched.sweep.liveness import Liveness
from jobsched.text import is_printable

S, T, C = ScheduleState, TaskStatus, ReasonCode
NOW = 1_800_000_000.0
JOB = JobRow(
    job_id=7, name="job", schedule_state=S.ALIVE, status=T.RUNNING, attempt=1, priority=0, hold=0,
    queue_seq=1, created_at=NOW, submitted_at=NOW, started_at=NOW, ended_at=None, cancel_at=None,
    cancel_reason=None, not_before=None, requeues=0, failed_starts=0, failure_reason=None,
)  # fmt: skip
TASK = TaskRow(
    job_id=7, task_id=0, name="train", status=T.RUNNING, counts=1, cluster="7-0-1", region="here",
    candidate=0, torn_down=0, launches=1, tries=0, backoff_until=None, backoff_code=None,
    backoff_reason=None, cause=None, lost_launch=None, lost_region=None, lost_candidate=None,
    exit_code=None, recovery_count=0, restart_count=0, restarts_spent=0, started_at=NOW,
    ended_at=None, failure_reason=None, cleanup_error=None, callback_seq=0,
)  # fmt: skip
ATTEMPT = AttemptRow(
    job_id=7, attempt=1, kind="DEFAULT", started_at=NOW, boot_id="b", pid=11, start_ticks=1,
    pid_ns=1, called_at=NOW, stop_sent_at=None, ended_at=None, end_reason=None,
)  # fmt: skip
#: Nothing is free.
FULL = Limits(
    launch=2, launch_auto=False, alive=3, alive_auto=False, paused=False,
    launching_used=2, alive_used=3,
)  # fmt: skip
ROOMY = replace(FULL, launching_used=0, alive_used=0)
GONE, LIVES = Liveness(alive=False), Liveness(alive=True)


def facts(
    state: ScheduleState, status: TaskStatus, *, job: dict[str, object] | None = None,
    task: dict[str, object] | None = None, **more: object,
) -> Facts:  # fmt: skip
    """A job with one task that has its status, and a controller if it is alive; then changes."""
    known = Facts(
        job=replace(JOB, schedule_state=state, status=status),
        tasks=[replace(TASK, status=status, **(task or {}))],  # type: ignore[arg-type]
        limits=FULL, liveness=LIVES, now=NOW, attempt=ATTEMPT,
    )  # fmt: skip
    if state in (S.WAITING, S.INACTIVE, S.DONE):
        known = replace(known, liveness=GONE)
    if state in (S.WAITING, S.INACTIVE):
        known = replace(known, job=replace(known.job, attempt=0), attempt=None)
    return replace(known, job=replace(known.job, **(job or {})), **more)  # type: ignore[arg-type]


def waiting(**more: object) -> Facts:
    """A job that waits for its first start."""
    return facts(S.WAITING, T.PENDING, **more)  # type: ignore[arg-type]


def requeued(**job: object) -> Facts:
    """A job whose controller has ended."""
    ended = replace(ATTEMPT, end_reason="controller died after 3 s")
    return waiting(job={"attempt": 1, **job}, attempt=ended)


REST = {"backoff_until": NOW + 42, "backoff_reason": "here: 8 of 8 CPUs are taken", "tries": 2}
AHEAD = Ahead((4, 5, 6), 9)

TABLE = [
    (C.NOT_SUBMITTED, facts(S.INACTIVE, T.PENDING), "job 7 was created but not submitted"),
    (C.DONE, facts(S.DONE, T.FAILED, job={"failure_reason": "exit 1"}), "ended FAILED .*: exit 1"),
    (C.HELD, waiting(job={"hold": HELD}), "`jobsched release 7`"),
    (C.HELD, waiting(job={"hold": HELD}, limits=replace(FULL, paused=True)), "is held"),
    (C.DEPENDS_ON, waiting(blockers=[Blocker(3, T.RUNNING)]), "job 3 has succeeded.* is RUNNING$"),
    (
        C.DEPENDS_ON,
        waiting(blockers=[Blocker(n, T.PENDING, C.HELD) for n in (2, 3, 4, 5)], is_next=False),
        r"once jobs 2, 3, 4 and 1 more have succeeded; job 2 is PENDING \(HELD\)",
    ),
    (C.DEPENDS_ON, waiting(blockers=[Blocker(3, None)]), "job 3 is no longer known"),
    (C.PAUSED, waiting(limits=replace(ROOMY, paused=True)), "limits --resume"),
    (
        C.ALIVE_LIMIT,
        waiting(starts_ahead=AHEAD, resumes_ahead=Ahead((1,), 1)),
        "3 of 3 jobs that may be alive are; in front of it: jobs 4, 5, 6 and 6 more",
    ),
    (
        C.LAUNCH_LIMIT,
        waiting(limits=replace(FULL, alive=9), starts_ahead=AHEAD, resumes_ahead=Ahead((1,), 1)),
        "2 of 2 launch slots are taken; in front of it: jobs 1, 4, 5 and 7 more",
    ),
    (C.LAUNCH_LIMIT, waiting(limits=replace(FULL, alive=9)), "2 of 2 launch slots are taken$"),
    (
        C.LAUNCH_LIMIT,
        waiting(limits=replace(ROOMY, launch=0), starts_ahead=Ahead(), resumes_ahead=Ahead()),
        "0 of 0 launch slots are taken; it is next in line",
    ),
    (C.STARTING, waiting(limits=ROOMY, is_next=True), "the next scheduling pass"),
    (C.STARTING, requeued(), r"ended \(controller died after 3 s\); a pass starts the next"),
    (C.STARTING, requeued(hold=HELD), "a pass starts the next"),
    (C.STARTING, requeued(not_before=NOW - 1), "a pass starts the next"),
    (C.HELD, requeued(hold=HELD_BY_REBOOT), "since the machine was restarted"),
    (C.BACKOFF, requeued(not_before=NOW + 8), r"died after 3 s\).* started at .*, in 8 s"),
    (
        C.LAUNCH_LIMIT,
        facts(S.ALIVE_WAITING, T.RECOVERING, resumes_ahead=Ahead((3,), 1)),
        "2 of 2 launch slots are taken; in front of it: job 3$",
    ),
    (C.HELD, facts(S.ALIVE_WAITING, T.RECOVERING, job={"hold": HELD}), "is held"),
    (C.STARTING, facts(S.ALIVE_WAITING, T.STARTING, is_next=True), "launch slot from the next"),
    (C.STARTING, facts(S.LAUNCHING, T.PENDING, attempt=None), "controller .* is being started"),
    (
        C.STARTING,
        facts(S.LAUNCHING, T.PENDING, attempt=replace(ATTEMPT, called_at=None)),
        "is being started",
    ),
    (C.STARTING, facts(S.LAUNCHING, T.STARTING), "STARTING: .* task train a cluster, try 1"),
    (C.STARTING, facts(S.ALIVE, T.RECOVERING, task={"tries": 2}), "a cluster, try 3"),
    (C.STARTING, facts(S.ALIVE, T.PENDING), "about to go on with its next task"),
    (C.STARTING, facts(S.LAUNCHING, T.STARTING, liveness=GONE), "controller has died"),
    (C.STARTING, facts(S.ALIVE_WAITING, T.STARTING, liveness=GONE), "controller has died"),
    (C.RUNNING, facts(S.ALIVE, T.RUNNING), "runs task train in here$"),
    (C.RUNNING, facts(S.LAUNCHING, T.RUNNING), "runs task train in here$"),
    (C.RUNNING, facts(S.ALIVE, T.RUNNING, liveness=GONE), "train in here; .* has died"),
    (
        C.BACKOFF,
        facts(S.ALIVE, T.STARTING, task={**REST, "backoff_code": "BACKOFF"}),
        "waits: here: 8 of 8 CPUs are taken; try 3 at .*, in 42 s$",
    ),
    (
        C.NO_ROOM,
        facts(S.ALIVE, T.RECOVERING, task={**REST, "backoff_code": "NO_ROOM"}),
        "try 3 at .*, in 42 s, or as soon as there is room",
    ),
    (
        C.CANCELLING,
        facts(S.ALIVE, T.CANCELLING, job={"cancel_at": NOW}),
        "cancelled at .*; its controller ends 1 of its 1 tasks",
    ),
    (
        C.CANCELLING,
        facts(S.ALIVE, T.CANCELLING, job={"cancel_at": NOW}, liveness=GONE),
        "whoever makes the next pass ends",
    ),
    (C.CANCELLING, facts(S.ALIVE, T.CANCELLING), "task train is being ended"),
    (
        C.CLEANUP,
        facts(S.ALIVE, T.FAILED, task={"cleanup_error": "PID 9 would not end"}),
        r"ended FAILED; its controller removes cluster 7-0-1 \(so far: PID 9 would not end\)",
    ),
    (C.CLEANUP, facts(S.ALIVE, T.SUCCEEDED, task={"torn_down": 1}), "its controller ends it$"),
    (C.CLEANUP, facts(S.ALIVE, T.CANCELLED, job={"cancel_at": NOW}, liveness=GONE), "next pass"),
    (
        C.UNKNOWN_LIVENESS,
        facts(S.ALIVE, T.RUNNING, liveness=Liveness(alive=None, holders=(31, 32))),
        "PIDs 31, 32 still .* `jobsched requeue 7`",
    ),
    (C.UNKNOWN_LIVENESS, facts(S.LAUNCHING, T.PENDING, liveness=Liveness(alive=None)), "seen"),
]


@pytest.mark.parametrize(("code", "known", "text"), TABLE)
def test_table(code: ReasonCode, known: Facts, text: str) -> None:
    """Each kind of facts gives its code, and a sentence with the ids, numbers and times in it."""
    reason = reason_for(known)
    assert reason.code is code, reason
    assert re.search(text, reason.text), reason.text


def test_table_is_complete() -> None:
    """No code is without a case."""
    assert {code for code, _, _ in TABLE} == set(ReasonCode)


def test_first_of_several_pauses_is_told() -> None:
    """Of several tasks that wait the one that is tried first counts."""
    known = facts(S.ALIVE, T.STARTING, task={**REST, "backoff_code": "BACKOFF"})
    sooner = replace(known.tasks[0], name="sooner", backoff_until=NOW + 5)
    assert "task sooner of job 7" in reason_for(replace(known, tasks=[*known.tasks, sooner])).text


def test_many_running_tasks_are_counted() -> None:
    """A sentence names three tasks, and the number of the others."""
    known = facts(S.ALIVE, T.RUNNING)
    tasks = [replace(TASK, name=f"t{number}") for number in range(5)]
    text = reason_for(replace(known, tasks=tasks)).text
    assert text == "job 7 runs tasks t0 in here, t1 in here, t2 in here and 2 more"


moments = st.none() | st.floats()
texts = st.none() | st.text(max_size=8) | st.sampled_from(["\x1b[2J", "a\nb", "\u202eb", "[bold]"])
counts = st.integers(0, 12)
aheads = st.none() | st.builds(Ahead, st.lists(counts, max_size=3).map(tuple), counts)


def varied(of: type, base: object, **drawn: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """``base`` with some fields drawn."""
    assert set(drawn) <= {field.name for field in fields(of)}
    return st.fixed_dictionaries(drawn).map(lambda values: replace(base, **values))  # type: ignore[type-var]


anything = st.builds(
    Facts,
    job=varied(
        JobRow, JOB, schedule_state=st.sampled_from(S), status=st.sampled_from(T), attempt=counts,
        hold=st.integers(0, 2), ended_at=moments, cancel_at=moments, not_before=moments,
        failure_reason=texts,
    ),
    tasks=st.lists(
        varied(
            TaskRow, TASK, name=st.text(), status=st.sampled_from(T), region=texts, cluster=texts,
            torn_down=st.integers(0, 1), tries=counts, backoff_until=moments,
            backoff_code=st.sampled_from([None, "BACKOFF", "NO_ROOM"]), backoff_reason=texts,
            cleanup_error=texts,
        ),
        max_size=5,
    ),
    limits=varied(
        Limits, FULL, launch=counts, alive=counts, paused=st.booleans(), launching_used=counts,
        alive_used=counts,
    ),
    liveness=st.builds(
        Liveness, st.sampled_from([True, False, None]), st.lists(counts, max_size=5).map(tuple)
    ),
    now=st.floats(allow_nan=False, allow_infinity=False),
    attempt=st.none() | varied(AttemptRow, ATTEMPT, called_at=moments, end_reason=texts),
    blockers=st.lists(
        st.builds(
            Blocker, counts, st.none() | st.sampled_from(T), st.none() | st.sampled_from(C)
        ),
        max_size=5,
    ),
    is_next=st.booleans(),
    resumes_ahead=aheads,
    starts_ahead=aheads,
)  # fmt: skip


@given(anything)
def test_every_sentence_can_be_printed(known: Facts) -> None:
    """Whatever the facts, even impossible ones: one line, not empty, harmless, always the same."""
    reason = reason_for(known)
    assert isinstance(reason, Reason)
    assert reason.text.strip()
    assert is_printable(reason.text), reason.text
    assert "\n" not in reason.text
    assert reason_for(known) == reason


@given(anything)
def test_final_codes(known: Facts) -> None:
    """DONE and NOT_SUBMITTED are said of exactly the jobs that are so."""
    code, state = reason_for(known).code, known.job.schedule_state
    assert (code is C.DONE) == (state is S.DONE)
    assert (code is C.NOT_SUBMITTED) == (state is S.INACTIVE)


@given(anything)
def test_limits_are_blamed_only_for_what_they_block(known: Facts) -> None:
    """No limit, pause or dependency is ever the reason of a job that has a controller at work."""
    code, job = reason_for(known).code, known.job
    if code in (C.ALIVE_LIMIT, C.PAUSED, C.DEPENDS_ON):
        assert (job.schedule_state, job.attempt, job.hold) == (S.WAITING, 0, 0)
    if code is C.LAUNCH_LIMIT:
        assert job.schedule_state in (S.WAITING, S.ALIVE_WAITING)
        assert not known.is_next
