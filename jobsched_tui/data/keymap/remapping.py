"""A person's own keys: which of them can be had, and why not the others.

Owns the rules: keys that nobody may take, and no key for two actions that are heard together.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Final

from jobsched_tui.data.keymap.actions import PANES, Context, Key
from jobsched_tui.data.keymap.names import NO_KEY, BadKey, normal

_MULTIPLEXER: Final = "tmux and screen listen to it"
_PANES: Final = "vim and tmux move between panes with it"
#: Keys that no action may take, and why; the action that has one by default keeps it.
RESERVED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ctrl+a": _MULTIPLEXER,
        "ctrl+b": _MULTIPLEXER,
        "ctrl+h": _PANES,
        "ctrl+j": _PANES,
        "ctrl+k": _PANES,
        "ctrl+l": _PANES,
        "ctrl+backslash": _PANES,
        "ctrl+c": "it copies",
        "ctrl+q": "it leaves the console",
        "ctrl+i": "terminals send Tab for it",
        "ctrl+m": "terminals send Enter for it",
        "ctrl+left_square_bracket": "terminals send Escape for it",
    }
)


def remap(
    defaults: Sequence[Key], overrides: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """The keys of every action by its id, and a sentence for each override that cannot be had.

    An action whose override cannot be had keeps its default. ``none`` takes an action's keys away.
    """
    known = {key.id: key for key in defaults}
    wanted: dict[str, str] = {}
    problems: list[str] = []
    for name, keys in overrides.items():
        if name not in known:
            problems.append(_unknown(name, known))
            continue
        try:
            wanted[name] = _accepted(known[name], keys)
        except BadKey as error:
            problems.append(f"{name}: {error}; it stays {known[name].keys}")
    problems += _settle(defaults, wanted)
    return {name: wanted.get(name, key.keys) for name, key in known.items()}, problems


def heard_together(one: Key, other: Key) -> bool:
    """Whether there is a place where both actions hear a key that is pressed."""
    return not _places(one).isdisjoint(_places(other))


def _places(key: Key) -> frozenset[Context]:
    return key.contexts | PANES if Context.EVERYWHERE in key.contexts else key.contexts


def _accepted(key: Key, keys: str) -> str:
    """The override in the names of :func:`normal`. Raises ``BadKey``."""
    names = list(dict.fromkeys(normal(word) for word in keys.split(",")))
    for name in names:
        if name in RESERVED and name not in key.keys.split(","):
            raise BadKey(f"{name} cannot be had: {RESERVED[name]}")
    return ",".join(names)


def _settle(defaults: Sequence[Key], wanted: dict[str, str]) -> list[str]:
    """Drop overrides until no key is wanted twice in one place; the later one gives way.

    All overrides together are looked at, so that two actions may swap their keys. Defaults never
    clash, so each clash has an override to drop.
    """
    problems: list[str] = []
    while clash := _clash(defaults, wanted):
        loser, other, name = clash
        del wanted[loser.id]
        problems.append(
            f"{loser.id}: {name} is the key of {other.id} ({other.description});"
            f" it stays {loser.keys}"
        )
    return problems


def _clash(defaults: Sequence[Key], wanted: Mapping[str, str]) -> tuple[Key, Key, str] | None:
    """Who has to give way to whom, for which key."""
    late = {name: place for place, name in enumerate(wanted, start=1)}
    for one, other in combinations(defaults, 2):
        shared = _keys(one, wanted) & _keys(other, wanted)
        if shared and heard_together(one, other):
            winner, loser = sorted((one, other), key=lambda key: late.get(key.id, 0))
            return loser, winner, min(shared)
    return None


def _keys(key: Key, wanted: Mapping[str, str]) -> set[str]:
    return set(wanted.get(key.id, key.keys).split(",")) - {NO_KEY}


def _unknown(name: str, known: Mapping[str, Key]) -> str:
    shown = repr(name[:40])
    near = difflib.get_close_matches(name[:40], known, n=1)
    guess = f"; did you mean {near[0]}?" if near else ""
    return f"there is no action {shown}{guess}"
