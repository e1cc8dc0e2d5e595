"""Bindings made from the table of keys, so that help, remapping and widgets never differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.binding import Binding, BindingType

from jobsched_tui.data.keymap import KEYS

_BY_ID: Final = {key.id: key for key in KEYS}


def bindings(actions: Mapping[str, str]) -> list[BindingType]:
    """What a widget listens to: by the id of each key, the action that it has for it.

    Raises ``KeyError`` for an id that the table does not have.
    """
    return [
        Binding(_BY_ID[id_].keys, action, _BY_ID[id_].description, id=id_, show=False)
        for id_, action in actions.items()
    ]
