"""What the README shows works as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jobsched import dag, process
from jobsched.cli.commands import COMMANDS
from jobsched.scheduler.ending import cancel
from jobsched.states import SCHEDULE_MOVES, TaskStatus
from jobsched.store import reads
from tests.scenario.conftest import MakeWorld, make_world
from tests.support import measured, wait_until

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


class Own:
    """A world whose jobs are driven by the README's controller, with other work than it shows."""

    def __init__(self, make_world: MakeWorld, folder: Path, seconds: float) -> None:
        self.begun = folder / "begun"
        program = folder / "my_controller.py"
        text = blocks("python")[0]
        shown = '["sleep", "1"]'
        assert shown in text
        script = f"echo $$ >> {self.begun}; exec sleep {seconds}"
        program.write_text(text.replace(shown, repr(["bash", "-c", script])))
        self.world = make_world(
            f'[controller]\ncommand = ["{sys.executable}", "-u", "{program}"]\n'
        )
        self.job = self.world.submit("run: 'true'\n")

    def pids(self, count: int) -> list[int]:
        """The processes of the work, once it was begun ``count`` times."""

        def look() -> list[int]:
            lines = self.begun.read_text().split() if self.begun.exists() else []
            return [int(line) for line in lines] if len(lines) == count else []

        return wait_until(look, 20, f"the work to begin {count} times")

    def statuses(self) -> list[str]:
        """What the task has been, in order."""
        with self.world.context.db.read() as tx:
            return [str(row.to_value) for row in reads.changes_of_task(tx, self.job, 0, 0)]

    def until_running(self) -> None:
        """Wait until the controller has said that the work runs."""
        self.world.until_status(self.job, TaskStatus.RUNNING)


def test_own_controller(make_world: MakeWorld, tmp_path: Path) -> None:
    """The example of a controller of one's own drives a job to its end."""
    own = Own(make_world, tmp_path, 0.1)
    assert str(own.world.until_done(own.job).status) == "SUCCEEDED"
    assert own.statuses() == ["PENDING", "STARTING", "RUNNING", "SUCCEEDED"]
    assert len(own.pids(1)) == 1


def test_own_controller_that_is_killed(make_world: MakeWorld, tmp_path: Path) -> None:
    """The next attempt waits until the work has ended, runs it once more, and the job succeeds."""
    own = Own(make_world, tmp_path, 2)
    (first,) = own.pids(1)
    own.until_running()
    own.world.kill_controller(own.job)
    assert process.identify(first) is not None
    own.pids(2)
    assert process.identify(first) is None
    assert str(own.world.until_done(own.job).status) == "SUCCEEDED"
    assert own.statuses() == [
        "PENDING", "STARTING", "RUNNING", "RECOVERING", "RUNNING", "SUCCEEDED",
    ]  # fmt: skip


@pytest.mark.parametrize("killed_before", [False, True])
def test_own_controller_that_is_cancelled(
    make_world: MakeWorld, tmp_path: Path, *, killed_before: bool
) -> None:
    """The work ends with it, also work that an attempt before it had begun."""
    own = Own(make_world, tmp_path, 300)
    (work,) = own.pids(1)
    own.until_running()
    if killed_before:
        own.world.kill_controller(own.job)
        own.world.until_status(own.job, TaskStatus.RECOVERING)
    cancel(own.world.context, [own.job])
    assert str(own.world.until_done(own.job).status) == "CANCELLED"
    wait_until(lambda: process.identify(work) is None, 10, "the work to be gone")
    assert len(own.pids(1)) == 1


def test_embedding_example(tmp_path: Path) -> None:
    """The example of a program that submits does so, follows the job, and tells its end."""
    program = tmp_path / "submits.py"
    program.write_text(blocks("python")[1])
    done = subprocess.run(
        [sys.executable, str(program)], check=False, capture_output=True, text=True, cwd=tmp_path,
        timeout=50,
        env=measured({"PATH": os.environ["PATH"], "JOBSCHED_HOME": str(tmp_path / "home"),
                      "HOME": str(tmp_path)}),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "the report\nDONE\n"), done.stderr


def test_commands_are_those_there_are() -> None:
    """Each command that the README writes out is one, with options that it has."""
    written = re.findall(r"`?(?:^|[` ])jobsched ([a-z]+)((?: [^`#\n]*)?)", README, re.MULTILINE)
    known = {command.name: command for command in COMMANDS}
    assert {name for name, _ in written if name in known} >= {"submit", "queue", "config", "schema"}
    for name, rest in written:
        if name in known:
            options = {option for names, _ in known[name].arguments for option in names}
            assert set(re.findall(r"(?<!\S)--[a-z-]+", rest)) <= options, (name, rest)


def test_commands_with_json_are_those_it_names() -> None:
    """The list of commands that take ``--json`` is whole."""
    (named,) = re.findall(r"all commands; (.*?) print one JSON document", README, re.DOTALL)
    told = set(re.findall(r"[a-z]+", named)) - {"and"}
    takes = {c.name for c in COMMANDS if any("--json" in names for names, _ in c.arguments)}
    assert told == takes


def test_commands_with_a_reason_are_those_it_names() -> None:
    """So is that of commands that take ``--reason``."""
    (named,) = re.findall(r"does to jobs \((.*?)\) takes `--reason TEXT`", README, re.DOTALL)
    takes = {c.name for c in COMMANDS if any("--reason" in names for names, _ in c.arguments)}
    assert set(re.findall(r"[a-z]+", named)) == takes


def test_commands_that_go_on_past_mistakes_are_those_it_names() -> None:
    """And that of commands for which ``config.toml`` may have mistakes."""
    (named,) = re.findall(r"what stops things \((.*?)\), goes on", README, re.DOTALL)
    assert set(re.findall(r"[a-z]+", named)) == {c.name for c in COMMANDS if c.tolerant}
