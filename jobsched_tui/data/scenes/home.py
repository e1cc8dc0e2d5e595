"""The home that the scenes are of: its machine, its limits, and the jobs of a busy afternoon.

Owns their names and numbers. The sentences are those that ``jobsched`` itself says.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.frame import (
    Attention,
    Frame,
    Gauge,
    Health,
    Host,
    JobLine,
    LimitsLine,
    Progress,
    TaskLine,
    Trouble,
)

S, T = ScheduleState, TaskStatus

#: 2026-11-30 12:34:56 UTC.
NOW: Final = 1_796_042_096.0
HOME: Final = "/home/alice/.local/state/jobsched"
_MIB: Final = 1024 * 1024
_GIB: Final = 1024 * _MIB
_PLACE: Final = "gpu-01"

LIMITS: Final = LimitsLine(
    launch=Gauge(limit=3, used=3, history=(0, 1, 1, 2, 3, 2, 3, 3)),
    alive=Gauge(
        limit=64, used=48, history=(8, 12, 20, 28, 36, 40, 47, 48), changes=(3,), auto=True
    ),
    waiting=132,
    waiting_since=NOW - 252,
)
FRAME: Final = Frame(
    home=HOME,
    health=Health(at=NOW - 0.1),
    now=NOW,
    limits=LIMITS,
    host=Host(name=_PLACE, cpus=16, load=3.1, memory_used=41 * _GIB, memory_total=128 * _GIB),
    user="alice",
    seq=88_214,
    counts={"all": 10_412, "active": 183, "waiting": 132, "failed": 7, "done": 10_212},
)


def ago(hours: int, minutes: int = 0, seconds: int = 0) -> float:
    """A moment so long before now."""
    return NOW - (hours * 3600 + minutes * 60 + seconds)


def chain(job_id: int, names: str, done: int, status: TaskStatus) -> tuple[TaskLine, ...]:
    """Tasks one after the other: so many have succeeded, the next has ``status``."""
    made = []
    for task_id, name in enumerate(names.split()):
        is_done = task_id < done
        now = T.SUCCEEDED if is_done else status if task_id == done else T.PENDING
        begun = is_done or (task_id == done and now not in (T.PENDING, T.STARTING))
        made.append(
            TaskLine(
                task_id=task_id,
                name=name,
                status=now,
                cluster=f"{job_id}-{task_id}" if begun else None,
                region=_PLACE if begun else None,
                started_at=ago(2) + 60 * task_id if begun else None,
                log_path=f"logs/{job_id}/{task_id}-{name}.log",
            )
        )
    return tuple(made)


def job(job_id: int, name: str, state: ScheduleState, status: TaskStatus, **more: Any) -> JobLine:
    """One row; ``more``: fields of it, ``names`` and ``done`` of its tasks."""
    tasks = chain(job_id, more.pop("names", "main"), more.pop("done", 0), status)
    given: dict[str, Any] = {
        "tasks": tasks,
        "source": f"dags/{re.sub('-s?[0-9]+$', '', name)}.yaml",
    }
    return JobLine(job_id=job_id, name=name, state=state, status=status, **given | more)


def waits(job_id: int, name: str, age: float, front: str, **more: Any) -> JobLine:
    """A job that waits for its first launch slot."""
    usual: dict[str, Any] = {
        "submitted_at": age,
        "reason": "LAUNCH_LIMIT",
        "why": f"job {job_id} waits: 3 of 3 launch slots are taken; {front}",
    }
    return job(job_id, name, S.WAITING, T.PENDING, **usual | more)


def runs(job_id: int, name: str, age: float, step: int, **more: Any) -> JobLine:
    """A job whose training says how far it is."""
    usual: dict[str, Any] = {
        "names": "prepare train eval export report",
        "done": 1,
        "submitted_at": age,
        "started_at": age + 252,
        "pid": 87_040 + job_id,
        "alive": True,
        "attempt": 1,
        "cpu": 388.0,
        "rss": 5 * _GIB,
        "reason": "RUNNING",
        "why": f"job {job_id} runs task train in {_PLACE}",
        "last_line": f"step {step}/9000 loss 0.412",
        "log_at": NOW - 2,
        "progress": Progress(done=step, total=9000, text=f"step {step}/9000"),
    }
    return job(job_id, name, S.ALIVE, T.RUNNING, **usual | more)


def ended(job_id: int, name: str, status: TaskStatus, age: float, **more: Any) -> JobLine:
    """A job that is DONE after 48 minutes."""
    usual: dict[str, Any] = {
        "names": "prepare train eval",
        "submitted_at": age,
        "started_at": age + 30,
        "ended_at": age + 30 + 2880,
        "attempt": 1,
        "reason": "DONE",
    }
    return job(job_id, name, S.DONE, status, **usual | more)


DEAD: Final = Attention(
    trouble=Trouble.DEAD,
    text=("job 1039 is ALIVE, but its controller, pid 87640, is gone (known since 12:20:20)"),
    command="jobsched requeue 1039",
    job_id=1039,
    since=ago(0, 14, 36),
)
STUCK: Final = Attention(
    trouble=Trouble.STUCK,
    text=(
        "job 1030 prints nothing and computes nothing since 11:52:10; it used to print every 12 s"
    ),
    command="jobsched logs 1030 -n 50",
    job_id=1030,
    since=ago(0, 42, 46),
)
MEMORY: Final = "task train: exit code 1: CUDA out of memory"


def failure(job_id: int, ended_at: float, reason: str = MEMORY) -> Attention:
    """A job that ended in failure, and nobody has looked."""
    return Attention(
        trouble=Trouble.FAILED,
        text=f"job {job_id} ended FAILED at 10:13:26: {reason}",
        command=f"jobsched logs {job_id} --task 1 -n 50",
        job_id=job_id,
        since=ended_at,
    )


BUSY: Final = (
    runs(1042, "train-resnet-s3", ago(2, 4), 4120, cpu=391.0),
    runs(1041, "train-resnet-s2", ago(2, 5), 4390),
    job(
        1040, "train-vit", S.ALIVE_WAITING, T.RECOVERING, names="prepare train eval", done=1,
        submitted_at=ago(2, 9), started_at=ago(2, 8), pid=87_991, alive=True, attempt=1,
        cpu=0.0, rss=64 * _MIB, recovery_count=2, reason="LAUNCH_LIMIT",
        why="job 1040 waits: 3 of 3 launch slots are taken; it is next in line",
    ),
    runs(
        1039, "train-gpt-small", ago(2, 31), 0, pid=87_640, alive=False, cpu=None, rss=None,
        progress=None, last_line="MemoryError", trouble=DEAD,
        names="prepare train eval",
    ),
    job(
        1038, "train-bert", S.LAUNCHING, T.STARTING, names="setup train",
        submitted_at=ago(0, 0, 41), started_at=ago(0, 0, 12), pid=90_412, alive=True, attempt=1,
        cpu=12.0, rss=120 * _MIB, reason="STARTING",
        why="job 1038 is STARTING: its controller gets task setup a cluster, try 1",
        last_line="Creating env (pip) ...",
    ),
    waits(1037, "train-llama-lora", ago(0, 4, 12), "in front of it: jobs 1040, 1036"),
    waits(
        1036, "etl-nightly", ago(0, 4, 30), "in front of it: job 1040", priority=10,
        names="extract-a extract-b merge load check report index notify clean",
    ),
    ended(1035, "sweep-017", T.FAILED, ago(3, 10), done=1, failure_reason=MEMORY,
          trouble=failure(1035, ago(2, 21, 30))),
    ended(1034, "sweep-016", T.SUCCEEDED, ago(3, 12), done=3),
    job(
        1033, "draft-job", S.INACTIVE, T.PENDING, submitted_at=None, reason="NOT_SUBMITTED",
        why="job 1033 was created but not submitted yet",
    ),
    waits(
        1032, "eval-resnet-s2", ago(0, 51), "", reason="DEPENDS_ON",
        why="job 1032 may start once job 1041 has succeeded; job 1041 is RUNNING",
    ),
    waits(
        1031, "größe-der-daten-dedup", ago(1, 12), "", reason="HELD", held=True,
        why="job 1031 is held; `jobsched release 1031` lets it go on",
    ),
    runs(
        1030, "export-onnx", ago(1, 30), 0, pid=85_112, cpu=0.0, rss=900 * _MIB, progress=None,
        last_line="exporting to /mnt/models/onnx", trouble=STUCK, names="export verify", done=0,
    ),
    job(
        1029, "train-resnet-s1", S.ALIVE, T.CANCELLING, names="prepare train eval export report",
        done=1, submitted_at=ago(2, 40), started_at=ago(2, 36), pid=88_001, alive=True, attempt=1,
        cpu=3.0, rss=4 * _GIB, cancel_requested=True, reason="CANCELLING",
        why="job 1029 was cancelled 12:34:41; its controller ends 4 of its 5 tasks",
    ),
    ended(1028, "render-tiles", T.SUCCEEDED, ago(3, 30), done=3),
    ended(1027, "sweep-015", T.CANCELLED, ago(3, 44), done=1,
          failure_reason="cancelled by bob via cli: wrong learning rate"),
    ended(1026, "sweep-014", T.SUCCEEDED, ago(3, 58), done=3),
    ended(1025, "ingest-orders", T.FAILED_SETUP, ago(4, 2),
          failure_reason="task prepare: setup ended with exit code 127"),
    ended(1024, "ingest-returns", T.SUCCEEDED, ago(4, 10), done=3),
    ended(1023, "big-vocab", T.FAILED_NO_RESOURCE, ago(4, 22),
          failure_reason="task prepare: no region has 8 A100"),
    ended(1022, "sweep-013", T.SUCCEEDED, ago(4, 40), done=3),
    ended(1021, "sweep-012", T.FAILED_CONTROLLER, ago(4, 41), done=1,
          failure_reason="its controller died 11 times; the last: killed by signal 9"),
    ended(1020, "sweep-011", T.SUCCEEDED, ago(5, 1), done=3),
    *(ended(1019 - number, f"sweep-{10 - number:03}", T.SUCCEEDED, ago(5, 20 + number), done=3)
      for number in range(10)),
)  # fmt: skip

LINES: Final = {line.job_id: line for line in BUSY}
TROUBLES: Final = (
    DEAD,
    STUCK,
    failure(1035, ago(2, 21, 30)),
    failure(1021, ago(3, 52, 30)),
    failure(1009, ago(4, 2, 30)),
    failure(1025, ago(4, 2), "task prepare: setup ended with exit code 127"),
)


def busy(**fields: Any) -> Frame:
    """The frame of the busy afternoon, with other fields."""
    return replace(FRAME, **{"attention": TROUBLES[:3], **fields})
