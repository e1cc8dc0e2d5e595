"""Every scene by its name: each screen, each dialog, and each state that a home can be in.

Owns the list. A scene that is missing here is a screen that nobody looks at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from jobsched.states import TaskStatus
from jobsched_tui.data.drafts import Draft
from jobsched_tui.data.frame import Detail, Gauge, JobLine, Link
from jobsched_tui.data.scenes.home import BUSY, FRAME, LIMITS, NOW, TROUBLES, ago, busy, ended, runs
from jobsched_tui.data.scenes.lives import CHAIN, DEAD, DIAMOND, WIDE
from jobsched_tui.data.scenes.scene import Rows, Scene, health
from jobsched_tui.data.scenes.texts import FILES, FINE_YAML, WRONG_YAML

_DETAILS: Final[Mapping[int, Detail]] = MappingProxyType(
    {one.line.job_id: one for one in (CHAIN, DIAMOND, WIDE, DEAD)}
)
#: What the status line of a log says that has arrived.
_FOLLOWS: Final = "─ follow"
_MANY: Final = 100_000
_IDLE: Final = replace(
    LIMITS,
    launch=Gauge(limit=3, used=0),
    alive=Gauge(limit=64, used=0, auto=True),
    waiting=0,
    waiting_since=None,
)
_NOBODY: Final = {"all": 0, "active": 0, "waiting": 0, "failed": 0, "done": 0}


def _list(says: str, **more: Any) -> Scene:
    """A scene of the busy afternoon."""
    usual: dict[str, Any] = {
        "frame": busy(),
        "rows": Rows.of(BUSY),
        "details": _DETAILS,
        "followers": {1041: (1032,)},
        "files": FILES,
        "until": _FOLLOWS,
    }
    return Scene(says=says, **usual | more)


def _one_of_many(job_id: int) -> JobLine:
    """A row of a home with very many jobs."""
    if job_id > _MANY - 3:
        return runs(job_id, f"sweep-{job_id}", NOW - (_MANY - job_id) - 60.0, 4000 + job_id % 1000)
    status = TaskStatus.FAILED if job_id % 11 == 0 else TaskStatus.SUCCEEDED
    reason = "task train: exit code 1" if job_id % 11 == 0 else None
    age = ago(1) - (_MANY - job_id)
    return ended(job_id, f"sweep-{job_id}", status, age, done=3, failure_reason=reason)


_LIST: Final = {
    "busy": _list("an afternoon with all kinds of jobs, the log of the first one below"),
    "ascii": _list("the same in ASCII alone", is_ascii=True, until="- follow"),
    "marked": _list(
        "some jobs are marked", keys=("space", "space", "space", "k"), until="▶*  1040"
    ),
    "filtered": _list(
        "a filter that lets four through",
        filter="state:done status:failed",
        rows=Rows.of([line for line in BUSY if line.status.is_failure]),
        until="1021 sweep",
    ),
    "filtering": _list("a filter is being typed", keys=("slash", *"nope:"), until="nope"),
    "attention": _list(
        "all that a person should look at",
        frame=busy(attention=TROUBLES),
        keys=("6",),
        until="jobsched requeue 1039",
    ),
    "hundred-thousand": _list(
        "a list that has no end",
        frame=busy(
            counts={"all": _MANY, "active": 3, "waiting": 0, "failed": 9090, "done": 99_997},
            limits=replace(LIMITS, waiting=0, waiting_since=None),
            attention=(),
        ),
        rows=Rows(range(_MANY, 0, -1), _one_of_many),
    ),
}
_STATES: Final = {
    "paused": _list(
        "starts of new jobs are paused, by whom and since when",
        frame=busy(
            limits=replace(LIMITS, paused=True, paused_by="bob via cli", paused_at=ago(0, 33))
        ),
    ),
    "draining": _list(
        "both limits were lowered below what is used",
        frame=busy(
            limits=replace(
                LIMITS, launch=Gauge(limit=0, used=2), alive=replace(LIMITS.alive, limit=40)
            )
        ),
    ),
    "read-only": _list("nothing may be changed", frame=busy(read_only=True)),
    "past": _list(
        "the home as it was two hours ago",
        frame=health(
            busy(
                attention=(),
                read_only=True,
                now=ago(2, 30),
                counts={"all": 10_398, "active": 61, "waiting": 0, "failed": 6, "done": 10_337},
                limits=replace(_IDLE, alive=Gauge(limit=64, used=12)),
            ),
            Link.PAST,
            ago(2, 30),
        ),
        rows=Rows.of([line for line in BUSY if (line.submitted_at or NOW) < ago(2, 30)]),
        until="PAST",
    ),
    "polling": _list(
        "no events come from the file system",
        frame=health(busy(), Link.POLLING, NOW, "no watch could be had"),
    ),
    "stale": _list(
        "the database cannot be read: the last frame stays",
        frame=health(busy(), Link.STALE, NOW - 12, "database is locked"),
    ),
    "missing": Scene(
        says="there is no database yet",
        frame=health(replace(FRAME, counts={}, limits=_IDLE), Link.MISSING, NOW),
        until="No database yet",
    ),
    "newcomer": Scene(
        says="there is a database, and no job in it",
        frame=replace(
            FRAME,
            counts=_NOBODY,
            limits=_IDLE,
        ),
        until="No jobs yet",
    ),
    "filter-hides-all": Scene(
        says="no job matches the filter",
        frame=FRAME,
        filter="state:alive name~foo",
        until="0 of 10412 match",
    ),
}
_DIALOGS: Final = {
    "limits": _list("limits, and what others would do", keys=("L", "up", "up"), until="launch 3"),
    "submit": _list(
        "a job with mistakes in its file",
        keys=("S",),
        draft=Draft(path="dags/nightly.yaml", text=WRONG_YAML, envs="LEARNING_RATE=3e-4"),
        until="prep",
    ),
    "submit-valid": _list(
        "a job that can be submitted",
        keys=("S",),
        draft=Draft(path="dags/nightly.yaml", text=FINE_YAML, priority="10", copies="3"),
        until="valid",
    ),
    "cancel": _list("two jobs are to be cancelled", keys=("space", "space", "x"), until="[ No ]"),
    "force-done": _list(
        "a job is to be ended by force whose controller lives", keys=("X",), until="[ No ]"
    ),
    "requeue": _list(
        "the controller of a job is to be replaced",
        rows=Rows.of([DEAD.line]),
        keys=("r",),
        until="[ No ]",
    ),
    "help": _list("the keys", keys=("question_mark",), until="Esc back"),
    "sort": _list("orders to choose from", keys=("o",), until="esc changes nothing"),
    "columns": _list("columns to choose from", keys=("f2",), until="space ticks"),
    "copy": _list("what can be copied", keys=("c",), until="esc changes nothing"),
    "command": _list("a command is being typed", keys=("colon", *"theme"), until="audit"),
    "audit": _list("what operators did", keys=("colon", *"audit", "enter"), until="Esc back"),
}
_DETAIL: Final = {
    "log": _list("a log that is followed", keys=("l",), until=_FOLLOWS),
    "log-search": _list("a search in a log", keys=("l", "slash", *"0.5", "enter"), until="matches"),
    "log-dead": _list(
        "the log of a dead controller", rows=Rows.of([DEAD.line]), keys=("l",), until=_FOLLOWS
    ),
    "logs": _list(
        "the logs of three marked jobs, of which one has not printed anything yet",
        keys=("space", "space", "space", "vertical_line"),
        until="3 logs side by side",
    ),
    "timeline": _list("what happened to a job", keys=("t",), until="LNCH 2m04s"),
    "dag-chain": _list("tasks one after the other", keys=("D",), until="report"),
    "dag-diamond": _list(
        "tasks that meet again",
        rows=Rows.of([DIAMOND.line]),
        keys=("D", "right"),
        until="extract-b",
    ),
    "dag-wide": _list(
        "many tasks side by side", rows=Rows.of([WIDE.line]), keys=("D",), until="shard-00"
    ),
    "processes": _list("what runs for a job", keys=("P",), until="torchrun"),
    "processes-dead": _list(
        "what is left of a dead controller",
        rows=Rows.of([DEAD.line]),
        keys=("P",),
        until="bash",
    ),
    "signal": _list("a signal to a process", keys=("P", "j", "K"), until="esc changes nothing"),
    "yaml": _list("the file as it was submitted", keys=("y",), until="name: prepare"),
    "events": _list("all that was written of a job", keys=("E",), until="needed for"),
}

SCENES: Final[Mapping[str, Scene]] = MappingProxyType({**_LIST, **_STATES, **_DIALOGS, **_DETAIL})
