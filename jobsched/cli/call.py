"""One call of the command line: what was asked, through which door, and whom to answer."""

from __future__ import annotations

import argparse
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jobsched.cli.terminal import Terminal
from jobsched.config.environment import default_root
from jobsched.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from jobsched.api import Scheduler
    from jobsched.context import Context


#: Seconds to wait for the scheduler lock: a person is told sooner who holds it than a controller.
_PATIENCE: Final = 10.0


@dataclass
class Call:
    """What a command's function gets."""

    arguments: argparse.Namespace
    terminal: Terminal
    #: What is said when the user interrupts.
    on_interrupt: str = "interrupted; jobs keep running"

    @cached_property
    def door(self) -> Scheduler:
        """The scheduler of the home that was asked for; opened by its first use.

        Raises ``ConfigError``, or ``StoreError`` for a home that cannot be a directory. A command
        that may go on past mistakes in the settings gets a door that has defaults in their place.
        """
        from jobsched.api import Scheduler  # noqa: PLC0415 -- the database is slow to load
        from jobsched.context import operator  # noqa: PLC0415 -- likewise

        _require_directory(self.home or default_root(self.terminal.environ))
        try:
            door = Scheduler(self.home, actor=operator("jobsched"))
        except ConfigError:
            context = self._context_despite_mistakes()
            if context is None:
                raise
            door = Scheduler(context=context)
        door.context.lock_timeout = _PATIENCE
        return door

    def _context_despite_mistakes(self) -> Context | None:
        if self.arguments.command.is_strict(self.arguments):
            return None
        from jobsched.cli.tolerance import (  # noqa: PLC0415 -- who makes no mistake need not load it
            context_despite_mistakes,
        )

        return context_despite_mistakes(self.home, self.terminal)

    @property
    def home(self) -> Path | None:
        """The directory that ``--home`` names."""
        given: Any = self.arguments.home
        return None if given is None else Path(given)

    @property
    def as_json(self) -> bool:
        """Whether standard output is to be one JSON document."""
        return bool(getattr(self.arguments, "json", False))


def _require_directory(root: Path) -> None:
    """Refuse a file as home, which a reader would otherwise take for a home without jobs."""
    try:
        mode = root.expanduser().stat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot use {root} as home: {error.strerror}") from error
    if not stat.S_ISDIR(mode):
        raise StoreError(f"{root} is not a directory; give --home a directory of your own")
