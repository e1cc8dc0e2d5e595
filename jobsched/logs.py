"""What a job's tasks and its controller have printed: the functions that embedding programs use.

Thin: ``logfiles`` reads. Owns that whoever follows also ticks, so that a job which somebody watches
is not left lying because every other process has gone.
"""

from __future__ import annotations

from collections.abc import Iterator

from jobsched.context import Context, default_context
from jobsched.logfiles.follower import Follower, once, stream
from jobsched.scheduler.ticker import ticking


def follow(
    job_id: int,
    task: int | str | None = None,
    controller: bool = False,  # noqa: FBT001, FBT002 -- the signature that callers know
    *,
    lines: int | None = None,
) -> Iterator[bytes]:
    """What the job's tasks (or one, or the controller) print, as it comes, until the job is DONE.

    From the beginning, or with the last ``lines`` lines. Bytes are passed on as they were written;
    only where several logs are written at the same time a line says which one goes on. Raises
    ``NotFound`` at once.
    """
    return follow_in(default_context(), job_id, task, controller=controller, lines=lines)


def tail(
    job_id: int,
    task: int | str | None = None,
    controller: bool = False,  # noqa: FBT001, FBT002 -- the signature that callers know
    lines: int | None = None,
) -> bytes:
    """The last ``lines`` lines of what has been printed, ``None``: all; waits for nothing.

    Of each log, where several are written at the same time. Raises ``NotFound``.
    """
    return tail_in(default_context(), job_id, task, controller=controller, lines=lines)


def follow_in(
    context: Context,
    job_id: int,
    task: int | str | None = None,
    *,
    controller: bool = False,
    lines: int | None = None,
    labels: bool | None = None,
) -> Iterator[bytes]:
    """:func:`follow` in any home.

    ``labels``: whether a line names each log where it goes on after another; ``None``: where
    several are written at the same time.
    """
    follower = Follower(context, job_id, task, controller=controller, lines=lines)
    return ticking(context, stream(follower, context.clock, labels=labels))


def tail_in(
    context: Context,
    job_id: int,
    task: int | str | None = None,
    *,
    controller: bool = False,
    lines: int | None = None,
) -> bytes:
    """:func:`tail` in any home."""
    return b"".join(read_in(context, job_id, task, controller=controller, lines=lines))


def read_in(
    context: Context,
    job_id: int,
    task: int | str | None = None,
    *,
    controller: bool = False,
    lines: int | None = None,
    labels: bool | None = None,
) -> Iterator[bytes]:
    """What :func:`tail_in` gives, in pieces: however long it is, little of it is in memory."""
    return once(Follower(context, job_id, task, controller=controller, lines=lines), labels=labels)
