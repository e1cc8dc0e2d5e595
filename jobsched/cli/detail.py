"""``show`` and ``why``: everything about one job, or the one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jobsched.cli.call import Call
from jobsched.cli.formatting import ago, duration, moment
from jobsched.cli.tables import Column, Listing, status_cell
from jobsched.states import ScheduleState

_TASKS: Final = (
    Column("TASK", right=True),
    Column("NAME", flexible=True),
    Column("STATUS"),
    Column("CLUSTER", flexible=True, spare=True),
    Column("REGION", flexible=True, spare=True),
    Column("DURATION", right=True),
    Column("EXIT", right=True),
    Column("RECOVERIES", right=True, spare=True),
    Column("RESTARTS", right=True, spare=True),
)
_HISTORY: Final = (
    Column("SEQ", right=True, spare=True),
    Column("TIME"),
    Column("TASK", right=True),
    Column("FROM"),
    Column("TO"),
    Column("ATTEMPT", right=True, spare=True),
    Column("BY", flexible=True, spare=True),
    Column("REASON", flexible=True),
)
#: Logs that are named, at most: of a gang each node has one.
_MOST_LOGS: Final = 20
_LIVENESS: Final = {True: "alive", False: "gone", None: "cannot be told"}


def show(call: Call) -> int:
    """Everything about one job."""
    job = call.door.show(call.arguments.job_id)
    if call.as_json:
        call.terminal.document(job)
        return 0
    terminal, now = call.terminal, call.door.context.clock.now()
    terminal.say(f"Job {job['job_id']}: {job['name']}")
    for title, value in _facts(call, job, now):
        terminal.say(_beside(f"  {title:<15} ", value))
    terminal.say()
    _tasks(job, now).show(terminal)
    for task in job["tasks"]:
        if task["failure_reason"]:
            terminal.say(_beside(f"  task {task['task_id']}: ", task["failure_reason"]))
    terminal.say()
    _history(job).show(terminal)
    return 0


def _beside(title: str, text: str) -> str:
    """A title and a text, whose further lines stand below its first: none can pass for another."""
    return title + text.replace("\n", "\n" + " " * len(title))


def why(call: Call) -> int:
    """The one sentence."""
    reason = call.door.why(call.arguments.job_id)
    if call.as_json:
        call.terminal.document({"reason": str(reason.code), "text": reason.text})
    else:
        call.terminal.say(reason.text)
    return 0


def _facts(call: Call, job: Mapping[str, Any], now: float) -> Iterator[tuple[str, str]]:
    yield "status", job["status"]
    state = job["schedule_state"]
    yield "schedule state", f"{state}, attempt {job['attempt']}, priority {job['priority']}"
    if job["controller_pid"] is not None:
        yield "controller", f"PID {job['controller_pid']}, {_LIVENESS[job['controller_alive']]}"
    if state != ScheduleState.DONE:
        yield "why", call.door.why(job["job_id"]).text
    for key in ("submitted_at", "started_at", "ended_at"):
        if job[key] is not None:
            title = key.removesuffix("_at")
            yield title, f"{moment(job[key])} ({ago(job[key], now)})"
    yield "recoveries", f"{job['recovery_count']}, restarts after errors: {job['restart_count']}"
    if job["failure_reason"]:
        yield "failure", job["failure_reason"]
    yield from _logs(call, job["job_id"])


def _logs(call: Call, job_id: int) -> Iterator[tuple[str, str]]:
    """The logs that there are: the controller's, and one for each node of each task."""
    there = [one for one in call.door.watch().log_paths(job_id) if one[1].exists()]
    for label, path in there[:_MOST_LOGS]:
        yield "log", f"{path}  ({label})"
    if len(there) > _MOST_LOGS:
        yield "log", f"and {len(there) - _MOST_LOGS} more beside them"


def _tasks(job: Mapping[str, Any], now: float) -> Listing:
    return Listing(
        _TASKS,
        [
            (
                str(task["task_id"]),
                task["name"],
                status_cell(task["status"]),
                task["cluster"] or "-",
                task["region"] or "-",
                duration(task["started_at"], task["ended_at"], now),
                "-" if task["exit_code"] is None else str(task["exit_code"]),
                str(task["recovery_count"]),
                str(task["restart_count"]),
            )
            for task in job["tasks"]
        ],
    )


def _history(job: Mapping[str, Any]) -> Listing:
    """Moves and operators' actions, in the order in which they happened."""
    rows = sorted([*job["history"], *job.get("actions", ())], key=lambda row: row["seq"])
    return Listing(
        _HISTORY,
        [
            (
                str(row["seq"]),
                moment(row["at"]),
                "-" if row.get("task_id") is None else str(row["task_id"]),
                str(row.get("from") or row.get("subject") or "-"),
                str(row.get("to") or "-"),
                "-" if row["attempt"] is None else str(row["attempt"]),
                row["actor"],
                row["reason"] or "",
            )
            for row in rows
        ],
    )
