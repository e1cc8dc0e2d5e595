"""From the table of commands to a parser: options that every command has, help, completion.

Owns how a command line is read. Imports nothing that is slow to load, so that ``--help`` and a
mistyped option answer at once; the modules that do the work are loaded by name.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from jobsched import __version__
from jobsched.cli.commands import COMMANDS, Command

if TYPE_CHECKING:
    from jobsched.cli.call import Call

SHELLS: Final = ("bash", "zsh", "tcsh")

_EPILOG: Final = """\
exit codes:
  0 fine, 1 could not, 2 wrong usage or an invalid file
  of wait, submit --wait and logs -f also: 100 failed, 101 unfinished at the timeout,
  102 not found, 103 cancelled; of several the first of 102, 101, 100, 103

completion (put it where your shell looks for completions):
  jobsched --print-completion bash > ~/.local/share/bash-completion/completions/jobsched
  jobsched --print-completion zsh  > ~/.zfunc/_jobsched
  jobsched --print-completion tcsh > ~/.jobsched.completion.csh

State lies under --home, else JOBSCHED_HOME, else your state directory.
"""


def build() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="jobsched",
        description="A scheduler for long-lived managed jobs that needs no server.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"jobsched {__version__}")
    parser.add_argument(
        "--print-completion", action=_PrintCompletion, choices=SHELLS, metavar="bash|zsh|tcsh",
        help="print the completion script for a shell and exit",
    )  # fmt: skip
    _add_common(parser, home=None, debug=False)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        _add(subparsers, command)
    return parser


def handler(arguments: argparse.Namespace) -> Callable[[Call], int]:
    """The function that runs the command that ``arguments`` name; loads its module."""
    module, _, name = arguments.handler.partition(":")
    return cast(
        "Callable[[Call], int]", getattr(importlib.import_module(f"jobsched.cli.{module}"), name)
    )


def _add(subparsers: Any, command: Command) -> None:
    parser = subparsers.add_parser(
        command.name,
        aliases=command.aliases,
        help=command.help,
        description=command.description or f"{command.help[0].upper()}{command.help[1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    groups: dict[str, Any] = {}
    for names, options in command.arguments:
        plain = dict(options)
        either = plain.pop("either", None)
        if either is None:
            parser.add_argument(*names, **plain)
            continue
        if either not in groups:
            groups[either] = parser.add_mutually_exclusive_group()
        groups[either].add_argument(*names, **plain)
    # A default here would overwrite what was given before the subcommand.
    _add_common(parser, home=argparse.SUPPRESS, debug=argparse.SUPPRESS)
    parser.set_defaults(handler=command.handler)


def _add_common(parser: argparse.ArgumentParser, *, home: Any, debug: Any) -> None:
    parser.add_argument(
        "--home", metavar="DIR", default=home, help="directory that holds the state"
    )
    parser.add_argument(
        "--debug",
        action="store_true",
        default=debug,
        help="show where in the program an error arose",
    )


class _PrintCompletion(argparse.Action):
    """Print a completion script and exit; loads what makes it only then."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> NoReturn:
        del namespace, option_string
        from jobsched.cli.completion import script  # noqa: PLC0415 -- loaded when asked for

        print(script(parser, str(values)))
        parser.exit()
