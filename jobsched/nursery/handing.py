"""How claimed jobs get to the nursery, and on from there: messages with the locks' descriptors.

Owns the socket, its place and the words spoken there. Whoever hands over keeps its own copies until
it is told that they have arrived, so that a nursery which dies loses no lock that was meant to be
held; what is not acknowledged has not been started, and never will be. A child that has done its
work asks on the same socket for more: what it is sent is its own, read or not, for the lock is free
as soon as it ends.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from jobsched import process
from jobsched.home import Home

#: Seconds that the nursery may take to say that a batch has arrived: it is at most one fork away.
PATIENCE: Final = 5.0
#: Descriptors in one message: below the kernel's limit of 253.
MOST: Final = 128
_MOST_BYTES: Final = 64 * 1024
#: Who may wait to be heard; the kernel takes as many as it allows. One more would be refused at
#: once, and hundreds who began to wait together ask in the same moment to be relieved.
_QUEUE: Final = 4096
_ARRIVED: Final = b"+"
#: What a message begins with in which a child asks for work; the fields of :class:`Asked` follow.
_ASKS: Final = b"?"
#: The same of one in which a controller asks to be relieved, and what it says of that afterwards.
_RELIEVE: Final = b"="
_GO_ON, _STAND_DOWN = b"+", b"-"


class Claim(NamedTuple):
    """A job that a pass has claimed: its new attempt, and the descriptor that holds its lock."""

    job_id: int
    attempt: int
    lock_fd: int


class Relief(NamedTuple):
    """A controller that only waits wants a child to wait in its place, with what it waits for."""

    claim: Claim
    #: What to wait on, besides messages.
    descriptors: tuple[int, ...]
    #: What the controller has to say to the child that relieves it.
    note: dict[str, Any]
    #: The descriptor on which it says whether the child is to go on.
    line: int


class Asked(NamedTuple):
    """A child that has done its work asks for more."""

    pid: int
    #: Whether it had to wait for others where all take turns, longer than its like make each other.
    was_crowded: bool


def listen(home: Home) -> socket.socket:
    """The nursery's socket, made anew; only for who holds ``nursery.lock``. Raises ``OSError``."""
    home.nursery_socket.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with short(home.nursery_socket) as path:
            listener.bind(path)
        home.nursery_socket.chmod(0o600)
        listener.listen(_QUEUE)
    except BaseException:
        listener.close()
        raise
    return listener


def hand_over(home: Home, claims: Sequence[Claim], *, end: Callable[[], bool]) -> bool:
    """Give ``claims`` (:data:`MOST` at most) to the nursery; whether there is one that took them.

    The caller closes its copies of the locks then. ``end``: ends a nursery that has the message and
    says nothing, for it may yet act on it; whether it is gone.
    """
    message = json.dumps([[claim.job_id, claim.attempt] for claim in claims]).encode() + b"\n"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(PATIENCE)
        try:
            with short(home.nursery_socket) as path:
                line.connect(path)
            if not _is_ours(line):
                return False
        except OSError:
            return False
        try:
            socket.send_fds(line, [message], [claim.lock_fd for claim in claims])
            line.shutdown(socket.SHUT_WR)
            return line.recv(1) == _ARRIVED
        except TimeoutError:
            return not end() or _said(line)
        except OSError:  # it was leaving, or was killed, before it had read this
            return False


def _said(line: socket.socket) -> bool:
    """Whether it had said after all that the batch has arrived: some of it may be started."""
    try:
        line.settimeout(0.0)
        return line.recv(1) == _ARRIVED
    except OSError:
        return False


def receive(line: socket.socket) -> list[Claim] | Relief | Asked:
    """The nursery's side of :func:`hand_over`: what has come, acknowledged. Empty if spoilt.

    Of :func:`ask`: the child that wants to be given work on this line. Of :func:`relieve`: what
    was asked, with a copy of the line.
    """
    line.settimeout(PATIENCE)
    descriptors: list[int] = []
    try:
        text, descriptors, _, _ = socket.recv_fds(line, _MOST_BYTES, MOST)
        while text and not text.endswith(b"\n") and len(text) < _MOST_BYTES:
            more = line.recv(_MOST_BYTES)
            if not more:
                break
            text += more
        if not _is_ours(line):
            raise ValueError("somebody else's")  # noqa: TRY301 -- as what makes no sense
        if text.startswith(_ASKS):
            pid, was_crowded = text[1:].split()
            return Asked(int(pid), was_crowded == b"1")
        if text.startswith(_RELIEVE):
            job_id, attempt, note = json.loads(text[1:])
            claim = Claim(int(job_id), int(attempt), descriptors[0])
            copy = os.dup(line.fileno())
            os.set_blocking(copy, True)
            return Relief(claim, tuple(descriptors[1:]), note, copy)
        pairs = json.loads(text)
        claims = [
            Claim(int(job_id), int(attempt), descriptor)
            for (job_id, attempt), descriptor in zip(pairs, descriptors, strict=True)
        ]
        line.sendall(_ARRIVED)
    except (OSError, ValueError, TypeError, IndexError, RecursionError):  # whatever was said
        for descriptor in descriptors:
            os.close(descriptor)
        return []
    return claims


def ask(home: Home, within: float, *, was_crowded: bool = False) -> Claim | None:
    """For a child of the nursery: another job to drive; ``None`` if there is none in that time.

    ``within``: seconds. ``was_crowded``: see :class:`Asked`.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(within)
        try:
            with short(home.nursery_socket) as path:
                line.connect(path)
            line.sendall(b"%b%d %d\n" % (_ASKS, os.getpid(), was_crowded))
            with suppress(TimeoutError):
                return _given(line)
            # From here on the nursery can send nothing; what it has sent before is ours.
            line.shutdown(socket.SHUT_RD)
            line.settimeout(0.0)
            return _given(line)
        except OSError:  # it has gone, or has no time
            return None


def _given(line: socket.socket) -> Claim | None:
    text, descriptors, _, _ = socket.recv_fds(line, _MOST_BYTES, 1)
    if not text:
        return None
    process.close_on_exec(descriptors[0])  # the flag of the call itself is not heeded
    job_id, attempt = json.loads(text)
    return Claim(job_id, attempt, descriptors[0])


def relieve(
    home: Home, claim: Claim, descriptors: Sequence[int], note: dict[str, Any]
) -> tuple[int, socket.socket] | None:
    """For a controller that only waits: have a child of the nursery wait in its place.

    The PID of the child, which holds the lock too now, and does nothing before it is told to
    :func:`go_on`; and the line to tell it. ``None``: there is none, and will be none.
    """
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.settimeout(PATIENCE)
    message = _RELIEVE + json.dumps([claim.job_id, claim.attempt, note]).encode() + b"\n"
    try:
        with short(home.nursery_socket) as path:
            line.connect(path)
        if _is_ours(line):
            socket.send_fds(line, [message], [claim.lock_fd, *descriptors])
            return int(line.recv(32)), line
    except (OSError, ValueError):
        pass
    stand_down(line)  # whatever it may have begun
    return None


def stand_down(line: socket.socket) -> None:
    """Tell the child that it is not needed after all."""
    with line, suppress(OSError):
        line.sendall(_STAND_DOWN)


def go_on(line: socket.socket) -> None:
    """Tell the child that the job is its own from now on. Raises ``OSError`` if it is gone."""
    line.sendall(_GO_ON)


def is_begun(relief: Relief, pid: int) -> None:
    """The nursery's side of :func:`relieve`: who the child is."""
    with suppress(OSError):  # it is gone, and the child will hear of that
        os.write(relief.line, b"%d\n" % pid)


def word(relief: Relief) -> bool | None:
    """The child's side: whether to go on. ``None``: the controller died without a word."""
    said = os.read(relief.line, 1)
    os.close(relief.line)
    return None if not said else said == _GO_ON


def give(line: socket.socket, claim: Claim) -> bool:
    """The nursery's side of :func:`ask`; whether the child is still there to take it."""
    try:
        message = json.dumps([claim.job_id, claim.attempt]).encode()
        socket.send_fds(line, [message], [claim.lock_fd])
    except OSError:
        return False
    return True


def _is_ours(line: socket.socket) -> bool:
    """Whether the other end runs as the same user."""
    if not hasattr(socket, "SO_PEERCRED"):  # the home's mode has to do
        return True
    size = struct.calcsize("3i")
    found = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    _, uid, _ = struct.unpack("3i", found)
    return bool(uid == os.geteuid())


@contextmanager
def short(path: Path) -> Iterator[str]:
    """A name for ``path`` that fits into a socket's address, which holds about 100 bytes."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        short = Path(f"/proc/self/fd/{folder}")
        yield str(short / path.name if short.exists() else path)
    finally:
        os.close(folder)
