"""What the tests of actions and dialogs share: rows as they are shown, and a home with jobs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from textual.app import App
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widget import Widget

from jobsched.api import Scheduler
from jobsched.states import ScheduleState, TaskStatus
from jobsched_tui.data.actions import Plan, Planned
from jobsched_tui.data.frame import Gauge, JobLine, LimitsLine, TaskLine
from jobsched_tui.present.spans import Line, plain

S: TypeAlias = ScheduleState
T: TypeAlias = TaskStatus

FULL = LimitsLine(launch=Gauge(limit=3, used=3), alive=Gauge(limit=64, used=48, auto=True))


def row(
    job_id: int, state: S = S.WAITING, status: T = T.PENDING, attempt: int = 0, **more: Any
) -> JobLine:
    """A job as it is shown."""
    given = {"name": f"job-{job_id}", "submitted_at": float(job_id), **more}
    return JobLine(job_id=job_id, state=state, status=status, attempt=attempt, **given)


def alive(job_id: int, **more: Any) -> JobLine:
    """A job whose controller works, and that runs one of two tasks."""
    tasks = (
        TaskLine(task_id=0, name="prep", status=T.SUCCEEDED, cluster=f"{job_id}-0"),
        TaskLine(task_id=1, name="train", status=T.RUNNING, cluster=f"{job_id}-1"),
    )
    given: dict[str, Any] = {
        "state": S.ALIVE, "status": T.RUNNING, "attempt": 1, "pid": 88000 + job_id,
        "alive": True, "cpu": 391.0, "log_at": 1000.0, "tasks": tasks, **more,
    }  # fmt: skip
    return row(job_id, **given)


#: Jobs to which little can be done: one that has ended, and one that is cleaned up.
DONE = row(7, S.DONE, T.FAILED, attempt=1)
CLEANING = row(8, S.ALIVE, T.SUCCEEDED, attempt=1)


def told(lines: list[Line]) -> list[str]:
    """The lines' text."""
    return [plain(line) for line in lines]


def plan_of(planned: Planned) -> Plan:
    """The plan, which there must be."""
    assert planned.plan is not None, planned.refusals
    return planned.plan


def shown(door: Scheduler) -> dict[int, JobLine]:
    """All jobs of a home as they are shown, by id."""
    return {
        one["job_id"]: row(
            one["job_id"], S(one["schedule_state"]), T(one["status"]), one["attempt"],
            priority=one["priority"], held=one["held"], submitted_at=one["submitted_at"],
        )
        for one in door.queue(all=True, limit=1000)
    }  # fmt: skip


def waiting_jobs(door: Scheduler, file: Path, count: int) -> list[int]:
    """So many jobs that wait, since starts are paused."""
    door.set_limits(paused=True)
    file.write_text("run: 'true'\n")
    return [made.job_id for made in door.submit([file] * count)]


class Stage(App[None]):
    """An application with nothing but one dialog."""

    def __init__(self, dialog: ModalScreen[Any]) -> None:
        super().__init__()
        self.animation_level = "none"
        self._dialog = dialog
        self.answers: list[Any] = []

    def on_mount(self) -> None:
        """Open it."""
        self.push_screen(self._dialog, self.answers.append)

    def typed(self, name: str) -> str:
        """What stands in a field."""
        return str(self.screen.query_one(f"#{name}", Widget).value)  # type: ignore[attr-defined]

    def picture(self) -> list[str]:
        """The screen's rows as text, without the blanks at their ends."""
        strips = self.screen._compositor.render_strips()
        return [strip.text.rstrip() for strip in strips]

    def text(self) -> str:
        """The screen's text, borders and line breaks left out."""
        rows = (row.strip(" │|") for row in self.picture())
        return " ".join(" ".join(rows).split())


Play = Callable[[Pilot[None]], Awaitable[None]]


async def until(pilot: Pilot[None], condition: Callable[[], object], what: str) -> None:
    """Wait until the application has come so far; at most ten seconds."""
    for _ in range(200):
        if condition():
            return
        await pilot.pause(0.05)
    raise AssertionError(f"waited in vain for {what}")
