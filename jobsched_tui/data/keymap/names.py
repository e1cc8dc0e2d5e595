"""Names of keys: from what a person writes in ``config.toml`` to what Textual calls the key.

Owns the one spelling of each key, so that two spellings of one key are seen to be one.
"""

from __future__ import annotations

import difflib
import string
import unicodedata
from collections.abc import Sequence
from typing import Final

#: A key that nobody can press: an action that only the palette has.
NO_KEY: Final = "none"

_MODIFIERS: Final = frozenset({"alt", "ctrl", "hyper", "meta", "shift", "super"})
_SHORT: Final = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}
_ALSO: Final = {
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "pgdown": "pagedown",
    "page_up": "pageup",
    "page_down": "pagedown",
}
_SHOWN: Final = 40


class BadKey(ValueError):
    """What was written names no key, or none that an action may have; ``str()`` says why."""


def of_character(character: str) -> str:
    """The name of the key that types a printable character."""
    if character.isalnum():
        return character
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    return _SHORT.get(name, name)


_PUNCTUATION: Final = frozenset(of_character(character) for character in string.punctuation)
_NAMED: Final = frozenset(
    {
        *("enter", "escape", "tab", "space", "backspace", "delete", "insert"),
        *("home", "end", "pageup", "pagedown", "up", "down", "left", "right"),
        *(f"f{number}" for number in range(1, 25)),
        *_PUNCTUATION,
    }
)


def normal(written: str) -> str:
    """The one name of the key that a person has written. Raises ``BadKey``."""
    word = written.strip()
    if len(word) <= 1:
        return _base(word, word)
    *modifiers, last = word.split("+")
    base, pressed = _base(last, word), _pressed(modifiers, word)
    if len(base) == 1 and base != base.lower() and pressed:
        base, pressed = base.lower(), pressed | {"shift"}
    if pressed == {"shift"} and (len(base) == 1 or base in _PUNCTUATION):
        return _shifted(base, word)
    return "+".join([*sorted(pressed), base])


def _base(word: str, whole: str) -> str:
    types = len(word) == 1 and word.isprintable() and not word.isspace()
    name = of_character(word) if types else _ALSO.get(word.lower(), word.lower())
    if not ((types and name) or name in _NAMED or name == NO_KEY == whole.lower()):
        raise BadKey(f"{_shown(whole)} names no key{_guess(word)}")
    return name


def _pressed(modifiers: Sequence[str], whole: str) -> frozenset[str]:
    pressed = frozenset(modifier.lower() for modifier in modifiers)
    if unknown := sorted(pressed - _MODIFIERS):
        raise BadKey(f"{_shown(whole)} names no key: there is no modifier {_shown(unknown[0])}")
    return pressed


def _shifted(base: str, whole: str) -> str:
    """A terminal sends the character, not that Shift was down for it."""
    if base.isalpha() and len(base.upper()) == 1:
        return base.upper()
    raise BadKey(f"{_shown(whole)}: write the character itself that this key types")


def _guess(word: str) -> str:
    near = difflib.get_close_matches(word[:_SHOWN].lower(), sorted(_NAMED), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
