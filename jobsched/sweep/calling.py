"""One call of an ``event_callback``: its file, its session, and its end, whoever dies meanwhile.

Owns how the user's text is run. The file that holds the text is also the lock by which every
process of the call is known: they inherit it, and whoever waits for them does not keep it. A guard
in their session ends all of them when the time is up, so that the bound holds without us. Knows
nothing of jobs.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from jobsched import lock, process
from jobsched.clock import Clock
from jobsched.errors import StoreError
from jobsched.lock import Grip

#: Seconds that one call may take.
CALL_SECONDS: Final = 60.0
#: Seconds after that in which a guard that is slow, stopped or gone is waited for.
_MARGIN: Final = 5.0
#: Seconds that killed processes have to be gone, and between looks at whether they are.
_END_SECONDS: Final = 3.0
_LOOK: Final = 0.01
#: What the machine, or this process, may be short of now and have again later.
_SHORTAGES: Final = frozenset(
    {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT, errno.EIO}
)
#: Leads the session: the text, and beside it the end of the session, itself included, in $2
#: seconds or when the text has ended. ``-p`` lets nothing of the job's environment change it.
_GUARD: Final = """
{
    PATH=$PATH:/usr/bin:/bin
    sleep "$2" && echo "jobsched: event_callback took longer than $2 s; ended" && kill -KILL 0
} &
bash "$1"
kill -KILL 0
"""


def call(
    path: Path, text: str, env: Mapping[str, str], *,
    output: int, cwd: Path, clock: Clock, seconds: float = CALL_SECONDS,
) -> bool:  # fmt: skip
    """Run ``text`` as the file at ``path``, given to bash; whether it ended within ``seconds``.

    What it leaves running is ended with it, and so is an earlier call that still runs. Raises
    ``StoreError``, ``OSError`` or ``ValueError`` if it cannot be run.
    """
    began = clock.monotonic()
    with _start(path, text, env, output=output, cwd=cwd, clock=clock, seconds=seconds) as guard:
        try:
            guard.wait(seconds + _MARGIN)
        except subprocess.TimeoutExpired:
            os.killpg(guard.pid, signal.SIGKILL)
    in_time = clock.monotonic() - began < seconds
    with suppress(StoreError, OSError):  # it has been run; others will see to what is left
        end_call(path, clock)
        _remove(path)
    return in_time


def may_pass(error: Exception) -> bool:
    """Whether what kept a call from being run may be over later."""
    if isinstance(error, StoreError):
        return error.passes or (error.__cause__ is not None and _is_shortage(error.__cause__))
    return _is_shortage(error)


def _is_shortage(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in _SHORTAGES


def end_call(path: Path, clock: Clock) -> None:
    """Kill whatever is left of the call whose file is ``path``.

    Raises ``StoreError``, which passes, if something of it will not end.
    """
    deadline = clock.monotonic() + _END_SECONDS
    while lock.probe(path) is Grip.HELD:
        clock.sleep(_LOOK)  # the guard has killed them, as a rule
        left = [pid for pid in process.holders(path) if pid != os.getpid()]
        for who in filter(None, map(process.identify, left)):
            process.signal(who, signal.SIGKILL)
        if clock.monotonic() > deadline:
            raise StoreError(f"{path}: PIDs {left} of an event_callback do not end", passes=True)


def _start(
    path: Path, text: str, env: Mapping[str, str], *,
    output: int, cwd: Path, clock: Clock, seconds: float,
) -> subprocess.Popen[bytes]:  # fmt: skip
    """Start a call; none but its processes hold its file when this returns."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    while (held := lock.try_lock(path)) is None:
        end_call(path, clock)  # of one who told before us, and died
    try:
        os.ftruncate(held, 0)
        with open(held, "w", encoding="utf-8", closefd=False) as script:
            script.write(text)
        return subprocess.Popen(
            ["bash", "-p", "-c", _GUARD, "event_callback", path, f"{seconds:g}"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=cwd,
            env=dict(env),
            pass_fds=(held,),
            start_new_session=True,
        )
    finally:
        os.close(held)


def _remove(path: Path) -> None:
    """Delete the file, unless somebody has begun the next call."""
    held = lock.try_lock(path)
    if held is not None:
        path.unlink(missing_ok=True)
        os.close(held)
