"""Bindings made from the table of keys, so that help, remapping and widgets never differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from textual.binding import Binding, BindingType

from jobsched_tui.data.keymap import BY_ID


def bindings(actions: Mapping[str, str], *, first: Collection[str] = ()) -> list[BindingType]:
    """What a widget listens to: by the id of each key, the action that it has for it.

    ``first``: those that are heard before any widget inside. Raises ``KeyError`` for an id that the
    table does not have.
    """
    return [
        Binding(
            BY_ID[name].keys, action, BY_ID[name].description,
            id=name, show=False, priority=name in first,
        )
        for name, action in actions.items()
    ]  # fmt: skip
