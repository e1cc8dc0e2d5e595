"""One call of a callback: it ends in time, with all that it started, whoever dies meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobsched import lock, process
from jobsched.lock import Grip
from jobsched.sweep.calling import call
from tests.process.calls import CLOCK, SECONDS, all_gone, end_all, lines, pids
from tests.support import measured, wait_until


@pytest.fixture(autouse=True)
def _no_call_is_left(tmp_path: Path) -> Iterator[None]:
    """Whatever a test has its callbacks do, it ends with the test."""
    yield
    end_all(tmp_path)


def run(
    tmp_path: Path, script: str, env: dict[str, str] | None = None, *, seconds: float = 5.0
) -> bool:
    """Call a text as a callback; whether it ended in time."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    with os.fdopen(os.open(tmp_path / "log", flags, 0o600), "ab") as output:
        return call(
            tmp_path / "7-0.callback", script,
            {"PATH": os.environ["PATH"], "T": str(tmp_path)} if env is None else env,
            output=output.fileno(), cwd=tmp_path, clock=CLOCK, seconds=seconds,
        )  # fmt: skip


def test_a_call_runs_the_text_and_leaves_nothing(tmp_path: Path) -> None:
    """With what it prints in the log, nothing to read, and a session of its own."""
    assert run(tmp_path, 'echo "$0" é; cat; ps -o sid= -p $$ >sid; echo oops >&2; exit 3')
    assert lines(tmp_path / "log") == [f"{tmp_path}/7-0.callback é", "oops"]
    assert int((tmp_path / "sid").read_text()) != os.getsid(0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "sid"]


def test_what_a_call_leaves_running_is_ended_with_it(tmp_path: Path) -> None:
    """In the background, and also in a session of its own."""
    (tmp_path / "escape.py").write_text(
        "import os; os.setsid(); print(os.getpid(), flush=True); os.execlp('sleep', 'sleep', '300')"
    )
    script = (
        f"sleep 300 & echo $!; {sys.executable} escape.py &"
        " until [ $(wc -l <log) = 2 ]; do sleep 0.02; done"
    )
    assert run(tmp_path, script)
    assert len(left := pids(tmp_path / "log", 2)) == 2
    assert all_gone(left)


@pytest.mark.parametrize(
    "script", ["sleep 300", "trap '' TERM INT HUP; while :; do sleep 1; done", "kill -STOP $$"]
)
def test_a_call_that_hangs_is_ended(tmp_path: Path, script: str) -> None:
    """Once its time is up, with all that it started, and its log says so."""
    began = CLOCK.monotonic()
    assert not run(tmp_path, f"echo $$; sleep 300 & echo $!; {script}", seconds=0.5)
    assert CLOCK.monotonic() - began < 20
    *started, last = lines(tmp_path / "log")
    assert last == "jobsched: event_callback took longer than 0.5 s; ended"
    assert all_gone([int(pid) for pid in started])


def test_the_bound_does_not_need_whoever_runs_it(tmp_path: Path) -> None:
    """Killed with SIGKILL, it leaves a call that ends by itself."""
    code = """
import os
from pathlib import Path
from jobsched.clock import SystemClock
from jobsched.sweep.calling import call
here = Path(".")
call(here / "7-0.callback", "echo $$ >pid; sleep 300", dict(os.environ),
     output=1, cwd=here, clock=SystemClock(), seconds=1.5)
"""
    root = str(Path(__file__).parents[2])
    variables = measured({"PATH": os.environ["PATH"], "PYTHONPATH": root})
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=variables) as teller:
        (pid,) = pids(tmp_path / "pid", 1)
        teller.kill()
    assert process.identify(pid), "it goes on for now"
    wait_until(lambda: all_gone([pid]), SECONDS, "the call to end by itself")
    wait_until(
        lambda: lock.probe(tmp_path / "7-0.callback") is Grip.FREE, SECONDS, "all of it to end"
    )


def test_the_environment_does_not_move_the_bound(tmp_path: Path) -> None:
    """Neither a PATH without programs, nor functions and files that bash reads at its start."""
    (tmp_path / "bin").mkdir()
    for name in ("bash", "touch"):
        found = subprocess.run(["which", name], capture_output=True, text=True, check=True)
        (tmp_path / "bin" / name).symlink_to(found.stdout.strip())
    (tmp_path / "start").write_text("touch read; sleep() { :; }")
    env = {
        "PATH": str(tmp_path / "bin"), "BASH_ENV": str(tmp_path / "start"),
        "BASH_FUNC_kill%%": "() { touch fooled; }",
    }  # fmt: skip
    assert run(tmp_path, "touch ran", env, seconds=5.0)
    assert (tmp_path / "ran").exists(), "it was not ended before its time"
    assert not run(tmp_path, "while :; do read -t 0.1 <> <(:); done", env, seconds=0.5)
    assert not (tmp_path / "fooled").exists()


def test_the_next_call_ends_one_that_was_left(tmp_path: Path) -> None:
    """Two of the same task never run at the same time."""
    pid = os.fork()
    if pid == 0:
        run(tmp_path, "echo $$ >first; sleep 300", seconds=30.0)
        os._exit(0)
    first = pids(tmp_path / "first", 1)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert not all_gone(first)
    assert run(tmp_path, "echo $$ >second")
    assert all_gone(first)
    assert pids(tmp_path / "second", 1) != first
