"""``logs``: bytes to whoever reads us, harmless text to a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from jobsched.api import WaitResult
from jobsched.cli import waiting
from jobsched.cli.call import Call
from jobsched.cli.neutral import Neutraliser
from jobsched.errors import NotFound
from jobsched.logs import follow_in, read_in
from jobsched.states import TaskStatus


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
    if not _print(call, pieces):
        reason = call.door.why(asked.job_id)
        call.terminal.note(f"job {asked.job_id} has printed nothing: {reason.text}")
    return _finish(call) if asked.follow else 0


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
        binary = sys.stdout.buffer

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
