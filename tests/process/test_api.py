"""The door: what it answers, with which keys, and that who only asks leaves no trace."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jobsched import __version__
from jobsched.api import ReasonCode, Scheduler
from jobsched.errors import BackendError, IllegalMove, InvalidDag, InvalidInput, NotFound
from jobsched.states import ScheduleState, TaskStatus
from tests.world import InProcessStarter, World

S, T, C = ScheduleState, TaskStatus, ReasonCode
ONE = "run: 'true'\n"
LONG = "run: exec sleep 300\n"

JOB_KEYS = {
    "job_id", "name", "schedule_state", "status", "priority", "attempt", "controller_pid",
    "controller_alive", "submitted_at", "started_at", "ended_at", "recovery_count",
    "restart_count", "failure_reason", "waiting_reason", "tasks",
}  # fmt: skip
TASK_KEYS = {
    "task_id", "name", "status", "cluster", "region", "exit_code", "recovery_count",
    "restart_count", "started_at", "ended_at", "failure_reason", "log_path",
}  # fmt: skip
MOVE_KEYS = {"seq", "at", "task_id", "from", "to", "attempt", "actor", "reason"}

ASKING: dict[str, tuple[Callable[[Scheduler], object], object]] = {
    "queue": (lambda door: door.queue(all=True), []),
    "unfinished": (lambda door: door.unfinished_ids(), []),
    "named": (lambda door: door.ids_named("x"), []),
    "clusters": (lambda door: door.clusters(), []),
    "paused": (lambda door: door.limits().paused, False),
    "used": (lambda door: door.limits().alive_used + door.limits().launching_used, 0),
    "limits": (lambda door: (door.limits().launch, door.limits().launch_auto), (3, False)),
    "auto": (lambda door: door.limits().alive > 0 and door.limits().alive_auto, True),
    "check": (lambda door: door.check().violations, ()),
    "wait": (lambda door: {key: one.status for key, one in door.wait([5]).items()}, {5: None}),
    "cancel": (lambda door: door.cancel([5, 6]).missing, [5, 6]),
    "prune": (lambda door: door.prune(older_than=None, keep=None), 0),
}
ABOUT_A_JOB: dict[str, Callable[[Scheduler], object]] = {
    "show": lambda door: door.show(5),
    "why": lambda door: door.why(5),
    "state": lambda door: door.get_job_schedule_state(5),
    "cancel_requested": lambda door: door.cancel_requested(5),
    "tail": lambda door: door.tail(5),
    "follow": lambda door: list(door.follow(5)),
    "rerun": lambda door: door.rerun(5),
    "job_done": lambda door: door.job_done(5),
    "done": lambda door: door.done(5),
    "requeue": lambda door: door.requeue(5),
    "hold": lambda door: door.hold(5),
    "release": lambda door: door.release(5),
    "priority": lambda door: door.set_priority(5, 1),
    "submit_job": lambda door: door.submit_job(5, "x.yaml"),
}


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scheduler:
    """The door of a home that is not there."""
    monkeypatch.setenv("JOBSCHED_LIMITS_LAUNCH", "3")
    return Scheduler(tmp_path / "not" / "there")


@pytest.mark.parametrize("what", ASKING)
def test_without_a_home(nowhere: Scheduler, tmp_path: Path, what: str) -> None:
    """The answers are those of an empty home, and none is made."""
    ask, expected = ASKING[what]
    assert ask(nowhere) == expected
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ABOUT_A_JOB)
def test_no_such_job_without_a_home(nowhere: Scheduler, tmp_path: Path, what: str) -> None:
    """There is no job in a home that is not there."""
    with pytest.raises(NotFound, match="5"):
        ABOUT_A_JOB[what](nowhere)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ABOUT_A_JOB)
def test_no_such_job(door: Scheduler, what: str) -> None:
    """Nor one that nobody has made."""
    with pytest.raises(NotFound, match="5"):
        ABOUT_A_JOB[what](door)
    assert door.queue(all=True) == []


def test_a_directory_is_no_home_yet(tmp_path: Path) -> None:
    """A reader of a directory without a database leaves it as it is."""
    door = Scheduler(str(tmp_path))
    assert (door.queue(), door.unfinished_ids(), door.clusters()) == ([], [], [])
    assert list(tmp_path.iterdir()) == []


def test_package_loads_nothing() -> None:
    """``import jobsched`` is free; its one export comes when it is asked for."""
    program = (
        "import sys, jobsched; assert 'sqlalchemy' not in sys.modules\n"
        "print(jobsched.__version__, jobsched.Scheduler.__module__, dir(jobsched)[0])\n"
        "try: jobsched.nothing\n"
        "except AttributeError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.startswith(f"{__version__} jobsched.api ")
    assert "module 'jobsched' has no attribute 'nothing'" in done.stdout


def test_queue_objects(door: Scheduler, world: World) -> None:
    """A job that waits has every key, and no value where there is none."""
    door.set_limits(paused=True)
    job = world.submit("name: a\nrun: x\n---\nname: b\nrun: y\n", name="two", priority=5)
    (found,) = door.queue()
    assert set(found) >= JOB_KEYS
    assert [set(task) >= TASK_KEYS for task in found["tasks"]] == [True, True]
    assert {key: found[key] for key in JOB_KEYS - {"submitted_at", "tasks"}} == {
        "job_id": job, "name": "two", "schedule_state": "WAITING", "status": "PENDING",
        "priority": 5, "attempt": 0, "controller_pid": None, "controller_alive": False,
        "started_at": None, "ended_at": None, "recovery_count": 0, "restart_count": 0,
        "failure_reason": None, "waiting_reason": "PAUSED",
    }  # fmt: skip
    assert found["tasks"][1]["name"] == "b"
    assert found["tasks"][1]["log_path"] == str(world.home.task_log(job, 1))


def test_page_costs_a_fixed_number_of_queries(
    door: Scheduler, world: World, starter: InProcessStarter
) -> None:
    """Thirty jobs that run and wait are read by as many queries as three."""
    door.set_limits(launch=2, alive=2)
    first = [world.submit(ONE, name=f"j{n}") for n in range(3)]
    few = statements(door)
    for number in range(27):
        world.submit(ONE, name=f"k{number}")
    assert len(door.queue()) == 30
    assert statements(door) == few
    alive = [job["job_id"] for job in door.queue() if job["controller_alive"]]
    assert alive == [claim.job_id for claim in starter.claims][::-1] == first[1::-1]


def statements(door: Scheduler) -> int:
    """SELECTs that one page takes."""
    seen: list[str] = []
    door.queue()
    driver = door.context.db._driver
    assert driver is not None
    driver.set_trace_callback(seen.append)
    door.queue()
    driver.set_trace_callback(None)
    return sum(line.startswith("SELECT") for line in seen)


def test_a_whole_job(door: Scheduler, world: World) -> None:
    """From submission to DONE: what ``show`` says at each stage, and a record without gaps."""
    yaml = world.root.parent / "j.yaml"
    go = world.root.parent / "go"
    yaml.write_text(f"name: j\nrun: until [ -e {go} ]; do sleep 0.05; done; exit 3\n")
    (made,) = door.submit([yaml])
    world.until_status(made.job_id, T.RUNNING)
    seen = door.show(made.job_id)
    assert (made.name, seen["name"], seen["status"], seen["waiting_reason"]) == (
        "j", "j", "RUNNING", None,
    )  # fmt: skip
    assert (seen["controller_pid"], seen["controller_alive"]) == (
        world.controller(made.job_id), True,
    )  # fmt: skip
    assert seen["tasks"][0]["region"] == "here"
    assert door.clusters()[0]["name"] == seen["tasks"][0]["cluster"]
    assert door.why(made.job_id).code is C.RUNNING
    go.touch()
    result = door.wait([made.job_id], timeout=30)[made.job_id]
    assert (result.status, result.done) == (T.FAILED, True)
    seen = door.show(made.job_id)
    assert (seen["schedule_state"], seen["controller_alive"]) == ("DONE", False)
    assert seen["tasks"][0]["exit_code"] == 3
    assert "exit code 3" in seen["failure_reason"]
    assert door.why(made.job_id).text.endswith(seen["failure_reason"])
    assert_unbroken(seen["history"])
    assert (door.queue(), door.queue(all=True)[0]["job_id"]) == ([], made.job_id)


def assert_unbroken(moves: list[dict[str, Any]]) -> None:
    """Each move begins where the one before it (of the job, or of the task) ended."""
    assert all(set(move) == MOVE_KEYS for move in moves)
    assert [move["seq"] for move in moves] == sorted({move["seq"] for move in moves})
    now: dict[object, object] = {}
    for move in moves:
        assert move["from"] == now.get(move["task_id"]), move
        now[move["task_id"]] = move["to"]
    assert now[None] == "DONE"


def test_actions_are_apart(door: Scheduler, world: World) -> None:
    """What operators did is no move; who did it is named."""
    door.set_limits(paused=True)
    job = world.submit(ONE)
    door.hold(job)
    door.hold(job)
    assert door.show(job)["held"]
    door.release(job)
    door.set_priority(job, -7)
    door.cancel([job], reason="no longer needed")
    seen = door.show(job)
    assert [(one["subject"], one["from"], one["to"]) for one in seen["actions"]] == [
        ("HOLD", None, None), ("RELEASE", None, None), ("PRIORITY", "0", "-7"),
        ("CANCEL", None, None),
    ]  # fmt: skip
    assert {one["actor"] for one in seen["actions"]} == {"test"}
    assert seen["actions"][3]["reason"] == seen["failure_reason"] == "no longer needed"
    assert_unbroken(seen["history"])
    with pytest.raises(IllegalMove):
        door.hold(job)


def test_submit_all_or_none(door: Scheduler, tmp_path: Path) -> None:
    """One bad file, or an id to follow that there is not, and nothing is stored."""
    good, bad, worse = (tmp_path / name for name in ("good.yaml", "bad.yaml", "worse.yaml"))
    good.write_text(ONE)
    bad.write_text("rnu: x\n")
    worse.write_text("run: [\n")
    with pytest.raises(InvalidDag) as caught:
        door.submit([good, bad, worse])
    assert {Path(problem.file).name for problem in caught.value.problems} == {
        "bad.yaml", "worse.yaml",
    }  # fmt: skip
    with pytest.raises(NotFound):
        door.submit([good, good], after=[99])
    assert door.queue(all=True) == []
    reports = door.validate([good, bad])
    assert [report.spec is not None for report in reports] == [True, False]
    assert reports[1].problems


def test_same_file_twice_is_two(door: Scheduler, tmp_path: Path) -> None:
    """Each file is a job, in order; what was said beside them holds for all."""
    door.set_limits(paused=True)
    file = tmp_path / "f.yaml"
    file.write_text(ONE)
    made = door.submit([file, file], name="n", priority=3, hold=True)
    assert [job.job_id for job in made] == [job["job_id"] for job in door.queue()[::-1]]
    assert {(job["name"], job["priority"], job["held"]) for job in door.queue()} == {("n", 3, True)}
    assert [door.why(job.job_id).code for job in made] == [C.HELD] * 2
    assert door.ids_named("n") == door.unfinished_ids() == [job.job_id for job in made]


def test_after(door: Scheduler, tmp_path: Path) -> None:
    """Who follows a job waits for it, says why, and ends with it; the same id twice is once."""
    door.set_limits(paused=True)
    file = tmp_path / "f.yaml"
    file.write_text("secrets: {K: null}\nrun: x\n")
    (first,) = door.submit([file], secrets={"K": "v"})
    (second,) = door.submit([file], secrets={"K": "v"}, after=[first.job_id, first.job_id])
    reason = door.why(second.job_id)
    assert reason.code is C.DEPENDS_ON
    assert reason.text.endswith(f"job {first.job_id} is PENDING (PAUSED)")
    assert door.cancel([first.job_id]).ended == [first.job_id, second.job_id]
    (late,) = door.submit([file], secrets={"K": "v"}, after=[first.job_id])
    assert door.get_job_schedule_state(late.job_id) is S.DONE
    assert f"job {first.job_id}" in door.show(late.job_id)["failure_reason"]
    assert list((door.context.home.root / "jobs").iterdir()) == [], "no secret outlives its job"


def test_create_then_submit(door: Scheduler, tmp_path: Path) -> None:
    """A job that was created is submitted once."""
    door.set_limits(paused=True)
    file = tmp_path / "f.yaml"
    file.write_text(ONE)
    job = door.create_job("mine", ["only"])
    assert door.why(job).code is C.NOT_SUBMITTED
    with pytest.raises(ValueError, match="only"):
        door.submit_job(door.create_job("other", ["only", "more"]), file)
    door.submit_job(job, file)
    assert door.show(job)["tasks"][0]["name"] == "only"
    with pytest.raises(IllegalMove, match="WAITING"):
        door.submit_job(job, file)
    assert not door.cancel_requested(job)
    door.done(job, reason="enough")
    with pytest.raises(IllegalMove):
        door.job_done(job)
    door.job_done(job, idempotent=True)
    assert door.get_job_schedule_state(job) is S.DONE


def test_limits(door: Scheduler) -> None:
    """What was set is in force; ``auto`` is true while automatic."""
    found = door.set_limits(launch=5, alive="7", paused=True)
    assert (found.launch, found.launch_auto, found.alive, found.paused) == (5, False, 7, True)
    found = door.set_limits(launch="auto", paused=False)
    assert (found.launch_auto, found.paused, found.alive) == (True, False, 7)
    assert door.limits() == found
    with pytest.raises(InvalidInput, match="auto"):
        door.set_limits(alive="many")


def test_preempt(door: Scheduler, world: World) -> None:
    """A cluster that there is not cannot be lost; one that there is comes back."""
    with pytest.raises((BackendError, NotFound), match="nothing"):
        door.preempt("nothing")
    job = world.submit(LONG)
    world.until_status(job, T.RUNNING)
    door.preempt(door.show(job)["tasks"][0]["cluster"])
    world.until(lambda: door.show(job)["recovery_count"] == 1, "the recovery")


def test_prune(door: Scheduler, world: World) -> None:
    """Forgets whole jobs; what is asked about them afterwards is not found."""
    door.set_limits(paused=True)
    job, other = world.submit(ONE), world.submit(ONE)
    door.cancel([job])
    assert door.prune(older_than=3600, keep=None) == 0
    assert door.prune(older_than=None, keep=None) == 1
    with pytest.raises(NotFound):
        door.show(job)
    assert [one["job_id"] for one in door.queue(all=True)] == [other]
