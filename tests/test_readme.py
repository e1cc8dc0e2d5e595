"""What the README shows works as it stands there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from jobsched import dag
from jobsched.states import SCHEDULE_MOVES
from jobsched.store import reads
from tests.scenario.conftest import MakeWorld, make_world

README = (Path(__file__).parents[1] / "README.md").read_text()

__all__ = ["make_world"]


def blocks(language: str) -> list[str]:
    """The README's code blocks in one language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_state_diagram() -> None:
    """The picture has exactly the moves of the table."""
    (diagram,) = blocks("mermaid")
    drawn = re.findall(r"^ +(\[\*\]|\w+) --> (\w+)", diagram, re.MULTILINE)
    table = {
        (str(source) if source else "[*]", str(to))
        for source, targets in SCHEDULE_MOVES.items()
        for to in targets
    }
    assert set(drawn) == table


def test_yaml_example(tmp_path: Path) -> None:
    """The example of a DAG file is one."""
    (text,) = blocks("yaml")
    loaded = dag.parse(
        text, source="README.md", stem="x", cwd=tmp_path, user_home=tmp_path, mode="submit"
    )
    assert [task.name for task in loaded.spec.tasks] == ["train", "eval"]


@pytest.mark.timeout(60)
def test_own_controller(make_world: MakeWorld, tmp_path: Path) -> None:
    """The example of a controller of one's own drives a job to its end."""
    program = tmp_path / "my_controller.py"
    program.write_text(blocks("python")[0])
    world = make_world(f'[controller]\ncommand = ["{sys.executable}", "-u", "{program}"]\n')
    job = world.submit("run: 'true'\n")
    assert str(world.until_done(job).status) == "SUCCEEDED"
    with world.context.db.read() as tx:
        changes = reads.changes_of_task(tx, job, 0, 0)
    assert [row.to_value for row in changes] == ["PENDING", "STARTING", "RUNNING", "SUCCEEDED"]


def test_embedding_example() -> None:
    """The example of a program that submits compiles, and its functions exist."""
    compile(blocks("python")[1], "README.md", "exec")
    from jobsched import logs, scheduler, state  # noqa: PLC0415 - what the example imports

    assert callable(logs.follow)
    assert callable(scheduler.submit_job)
    assert callable(state.create_job)
