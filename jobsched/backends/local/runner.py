"""Starting a node's runner: a plain shell, in a session of its own, that owns nothing of ours.

Owns what the runner's process looks like: arguments, environment, descriptors, signals. The shell
script beside this file says what it does. Waits for nothing.
"""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from jobsched.errors import PrecheckFailed
from jobsched.models import LaunchRequest

SCRIPT: Final = Path(__file__).with_name("runner.sh")

#: Descriptors that the script knows by number.
_LOCK, _RECORD, _READY, _GO = 3, 4, 5, 6
_Action: TypeAlias = tuple[int, int] | tuple[int, int, int] | tuple[int, int, str, int, int]
_LOG_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
#: All that can be reset: an ignored signal (Python ignores SIGPIPE) would stay so in every program.
_SIGNALS: Final = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
#: Bytes that Linux hands to a program in one variable at most: name, equals sign, value and NUL.
_LONGEST: Final = 32 * os.sysconf("SC_PAGE_SIZE")
#: Bytes of environment and arguments at most, however large the stack may grow; what is left of
#: them for a runner's arguments; and what each variable takes besides its text.
_MOST, _ARGUMENTS, _POINTER = 6 * 2**20, 32 * 2**10, 8
#: Variables that tell a process which controller it is; no task is one.
_CONTROLLER_ONLY: Final = frozenset(
    {"JOBSCHED_HOME", "JOBSCHED_JOB_ID", "JOBSCHED_ATTEMPT", "JOBSCHED_LOCK_FD"}
)


class Descriptors(NamedTuple):
    """What a runner gets besides its standard streams; all close-on-exec, all the caller's."""

    log: int
    lock: int
    record: int
    ready: int
    go: int


def start(shell: str, arguments: list[str], env: Mapping[str, str], given: Descriptors) -> int:
    """Start a runner; its PID. It is a child of this process. Raises ``OSError``."""
    pairs = [(given.log, 1), (given.log, 2), (given.lock, _LOCK), (given.record, _RECORD)]
    pairs += [(given.ready, _READY), (given.go, _GO)]
    # By way of numbers above all of them, so that none is overwritten before it is handed on.
    above = max(_GO, *given) + 1
    moved = [(above + index, theirs) for index, (_, theirs) in enumerate(pairs)]
    actions: list[_Action] = [
        *((os.POSIX_SPAWN_CLOSE, descriptor) for descriptor in _inheritable()),
        *((os.POSIX_SPAWN_DUP2, ours, above + index) for index, (ours, _) in enumerate(pairs)),
        *((os.POSIX_SPAWN_DUP2, between, theirs) for between, theirs in moved),
        *((os.POSIX_SPAWN_CLOSE, between) for between, _ in moved),
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
    ]
    return os.posix_spawn(
        shell,
        [shell, str(SCRIPT), *arguments],
        env,
        file_actions=actions,
        setsid=True,
        setsigmask=(),
        setsigdef=_SIGNALS,
    )


def open_log(path: Path) -> int:
    """The log of a node, to append to. Raises ``OSError`` where it is not a file of our own."""
    descriptor = os.open(path, _LOG_FLAGS | os.O_NONBLOCK, 0o600)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_uid != os.geteuid():
        os.close(descriptor)
        raise OSError(f"{path} is not a file of our own; move it away")
    os.set_blocking(descriptor, True)
    return descriptor


def find_bash(env: Mapping[str, str]) -> str:
    """The bash of the task's PATH. Raises ``PrecheckFailed`` where there is none."""
    path = env.get("PATH") or os.defpath
    for folder in path.split(os.pathsep):
        # os.path, because it calls what may not be looked at no file, as a shell does; and fast
        candidate = os.path.join(folder, "bash")  # noqa: PTH118
        if folder.startswith("/") and os.path.isfile(candidate) and os.access(candidate, os.X_OK):  # noqa: PTH113
            return candidate
    raise PrecheckFailed([f"there is no bash in the PATH of the task, which is {path}"])


def task_env(
    request: LaunchRequest, node: int, gpus: tuple[int, ...], home: Path | None
) -> dict[str, str]:
    """The environment of the task's programs on one node."""
    task = request.task
    each = task.candidates[request.placement.candidate].accelerators
    own = {
        "NODE_RANK": str(node),
        "NODE_IPS": "\n".join(["127.0.0.1"] * task.num_nodes),
        "NUM_NODES": str(task.num_nodes),
        "NUM_GPUS_PER_NODE": f"{sum(each.values()):g}",
    }
    env = {**request.base_env, **request.env}
    for prefix in ("SKYPILOT", "JOBSCHED"):
        env |= {f"{prefix}_{name}": value for name, value in own.items()}
    if gpus:
        env["CUDA_VISIBLE_DEVICES"] = ",".join(str(index) for index in gpus)
    if home is not None:
        env["HOME"] = str(home)
    return {name: value for name, value in env.items() if name not in _CONTROLLER_ONLY}


def check_env(env: Mapping[str, str]) -> None:
    """Raise ``PrecheckFailed`` where the system could start no program with this environment."""
    reasons = [flaw for name, value in env.items() if (flaw := _flaw(name, value)) is not None]
    if not reasons:
        sizes = {name: len(os.fsencode(f"{name}={value}")) + 1 for name, value in env.items()}
        total = sum(sizes.values()) + _POINTER * len(env)
        bound = min(os.sysconf("SC_ARG_MAX"), _MOST) - _ARGUMENTS
        if total > bound:
            largest = max(sizes, key=sizes.__getitem__)
            reasons.append(
                f"the task's environment takes {total} bytes, most of them for the variable"
                f" {largest}; a program can be given {bound} at most: put some into a file"
            )
    if reasons:
        raise PrecheckFailed(reasons)


def _flaw(name: str, value: str) -> str | None:
    """Why no program can be given this variable."""
    what = f"the variable {name} of the task's environment"
    try:
        size = len(os.fsencode(f"{name}={value}")) + 1
    except UnicodeEncodeError:
        return f"{what} holds what is no character"
    if "\0" in value:
        return f"{what} holds a NUL"
    if size > _LONGEST:
        return (
            f"{what} takes {size} bytes with its name; a program can be given {_LONGEST} in one"
            " variable at most: put the value into a file"
        )
    return None


def _inheritable() -> list[int]:
    """Descriptors that somebody left open to our children; none of them is a task's business."""
    found = []
    for number in map(int, os.listdir("/dev/fd")):  # noqa: PTH208 -- of each launch
        try:
            if number > 2 and os.get_inheritable(number):  # noqa: PLR2004 -- the standard streams
                found.append(number)
        except OSError:
            continue  # the one that listed them
    return found
