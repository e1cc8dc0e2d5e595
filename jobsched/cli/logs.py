"""``logs``: bytes to whoever reads us, harmless text to a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from jobsched.api import WaitResult
from jobsched.cli import waiting
from jobsched.cli.call import Call
from jobsched.cli.neutral import Neutraliser
from jobsched.errors import NotFound
from jobsched.logs import follow_in, read_in
from jobsched.states import TaskStatus

#: Tasks that a message names, at most.
_MOST_NAMED: Final = 10
_NOT_STARTED: Final = frozenset({TaskStatus.PENDING, TaskStatus.STARTING})


def logs(call: Call) -> int:
    """Print what there is, or follow until the job is DONE; the exit code tells how it ended."""
    try:
        return _logs(call)
    except NotFound as error:
        call.terminal.error(_no_such_task(call) or str(error))
        return waiting.NOT_FOUND if call.arguments.follow else 1


def _no_such_task(call: Call) -> str | None:
    """What to say where the job is there, so that it must be the task that is not."""
    job_id = call.arguments.job_id
    try:
        tasks = call.door.show(job_id)["tasks"]
    except NotFound:
        return None
    named = [f"{task['task_id']} ({task['name']})" for task in tasks[:_MOST_NAMED]]
    more = f" and {len(tasks) - _MOST_NAMED} more" if len(tasks) > _MOST_NAMED else ""
    what = "its only task is" if len(tasks) == 1 else "its tasks are"
    return f"job {job_id} has no task {call.arguments.task}; {what} {', '.join(named)}{more}"


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
        if _print(call, pieces).is_within_line and call.terminal.out_is_tty:
            call.terminal.say()  # the note begins a line of its own
        return _finish(call)
    if not _print(call, pieces).was_any:
        _say_if_not_started(call, otherwise="has printed nothing")
    return 0


def _say_if_not_started(call: Call, *, otherwise: str | None = None) -> None:
    """Tell whoever waits for output of a job that has none yet why that is so."""
    job_id = call.arguments.job_id
    status = call.door.show(job_id)["status"]
    what = "has not started yet" if status in _NOT_STARTED else otherwise
    if what is not None:
        who = f"the controller of job {job_id}" if call.arguments.controller else f"job {job_id}"
        call.terminal.note(f"{who} {what}: {call.door.why(job_id).text}")


class _Printed(NamedTuple):
    """What has been passed on."""

    was_any: bool
    #: Whether it ended without an end of line.
    is_within_line: bool


def _print(call: Call, pieces: Iterator[bytes]) -> _Printed:
    """Pass everything on at once."""
    last = b""
    write, end = _writer(call)
    for piece in pieces:
        last = piece or last
        write(piece)
    end()
    return _Printed(bool(last), bool(last) and not last.endswith(b"\n"))


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
