"""Runs the real command, as a program of its own, without and with a terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jobsched import Scheduler, process
from jobsched.context import open_context
from jobsched.home import Home
from tests.support import measured, wait_until

CONFIG = """
[recovery]
retry_gap_seconds = 0.2
grace_seconds = 0.1
[backend]
stop_grace_seconds = 1
[submit]
pass_env = ["COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"]
"""

SLEEP = "run: exec sleep 300\n"

#: For homes in which nobody notices a death unless a command ticks.
UNWATCHED = "[controller]\nnursery = false\n"
#: For homes in which nothing is to start: jobs stay where they were put.
IDLE = "[limits]\nalive = 0\n"


@dataclass(frozen=True)
class Ended:
    """What came of one run."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON document."""
        return json.loads(self.out)


@dataclass
class Cli:
    """The command in one home and one directory."""

    home: Home
    folder: Path
    environ: dict[str, str] = field(default_factory=dict)

    def env(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment of a run: nothing of the one who tests."""
        return measured(
            {
                "PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8",
                "JOBSCHED_HOME": str(self.home.root), **self.environ, **(extra or {}),
            }
        )  # fmt: skip

    def unmeasured(self) -> dict[str, str]:
        """That of a run in which coverage could not write down what it has seen."""
        return {key: value for key, value in self.env().items() if "COVERAGE" not in key}

    def command(self, *words: object) -> list[str]:
        """The argument list of a run."""
        return [sys.executable, "-m", "jobsched", *map(str, words)]

    def run(
        self, *words: object, env: Mapping[str, str] | None = None, timeout: float = 60
    ) -> Ended:
        """Run it without a terminal, to its end."""
        done = self.raw(*words, env=env, timeout=timeout)
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def raw(
        self, *words: object, env: Mapping[str, str] | None = None, timeout: float = 60
    ) -> subprocess.CompletedProcess[bytes]:  # fmt: skip
        """Run it without a terminal, to its end; what it wrote as bytes."""
        return subprocess.run(
            self.command(*words), check=False, capture_output=True, timeout=timeout,
            cwd=self.folder, env=self.env(env), stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def fails(self, code: int, *words: object, env: Mapping[str, str] | None = None) -> Ended:
        """Run it; it must end with ``code``, without a traceback, and say why in one line."""
        ended = self.run(*words, env=env)
        assert ended.code == code, ended
        assert "Traceback" not in ended.err, ended
        assert "has a mistake" not in ended.err, ended
        assert ended.err.startswith("error: "), ended
        assert ended.err.count("\n") == 1, ended
        return ended

    def ok(self, *words: object, env: Mapping[str, str] | None = None) -> Ended:
        """Run it; it must succeed."""
        ended = self.run(*words, env=env)
        assert ended.code == 0, ended
        return ended

    def start(self, *words: object, **options: Any) -> subprocess.Popen[bytes]:
        """Start it and go on."""
        return subprocess.Popen(
            self.command(*words), cwd=self.folder, env=self.env(),
            stdin=subprocess.DEVNULL, **options,
        )  # fmt: skip

    def terminal(
        self, *words: object, typed: str = "", size: tuple[int, int] = (24, 100),
        env: Mapping[str, str] | None = None, timeout: float = 60,
    ) -> Ended:  # fmt: skip
        """Run it at a terminal where ``typed`` is typed; everything shown is in ``out``."""
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        child = subprocess.Popen(
            self.command(*words), cwd=self.folder,
            env=self.env({"TERM": "xterm-256color", **(env or {})}),
            stdin=side, stdout=side, stderr=side, start_new_session=True,
        )  # fmt: skip
        os.close(side)
        if typed:
            os.write(main, typed.encode())
        try:
            shown = _read_all(main, child, timeout)
        finally:
            os.close(main)
            child.kill()
            child.wait()
        return Ended(child.returncode, shown.decode(errors="replace"), "")

    def file(self, name: str, text: str) -> Path:
        """A file in the directory of the runs."""
        path = self.folder / name
        path.write_text(textwrap.dedent(text))
        return path

    def submit(self, text: str = SLEEP, *words: object, name: str = "job") -> int:
        """Submit a job given as text; its id."""
        self.file(f"{name}.yaml", text)
        return int(self.ok("submit", f"{name}.yaml", *words, "--json").json[0]["job_id"])

    def job(self, job_id: int) -> dict[str, Any]:
        """A job as ``show --json`` tells, asked for without starting the command."""
        with self._door() as door:
            return door.show(job_id)

    def jobs(self, **wanted: Any) -> list[dict[str, Any]]:
        """Jobs as ``queue --json`` tells, asked for without starting the command."""
        with self._door() as door:
            return door.queue(**wanted)

    @contextmanager
    def _door(self) -> Iterator[Scheduler]:
        context = open_context(self.home.root, environ={})
        try:
            yield Scheduler(context=context)
        finally:
            context.db.close()

    def until(self, job_id: int, wanted: Callable[[dict[str, Any]], object], what: str) -> Any:
        """Wait until a job is as wanted; it as it is then."""
        job: dict[str, Any] = {}

        def look() -> bool:
            job.update(self.job(job_id))
            return bool(wanted(job))

        wait_until(look, 30, f"job {job_id} to be {what}")
        return job

    def until_status(self, job_id: int, status: str) -> Any:
        """Wait until a job has a status."""
        return self.until(job_id, lambda job: job["status"] == status, status)

    def processes(self) -> list[int]:
        """PIDs that hold a lock in the home."""
        root = self.home.root
        locks = [*root.glob("*.lock"), *root.glob("attempts/*.lock")]
        locks += root.glob("clusters/*/**/*lock*")
        return sorted({pid for path in locks for pid in process.holders(path)} - {os.getpid()})

    def close(self) -> None:
        """End everything that a test has left."""
        if self.processes():
            self.run("cancel", "--all", "-y")
        wait_until(lambda: not self.processes(), 60, "the test's processes to be gone")


def _read_all(main: int, child: subprocess.Popen[bytes], timeout: float) -> bytes:
    """What a terminal shows until the program at it has ended."""
    deadline = time.monotonic() + timeout
    shown = b""
    while time.monotonic() < deadline:
        ready, _, _ = select.select([main], [], [], 0.05)
        if not ready and child.poll() is not None:
            return shown
        if ready:
            try:
                piece = os.read(main, 65_536)
            except OSError:
                piece = b""
            if not piece:
                child.wait(timeout)
                return shown
            shown += piece
    raise AssertionError(f"the command did not end within {timeout} s; it showed {shown!r}")
