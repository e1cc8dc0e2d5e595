"""What there is to see of single jobs of the scenes: their history, graph and processes.

Owns their numbers. How a history becomes a timeline is decided in ``timeline``, as for real jobs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from jobsched.api import Seen
from jobsched.states import TaskStatus
from jobsched_tui.data import timeline
from jobsched_tui.data.dag import Graph, Node
from jobsched_tui.data.frame import Detail, JobLine
from jobsched_tui.data.processes import Proc, Tree, Usage
from jobsched_tui.data.proctable import Identity
from jobsched_tui.data.scenes.home import LINES, NOW, ago
from jobsched_tui.data.scenes.texts import TRAIN_YAML

T = TaskStatus
_MIB: Final = 1024 * 1024
_BOB: Final = "bob via cli"


def _move(at: float, task_id: int | None, before: str | None, after: str, **more: Any) -> Any:
    """One row of a history, its number yet to come."""
    usual = {"attempt": 1, "actor": "controller", "reason": None}
    return {"at": at, "task_id": task_id, "from": before, "to": after, **usual, **more}


def _action(at: float, subject: str, before: str | None, after: str | None, reason: str) -> Any:
    return {
        "at": at, "task_id": None, "from": before, "to": after, "attempt": None,
        "actor": _BOB, "reason": reason, "subject": subject,
    }  # fmt: skip


_SCHEDULER: Final = {"actor": "scheduler", "attempt": None}

#: Of job 1042: it waits, trains, is preempted, and trains on.
_HISTORY: Final = (
    _move(ago(2, 4, 2), None, None, "INACTIVE", actor="alice via cli", attempt=None),
    _move(ago(2, 4), None, "INACTIVE", "WAITING", actor="alice via cli", attempt=None),
    _action(ago(2, 2), "PRIORITY", "0", "20", "needed for the review at three"),
    _move(ago(1, 59, 48), None, "WAITING", "LAUNCHING", **_SCHEDULER),
    _move(ago(1, 59, 46), 0, "PENDING", "STARTING"),
    _move(ago(1, 59, 7), 0, "STARTING", "RUNNING", reason="runs in gpu-01"),
    _move(ago(1, 59, 7), None, "LAUNCHING", "ALIVE", reason="launched"),
    _move(ago(1, 58, 29), 0, "RUNNING", "SUCCEEDED", reason="exit code 0"),
    _move(ago(1, 58, 29), None, "ALIVE", "ALIVE_WAITING", reason="next task"),
    _move(ago(1, 58, 20), None, "ALIVE_WAITING", "LAUNCHING", **_SCHEDULER),
    _move(ago(1, 58, 20), 1, "PENDING", "STARTING"),
    _move(ago(1, 57, 39), 1, "STARTING", "RUNNING", reason="runs in gpu-01"),
    _move(ago(1, 57, 39), None, "LAUNCHING", "ALIVE", reason="launched"),
    _move(ago(0, 48), 1, "RUNNING", "RECOVERING", reason="its cluster was lost: preempted"),
    _move(ago(0, 48), None, "ALIVE", "ALIVE_WAITING", reason="recovery"),
    _move(ago(0, 46, 12), None, "ALIVE_WAITING", "LAUNCHING", **_SCHEDULER),
    _move(ago(0, 45, 30), 1, "RECOVERING", "RUNNING", reason="runs in gpu-02"),
    _move(ago(0, 45, 30), None, "LAUNCHING", "ALIVE", reason="launched"),
)


def _shown(line: JobLine, moves: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    rows = [{"seq": 87_000 + number, **move} for number, move in enumerate(moves)]
    return {
        "job_id": line.job_id,
        "ended_at": line.ended_at,
        "tasks": [{"task_id": task.task_id, "name": task.name} for task in line.tasks],
        "history": [row for row in rows if "subject" not in row],
        "actions": [row for row in rows if "subject" in row],
    }


def _chain(line: JobLine, seconds: Sequence[float | None]) -> Graph:
    nodes = tuple(
        Node(task_id=task.task_id, name=task.name, status=task.status, seconds=spent)
        for task, spent in zip(line.tasks, seconds, strict=True)
    )
    return Graph(nodes, frozenset((at, at + 1) for at in range(len(nodes) - 1)))


def _proc(pid: int, depth: int, cpu: float, rss: int, command: str, **more: Any) -> Proc:
    given: dict[str, Any] = {"state": "S", "elapsed": NOW - ago(0, 45, 30), **more}
    return Proc(
        identity=Identity(pid, pid / 10), depth=depth, cpu=cpu, rss=rss * _MIB, command=command,
        **given,
    )  # fmt: skip


_TORCH: Final = "python -u train.py --nnodes 2"
USAGE: Final = Usage(
    trees=(
        Tree(
            kind="controller", name="attempt 1", pids=(88_082,), seen=Seen.SAME,
            procs=(
                _proc(88_082, 0, 1, 62, "python -m jobsched.controller 1042", elapsed=7148.0),
            ),
        ),
        Tree(
            kind="cluster", name="1042-1", pids=(88_123,), seen=Seen.SAME,
            procs=(
                _proc(88_123, 0, 0, 4, "bash -c torchrun --nnodes=2 --node_rank=0 train.py"),
                _proc(88_125, 1, 2, 210, "python -u torchrun --nnodes=2 --node_rank=0 train.py"),
                _proc(88_140, 2, 198, 2480, _TORCH, state="R"),
                _proc(88_141, 2, 190, 2410, _TORCH, state="D"),
            ),
        ),
    ),
)  # fmt: skip


def _detail(job_id: int, graph: Graph, **more: Any) -> Detail:
    line = LINES[job_id]
    shown = _shown(line, more.pop("moves", _HISTORY[:2]))
    logs = [("controller", Path(f"logs/controller/{job_id}.log"))]
    logs += [(task.name, Path(task.log_path)) for task in line.tasks if task.started_at]
    return Detail(
        line=line,
        timeline=timeline.fold(shown, NOW),
        graph=graph,
        record=tuple(timeline.changes_of(shown)),
        logs=tuple(logs),
        **more,
    )


def _graph(tasks: Mapping[str, tuple[TaskStatus, float | None]], edges: str) -> Graph:
    """From names: ``a>b a>c``."""
    places = {name: task_id for task_id, name in enumerate(tasks)}
    nodes = [
        Node(task_id=places[name], name=name, status=status, seconds=seconds)
        for name, (status, seconds) in tasks.items()
    ]
    pairs = [edge.split(">") for edge in edges.split()]
    return Graph(tuple(nodes), frozenset((places[a], places[b]) for a, b in pairs))


CHAIN: Final = _detail(
    1042, _chain(LINES[1042], (38.0, 6759.0, None, None, None)),
    moves=_HISTORY, yaml=TRAIN_YAML, source="dags/train-resnet.yaml", usage=USAGE,
)  # fmt: skip

DIAMOND: Final = _detail(
    1036,
    _graph(
        {
            "extract-a": (T.SUCCEEDED, 38.0),
            "extract-b": (T.SUCCEEDED, 51.0),
            "merge": (T.RUNNING, 252.0),
            "load": (T.PENDING, None),
            "check": (T.PENDING, None),
            "report": (T.PENDING, None),
        },
        "extract-a>merge extract-b>merge merge>load merge>check load>report check>report",
    ),
)


def _wide() -> Graph:
    states = (T.SUCCEEDED, T.RUNNING, T.FAILED, T.RECOVERING, T.CANCELLED)
    shards = {f"shard-{number:02}": (states[number % 5], 60.0 + number) for number in range(18)}
    tasks = {"split": (T.SUCCEEDED, 12.0), **shards, "join": (T.PENDING, None)}
    edges = " ".join(f"split>{name} {name}>join" for name in shards)
    return _graph(tasks, edges)


WIDE: Final = _detail(1030, _wide())

DEAD: Final = _detail(
    1039, _chain(LINES[1039], (38.0, 960.0, None)),
    moves=_HISTORY[:13],
    usage=Usage(
        trees=(
            Tree(kind="controller", name="attempt 1", pids=(87_640,), seen=Seen.GONE),
            Tree(
                kind="cluster", name="1039-1", pids=(87_655,), seen=Seen.REUSED,
                usurper=_proc(87_655, 0, 0, 4, "bash -l", elapsed=61.0),
            ),
        ),
    ),
)  # fmt: skip
