"""``jobsched-tui``: its arguments, and what becomes of them.

Owns the command line and the exit codes. Textual is imported only where a terminal is taken.
"""

from __future__ import annotations

import argparse
import logging
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from jobsched import __version__
from jobsched.api import Scheduler, operator
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
    try:
        door = Scheduler(given.home, actor=operator("jobsched-tui"))
        return _once(door, given) if given.once else _console(door, given)
    except (JobschedError, OSError) as error:
        sys.stderr.write(f"jobsched-tui: {safe(str(error))}\n")
        return _UNREADABLE if given.once else 1
    except KeyboardInterrupt:
        return _INTERRUPTED


def _console(door: Scheduler, given: argparse.Namespace) -> int:
    from jobsched_tui.app import Console, crash  # noqa: PLC0415 - 0.3 s that --once and --help need not
    from jobsched_tui.app.starting import options_for  # noqa: PLC0415 - the same

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stderr.write("jobsched-tui: this is no terminal; --once prints one view\n")
        return 1
    if environ().get("TERM", "dumb") in ("", "dumb"):
        sys.stderr.write("jobsched-tui: this terminal cannot be drawn on; this is --once\n")
        return _once(door, given)
    options = options_for(
        door, environ(), home=given.home, read_only=given.read_only, is_ascii=given.ascii,
        slow=given.slow,
    )  # fmt: skip
    console = Console(door, options)
    logging.getLogger().addHandler(crash.Reporter(console.flawed))
    threading.excepthook = lambda failed: console.failed(failed.exc_value or RuntimeError())
    console.run()
    return console.return_code or 0


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
    made.add_argument("--home", type=Path, help="the state directory")
    made.add_argument("--read-only", action="store_true", help="change nothing")
    made.add_argument("--ascii", action="store_true", help="draw with ASCII alone")
    made.add_argument(
        "--slow", action="store_true", help="for thin lines: 16 colours, no animation, 1 Hz"
    )
    made.add_argument("--once", action="store_true", help="print one view and leave")
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
