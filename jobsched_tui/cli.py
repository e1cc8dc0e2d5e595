"""``jobsched-tui``: its arguments, and what becomes of them.

Owns the command line and the exit codes. Textual is imported only where a terminal is taken.
"""

from __future__ import annotations

import argparse
import gc
import logging
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from jobsched import __version__
from jobsched.api import Scheduler, operator
from jobsched.clock import SystemClock
from jobsched.config import environ
from jobsched.errors import JobschedError
from jobsched.text import safe

#: Exit codes: of ``--once``, 0 fine, 1 something needs attention, 2 unreadable.
_UNREADABLE: Final = 2
_INTERRUPTED: Final = 130
_MOST_CELLS: Final = 1_000
VIEWS: Final = (
    "jobs", "attention", "limits", "log", "timeline", "dag", "processes", "yaml", "events",
)  # fmt: skip


_EPILOG: Final = """\
? shows the keys of a pane, ctrl+p all actions; [console] keys in config.toml changes keys.
What becomes red is told once, by the bell and by a notification (OSC 9), but not with --slow.
NO_COLOR is honoured. The console remembers how it was left in console.json of its home.
Exit codes of --once: 0 fine, 1 something needs attention, 2 unreadable.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the console, or print one view of it; the exit code."""
    given = parser().parse_args(arguments)
    if given.demo and given.once:
        parser().error("--once prints a home that is there; --demo makes one for the console")
    try:
        if given.demo:
            return _demo(given)
        door = Scheduler(given.home, actor=operator("jobsched-tui"))
        return _once(door, given) if given.once else _console(door, given)
    except (JobschedError, OSError) as error:
        _say(str(error))
        return _UNREADABLE if given.once else 1
    except KeyboardInterrupt:
        return _INTERRUPTED


def _console(door: Scheduler, given: argparse.Namespace) -> int:
    if not _is_terminal():
        _say("this is no terminal; --once prints one view")
        return 1
    if _is_dumb():
        _say("this terminal cannot be drawn on; this is --once")
        return _once(door, given)
    code, wants_demo = _run(door, given)
    return _demo(given) if wants_demo else code


def _demo(given: argparse.Namespace) -> int:
    """The console on a demonstration, which ends with it."""
    if not _is_terminal():
        _say("this is no terminal; `jobsched demo` tells the same in lines")
        return 1
    if _is_dumb():
        _say("this terminal cannot be drawn on; this is `jobsched demo`")
        return subprocess.run([sys.executable, "-m", "jobsched", "demo"], check=False).returncode
    from jobsched_tui.app.demonstration import Demonstration  # noqa: PLC0415 - as below

    demonstration = Demonstration(SystemClock(), environ())
    try:
        given.demo, given.home = True, demonstration.begin()
        return _run(Scheduler(given.home, actor=operator("jobsched-tui")), given)[0]
    finally:
        demonstration.end(_say)


def _run(door: Scheduler, given: argparse.Namespace) -> tuple[int, bool]:
    """The console until it is left: its exit code, and whether it was left for a demonstration."""
    gc.disable()  # to load all this makes many objects and no garbage; the console ends that
    from jobsched_tui.app import Console, crash  # noqa: PLC0415 - 0.3 s that --once and --help need not
    from jobsched_tui.app.starting import options_for  # noqa: PLC0415 - the same

    options = options_for(
        door, environ(), home=given.home, read_only=given.read_only, is_ascii=given.ascii,
        slow=given.slow, is_demo=given.demo,
    )  # fmt: skip
    console = Console(door, options)
    logging.getLogger().addHandler(crash.Reporter(console.flawed))
    threading.excepthook = lambda failed: console.failed(failed.exc_value or RuntimeError())
    console.run()
    return console.return_code or 0, console.wants_demo


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _is_dumb() -> bool:
    return environ().get("TERM", "dumb") in ("", "dumb")


def _say(text: str) -> None:
    with suppress(OSError):  # the terminal may be gone
        sys.stderr.write(f"jobsched-tui: {safe(text)}\n")
        sys.stderr.flush()


def _once(door: Scheduler, given: argparse.Namespace) -> int:
    from jobsched_tui.once import print_view  # noqa: PLC0415 - what a terminal needs not

    return print_view(
        door, view=given.view, job_id=given.job, form=given.format, is_ascii=given.ascii,
        size=(given.width, given.height),
    )  # fmt: skip


def parser() -> argparse.ArgumentParser:
    """What can be given."""
    made = argparse.ArgumentParser(
        prog="jobsched-tui",
        description="The operator's console: what runs, what waits and why, and how to act on it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    where = made.add_mutually_exclusive_group()
    where.add_argument("--home", type=Path, help="the state directory")
    where.add_argument(
        "--demo", action="store_true", help="a demonstration, in a home that is removed at the end"
    )
    made.add_argument("--read-only", action="store_true", help="change nothing")
    made.add_argument("--ascii", action="store_true", help="draw with ASCII alone")
    made.add_argument(
        "--slow", action="store_true", help="for thin lines: 16 colours, no animation, 1 Hz"
    )
    made.add_argument("--once", action="store_true", help="print one view and leave; not of --demo")
    made.add_argument("--view", choices=VIEWS, default="jobs", help="of --once")
    made.add_argument("--job", type=int, metavar="ID", help="of --once: the job of its view")
    made.add_argument(
        "--format", choices=("plain", "json", "svg"), default="plain", help="of --once"
    )
    made.add_argument("--width", type=_cells, default=120, help="of --once: columns")
    made.add_argument("--height", type=_cells, default=36, help="of --once: rows of an SVG")
    made.add_argument("--version", action="version", version=f"jobsched {__version__}")
    return made


def _cells(text: str) -> int:
    """A size of a screen. Raises ``ValueError``, which argparse explains."""
    number = int(text)
    if not 1 <= number <= _MOST_CELLS:
        raise argparse.ArgumentTypeError(f"a size is 1 to {_MOST_CELLS}")
    return number
