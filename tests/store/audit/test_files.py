"""What the files of a home must not be: secrets that nobody needs, modes, links."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from jobsched.audit import Invariant
from jobsched.context import Context
from jobsched.scheduler.secrets import write_secrets
from tests.process.log_jobs import Job, MakeJob
from tests.store.audit.tampering import broken, change, said


def test_secrets_of_an_unfinished_job(context: Context, make_job: MakeJob) -> None:
    """Secrets may be there for as long as a job needs them, for their owner alone."""
    job = make_job()
    write_secrets(context.home, job.job_id, {0: {"TOKEN": "x"}})
    path = context.home.secrets_file(job.job_id)
    assert broken(context) == set()
    path.chmod(0o640)
    assert broken(context) == {Invariant.SECRETS}
    assert f"jobs/{path.name} has mode 0640, not 0600" in said(context)


def test_secrets_that_nobody_needs(context: Context, done: Job) -> None:
    """Secrets of a DONE job, or of none, are gone within seconds."""
    write_secrets(context.home, done.job_id, {0: {"TOKEN": "x"}})
    assert broken(context) == {Invariant.SECRETS}
    change(context, "UPDATE jobs SET ended_at = ?", time.time())
    assert broken(context) == set()
    write_secrets(context.home, 99, {0: {"TOKEN": "x"}})
    path = context.home.secrets_file(99)
    assert broken(context) == set(), "it may be of a job that is being submitted"
    os.utime(path, (1, 1))
    assert broken(context) == {Invariant.SECRETS}


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        (".", 0o755), ("jobsched.db", 0o644), ("scheduler.lock", 0o666), ("logs", 0o755),
        ("logs/tasks", 0o711), ("logs/tasks/1-0.log", 0o644), ("attempts/1.1.lock", 0o604),
    ],
)  # fmt: skip
def test_modes(context: Context, done: Job, name: str, mode: int) -> None:
    """Whatever of the home others could use is named."""
    done.write(b"a\n")
    assert broken(context) == set()
    (context.home.root / name).chmod(mode)
    assert broken(context) == {Invariant.MODES}
    assert f"MODES: {name} has mode {mode:04o}" in said(context)


def test_what_is_the_users_own(context: Context) -> None:
    """The configuration, a controller beside it and a task's files have the user's modes."""
    (context.home.root / "config.toml").touch(0o644)
    (context.home.root / "my_controller.py").touch(0o755)
    workdir = context.home.clusters / "c" / "workdir-0"
    workdir.mkdir(parents=True)
    (workdir / "run.sh").touch(0o755)
    assert broken(context) == set()


def test_a_link_in_the_home(context: Context, tmp_path: Path) -> None:
    """A link where a file of ours should be is named, whatever it leads to."""
    (tmp_path / "elsewhere").touch(0o600)
    (context.home.root / "logs" / "tasks" / "9-0.log").symlink_to(tmp_path / "elsewhere")
    assert said(context) == "MODES: logs/tasks/9-0.log is a symbolic link"
