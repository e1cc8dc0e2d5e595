"""What an operator does to a job or the limits, besides ending it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobsched.cli.call import Call
from jobsched.cli.each import each
from jobsched.cli.formatting import listed
from jobsched.cli.tables import Column, Listing
from jobsched.states import ScheduleState, TaskStatus
from jobsched.store.rows import Limits


def requeue(call: Call) -> int:
    """End a job's controller and start the next."""

    def act(job_id: int) -> str:
        left = call.door.requeue(job_id, reason=call.arguments.reason)
        if left:
            call.terminal.warn(
                f"process {listed(left)} could not be ended; it may change nothing any more,"
                " and stops by itself should it go on"
            )
        return f"Job {job_id} requeued; {_what_goes_on(call.door.show(job_id))}"

    return each(call, [call.arguments.job_id], act, what="requeued")


def _what_goes_on(job: Mapping[str, Any]) -> str:
    """What is true of a job that has just been requeued."""
    if job["schedule_state"] == ScheduleState.DONE:
        return f"it has ended {job['status']}"
    if TaskStatus(job["status"]).is_terminal:
        return f"it ended {job['status']} before, and what is left of it is removed"
    if job["cancel_requested"]:
        return "it stays cancelled, and its tasks are ended"
    return "its tasks go on"


def hold(call: Call) -> int:
    """Let jobs launch nothing."""

    def act(job_id: int) -> str:
        call.door.hold(job_id, reason=call.arguments.reason)
        return f"Job {job_id} held; what runs of it goes on"

    return each(call, call.arguments.job_ids, act, what="held")


def release(call: Call) -> int:
    """End a hold."""

    def act(job_id: int) -> str:
        call.door.release(job_id, reason=call.arguments.reason)
        return f"Job {job_id} released"

    return each(call, call.arguments.job_ids, act, what="released")


def priority(call: Call) -> int:
    """Change a job's priority."""
    asked = call.arguments

    def act(job_id: int) -> str:
        call.door.set_priority(job_id, asked.priority, reason=asked.reason)
        return f"Job {job_id} has priority {asked.priority}"

    return each(call, [asked.job_id], act, what="given another priority")


def limits(call: Call) -> int:
    """Change what was asked to be changed, and show what is in force."""
    asked = call.arguments
    if asked.launch is None and asked.alive is None and asked.paused is None:
        found = call.door.limits()
    else:
        found = call.door.set_limits(launch=asked.launch, alive=asked.alive, paused=asked.paused)
    if call.as_json:
        call.terminal.document(limits_document(found))
        return 0
    Listing(
        (Column("LIMIT"), Column("USED", right=True), Column("OF", right=True), Column("SET")),
        [
            ("launch", str(found.launching_used), str(found.launch), _how(auto=found.launch_auto)),
            ("alive", str(found.alive_used), str(found.alive), _how(auto=found.alive_auto)),
        ],
    ).show(call.terminal)
    if found.alive_auto:
        call.terminal.say(f"alive is automatic: {call.door.capacity().alive_sum}")
    if found.paused:
        call.terminal.say("Paused: no new job starts until `jobsched limits --resume`")
    return 0


def limits_document(found: Limits) -> dict[str, object]:
    """Limits as ``limits --json`` prints them."""
    return {
        "launch": {
            "limit": found.launch,
            "auto": found.launch_auto,
            "used": found.launching_used,
        },
        "alive": {"limit": found.alive, "auto": found.alive_auto, "used": found.alive_used},
        "paused": found.paused,
    }


def _how(*, auto: bool) -> str:
    return "auto" if auto else "by hand"


def preempt(call: Call) -> int:
    """Lose a cluster on purpose."""
    call.door.preempt(call.arguments.cluster)
    call.terminal.say(f"Cluster {call.arguments.cluster} is lost")
    return 0
