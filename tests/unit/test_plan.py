"""What a job needs next: which tasks are placed together, and what is left to be removed."""

from __future__ import annotations

from typing import Any

import pytest

from jobsched.controller.plan import plan
from jobsched.models import DagSpec, TaskSpec
from jobsched.states import TaskStatus
from jobsched.store.rows import TaskRow

T = TaskStatus
_BLANK: dict[str, Any] = dict.fromkeys(TaskRow._fields)
ROW = TaskRow(**_BLANK | {"job_id": 1, "counts": 1, "torn_down": 1})


@pytest.mark.parametrize(
    ("statuses", "drive", "together"),
    [
        ((T.PENDING, T.PENDING, T.PENDING), (0, 1, 2), True),
        ((T.STARTING, T.STARTING, T.PENDING), (0, 1, 2), True),
        ((T.SUCCEEDED, T.STARTING, T.STARTING), (1, 2), True),
        ((T.SUCCEEDED, T.STARTING, T.RUNNING), (1, 2), False),
        ((T.RUNNING, T.RUNNING, T.RUNNING), (0, 1, 2), False),
        ((T.SUCCEEDED, T.RECOVERING, T.CANCELLED), (1,), False),
    ],
)
def test_what_is_left_of_a_group_before_any_runs_is_a_group(
    statuses: tuple[TaskStatus, ...], drive: tuple[int, ...], together: bool
) -> None:
    """One that has ended takes no part; once one runs, each is on its own."""
    specs = tuple(TaskSpec(task_id=n, name=f"t{n}", run="true") for n in range(3))
    rows = [ROW._replace(task_id=n, name=f"t{n}", status=one) for n, one in enumerate(statuses)]
    found = plan(DagSpec(name="g", tasks=specs, is_group=True), rows)
    assert (found.drive, found.together) == (drive, together)
    assert not plan(DagSpec(name="g", tasks=specs), rows).together


@pytest.mark.parametrize("is_group", [True, False])
def test_a_job_is_not_finished_beside_a_cluster(*, is_group: bool) -> None:
    """What a dead controller left of a task that has ended is removed; in vain only once."""
    specs = tuple(TaskSpec(task_id=n, name=f"t{n}", run="true") for n in range(2))
    spec = DagSpec(name="j", tasks=specs, is_group=is_group)
    ended = ROW._replace(name="t", status=T.SUCCEEDED)
    left = ended._replace(cluster="1-0-1", torn_down=0)
    other = ended._replace(task_id=1)
    found = plan(spec, [left._replace(task_id=0), other])
    assert (found.drive, found.tidy, found.finished) == ((), (0,), False)
    running = other._replace(status=T.RUNNING)
    found = plan(spec, [left._replace(task_id=0), running])
    assert (found.drive, found.tidy, found.finished) == ((1,), (0,), False)
    found = plan(spec, [left._replace(task_id=0, cleanup_error="it would not go"), other])
    assert (found.tidy, found.finished) == ((), True)
