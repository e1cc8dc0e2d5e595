"""The kinds of place that tasks run on, by name.

Owns the registry: one line for each backend, imported only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from jobsched.config.kinds import did_you_mean
from jobsched.errors import ConfigError

if TYPE_CHECKING:
    from jobsched.backends.base import Backend
    from jobsched.clock import Clock
    from jobsched.config import Config
    from jobsched.home import Home

__all__ = ["BACKENDS", "create"]


def _local(home: Home, config: Config, clock: Clock) -> Backend:
    from jobsched.backends.local import LocalBackend  # noqa: PLC0415 -- only who asks for it pays

    return LocalBackend(home, config.local, clock)


#: Every backend that ``[backend] default`` may name.
BACKENDS: Final[Mapping[str, Callable[[Home, Config, Clock], Backend]]] = {"local": _local}


def create(name: str, home: Home, config: Config, clock: Clock) -> Backend:
    """The backend called ``name``, for one process. Raises ``ConfigError`` if there is none."""
    if name not in BACKENDS:
        raise ConfigError(
            "[backend] default", f"there is no backend {name}{did_you_mean(name, BACKENDS)}"
        )
    return BACKENDS[name](home, config, clock)
