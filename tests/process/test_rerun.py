"""A job once more, from what was stored with it: files and environment may have changed since."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jobsched.api import Scheduler
from jobsched.errors import InvalidInput, NotFound
from jobsched.scheduler.secrets import read_secrets
from jobsched.states import TaskStatus
from jobsched.store import reads
from tests.world import World

GROUP = """\
name: g
execution: parallel
primary_tasks: [main]
---
name: main
secrets: {TOKEN: null, KEY: null}
run: x
resources: {priority: 7}
---
name: helper
secrets: {OWN: inline}
run: y
"""


def stored(world: World, job_id: int) -> dict[str, str]:
    """What was stored at the submission of a job."""
    with world.context.db.read() as tx:
        found = reads.snapshot(tx, job_id)
    assert found is not None
    return found


@pytest.fixture
def job(door: Scheduler, tmp_path: Path) -> int:
    """A group with secrets that never starts."""
    door.set_limits(paused=True)
    file = tmp_path / "g.yaml"
    file.write_text(GROUP)
    (made,) = door.submit([file], secrets={"TOKEN": "s3cret", "KEY": "k3y"}, name="mine")
    file.write_text("run: something else\n")
    return made.job_id


def test_same_job_again(
    door: Scheduler, world: World, job: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DAG, YAML, environment, name and priority are those stored, whatever has changed since."""
    door.set_priority(job, 11)
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    again = door.rerun(job)
    assert stored(world, again) == stored(world, job)
    assert "Auckland" not in json.loads(stored(world, again)["env"]).get("TZ", "")
    seen = door.show(again)
    assert (seen["name"], seen["priority"], seen["schedule_state"]) == ("mine", 11, "WAITING")
    assert [task.counts for task in world.tasks(again)] == [1, 0]


def test_secrets_of_an_unfinished_job_are_still_there(
    door: Scheduler, world: World, job: int
) -> None:
    """As long as the job needs them they are stored, by task; a given one counts over them."""
    again = door.rerun(job, secrets={"KEY": "new"})
    common = {"TOKEN": "s3cret", "KEY": "new"}
    assert read_secrets(world.home, again) == {0: common, 1: {**common, "OWN": "inline"}}


def test_secrets_of_a_finished_job_are_asked_for(door: Scheduler, world: World, job: int) -> None:
    """All that are missing are named at once, and nothing is stored until they are given."""
    door.cancel([job])
    assert read_secrets(world.home, job) == {}
    with pytest.raises(InvalidInput, match="KEY, OWN, TOKEN;"):
        door.rerun(job)
    with pytest.raises(InvalidInput, match=": KEY, OWN;") as caught:
        door.rerun(job, secrets={"TOKEN": "t"})
    assert caught.value.exit_code == 2
    assert [one["job_id"] for one in door.queue(all=True)] == [job]
    again = door.rerun(job, secrets={"TOKEN": "t", "KEY": "k", "OWN": "o"})
    common = {"TOKEN": "t", "KEY": "k"}
    assert read_secrets(world.home, again) == {0: common, 1: {**common, "OWN": "o"}}
    kept = "".join(stored(world, again).values())
    assert "s3cret" not in kept
    assert "inline" not in kept


def test_never_submitted(door: Scheduler) -> None:
    """Nothing is stored of a job that was only created."""
    job = door.create_job("x", ["x"])
    with pytest.raises(NotFound, match="stored DAG"):
        door.rerun(job)


def test_runs_like_the_first(door: Scheduler, world: World, tmp_path: Path) -> None:
    """The second run does what the first did, though the file is gone."""
    file = tmp_path / "f.yaml"
    file.write_text(f"run: echo $WORD >> {tmp_path}/out\n")
    (made,) = door.submit([file], envs={"WORD": "hello"})
    file.unlink()
    world.until_done(made.job_id)
    again = door.rerun(made.job_id)
    assert world.until_done(again).status is TaskStatus.SUCCEEDED
    assert (tmp_path / "out").read_text() == "hello\nhello\n"
