"""The side that asks: one other process, started when it is first needed and after it has died.

Owns that process. Whoever asks waits for the answer, so it must be a thread that nobody waits for.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from threading import Lock
from typing import Final, ParamSpec, TypeVar

from jobsched.errors import JobschedError

P = ParamSpec("P")
T = TypeVar("T")

#: Seconds for which an answer is waited for, whatever the other process is kept from.
_PATIENCE: Final = 30.0
#: It looks for modules where we do, but never in the current directory before all others.
_PROGRAM: Final = """
import sys
sys.path += [folder for folder in sys.argv[3:] if folder not in sys.path]
from jobsched_tui.data.elsewhere.answering import serve
serve(int(sys.argv[1]), float(sys.argv[2]))
"""


class Unanswered(JobschedError):
    """The other process could not answer; ``str()`` says why."""


class TooLong(Unanswered):
    """It would have taken longer than it may."""

    def __init__(self) -> None:
        super().__init__("pattern took too long: simplify it")


class Helper:
    """A process that answers. ``seconds``: of a CPU that one question may take."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        #: Held by whoever starts or stops it, never while an answer is waited for.
        self._changing = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._stopped = False

    def ask(self, function: Callable[P, T], *arguments: P.args, **_: P.kwargs) -> T:
        """What a function of a module makes of its arguments. For one thread at a time.

        Raises ``TooLong``; ``Unanswered`` if the process dies otherwise, or the function raises.
        """
        process, connection = self._started()
        try:
            connection.send((function, arguments))
            if not connection.poll(_PATIENCE):
                process.kill()
            value, failure = connection.recv()
        except (EOFError, OSError) as error:
            raise self._death(process) from error
        if failure:
            raise Unanswered(failure)
        answer: T = value
        return answer

    def stop(self) -> None:
        """End it, in the midst of an answer, too. It answers nothing any more. For any thread."""
        with self._changing:
            self._stopped = True
            self._end()

    def rest(self) -> None:
        """End it until something is asked again. For the thread that asks."""
        with self._changing:
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _started(self) -> tuple[subprocess.Popen[bytes], Connection]:
        with self._changing:
            if self._stopped:
                raise Unanswered("it is not asked any more")
            if (
                self._process is None
                or self._connection is None
                or self._process.poll() is not None
            ):
                self._process, self._connection = _start(self._seconds)
            return self._process, self._connection

    def _death(self, process: subprocess.Popen[bytes]) -> Unanswered:
        if process.wait() in (-signal.SIGPROF, -signal.SIGKILL) and not self._stopped:
            return TooLong()
        return Unanswered(f"the process that searches has ended: {process.returncode}")


def _start(seconds: float) -> tuple[subprocess.Popen[bytes], Connection]:
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, str(theirs.fileno()), str(seconds)]
                + [folder for folder in sys.path if folder],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise Unanswered(f"no process could be started to search: {error.strerror}") from error
    return process, Connection(ours.detach())
