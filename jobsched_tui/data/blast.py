"""What an action would take with it, as numbers and names: counted from what is shown.

Owns the counting. Decides nothing and reads nothing; sentences are made elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from jobsched.states import ALIVE_STATES, ScheduleState, TaskStatus
from jobsched_tui.data.actions import Kind, Plan
from jobsched_tui.data.frame import JobLine

_NOBODY: Final[Mapping[int, Sequence[int]]] = MappingProxyType({})
_ENDING: Final = frozenset({Kind.CANCEL, Kind.DONE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """The process that acts for a job. ``alive`` is ``None``: that cannot be told."""

    job_id: int
    pid: int | None
    alive: bool | None
    cpu: float | None = None
    #: When the job's newest log was written.
    log_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Blast:
    """What is hit."""

    jobs: tuple[JobLine, ...] = ()
    #: Those that live, or may.
    controllers: tuple[Controller, ...] = ()
    #: Tasks that run now: job and name.
    running: tuple[tuple[int, str], ...] = ()
    #: Clusters that nobody removes but a sweep.
    orphans: tuple[str, ...] = ()
    #: Jobs that end with it, because they were to follow one that does not succeed.
    doomed: tuple[int, ...] = ()
    #: Jobs that no longer wait for it.
    freed: tuple[int, ...] = ()
    #: What other jobs can have.
    launch_slots: int = 0
    alive_slots: int = 0

    @property
    def has_live_controller(self) -> bool:
        """Whether a process works for one of the jobs, or may."""
        return bool(self.controllers)


def blast(
    plan: Plan, lines: Sequence[JobLine], followers: Mapping[int, Sequence[int]] = _NOBODY
) -> Blast:
    """What ``plan`` hits among ``lines``. ``followers``: by job, who may start once it succeeded.

    Of a job that has its outcome only the cleanup is missing: who follows it goes by that outcome.
    """
    chosen = frozenset(plan.job_ids)
    hit = tuple(line for line in lines if line.job_id in chosen)
    if plan.kind not in _ENDING:
        touched = _controllers(hit) if plan.kind is Kind.REQUEUE else ()
        return Blast(jobs=hit, controllers=touched, running=_running(hit))
    succeeded = [line.job_id for line in hit if line.status is TaskStatus.SUCCEEDED]
    failing = [line.job_id for line in hit if line.status is not TaskStatus.SUCCEEDED]
    doomed = _after(failing, followers, chosen)
    freed = {one for job_id in succeeded for one in followers.get(job_id, ())}
    return Blast(
        jobs=hit,
        controllers=_controllers(hit),
        running=_running(hit),
        orphans=_orphans(hit) if plan.kind is Kind.DONE else (),
        doomed=doomed,
        freed=tuple(sorted(freed - chosen - set(doomed))),
        launch_slots=sum(line.state is ScheduleState.LAUNCHING for line in hit),
        alive_slots=sum(line.state in ALIVE_STATES for line in hit),
    )


def _controllers(lines: Sequence[JobLine]) -> tuple[Controller, ...]:
    return tuple(
        Controller(
            job_id=line.job_id, pid=line.pid, alive=line.alive, cpu=line.cpu, log_at=line.log_at
        )
        for line in lines
        if line.alive is not False and line.state is not ScheduleState.DONE
    )


def _running(lines: Sequence[JobLine]) -> tuple[tuple[int, str], ...]:
    return tuple(
        (line.job_id, task.name)
        for line in lines
        for task in line.tasks
        if task.status is TaskStatus.RUNNING
    )


def _orphans(lines: Sequence[JobLine]) -> tuple[str, ...]:
    return tuple(
        task.cluster
        for line in lines
        for task in line.tasks
        if task.cluster is not None and not task.status.is_terminal
    )


def _after(
    job_ids: Sequence[int], followers: Mapping[int, Sequence[int]], chosen: frozenset[int]
) -> tuple[int, ...]:
    """Everybody who follows one of them, at any distance."""
    found: set[int] = set()
    ahead = list(job_ids)
    while ahead:
        for one in followers.get(ahead.pop(), ()):
            if one not in found:
                found.add(one)
                ahead.append(one)
    return tuple(sorted(found - chosen))
