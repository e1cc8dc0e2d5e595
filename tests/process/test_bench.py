from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from jobsched import Scheduler
from tests.bench import oldrows, plots
from tests.support import measured, wait_until

ROOT = Path(__file__).parents[2]


def bench(folder: Path, *words: str) -> subprocess.Popen[str]:
    """A quick run that writes into ``folder``."""
    command: Sequence[str] = [
        sys.executable, "-m", "tests.bench", "--quick", "--repeats", "1", "--out", str(folder),
    ]  # fmt: skip
    return subprocess.Popen(
        [*command, *words], cwd=ROOT, env=measured({"PATH": "/usr/bin:/bin"}), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_a_quick_run_gives_a_table_and_json(tmp_path: Path) -> None:
    """Of what was asked for alone; and its homes are gone."""
    ran = bench(tmp_path, "--only", "commands")
    output, said = ran.communicate()
    assert "`jobsched --help`, CPU" in output, said
    assert "Quick run" in output
    kept = json.loads((tmp_path / "bench.json").read_text())
    assert kept["failures"] == {}
    assert kept["ours"]["help.cpu"]["0"] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bench.json", "bench.md"]


def test_an_interrupted_run_leaves_nothing_behind(tmp_path: Path) -> None:
    """No home and no process; what was found is told."""
    ran = bench(tmp_path, "--only", "memory")
    wait_until(lambda: list(tmp_path.glob("homes/*/home/nursery.lock")), 30, "a nursery")
    ran.send_signal(signal.SIGINT)
    output, said = ran.communicate()
    assert ran.returncode == 130, said
    assert "task-spooler" in output
    assert not (tmp_path / "homes").exists()
    assert not _processes_that_name(tmp_path)


def _processes_that_name(folder: Path) -> list[str]:
    """Where a process lives that has ``folder`` in its environment or its command."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in told:
            found.append(process.name)
    return found


def test_old_rows_are_whole_jobs(tmp_path: Path) -> None:
    """Copies with all that belongs to them, which `check` finds nothing wrong with."""
    door = Scheduler(tmp_path / "home")
    door.set_limits(paused=True)
    file = tmp_path / "noop.yaml"
    file.write_text("name: noop\nrun: 'true'\n")
    (made,) = door.submit([file])
    door.cancel([made.job_id])
    door.context.db.close()
    oldrows.multiply(door.home / "jobsched.db", made.job_id, 25)
    assert len(door.queue(all=True)) == 26
    assert door.show(26)["status"] == "CANCELLED"
    assert [row["to"] for row in door.show(26)["history"]] == [
        row["to"] for row in door.show(made.job_id)["history"]
    ]
    with sqlite3.connect(door.home / "jobsched.db") as database:
        (newest,) = database.execute("SELECT seq FROM sqlite_sequence WHERE name = 'jobs'")
    database.close()
    assert newest == (26,)
    door.context.db.close()


@pytest.mark.timeout(120)
def test_curves_are_drawn(tmp_path: Path) -> None:
    """One picture for each subject, from however few points."""
    jobs = {
        f"{kind} {name}": 2.0
        for kind in ("done", "waiting")
        for name in ("submit p50", "submit p99", "pass")
    }
    looks = {"page": 1.0, "command": 150.0, "command memory": 30.0}
    lives = {"controllers": 1.0, "memory": 20.0, "memory of each": 6.0, "CPU": 0.1}
    drawn = plots.draw(
        {"growth-jobs": [{"jobs": 1, **jobs, **looks}], "growth-controllers": [lives]}, tmp_path
    )
    assert [path.name for path in drawn] == [
        "bench-submit.svg", "bench-page.svg", "bench-controllers.svg",
    ]  # fmt: skip
    assert all(path.read_text().startswith("<?xml") for path in drawn)
    assert plots.draw({}, tmp_path) == []
