"""From the table of commands to a parser: options that every command has, help, completion.

Owns how a command line is read. Imports nothing that is slow to load, so that ``--help`` and a
mistyped option answer at once; the modules that do the work are loaded by name.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from jobsched import __version__
from jobsched.cli.commands import COMMANDS, Command

if TYPE_CHECKING:
    from jobsched.cli.call import Call

#: Where argparse keeps the word that names the command.
_COMMAND: Final = "called"
#: Options that every command has.
_COMMON: Final = ("--home", "--debug", "--help")
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

State lies under --home, else JOBSCHED_HOME, else your state directory. Where its config.toml has
mistakes, whatever only looks or stops things goes on with a warning; all else is refused.
"""


class _Parser(argparse.ArgumentParser):
    """One that guesses which command was meant, instead of listing all."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        names = action.choices
        if action.dest == _COMMAND and names is not None and value not in names:
            hint = _did_you_mean(str(value), names) or "`jobsched --help` lists all"
            raise argparse.ArgumentError(action, f"there is no command {str(value)!r}; {hint}")
        super()._check_value(action, value)


def parse(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What a command line (this process's, if none is given) asks for.

    Ends the process where it cannot be understood, with the usage of the command that it names.
    """
    found, unknown = build().parse_known_args(words)
    if unknown:
        own: argparse.ArgumentParser = found.parser
        guesses = [
            _did_you_mean(word.partition("=")[0], _options(found.command)) for word in unknown
        ]
        hint = next((f"; {guess}" for guess in guesses if guess), "")
        own.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    return found


def _options(command: Command) -> list[str]:
    names = [name for names, _ in command.arguments for name in names]
    return [name for name in (*names, *_COMMON) if name.startswith("--")]


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 -- only for who made a mistake

    near = get_close_matches(word, list(known), n=1)
    return f"did you mean {near[0]}?" if near else ""


def build() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(
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
    subparsers = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest=_COMMAND, required=True,
        parser_class=argparse.ArgumentParser,
    )  # fmt: skip
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
    parser.set_defaults(handler=command.handler, command=command, parser=parser)


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
