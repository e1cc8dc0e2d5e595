"""The command line: parses, calls the door, prints, and returns an exit code.

Owns the outermost edge: the one place where errors become sentences on standard error. Loads what a
command needs only when that command runs.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Final

from jobsched.cli import parser
from jobsched.cli.call import Call
from jobsched.cli.terminal import Terminal, open_streams
from jobsched.config.environment import environ
from jobsched.errors import ConfigError, InvalidDag, JobschedError

_INTERRUPTED: Final = 130
_PIPE_CLOSED: Final = 141


def main(words: Sequence[str] | None = None) -> int:
    """Run one command line (this process's, if none is given); its exit code."""
    open_streams()
    terminal = Terminal(environ())
    call = None
    debug = False
    try:
        arguments = parser.parse(words)
        debug = arguments.debug
        call = Call(arguments, terminal)
        code = parser.handler(arguments)(call)
        terminal.out.flush()
    except KeyboardInterrupt:
        terminal.note("interrupted" if call is None else call.on_interrupt)
        return _INTERRUPTED
    except BrokenPipeError:
        return _leave_quietly()
    except Exception as error:  # noqa: BLE001 -- the outer edge: no traceback at a user
        if debug:
            traceback.print_exc()
        _drop_what_cannot_be_written(terminal)
        return _explain(error, terminal)
    return code


def _explain(error: Exception, terminal: Terminal) -> int:
    match error:
        case InvalidDag():
            for problem in error.problems:
                terminal.error(str(problem))
            return error.exit_code
        case ConfigError():
            for line in str(error).splitlines():
                terminal.error(line)
            return error.exit_code
        case JobschedError():
            terminal.error(str(error))
            return error.exit_code
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            terminal.error(f"{where}{error.strerror or error}")
            return 1
        case _:
            kind = type(error).__name__
            terminal.error(f"jobsched has a mistake ({kind}: {error}); --debug shows where")
            return 1


def _leave_quietly() -> int:
    """Whoever read us has gone; give what is still buffered to nobody."""
    _silence()
    return _PIPE_CLOSED


def _drop_what_cannot_be_written(terminal: Terminal) -> None:
    """Where standard output is full, every later flush would fail once more."""
    try:
        terminal.out.flush()
    except OSError:
        _silence()


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
