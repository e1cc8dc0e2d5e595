"""``queue`` and ``clusters``: what there is, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from jobsched.cli.call import Call
from jobsched.cli.formatting import ago, counts, duration, plural
from jobsched.cli.tables import Cell, Column, Listing, status_cell
from jobsched.cli.terminal import Terminal
from jobsched.states import ALIVE_STATES, TaskStatus
from jobsched.text import clip

_Row = Sequence[str | Cell]

_JOBS: Final = (
    Column("ID", right=True),
    Column("TASK"),
    Column("NAME", flexible=True),
    Column("STATUS"),
    Column("SUBMITTED", right=True, spare=True),
    Column("DURATION", right=True),
    Column("RECOVERIES", right=True, spare=True),
    Column("REASON", flexible=True),
)
_CLUSTERS: Final = (
    Column("NAME", flexible=True),
    Column("JOB", right=True),
    Column("TASK", right=True),
    Column("REGION", flexible=True),
    Column("NODES", right=True, spare=True),
    Column("STATE"),
    Column("CREATED", right=True, spare=True),
    Column("PIDS", flexible=True, spare=True),
)
_LONGEST_NAME: Final = 60


def queue(call: Call) -> int:
    """List a page of jobs."""
    asked = call.arguments
    jobs = call.door.queue(all=asked.all, statuses=asked.status, name=asked.name, limit=asked.limit)
    if call.as_json:
        call.terminal.document(jobs)
        return 0
    call.terminal.say(_headline(call, jobs))
    if jobs:
        jobs_listing(jobs, call.door.context.clock.now(), call.terminal).show(call.terminal)
    if len(jobs) == asked.limit:
        call.terminal.note(f"the newest {asked.limit}; --limit N shows more")
    return 0


def jobs_listing(jobs: Sequence[Mapping[str, Any]], now: float, terminal: Terminal) -> Listing:
    """The table of jobs, as ``queue`` shows it."""
    branch = "↳" if terminal.unicode else "`-"
    return Listing(_JOBS, [row for job in jobs for row in job_rows(job, now, branch)])


def job_rows(job: Mapping[str, Any], now: float, branch: str) -> Iterator[_Row]:
    """The row of a job, and if it has several tasks one for each of them."""
    tasks = job["tasks"]
    yield (
        str(job["job_id"]),
        "" if len(tasks) > 1 else "-",
        clip(job["name"], _LONGEST_NAME),
        status_cell(job["status"], _current(tasks)),
        ago(job["submitted_at"], now),
        duration(job["started_at"], job["ended_at"], now),
        str(job["recovery_count"]),
        reason(job),
    )
    for task in tasks if len(tasks) > 1 else ():
        yield (
            f" {branch}",
            str(task["task_id"]),
            clip(task["name"], _LONGEST_NAME),
            status_cell(task["status"]),
            "-",
            duration(task["started_at"], task["ended_at"], now),
            str(task["recovery_count"]),
            (task["failure_reason"] or "").partition("\n")[0],
        )


def reason(job: Mapping[str, Any]) -> str:
    """Why a job waits, or why it failed, or what is wrong with it."""
    if job["waiting_reason"] is not None:
        return _without_subject(job["job_id"], job["waiting_text"] or str(job["waiting_reason"]))
    if job["schedule_state"] in ALIVE_STATES and job["controller_alive"] is False:
        return "its controller is dead; the next pass (`jobsched sweep` makes one) sees to it"
    return (job["failure_reason"] or "").partition("\n")[0]


def _without_subject(job_id: int, text: str) -> str:
    """The sentence without what the row says anyway: that the job waits, and which one."""
    subject = f"job {job_id}"
    if not text.startswith((f"{subject} ", f"{subject}:")):
        return text
    return text.removeprefix(subject).lstrip(": ").removeprefix("waits: ")


def _current(tasks: Sequence[Mapping[str, Any]]) -> str:
    """Which of several tasks is under way."""
    if len(tasks) == 1:
        return ""
    active = [
        str(task["task_id"])
        for task in tasks
        if not TaskStatus(task["status"]).is_terminal and task["status"] != TaskStatus.PENDING
    ]
    return f" (task {', '.join(active)})" if active else ""


def _headline(call: Call, jobs: Sequence[Mapping[str, Any]]) -> str:
    asked = call.arguments
    unfinished = [job["status"] for job in jobs if not TaskStatus(job["status"]).is_terminal]
    if unfinished:
        return f"In progress: {counts(unfinished)}"
    if jobs:
        return f"Ended: {counts(job['status'] for job in jobs)}"
    if asked.status or asked.name is not None:
        return "No such jobs"
    return "No jobs" if asked.all else "No jobs in progress"


def clusters(call: Call) -> int:
    """List the clusters that exist."""
    found = call.door.clusters()
    if call.as_json:
        call.terminal.document(found)
        return 0
    call.terminal.say(plural(len(found), "cluster") if found else "No clusters")
    now = call.door.context.clock.now()
    rows = [
        (
            cluster["name"],
            str(cluster["job_id"]),
            str(cluster["task_id"]),
            cluster["region"] or "-",
            str(cluster["num_nodes"]),
            cluster["state"],
            ago(cluster["created_at"], now),
            ", ".join(map(str, cluster["pids"])),
        )
        for cluster in found
    ]
    if rows:
        Listing(_CLUSTERS, list(rows)).show(call.terminal)
    return 0
