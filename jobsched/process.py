"""Processes as the kernel knows them: who is who, who holds a file, signals that hit nobody else.

Owns identity (a PID alone is none: it is reused), the search for whoever holds a lock, and
signalling. Whether an attempt or a task *lives* is told by its lock, never by what is said here.
Reads ``/proc``; where there is none (macOS), ``psutil`` answers as well as it can.
"""

# Thousands of short names in /proc: an object for each would cost more than everything else.
# ruff: noqa: PTH112, PTH115, PTH116, PTH119, PTH208

from __future__ import annotations

import errno
import os
import signal as signals
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, NamedTuple

_HAS_PROC: Final = os.path.isdir("/proc/self/fdinfo")
_HAS_PIDFD: Final = hasattr(os, "pidfd_open") and hasattr(signals, "pidfd_send_signal")
_GONE: Final = (errno.ENOENT, errno.ESRCH)
#: What the kernel says after the name of a file that is open, but in no directory any more.
_DELETED: Final = " (deleted)"


@dataclass(frozen=True, slots=True)
class Identity:
    """One process, told apart from every other that has had or will have its PID."""

    #: As seen from the PID namespace ``pid_ns``.
    pid: int
    #: When it started, in clock ticks since boot.
    start_ticks: int
    boot_id: str
    #: Inode of the PID namespace in which ``pid`` means this process.
    pid_ns: int


class Entry(NamedTuple):
    """One line of the process table."""

    pid: int
    #: One letter as in ``ps``: R, S, D, T (stopped), Z (zombie) ...
    state: str
    #: PID of the leader of its session, who may be gone.
    session: int
    #: Clock ticks since boot.
    start_ticks: int

    @property
    def is_dead(self) -> bool:
        """Whether it has ended and only waits to be collected by its parent."""
        return self.state in "ZX"

    @property
    def key(self) -> tuple[int, int]:
        """What tells it apart on this machine, since it was started."""
        return self.pid, self.start_ticks

    @property
    def identity(self) -> Identity:
        """Who it is."""
        return Identity(self.pid, self.start_ticks, boot_id(), _pid_ns())


def me() -> Identity:
    """The calling process."""
    return _me(os.getpid())


@lru_cache(maxsize=1)
def _me(pid: int) -> Identity:
    entry = _parse(pid, _read("/proc/self/stat")) if _HAS_PROC else _psutil_entry(pid)
    return Identity(pid, entry.start_ticks if entry else 0, boot_id(), _pid_ns())


def identify(pid: int) -> Identity | None:
    """Who has ``pid`` now; ``None`` if nobody, or one that has ended (a zombie)."""
    entry = look_up(pid)
    if entry is None or entry.is_dead:
        return None
    return Identity(pid, entry.start_ticks, boot_id(), _pid_ns())


def is_same(identity: Identity) -> bool | None:
    """Whether that very process still runs (stopped counts); ``None`` if it cannot be told.

    It cannot from another PID namespace, nor where the process table hides it.
    """
    if identity.boot_id != boot_id():
        return False
    if identity.pid_ns != _pid_ns() or not _proc_is_ours():
        return None
    entry = look_up(identity.pid)
    if entry is not None:
        return entry.start_ticks == identity.start_ticks and not entry.is_dead
    try:
        os.kill(identity.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return None
    return None


def is_stopped(pid: int) -> bool:
    """Whether it was stopped by a signal, as SIGSTOP does; not while a debugger holds it."""
    entry = look_up(pid)
    return entry is not None and entry.state == "T"


def signal(identity: Identity, signum: int) -> bool:
    """Send ``signum`` to that very process; false, and nothing sent, if it is gone or not ours.

    Raises ``OSError`` only where this process is short of descriptors.
    """
    if identity.pid <= 1:
        return False
    try:
        descriptor = pidfd(identity)
        if descriptor is None:  # it is gone, or this kernel has no such thing
            if is_same(identity) is not True:
                return False
            os.kill(identity.pid, signum)
            return True
        try:
            signals.pidfd_send_signal(descriptor, signum)
        finally:
            os.close(descriptor)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def pidfd(identity: Identity) -> int | None:
    """A descriptor that is readable once that very process has ended; the caller closes it.

    ``None`` if it has ended already, or where the system has no such thing. Raises ``OSError``
    where this process is short of descriptors.
    """
    if not _HAS_PIDFD or identity.pid <= 0:
        return None
    try:
        descriptor = os.pidfd_open(identity.pid)
    except OSError as error:
        if error.errno in (errno.ESRCH, errno.EINVAL, errno.ENOSYS, errno.EPERM):
            return None
        raise
    # Looked at only now: the descriptor holds whoever had the PID when it was opened.
    if is_same(identity) is True:
        return descriptor
    os.close(descriptor)
    return None


def holders(path: str | os.PathLike[str]) -> list[int]:
    """PIDs that hold an exclusive ``flock`` on the file, as far as this user may see.

    A lock belongs to an open file description, so everyone who inherited the descriptor holds it;
    who merely has the file open, or asks about it with a shared lock, does not. The caller counts.
    Where there is no ``/proc``: everyone who has the file open.
    """
    if not _HAS_PROC:
        return _psutil_openers(path)
    found = (pid for pid, fd in _descriptors(path) if _is_locked(pid, fd))
    return sorted(set(found))


def locked_below(
    folder: str | os.PathLike[str], among: Iterable[int] | None = None
) -> dict[str, set[int]]:
    """Files below ``folder`` on which somebody holds an exclusive ``flock``, and which PIDs do.

    Named by their path from there, also those that have been deleted since. ``among``: only
    these PIDs are looked at. As far as this user may
    see; empty where there is no ``/proc``. Raises ``OSError`` where this process is short of
    descriptors: that it found none would be no evidence.
    """
    found: dict[str, set[int]] = {}
    above = os.path.realpath(folder) + "/"
    pids = _pids() if among is None else among
    for pid in pids if _HAS_PROC else ():
        for number, name in _open_files(pid):
            if name.startswith(above) and _is_locked(pid, number):
                path = name.removeprefix(above).removesuffix(_DELETED)
                found.setdefault(path, set()).add(pid)
    return found


def table() -> list[Entry]:
    """Every process that can be seen."""
    return [entry for pid in _pids() if (entry := look_up(pid)) is not None]


def look_up(pid: int) -> Entry | None:
    """The line of the process table for ``pid``."""
    if not _HAS_PROC:
        return _psutil_entry(pid)
    return _parse(pid, _read(f"/proc/{pid}/stat")) if _proc_is_ours() else None


def has_members(session: int) -> bool:
    """Whether any process, dead or alive, is in the session of that number."""
    return session in map(_session_of, _pids())


def descendants(pid: int) -> list[int]:
    """Children of ``pid``, their children, and so on; empty where the kernel does not tell."""
    found: list[int] = []
    waiting = [pid] if _HAS_PROC and _proc_is_ours() else []
    while waiting:
        parent = waiting.pop()
        children = _read(f"/proc/{parent}/task/{parent}/children") or b""
        found += (pids := [int(child) for child in children.split()])
        waiting += pids
    return found


@cache
def boot_id() -> str:
    """What tells this boot of the machine from every other."""
    raw = _read("/proc/sys/kernel/random/boot_id") if _HAS_PROC else None
    if raw is not None:
        return raw.decode("ascii").strip()
    import psutil  # noqa: PLC0415 -- dear, and not needed where there is /proc

    return f"booted-{psutil.boot_time():.0f}"


def close_on_exec(descriptor: int) -> None:
    """Keep ``descriptor`` from programs that this process starts; a closed one is fine."""
    try:
        os.set_inheritable(descriptor, False)  # noqa: FBT003 -- the standard library's way
    except OSError as error:
        if error.errno != errno.EBADF:
            raise


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _pid_ns() -> int:
    return _pid_ns_of(os.getpid())


@lru_cache(maxsize=1)
def _pid_ns_of(pid: int) -> int:
    """A process never leaves its namespace; a child of it may be in another one."""
    del pid  # ``/proc`` may be another namespace's, where the number is somebody else's
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0


def _proc_is_ours() -> bool:
    """Whether ``/proc`` speaks of our PID namespace; in another one the numbers mean others."""
    if not _HAS_PROC:
        return True
    try:
        return os.readlink("/proc/self") == str(os.getpid())
    except OSError:
        return False


def _read(path: str) -> bytes | None:
    """All of a small file of ``/proc``; ``None`` if what it speaks of is gone or hidden."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (*_GONE, errno.EACCES, errno.EPERM):
            return None
        raise
    try:
        parts = []
        while part := os.read(descriptor, 65536):
            parts.append(part)
        return b"".join(parts)
    except OSError as error:
        if error.errno in _GONE:
            return None
        raise
    finally:
        os.close(descriptor)


def _parse(pid: int, stat: bytes | None) -> Entry | None:
    if not stat:
        return None
    fields = stat[stat.rindex(b")") + 2 :].split()  # the name before it may hold anything
    return Entry(pid, fields[0].decode("ascii"), int(fields[3]), int(fields[19]))


def _pids() -> Iterator[int]:
    if not _HAS_PROC:
        import psutil  # noqa: PLC0415 -- dear, and not needed where there is /proc

        yield from psutil.pids()
    elif _proc_is_ours():
        yield from (int(name) for name in os.listdir("/proc") if name.isdecimal())


def _descriptors(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Every (PID, descriptor) that has the file open."""
    try:
        wanted = os.stat(path)
    except OSError:
        return
    # Names first: to stat whatever else a process has open could hang on a dead network mount.
    name = os.path.basename(os.path.realpath(path))
    for pid in _pids():
        with suppress(OSError):
            for number, target in _open_files(pid):
                if not target.rpartition("/")[2].startswith(name):
                    continue
                with suppress(OSError):
                    if os.path.samestat(os.stat(f"/proc/{pid}/fd/{number}"), wanted):
                        yield pid, number


def _open_files(pid: int) -> Iterator[tuple[str, str]]:
    """Every descriptor of a process, and what the kernel says that it is open on.

    None where it has ended or is hidden. Raises ``OSError`` where this process is short of
    descriptors itself.
    """
    folder = f"/proc/{pid}/fd"
    try:
        numbers = os.listdir(folder)
    except OSError as error:
        if error.errno in (*_GONE, errno.EACCES, errno.EPERM):
            return
        raise
    for number in numbers:
        with suppress(OSError):
            yield number, os.readlink(f"{folder}/{number}")


def _is_locked(pid: int, descriptor: str) -> bool:
    """Whether that descriptor's open file description holds an exclusive ``flock``."""
    lines = (_read(f"/proc/{pid}/fdinfo/{descriptor}") or b"").splitlines()
    return any(
        line.startswith(b"lock:") and b" FLOCK " in line and b" WRITE " in line for line in lines
    )


def _psutil_entry(pid: int) -> Entry | None:
    import psutil  # noqa: PLC0415 -- dear, and not needed where there is /proc

    states = {psutil.STATUS_ZOMBIE: "Z", psutil.STATUS_DEAD: "X", psutil.STATUS_STOPPED: "T"}
    try:
        found = psutil.Process(pid)
        state = states.get(found.status(), "S")
        return Entry(pid, state, os.getsid(pid), int(found.create_time() * 100))
    except (psutil.Error, OSError, ValueError):
        return None


def _psutil_openers(path: str | os.PathLike[str]) -> list[int]:
    import psutil  # noqa: PLC0415 -- dear, and not needed where there is /proc

    wanted = os.path.realpath(path)
    found = []
    for candidate in psutil.process_iter():
        try:
            if any(file.path == wanted for file in candidate.open_files()):
                found.append(candidate.pid)
        except (psutil.Error, OSError):
            continue
    return sorted(found)
