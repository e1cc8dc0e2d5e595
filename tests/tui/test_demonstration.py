"""``--demo`` and ``make run``: a demonstration in the console, of which nothing is left."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from jobsched.api import Scheduler
from jobsched.clock import SystemClock
from jobsched_tui.app.demonstration import DemoError, Demonstration
from jobsched_tui.cli import main
from tests.support import measured, wait_until
from tests.tui.terminal import opened

ROOT = Path(__file__).parents[2]
_PROGRAM = "from jobsched_tui.cli import main; import sys; sys.exit(main(sys.argv[3:]))"


@pytest.fixture(name="scratch")
def _scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where homes of demonstrations are made."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def environment(**more: str) -> dict[str, str]:
    """Of a user."""
    return measured({"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **more})


def processes(folder: Path) -> list[psutil.Process]:
    """All that work there."""
    return [one for one in psutil.process_iter() if works_in(one, folder)]


def works_in(one: psutil.Process, folder: Path) -> bool:
    """Whether that is where it works; other tests' processes may be anywhere, or gone."""
    try:
        return Path(one.cwd()).is_relative_to(folder)
    except (psutil.Error, OSError):
        return False


def test_nothing_is_left_of_it(scratch: Path) -> None:
    """Jobs that run are ended, also those that were added; processes and home are gone."""
    demo = Demonstration(SystemClock(), environment(JOBSCHED_HOME="/nowhere"))
    home = demo.begin()
    said: list[str] = []
    try:
        assert home.is_relative_to(scratch)
        door = Scheduler(home, actor="test")
        wait_until(lambda: len(door.queue(all=True)) == 7, 20, "its jobs")
        added = scratch / "added.yaml"
        added.write_text("name: added\nrun: exec sleep 600\n")
        (job,) = door.submit([added])
        wait_until(lambda: door.show(job.job_id)["status"] == "RUNNING", 20, "it to run")
        assert processes(scratch)
    finally:
        demo.end(said.append)
    assert said[0] == "ending the jobs of the demonstration"
    assert said[-1].startswith("removed /")
    assert [one.name for one in scratch.iterdir()] == ["added.yaml"]
    assert processes(scratch) == []


def test_one_that_does_not_begin(scratch: Path) -> None:
    """Its last words are told, and its folder is removed all the same."""
    demo = Demonstration(SystemClock(), environment(PYTHONHOME="/nowhere"))
    with pytest.raises(DemoError, match=r"the demonstration did not begin: .+"):
        demo.begin()
    demo.end(lambda _: None)
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("words", [["--demo", "--once"], ["--demo", "--home", "x"]])
def test_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A demonstration is for the console, and has a home of its own."""
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 2
    assert "--demo" in capsys.readouterr().err


def test_in_a_terminal(tmp_path: Path, scratch: Path) -> None:
    """The header says DEMO; leaving says what it does and leaves nothing, also when it is ended."""
    for leave in ("q", signal.SIGTERM):
        with opened(tmp_path / "x", "--demo", program=_PROGRAM, TMPDIR=str(scratch)) as terminal:
            terminal.wait_for("DEMO")
            terminal.wait_for("pipeline")
            if isinstance(leave, str):
                terminal.press(leave)
            else:
                terminal.process.send_signal(leave)
            assert terminal.ended() == 0
            assert "jobsched-tui: ending the jobs of the demonstration" in terminal.text
            assert "jobsched-tui: removed " in terminal.text
        assert list(scratch.iterdir()) == []
        assert processes(scratch) == []


def test_where_there_is_no_database(tmp_path: Path, scratch: Path) -> None:
    """A key begins a demonstration, and makes no home where there was none."""
    home = tmp_path / "home"
    with opened(home, TMPDIR=str(scratch)) as terminal:
        terminal.wait_for("No database yet")
        terminal.press("d")
        terminal.wait_for("DEMO")
        since = len(terminal.seen)
        terminal.press("d")
        terminal.wait_for("begins where there is no database", since)
        terminal.press("q")
        assert terminal.ended() == 0
    assert not home.exists()
    assert list(scratch.iterdir()) == []


# make run


@pytest.fixture(name="make")
def _make(tmp_path: Path) -> list[str]:
    """``make run`` with two programs that say who they are, as if all were installed."""
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    for name in ("jobsched", "jobsched-tui"):
        program = venv / "bin" / name
        program.write_text(f'#!/bin/sh\necho "this is {name} $*"\nexit 3\n')
        program.chmod(0o755)
    (venv / ".installed").touch()
    return ["make", "-C", str(ROOT), "--no-print-directory", f"VENV={venv}", "run"]


def test_make_run_without_a_terminal(make: list[str], tmp_path: Path) -> None:
    """It says which command it runs, and ends as that does."""
    done = subprocess.run(
        make, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        env=environment(),
    )  # fmt: skip
    assert done.stdout == f"{tmp_path}/venv/bin/jobsched demo\nthis is jobsched demo\n"
    assert done.returncode == 2
    assert "Error 3" in done.stderr


def test_make_run_in_a_terminal(make: list[str]) -> None:
    """There it is the console that is opened."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        make, stdin=slave, stdout=slave, stderr=subprocess.DEVNULL, env=environment(),
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    process.wait(30)
    said = os.read(master, 4096).decode()
    os.close(master)
    assert said == "this is jobsched-tui --demo\r\n"
