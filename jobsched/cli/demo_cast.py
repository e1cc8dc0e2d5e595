"""The jobs of the demonstration: how each must end, and what is done to it on the way.

Owns the script of the play. An act is a generator: it is resumed with the newest view of its job,
and yields until the moment for its next deed has come.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from jobsched.api import Scheduler
from jobsched.cli.formatting import plural
from jobsched.errors import NotFound
from jobsched.states import TaskStatus

#: A job as ``queue`` describes it.
Job = Mapping[str, Any]
#: Resumed with the job; with nothing the first time.
Act = Generator[None, Any, None]


class Stage(Protocol):
    """Where the play takes place."""

    door: Scheduler
    #: A directory that the tasks and the play share.
    scratch: Path

    def tell(self, text: str) -> None:
        """Tell the audience what happens."""
        ...

    def demand(self, text: str, *, fulfilled: bool) -> None:
        """Note something that must be so."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One job of the play."""

    file: str
    status: TaskStatus
    tasks: tuple[TaskStatus, ...]
    restarts: int = 0
    recoveries: int = 0
    act: Callable[[Stage, Job], Act] | None = None

    @property
    def name(self) -> str:
        """What the file calls the job."""
        return self.file.removesuffix(".yaml")

    def expected(self) -> str:
        """How it must end, in words."""
        return _in_words(self.status, self.tasks, self.restarts, self.recoveries)

    @staticmethod
    def found(job: Job) -> str:
        """How it ended, in the same words."""
        return _in_words(
            job["status"],
            [task["status"] for task in job["tasks"]],
            job["restart_count"],
            job["recovery_count"],
        )


def _in_words(status: str, tasks: Sequence[str], restarts: int, recoveries: int) -> str:
    words = [f"{status}"]
    if len(tasks) > 1:
        words.append(f"({', '.join(tasks)})")
    if restarts:
        words.append(f"after {plural(restarts, 'restart')}")
    if recoveries:
        words.append(f"after {recoveries} {'recovery' if recoveries == 1 else 'recoveries'}")
    return " ".join(words)


def _preempt(stage: Stage, job: Job) -> Act:
    checkpoint = stage.scratch / "checkpoint"
    while not (_has_started(job) and checkpoint.exists() and _number(checkpoint) >= 3):  # noqa: PLR2004 -- as its file says
        job = yield
    cluster, region = job["tasks"][0]["cluster"], job["tasks"][0]["region"]
    stage.tell(f"job {job['job_id']}: losing its cluster {cluster} in region {region}")
    stage.door.preempt(cluster)
    while not (job["recovery_count"] and _has_started(job)):
        job = yield
    now = job["tasks"][0]["region"]
    stage.tell(f"job {job['job_id']}: recovered in region {now}")
    stage.demand("a preempted job recovers in another region", fulfilled=now != region)


def _kill_controller(stage: Stage, job: Job) -> Act:
    note = stage.scratch / "orphaned"
    while not (_has_started(job) and note.exists() and job["controller_alive"]):
        job = yield
    task, controller, attempt = _number(note), job["controller_pid"], job["attempt"]
    stage.demand("the task runs before", fulfilled=task in _pids(stage, job))
    stage.tell(f"job {job['job_id']}: its task is PID {task}; killing controller PID {controller}")
    os.kill(controller, signal.SIGKILL)
    while not (job["attempt"] > attempt and job["controller_alive"] and job["controller_pid"]):
        job = yield
    stage.demand("the same task runs after", fulfilled=task in _pids(stage, job))
    stage.tell(
        f"job {job['job_id']}: its task is still PID {_number(note)};"
        f" controller PID {job['controller_pid']} has taken over"
    )
    (stage.scratch / "adopted").touch()
    while not TaskStatus(job["status"]).is_terminal:
        job = yield
    started = len(note.read_text().split())
    stage.demand("the task was started once and no more", fulfilled=started == 1)


def _cancel(stage: Stage, job: Job) -> Act:
    while not (stage.scratch / "cancelled").exists():
        job = yield
    stage.tell(f"job {job['job_id']}: cancelling it")
    stage.door.cancel([job["job_id"]], reason="the demonstration wants it so")


def _has_started(job: Job) -> bool:
    return bool(job["status"] == TaskStatus.RUNNING and job["tasks"][0]["cluster"])


def _number(path: Path) -> int:
    """The number in a file that its task may be writing at this moment."""
    words = path.read_text().split()
    return int(words[-1]) if words else 0


def _pids(stage: Stage, job: Job) -> list[int]:
    """The processes of the job's cluster."""
    for cluster in stage.door.clusters():
        if cluster["name"] == job["tasks"][0]["cluster"]:
            return list(cluster["pids"])
    raise NotFound("cluster", job["tasks"][0]["cluster"])


_OK: Final = TaskStatus.SUCCEEDED

CAST: Final = (
    Part(file="pipeline.yaml", status=_OK, tasks=(_OK, _OK, _OK)),
    Part(
        file="bad-setup.yaml",
        status=TaskStatus.FAILED_SETUP,
        tasks=(_OK, TaskStatus.FAILED_SETUP, TaskStatus.CANCELLED),
    ),
    Part(file="flaky.yaml", status=_OK, tasks=(_OK,), restarts=1),
    Part(file="preempted.yaml", status=_OK, tasks=(_OK,), recoveries=1, act=_preempt),
    Part(file="orphaned.yaml", status=_OK, tasks=(_OK,), act=_kill_controller),
    Part(
        file="cancelled.yaml",
        status=TaskStatus.CANCELLED,
        tasks=(TaskStatus.CANCELLED,),
        act=_cancel,
    ),
    Part(
        file="impossible.yaml",
        status=TaskStatus.FAILED_PRECHECKS,
        tasks=(TaskStatus.FAILED_PRECHECKS,),
    ),
)
