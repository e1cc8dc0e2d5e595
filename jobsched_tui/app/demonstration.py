"""``--demo``: the library's demonstration in a home of its own, for as long as the console is open.

Owns that home from its making to its removal, and the process that plays in it. What is played is
``jobsched demo``.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from jobsched.api import Scheduler, operator
from jobsched.clock import Clock
from jobsched.errors import JobschedError

#: Seconds: until it has told its home; until it has ended; until its jobs are DONE, first when they
#: were asked to end, then by force; until their processes are gone.
_TO_BEGIN: Final = 30.0
_TO_STOP: Final = 15.0
_TO_END: Final = 20.0
_TO_BE_DONE: Final = 10.0
_TO_BE_GONE: Final = 10.0
_LOOK: Final = 0.05
#: How ``jobsched demo`` begins to tell where it plays.
_TOLD: Final = "Home of this demonstration: "


class DemoError(JobschedError):
    """The demonstration did not begin."""


class Demonstration:
    """One demonstration: :meth:`begin` it, and :meth:`end` it whatever became of it."""

    def __init__(self, clock: Clock, environ: Mapping[str, str]) -> None:
        self._clock = clock
        self._folder = Path(tempfile.mkdtemp(prefix="jobsched-tui-demo-")).resolve()
        self._log = self._folder / "demo.txt"
        # Its settings are its own, whatever is set for the homes of this user.
        plain = {k: v for k, v in environ.items() if not k.startswith("JOBSCHED_")}
        self._environ = {**plain, "TMPDIR": str(self._folder)}
        self._process: subprocess.Popen[bytes] | None = None
        self._home: Path | None = None

    def begin(self) -> Path:
        """Let it play; its home. Raises ``DemoError``."""
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "jobsched", "demo"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                env=self._environ, cwd=self._folder, start_new_session=True,
            )  # fmt: skip
        process = self._process
        self._wait(lambda: self._is_there() or process.poll() is not None, _TO_BEGIN)
        self._home = self._told()
        if self._home is None:
            raise DemoError(f"the demonstration did not begin: {self._last_words()}")
        return self._home

    def end(self, say: Callable[[str], None]) -> None:
        """End its jobs and remove its home; ``say``: is told of each step."""
        say("ending the jobs of the demonstration")
        self._stop()
        if self._home is not None:
            try:
                _end_jobs(Scheduler(self._home, actor=operator("jobsched-tui")))
            except (JobschedError, OSError) as error:
                say(f"its jobs were not ended: {error}")
        self._wait(lambda: not _within(self._folder), _TO_BE_GONE)
        # A process that is just ending may still write: what it writes anew is removed, too.
        self._wait(self._is_removed, _TO_BE_GONE)
        say(
            f"could not remove {self._folder}"
            if self._folder.exists()
            else f"removed {self._folder}"
        )

    def _stop(self) -> None:
        """As an interrupt at the keyboard does: it cancels its jobs by itself."""
        process = self._process
        if process is None:
            return
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_TO_STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _is_there(self) -> bool:
        """Whether it has told its home, and that has a database."""
        home = self._told()
        return home is not None and (home / "jobsched.db").exists()

    def _told(self) -> Path | None:
        """Where it says that it plays, once it does."""
        first, ended, _ = self._log.read_text(errors="replace").partition("\n")
        is_told = bool(ended) and first.startswith(_TOLD)
        return Path(first.removeprefix(_TOLD)) if is_told else None

    def _last_words(self) -> str:
        said = self._log.read_text(errors="replace").strip()
        return said.rpartition("\n")[2] or "it said nothing"

    def _is_removed(self) -> bool:
        with suppress(OSError):
            shutil.rmtree(self._folder)
        return not self._folder.exists()

    def _wait(self, condition: Callable[[], object], seconds: float) -> None:
        deadline = self._clock.monotonic() + seconds
        while not condition() and self._clock.monotonic() < deadline:
            self._clock.sleep(_LOOK)


def _end_jobs(door: Scheduler) -> None:
    """Also those that the operator has added; first as a cancel does, then by force."""
    left = door.unfinished_ids()
    if left:
        door.cancel(left, reason="the demonstration is over")
        door.wait(left, timeout=_TO_END)
    left = door.unfinished_ids()
    for job_id in left:
        with suppress(JobschedError):
            door.done(job_id, reason="the demonstration is over")
    if left:
        door.wait(left, timeout=_TO_BE_DONE)


def _within(folder: Path) -> list[int]:
    """Processes that work in a folder of ours."""
    return [
        process.pid
        for process in psutil.process_iter(["cwd"])
        if process.info["cwd"] and Path(process.info["cwd"]).is_relative_to(folder)
    ]
