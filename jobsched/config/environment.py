"""The environment of this process: the only module that looks at it.

Owns the names of the variables that jobsched itself sets or is told by. Changes them only for a
process that becomes a controller.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from jobsched.errors import ConfigError

#: Where the state lies. Set by people, and by whoever starts a controller.
HOME: Final = "JOBSCHED_HOME"
#: The three that tell a controller which attempt it is; tasks never get them.
JOB_ID: Final = "JOBSCHED_JOB_ID"
ATTEMPT: Final = "JOBSCHED_ATTEMPT"
LOCK_FD: Final = "JOBSCHED_LOCK_FD"
#: Variables of these names are no settings.
RESERVED: Final = frozenset({HOME, JOB_ID, ATTEMPT, LOCK_FD})


class AttemptIdentity(NamedTuple):
    """Which attempt of which job this process is."""

    job_id: int
    attempt: int
    #: Descriptor that holds the attempt's lock; ``None``: a wrapper in between closed it.
    lock_fd: int | None = None


def environ() -> Mapping[str, str]:
    """The environment as it is now."""
    return os.environ


def become(variables: Mapping[str, str]) -> None:
    """Have exactly these variables from now on: for a process that turns into a controller."""
    os.environ.clear()
    os.environ.update(variables)


def default_root(variables: Mapping[str, str] | None = None) -> Path:
    """The state directory: ``JOBSCHED_HOME``, else the user's; absolute, symbolic links followed.

    Raises ``ConfigError`` where neither is to be had.
    """
    told = (environ() if variables is None else variables).get(HOME)
    if told:
        try:
            return Path(told).expanduser().resolve()
        except RuntimeError as error:
            say = "there is no such user; give the directory by its full path"
            raise ConfigError(HOME, say) from error
    from platformdirs import user_state_path  # noqa: PLC0415 - a controller is always told

    try:
        return user_state_path("jobsched").resolve()
    except RuntimeError as error:
        say = "this user has no home directory; set it to a directory of yours"
        raise ConfigError(HOME, say) from error


def attempt_identity(variables: Mapping[str, str] | None = None) -> AttemptIdentity | None:
    """What the starter of a controller told this process; ``None``: it is no controller.

    Raises ``ConfigError`` if only a part of it arrived, or something else than numbers: acting
    without the guard that the starter meant to give would be worse than not acting.
    """
    told = environ() if variables is None else variables
    if not any(name in told for name in (JOB_ID, ATTEMPT, LOCK_FD)):
        return None
    return AttemptIdentity(
        job_id=_told_number(told, JOB_ID, least=1),
        attempt=_told_number(told, ATTEMPT, least=1),
        lock_fd=_told_number(told, LOCK_FD, least=0) if LOCK_FD in told else None,
    )


def _told_number(told: Mapping[str, str], name: str, *, least: int) -> int:
    if name not in told:
        raise ConfigError(name, f"not set, though others of {JOB_ID}, {ATTEMPT}, {LOCK_FD} are")
    value = told[name]
    if not re.fullmatch("[0-9]{1,18}", value) or int(value) < least:
        raise ConfigError(name, f"expected a whole number of at least {least}, found {value!r}")
    return int(value)
