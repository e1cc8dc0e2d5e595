"""What one moment of a home looks like to the console: frozen values, handed from thread to thread.

Owns the shapes that every source (live, past, scene) fills and every view reads. Reads nothing.
Times are Unix seconds, sizes are bytes, CPU is percent of one core; ``None``: not known, or not so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique
from pathlib import Path

from jobsched.api import Change
from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.dag import Graph
from jobsched_tui.data.processes import Usage
from jobsched_tui.data.timeline import Timeline


@unique
class Trouble(StrEnum):
    """What a person should look at: the database, the processes and the logs disagree, or fail."""

    #: The database says alive, but the controller is gone.
    DEAD = "DEAD"
    #: Its PID belongs to another process by now.
    REUSED = "REUSED"
    #: Whether its controller lives cannot be told.
    UNKNOWN = "UNKNOWN"
    #: Its controller is stopped, is a zombie or hangs in the kernel.
    STOPPED = "STOPPED"
    #: Processes of a job that is DONE.
    ORPHAN = "ORPHAN"
    #: It prints nothing and computes nothing for much longer than it used to.
    STUCK = "STUCK"
    #: It holds a launch slot for much longer than launches take here.
    SLOT = "SLOT"
    #: It ended in failure, and nobody has looked since.
    FAILED = "FAILED"
    #: What was left of it could not be removed.
    CLEANUP = "CLEANUP"
    #: Waits for a job that did not succeed, or for one that no longer exists.
    BLOCKED = "BLOCKED"
    #: The scheduler lock is held for long, or by a process that is stopped.
    LOCK = "LOCK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """One thing that a person should look at, with what to do about it."""

    trouble: Trouble
    #: One sentence: what is so, since when, by which evidence.
    text: str
    #: The command that is suggested, as it would be typed.
    command: str
    job_id: int | None = None
    since: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a task says that it is, read from its log."""

    done: float
    total: float
    #: ``step 4120/9000``: as printed.
    text: str

    @property
    def part(self) -> float:
        """0 to 1."""
        return min(1.0, max(0.0, self.done / self.total)) if self.total else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLine:
    """One task of a job."""

    task_id: int
    name: str
    status: TaskStatus
    cluster: str | None = None
    region: str | None = None
    exit_code: int | None = None
    recovery_count: int = 0
    restart_count: int = 0
    started_at: float | None = None
    ended_at: float | None = None
    failure_reason: str | None = None
    cleanup_error: str | None = None
    log_path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLine:
    """One row of the job list."""

    job_id: int
    name: str
    state: ScheduleState
    status: TaskStatus
    tasks: Sequence[TaskLine] = ()
    priority: int = 0
    attempt: int = 0
    source: str | None = None
    submitted_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    #: The last controller; whether it lives (``None``: cannot be told).
    pid: int | None = None
    alive: bool | None = False
    held: bool = False
    cancel_requested: bool = False
    recovery_count: int = 0
    restart_count: int = 0
    failure_reason: str | None = None
    #: Why it is where it is: code and sentence.
    reason: str = ""
    why: str = ""
    #: Of its controller and its tasks' processes together; only for rows that are looked at.
    cpu: float | None = None
    rss: int | None = None
    #: The last line of its newest log, when that was written, and what it says of progress.
    last_line: str | None = None
    log_at: float | None = None
    progress: Progress | None = None
    trouble: Attention | None = None

    @property
    def tasks_done(self) -> int:
        """How many of its tasks have an outcome."""
        return sum(task.status.is_terminal for task in self.tasks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """One of the two limits, with how much of it was used in the last minutes."""

    limit: int
    used: int
    auto: bool = False
    #: Used at even steps of time, oldest first; at most a few dozen.
    history: Sequence[int] = ()
    #: Where in ``history`` the limit was changed.
    changes: Sequence[int] = ()

    @property
    def is_full(self) -> bool:
        """Whether nothing more fits."""
        return self.used >= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsLine:
    """Both limits, the pause, and who waits for them."""

    launch: Gauge
    alive: Gauge
    paused: bool = False
    #: Who paused, and when.
    paused_by: str | None = None
    paused_at: float | None = None
    #: Whether any of this is known: not before the database could be read once.
    known: bool = True
    waiting: int = 0
    #: Since when the longest of them waits.
    waiting_since: float | None = None


@unique
class Link(StrEnum):
    """How the console stands with the database."""

    LIVE = "LIVE"
    #: No events from the file system: it is asked once a second.
    POLLING = "POLLING"
    #: The operator has stopped updates.
    FROZEN = "FROZEN"
    #: This is the past.
    PAST = "PAST"
    #: There is no database yet.
    MISSING = "MISSING"
    #: It cannot be read now; what is shown is the last that could.
    STALE = "STALE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether what is shown is true, and if not, why not and what to do."""

    link: Link = Link.LIVE
    #: Of the moment that is shown.
    at: float = 0.0
    #: For STALE and POLLING: what happened, in a sentence.
    cause: str | None = None
    #: What the person can do.
    remedy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The machine."""

    name: str = ""
    cpus: int = 0
    load: float = 0.0
    memory_used: int = 0
    memory_total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """All there is to see of one job."""

    line: JobLine
    timeline: Timeline
    graph: Graph
    #: Its YAML as submitted, secrets blanked, and the file that it came from.
    yaml: str | None = None
    source: str | None = None
    #: Its moves and what operators did to it, in order.
    record: Sequence[Change] = ()
    #: Label and path of each of its logs.
    logs: Sequence[tuple[str, Path]] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What the job list shows at one moment."""

    home: str
    health: Health
    now: float
    limits: LimitsLine
    host: Host = field(default_factory=Host)
    read_only: bool = False
    user: str = ""
    #: The newest history row that this is true of.
    seq: int = 0
    #: How many jobs the tabs have: all, active, waiting, failed, done.
    counts: Mapping[str, int] = field(default_factory=dict)
    #: How many jobs match the filter; the rows below are those from ``top`` on.
    matched: int = 0
    top: int = 0
    lines: Sequence[JobLine] = ()
    #: The job that the cursor was on, and where it stands among all that match; ``None``: nowhere.
    cursor: int | None = None
    cursor_index: int | None = None
    #: The job that is looked into, if one is.
    detail: Detail | None = None
    #: Everything that a person should look at, the most urgent first.
    attention: Sequence[Attention] = ()
    #: Why the filter or sort that was asked for was not applied.
    complaint: str | None = None
    #: Counts up whenever another database has taken the place of the one that was read before.
    database: int = 0
    #: Whether the home is that of a demonstration.
    is_demo: bool = False
