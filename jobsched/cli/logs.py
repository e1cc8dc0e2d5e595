"""``logs``: bytes to whoever reads us, harmless text to a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from jobsched.api import WaitResult
from jobsched.cli import waiting
from jobsched.cli.call import Call
from jobsched.cli.neutral import Neutraliser
from jobsched.errors import NotFound
from jobsched.logs import follow_in, read_in
from jobsched.states import TaskStatus

_NOT_STARTED: Final = frozenset({TaskStatus.PENDING, TaskStatus.STARTING})


def logs(call: Call) -> int:
    """Print what there is, or follow until the job is DONE; the exit code tells how it ended."""
    try:
        return _logs(call)
    except NotFound as error:
        if not call.arguments.follow:
            raise
        call.terminal.error(str(error))
        return waiting.NOT_FOUND


def _logs(call: Call) -> int:
    asked = call.arguments
    read = follow_in if asked.follow else read_in
    pieces = read(
        call.door.context,
        asked.job_id,
        asked.task,
        controller=asked.controller,
        lines=asked.lines,
    )
    call.on_interrupt = f"interrupted; job {asked.job_id} keeps running"
    if asked.follow:
        _say_if_not_started(call)
        _print(call, pieces)
        return _finish(call)
    if not _print(call, pieces):
        _say_if_not_started(call, otherwise="has printed nothing")
    return 0


def _say_if_not_started(call: Call, *, otherwise: str | None = None) -> None:
    """Tell whoever waits for output of a job that has none yet why that is so."""
    job_id = call.arguments.job_id
    status = call.door.show(job_id)["status"]
    what = "has not started yet" if status in _NOT_STARTED else otherwise
    if what is not None:
        call.terminal.note(f"job {job_id} {what}: {call.door.why(job_id).text}")


def _print(call: Call, pieces: Iterator[bytes]) -> bool:
    """Pass everything on at once; whether there was anything."""
    found = False
    write, end = _writer(call)
    for piece in pieces:
        found = found or bool(piece)
        write(piece)
    end()
    return found


def _writer(call: Call) -> tuple[Callable[[bytes], None], Callable[[], None]]:
    out = call.terminal.out
    if call.arguments.raw or not call.terminal.out_is_tty:
        binary = out.buffer

        def pass_on(piece: bytes) -> None:
            binary.write(piece)
            binary.flush()

        return pass_on, binary.flush

    neutral = Neutraliser()

    def show(piece: bytes) -> None:
        out.write(neutral.feed(piece))
        out.flush()

    def end() -> None:
        out.write(neutral.end())
        out.flush()

    return show, end


def _finish(call: Call) -> int:
    job_id = call.arguments.job_id
    status = TaskStatus(call.door.show(job_id)["status"])
    call.terminal.note(f"Job {job_id} finished: {status}")
    return waiting.outcome(WaitResult(status, done=True))
