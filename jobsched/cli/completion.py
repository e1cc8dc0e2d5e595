"""Completion scripts for shells, made from the parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import shtab

_HINTS = {"FILE": shtab.FILE, "DIR": shtab.DIRECTORY}


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script for ``shell``; what takes a file or directory completes one."""
    for action in _actions(parser):
        hint = _HINTS.get(str(action.metavar))
        if hint is not None:
            action.complete = hint  # type: ignore[attr-defined]
    return shtab.complete(parser, shell=shell)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:  # noqa: SLF001 -- argparse has no public way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 -- likewise
            for subparser in action.choices.values():
                yield from _actions(subparser)
        else:
            yield action
