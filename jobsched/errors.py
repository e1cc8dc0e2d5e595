"""Everything that jobsched raises at a caller, named for what the caller can do about it.

    JobschedError                     something a person or program should be told, in one sentence
    ├── NotFound                      no job (or task, or cluster) of that name
    ├── IllegalMove                   the state machine has no such move from where the job is now
    ├── Changed                       the job has moved on since the caller looked; look again
    ├── NoAttempt                     the call is for a job's controller; this process is none
    ├── StaleAttempt                  this attempt lost its right to act; stop without side effects
    ├── Cancelled                     the job was cancelled; clean up and end
    ├── InvalidInput                  a value, name or argument cannot be accepted (exit 2)
    │   └── InvalidDag                a YAML file has problems, each with its place in the file
    ├── ConfigError                   config.toml or an override cannot be used (exit code 2)
    ├── StoreError                    the database cannot be used: full, read-only, foreign, newer
    ├── LockTimeout                   somebody holds a lock for too long; says who
    ├── StartFailed                   a controller process could not be started
    └── BackendError                  the backend could not do it
        ├── PrecheckFailed            known beforehand: no candidate can ever serve the task
        ├── NoCapacity                nothing free now; trying again later may help
        └── Fenced                    a newer attempt owns the cluster

Each carries its facts as attributes and builds its own sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class JobschedError(Exception):
    """Root of all errors raised on purpose; ``str()`` is a sentence for a person."""

    #: The exit code of a command that ends with this error.
    exit_code = 1


class NotFound(JobschedError):
    """There is no such job, task or cluster."""

    def __init__(self, kind: str, name: object) -> None:
        self.kind, self.name = kind, name
        super().__init__(f"{kind} {name} not found")


class IllegalMove(JobschedError):
    """The move is not in the table for the state in which the job or task is now."""

    def __init__(self, what: str, current: str, to: str) -> None:
        self.what, self.current, self.to = what, current, to
        super().__init__(f"{what} is {current} and cannot become {to}")


class Changed(JobschedError):
    """The job no longer stands as the caller saw it when deciding; nothing was done to it."""

    def __init__(self, job_id: int, *, before: str, now: str) -> None:
        self.job_id, self.before, self.now = job_id, before, now
        super().__init__(
            f"job {job_id} was {before} when it was looked at and is {now} now;"
            " nothing was done to it"
        )


class NoAttempt(JobschedError):
    """The call acts for a job's controller, but this process was not started as one."""

    def __init__(self, job_id: int, action: str) -> None:
        self.job_id, self.action = job_id, action
        super().__init__(
            f"only the controller of job {job_id} may {action}; this process has no attempt of it"
        )


class StaleAttempt(JobschedError):
    """Another attempt has taken over the job; nothing was changed. Stop, and touch nothing more."""

    def __init__(self, job_id: int, attempt: int, current: int | None = None) -> None:
        self.job_id, self.attempt, self.current = job_id, attempt, current
        now = "" if current is None else f"; it is at attempt {current} now"
        super().__init__(f"attempt {attempt} of job {job_id} may no longer act{now}")


class Cancelled(JobschedError):
    """The job was cancelled while the caller waited or was about to launch."""

    def __init__(self, job_id: int) -> None:
        self.job_id = job_id
        super().__init__(f"job {job_id} was cancelled")


class InvalidInput(JobschedError):
    """An argument, name or value that cannot be accepted. Nothing was stored."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong (or worth a warning) in a file, and where. Lines and columns count from 1."""

    file: str
    line: int
    column: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.file}:{self.line}:{self.column}: {self.message}{hint}"


class InvalidDag(InvalidInput):
    """A DAG file cannot be accepted; ``problems`` holds every reason, in the order of the file."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class ConfigError(JobschedError):
    """``config.toml`` or a ``JOBSCHED_<SECTION>_<KEY>`` override cannot be used."""

    exit_code = 2

    def __init__(self, where: str, message: str) -> None:
        self.where = where
        super().__init__(f"{where}: {message}")


class StoreError(JobschedError):
    """The home or its database cannot be used; nothing was changed.

    ``passes``: whether trying again later may help, as when a disk is full.
    """

    def __init__(self, message: str, *, passes: bool = False) -> None:
        self.passes = passes
        super().__init__(message)


class LockTimeout(JobschedError):
    """A lock was not to be had in time. ``holders``: PIDs that hold it, where that can be told."""

    def __init__(self, path: object, waited: float, holders: Sequence[str] = ()) -> None:
        self.path, self.waited, self.holders = path, waited, tuple(holders)
        by = f", held by {', '.join(self.holders)}" if self.holders else ""
        super().__init__(f"waited {waited:.0f} s for {path}{by}; nothing was changed")


class StartFailed(JobschedError):
    """A controller could not be started. ``transient``: the machine was short of something."""

    def __init__(self, message: str, *, transient: bool) -> None:
        self.transient = transient
        super().__init__(message)


class BackendError(JobschedError):
    """The backend could not do what was asked; trying again may help."""


class PrecheckFailed(BackendError):
    """Known before provisioning that no candidate can ever serve the task."""

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("; ".join(self.reasons))


class NoCapacity(BackendError):
    """Nothing that was allowed is free now. ``knows_room``: the wait ends when room appears."""

    def __init__(self, reasons: Sequence[str], *, knows_room: bool = False) -> None:
        self.reasons, self.knows_room = tuple(reasons), knows_room
        super().__init__("; ".join(self.reasons))


class Fenced(BackendError):
    """A newer attempt has written its number into the cluster; this one must not act on it."""

    def __init__(self, cluster: str, attempt: int, owner: int) -> None:
        self.cluster, self.attempt, self.owner = cluster, attempt, owner
        super().__init__(f"cluster {cluster} belongs to attempt {owner}, not {attempt}")
