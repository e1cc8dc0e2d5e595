"""Text that came from outside, made harmless: the one choke point before a terminal or a listing.

Owns which characters may be shown. Knows nothing of markup: whoever prints must not interpret any.
"""

from __future__ import annotations

import unicodedata
from typing import Final

#: Categories that can move the cursor, reorder or break text: controls, formats, surrogates,
#: private use, unassigned, line and paragraph separators.
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

#: The first of the pictures that Unicode has for control characters.
_CONTROL_PICTURES: Final = 0x2400


def safe(text: str, *, keep: str = "") -> str:
    """``text`` with every character that could do something to a terminal made visible.

    ``keep``: control characters to let through, such as newline and tab.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character in keep or not _is_hidden(character) else _picture(character)
        for character in text
    )


def is_printable(text: str) -> bool:
    """Whether :func:`safe` would leave ``text`` as it is."""
    return not any(_is_hidden(character) for character in text)


def storable(text: str) -> str:
    """``text`` as UTF-8 can hold it: a byte that is none, as the name of a file may have, escaped.

    Looks as :func:`safe` shows it.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def is_storable(text: str) -> bool:
    """Whether :func:`storable` would leave ``text`` as it is."""
    return storable(text) == text


def clip(text: str, width: int) -> str:
    """At most ``width`` characters of :func:`safe` text, ending in an ellipsis if cut."""
    shown = safe(text)
    return shown if len(shown) <= width else shown[: max(0, width - 1)] + "…"


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN


def _picture(character: str) -> str:
    code = ord(character)
    if character < " ":
        return chr(_CONTROL_PICTURES + code)
    if character == "\x7f":
        return "\N{SYMBOL FOR DELETE}"
    return f"\\u{code:04x}"
