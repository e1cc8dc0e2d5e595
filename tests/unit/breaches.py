"""Histories that break one invariant each."""

from __future__ import annotations

from jobsched.audit import Invariant
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.record import Event
from tests.unit.histories import History

S, T = ScheduleState, TaskStatus


def illegal_schedule_move(history: History) -> None:
    """A move that the table does not have."""
    history.move(history.create(), S.ALIVE)


def unknown_state(history: History) -> None:
    """A state that there is not."""
    job = history.create()
    history.add("SCHEDULE", job_id=job, from_value="INACTIVE", to_value="FLYING", attempt=0)


def resumed_without_adoption(history: History) -> None:
    """A requeued job goes to LAUNCHING instead of ALIVE."""
    history.move(history.running(), S.WAITING, S.LAUNCHING)


def adopted_before_a_start(history: History) -> None:
    """A job that never ran is adopted."""
    history.move(history.create(), S.WAITING, S.ALIVE)


def broken_chain(history: History) -> None:
    """A move from another state than the one before it led to."""
    job = history.create()
    history.add("SCHEDULE", job_id=job, from_value="ALIVE", to_value="WAITING", attempt=0)


def created_twice(history: History) -> None:
    """An id is given out again."""
    job = history.create()
    history.add("SCHEDULE", job_id=job, to_value="INACTIVE", attempt=0)


def illegal_status_move(history: History) -> None:
    """A status that the table does not lead to."""
    history.status(history.running(), T.PENDING)


def end_without_an_end(history: History) -> None:
    """A status that only the end of the job allows, but the job does not end."""
    job = history.running(2)
    history.status(job, T.FAILED, task=1)


def end_in_another_transaction(history: History) -> None:
    """The same, and the job ends some rows later."""
    job = history.running(2)
    history.status(job, T.FAILED, task=1)
    history.create()
    history.done(job)


def broken_status_chain(history: History) -> None:
    """A task moves from where it was not."""
    job = history.running()
    history.add("STATUS", job_id=job, task_id=0, from_value="RECOVERING", to_value="RUNNING",
                attempt=1)  # fmt: skip


def seq_falls(history: History) -> None:
    """A row comes after one with a higher number."""
    history.create()
    history.rows.append(Event(1, "ACTION", 1, subject="PRIORITY", attempt=0))


def above_the_launch_limit(history: History) -> None:
    """One launch too many."""
    history.limit("LAUNCH", 1)
    for _ in range(2):
        history.move(history.create(), S.WAITING, S.LAUNCHING)


def resumed_above_the_launch_limit(history: History) -> None:
    """One launch too many, by a job that is alive."""
    job = history.running()
    history.limit("LAUNCH", 0)
    history.move(job, S.ALIVE_WAITING, S.LAUNCHING)


def above_the_alive_limit(history: History) -> None:
    """One first start too many."""
    history.limit("ALIVE", 1)
    history.running()
    history.running()


def started_while_paused(history: History) -> None:
    """A first start during a pause."""
    history.limit("PAUSED", 1)
    history.move(history.create(), S.WAITING, S.LAUNCHING)


def limit_changed_in_secret(history: History) -> None:
    """A limit was another than the row that changes it says."""
    history.add("LIMIT", subject="LAUNCH", from_value="17", to_value="3")


def started_twice(history: History) -> None:
    """Two starts for one WAITING."""
    job = history.create()
    history.move(job, S.WAITING, S.LAUNCHING)
    history.add("SCHEDULE", job_id=job, from_value="WAITING", to_value="LAUNCHING", attempt=2)


def attempt_jumps(history: History) -> None:
    """An attempt number is left out."""
    job = history.create()
    history.move(job, S.WAITING)
    history.move(job, S.LAUNCHING, raises=2)


def attempt_stays(history: History) -> None:
    """A start without a new attempt."""
    job = history.create()
    history.move(job, S.WAITING)
    history.move(job, S.LAUNCHING, raises=0)


def attempt_rises_without_a_start(history: History) -> None:
    """A new attempt without a start."""
    history.move(history.running(), S.ALIVE_WAITING, raises=1)


def attempt_rises_at_a_plain_end(history: History) -> None:
    """The controller's own end raises the attempt."""
    job = history.running()
    history.status(job, T.SUCCEEDED)
    history.move(job, S.DONE, raises=1)


def forced_without_a_fence(history: History) -> None:
    """A forced end does not raise the attempt."""
    job = history.running()
    history.status(job, T.SUCCEEDED)
    history.action(job, "DONE")
    history.move(job, S.DONE)


def written_by_a_stale_attempt(history: History) -> None:
    """A status is written as an attempt that no longer acts."""
    job = history.running()
    history.move(job, S.WAITING, S.ALIVE)
    history.add("STATUS", job_id=job, task_id=0, from_value="RUNNING", to_value="SUCCEEDED",
                attempt=1)  # fmt: skip


def launched_after_its_cancel(history: History) -> None:
    """A cancelled job gets a launch slot."""
    job = history.running()
    history.move(job, S.ALIVE_WAITING)
    history.cancel(job)
    history.move(job, S.LAUNCHING)


def started_after_its_cancel(history: History) -> None:
    """A cancelled job gets a controller."""
    job = history.running()
    history.move(job, S.WAITING)
    history.cancel(job)
    history.move(job, S.ALIVE)


def cancelled_at_once(history: History) -> None:
    """A task that runs is CANCELLED by a cancel without CANCELLING."""
    job = history.running()
    history.action(job, "CANCEL")
    history.done(job)


def launched_while_held(history: History) -> None:
    """A held job gets a launch slot."""
    job = history.running()
    history.action(job, "HOLD")
    history.move(job, S.ALIVE_WAITING, S.LAUNCHING)


def started_while_held(history: History) -> None:
    """A held job is started."""
    job = history.create()
    history.action(job, "HOLD")
    history.move(job, S.WAITING, S.LAUNCHING)


def done_before_the_outcome(history: History) -> None:
    """DONE while a task has no outcome."""
    history.move(history.running(), S.DONE)


def done_twice(history: History) -> None:
    """DONE, and again."""
    job = history.running()
    history.done(job)
    history.add("SCHEDULE", job_id=job, from_value="ALIVE", to_value="DONE", attempt=1)


def moved_after_done(history: History) -> None:
    """A DONE job waits again."""
    job = history.running()
    history.done(job)
    history.add("SCHEDULE", job_id=job, from_value="ALIVE", to_value="WAITING", attempt=1)


def outcome_changed(history: History) -> None:
    """An outcome is written over."""
    job = history.running(2)
    history.status(job, T.SUCCEEDED)
    history.add("STATUS", job_id=job, task_id=0, from_value="RUNNING", to_value="FAILED",
                attempt=1)  # fmt: skip


def task_made_after_done(history: History) -> None:
    """A task appears in a DONE job."""
    job = history.running()
    history.done(job)
    history.add("STATUS", job_id=job, task_id=1, to_value="PENDING", attempt=1)


def rows_left_by_prune(history: History) -> None:
    """A pruned job has rows."""
    job = history.running()
    history.done(job)
    history.add("PRUNED", job_id=job)


def id_used_again(history: History) -> None:
    """A pruned job's id is given out again."""
    job = history.running()
    history.done(job)
    history.prune(job)
    history.add("SCHEDULE", job_id=job, to_value="INACTIVE", attempt=0)


BREAKS = {
    Invariant.MOVES: [
        illegal_schedule_move, unknown_state, resumed_without_adoption, adopted_before_a_start,
        broken_chain, created_twice, illegal_status_move, end_without_an_end,
        end_in_another_transaction, broken_status_chain, seq_falls,
    ],
    Invariant.LIMITS: [
        above_the_launch_limit, resumed_above_the_launch_limit, above_the_alive_limit,
        started_while_paused, limit_changed_in_secret,
    ],
    Invariant.CLAIMS: [started_twice],
    Invariant.ATTEMPTS: [
        attempt_jumps, attempt_stays, attempt_rises_without_a_start, attempt_rises_at_a_plain_end,
        forced_without_a_fence, written_by_a_stale_attempt,
    ],
    Invariant.CANCELS: [launched_after_its_cancel, started_after_its_cancel, cancelled_at_once],
    Invariant.HOLDS: [launched_while_held, started_while_held],
    Invariant.OUTCOMES: [
        done_before_the_outcome, done_twice, moved_after_done, outcome_changed,
        task_made_after_done,
    ],
    Invariant.PRUNING: [rows_left_by_prune, id_used_again],
}  # fmt: skip
