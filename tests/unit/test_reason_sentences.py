"""Sentences about jobs from random facts, even impossible ones: one harmless line, never a lie."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from jobsched.scheduler.reasons import Facts, ReasonCode, reason_for
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.rows import AttemptRow, JobRow, Limits, TaskRow
from jobsched.store.views import Ahead, Blocker
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
#: A job that is alive, and so is its controller.
WORKING = Facts(
    job=JOB, tasks=[TASK], limits=FULL, liveness=Liveness(alive=True), now=NOW, attempt=ATTEMPT
)


def test_first_of_several_pauses_is_told() -> None:
    """Of several tasks that wait the one that is tried first counts."""
    later = TASK._replace(status=T.STARTING, backoff_code="BACKOFF", backoff_until=NOW + 42)
    sooner = later._replace(task_id=1, name="sooner", backoff_until=NOW + 5)
    reason = reason_for(replace(WORKING, tasks=[later, sooner]))
    assert (reason.code, "task sooner of job 7" in reason.text) == (C.BACKOFF, True)


def test_many_running_tasks_are_counted() -> None:
    """A sentence names three tasks, and the number of the others."""
    tasks = [TASK._replace(name=f"t{number}") for number in range(5)]
    text = reason_for(replace(WORKING, tasks=tasks)).text
    assert text == "job 7 runs tasks t0 in here, t1 in here, t2 in here and 2 more"


moments = st.none() | st.floats()
texts = st.none() | st.text(max_size=8) | st.sampled_from(["\x1b[2J", "a\nb", "\u202eb", "[bold]"])
counts = st.integers(0, 12)
aheads = st.none() | st.builds(Ahead, st.lists(counts, max_size=3).map(tuple), counts)


def varied(of: type, base: object, **drawn: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """``base`` with some fields drawn."""
    assert set(drawn) <= set(of.__annotations__)
    # what a dataclass and a named tuple have in common, until 3.13 gives both the same
    change = getattr(base, "_replace", None) or partial(replace, base)
    return st.fixed_dictionaries(drawn).map(lambda values: change(**values))


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
        st.builds(Blocker, counts, st.none() | st.sampled_from(T)), max_size=5
    ),
    blocker_code=st.none() | st.sampled_from(C),
    is_next=st.booleans(),
    resumes_ahead=aheads,
    starts_ahead=aheads,
)  # fmt: skip


@given(anything)
def test_every_sentence_can_be_printed(known: Facts) -> None:
    """Whatever the facts, even impossible ones: one line, not empty, harmless, always the same."""
    reason = reason_for(known)
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
def test_no_controller_is_said_to_have_ended_where_there_was_none(known: Facts) -> None:
    """Nor to have died, nor that another one follows it."""
    if known.job.attempt == 0 and known.job.schedule_state is S.WAITING:
        text = reason_for(known).text
        assert "controller of job" not in text or known.liveness.alive is None
        assert "the next one" not in text


@given(anything)
def test_limits_are_blamed_only_for_what_they_block(known: Facts) -> None:
    """No limit, pause or dependency is ever the reason of a job that has a controller at work."""
    code, job = reason_for(known).code, known.job
    if code in (C.ALIVE_LIMIT, C.PAUSED, C.DEPENDS_ON):
        assert (job.schedule_state, job.attempt, job.hold) == (S.WAITING, 0, 0)
    if code is C.LAUNCH_LIMIT:
        assert job.schedule_state in (S.WAITING, S.ALIVE_WAITING)
        assert not known.is_next
