"""Homes and databases in bad luck: one line that names the cause, exit 1, nothing lost."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jobsched.home import Home
from jobsched.store.migrations import VERSION
from tests.cli.running import SLEEP, Cli
from tests.support import wait_until

#: Somebody who owns nothing here.
NOBODY = 65_534
#: Runs a command line as another user; what root alone may read is loaded before.
AS_NOBODY = f"""
import encodings.ascii, importlib, json, os, pkgutil, sys, tomllib
import sqlalchemy.dialects.sqlite, rich.table, rich.live, jobsched
from sqlalchemy import create_engine
create_engine("sqlite://").connect().close()
for found in pkgutil.walk_packages(jobsched.__path__, "jobsched."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
from jobsched.cli import main
if os.getuid() == 0:
    os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
sys.exit(main(sys.argv[1:]))
"""


def _sql(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    database.execute(statement)
    database.commit()
    database.close()


def _foreign(path: Path) -> None:
    path.unlink()
    _sql(path, "CREATE TABLE theirs (x)")
    _sql(path, "PRAGMA application_id = 4711")


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "garbage": (lambda path: path.write_bytes(b"no database at all\n" * 500), "not a database"),
    "empty": (lambda path: path.write_bytes(b""), "empty"),
    "cut": (lambda path: os.truncate(path, 5_000), "damaged"),
    "foreign": (_foreign, "another program's"),
    "newer": (lambda path: _sql(path, f"PRAGMA user_version = {VERSION + 1}"), "newer jobsched"),
    "unversioned": (lambda path: _sql(path, "PRAGMA user_version = 0"), "no schema 0"),
    "directory": (_directory, "."),
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_database_that_cannot_be_used(idle: Cli, kind: str) -> None:
    """Readers and writers say what is wrong with which file, and leave it as it is."""
    damage, said = DAMAGES[kind]
    idle.submit()
    damage(idle.home.database)
    before = idle.home.database.read_bytes() if kind != "directory" else b""
    for words in (("queue",), ("submit", "job.yaml")):
        ended = idle.fails(1, *words)
        assert str(idle.home.database) in ended.err
        assert said in ended.err
        assert ended.out == ""
    if kind != "directory":
        assert idle.home.database.read_bytes() == before


@pytest.mark.parametrize("words", ["submit job.yaml", "queue", "sweep", "config"])
def test_a_home_that_is_a_file(nowhere: Cli, words: str) -> None:
    """Nobody takes it for an empty home, and the file stays as it is."""
    nowhere.file("job.yaml", SLEEP)
    nowhere.home.root.write_text("mine")
    ended = nowhere.fails(1, *words.split())
    assert str(nowhere.home.root) in ended.err
    assert nowhere.home.root.read_text() == "mine"


def test_the_home_of_somebody_else(nowhere: Cli) -> None:
    """No writer touches it, whatever the permissions would allow."""
    nowhere.file("job.yaml", SLEEP)
    theirs = Path("/usr")
    if os.getuid() == 0:
        theirs = nowhere.home.root
        theirs.mkdir()
        os.chown(theirs, NOBODY, NOBODY)
    ended = nowhere.fails(1, "submit", "job.yaml", "--home", theirs)
    assert f"{theirs} belongs to user " in ended.err
    assert not (theirs / "jobsched.db").exists()


def test_a_home_that_cannot_be_written(idle: Cli) -> None:
    """Writers say so; what is stored stays, and can be used again afterwards."""
    idle.submit()
    _give(idle, NOBODY)
    for folder in [*idle.home.root.rglob("*"), idle.home.root]:
        folder.chmod(0o500 if folder.is_dir() else 0o400)
    try:
        for words in (("submit", "job.yaml"), ("cancel", "1"), ("limits", "--pause")):
            done = subprocess.run(
                [sys.executable, "-c", AS_NOBODY, *words], check=False, capture_output=True,
                text=True, cwd=idle.folder, env=idle.unmeasured(), timeout=60,
            )  # fmt: skip
            assert done.returncode == 1, done
            assert done.stderr.startswith("error: "), done
            assert done.stderr.count("\n") == 1, done
            assert str(idle.home.root) in done.stderr
    finally:
        for folder in [idle.home.root, *idle.home.root.rglob("*")]:
            folder.chmod(0o700 if folder.is_dir() else 0o600)
        _give(idle, 0)
    assert [job["status"] for job in idle.jobs()] == ["PENDING"]


def _give(cli: Cli, user: int) -> None:
    """Make the home somebody's, and let them pass; a user who is not root keeps what is theirs."""
    if os.getuid() != 0:
        return
    for path in [cli.home.root, *cli.home.root.rglob("*")]:
        os.chown(path, user, user)
    for folder in (cli.folder, *list(cli.folder.parents)[:3]):
        folder.chmod(0o755)


def test_a_full_disk(idle: Cli) -> None:
    """A write that does not fit is undone and told; what was there can be read and goes on."""
    idle.submit()
    size = max(path.stat().st_size for path in idle.home.root.glob("jobsched.db*"))
    big = "# " + "x" * 200_000

    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 4096, size + 4096))

    idle.file("big.yaml", f"run: |\n  true\n  {big}\n")
    done = subprocess.run(
        idle.command("submit", "big.yaml"), check=False, capture_output=True, timeout=60,
        cwd=idle.folder, env=idle.unmeasured(), preexec_fn=no_room,
    )  # fmt: skip
    assert done.returncode == 1, done
    said = done.stderr.decode()
    assert said.startswith("error: "), said
    assert said.count("\n") == 1, said
    assert "disk" in said
    assert [job["job_id"] for job in idle.jobs()] == [1]
    assert idle.submit() == 2
    assert idle.ok("check", "--json").json == []


def test_a_lock_that_a_stopped_process_holds(idle: Cli) -> None:
    """Given up after 10 s, naming who holds it; readers do not wait at all."""
    idle.submit()
    program = (
        "import fcntl, os, signal, sys\n"
        "file = open(sys.argv[1], 'r+'); fcntl.flock(file, fcntl.LOCK_EX)\n"
        "print('held', flush=True); os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, idle.home.scheduler_lock], stdout=subprocess.PIPE
    ) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            assert len(idle.jobs()) == 1
            ended = idle.fails(1, "submit", "job.yaml")
        finally:
            holder.kill()
    assert "waited 10 s" in ended.err
    assert str(idle.home.scheduler_lock) in ended.err
    assert f"PID {holder.pid}" in ended.err
    assert len(idle.jobs()) == 1


def test_a_lock_that_is_no_file(idle: Cli) -> None:
    """Whatever stands in its place is named and left alone."""
    idle.submit()
    idle.home.scheduler_lock.unlink()
    os.mkfifo(idle.home.scheduler_lock)
    assert "not a regular file" in idle.fails(1, "submit", "job.yaml").err


def test_twenty_at_once_in_a_new_home(nowhere: Cli) -> None:
    """All are stored, each under a number of its own."""
    nowhere.home.create()
    nowhere.home.config_file.write_text("[limits]\nalive = 0\n")
    nowhere.file("job.yaml", SLEEP)
    children = [
        nowhere.start(
            "submit", "job.yaml", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(20)
    ]
    ends = [child.communicate(timeout=60) for child in children]
    assert [child.returncode for child in children] == [0] * 20, ends
    jobs = nowhere.ok("queue", "--json").json
    assert sorted(job["job_id"] for job in jobs) == list(range(1, 21))
    assert nowhere.ok("check", "--json").json == []


def test_a_reader_of_a_home_that_is_being_made(nowhere: Cli) -> None:
    """A home without a database answers as an empty one."""
    Home(nowhere.home.root).create()
    assert nowhere.ok("queue", "--json").json == []
    assert not nowhere.home.database.exists()


def test_closed_standard_streams(idle: Cli) -> None:
    """A command whose output nobody wants still does its work, and nothing is hit by it."""
    idle.file("job.yaml", SLEEP)
    done = subprocess.run(
        ["bash", "-c", '"$@" <&- >&- 2>&-', "bash", *idle.command("submit", "job.yaml")],
        check=False, cwd=idle.folder, env=idle.env(), timeout=60,
    )  # fmt: skip
    assert done.returncode == 0
    assert len(idle.jobs()) == 1


def test_standard_output_that_is_full(idle: Cli) -> None:
    """Told on standard error in one line."""
    idle.submit()
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            idle.command("queue"), check=False, cwd=idle.folder, env=idle.env(), stdout=full,
            stderr=subprocess.PIPE, timeout=60,
        )  # fmt: skip
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"No space left" in done.stderr


def test_a_mistake_of_the_program_shows_where_if_asked(idle: Cli) -> None:
    """``--debug`` adds the traceback to the line that everybody gets."""
    ended = idle.run("show", 1, "--debug")
    assert ended.code == 1
    assert "Traceback" in ended.err
    assert ended.err.endswith("error: job 1 not found\n")


def test_an_interrupted_wait(idle: Cli) -> None:
    """130, and it says that the job keeps running."""
    job_id = idle.submit()
    child = idle.start("wait", job_id, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stderr is not None
    assert child.stderr.readline() == f"job {job_id}: PENDING\n".encode()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert child.returncode == 130
    assert said.decode() == f"interrupted; job {job_id} keeps running\n"
    wait_until(lambda: not idle.processes(), 10, "nothing of it to be left")
