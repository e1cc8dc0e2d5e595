"""``$VAR``, ``${VAR}`` and ``${VAR:-text}`` in the paths of a task.

Owns what is a reference and what it becomes. Everything else, unknown variables and other shell
forms among it, stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_NAME: Final = r"[a-zA-Z_][a-zA-Z0-9_]*"
#: The text after ``:-`` may hold references of its own.
_REFERENCE: Final = re.compile(
    rf"\$(?:(?P<bare>{_NAME})|\{{(?P<braced>{_NAME})(?::-(?P<otherwise>(?:\$\{{[^{{}}]*\}}|[^{{}}])*))?\}})",
    re.ASCII,
)


def references(text: str) -> set[str]:
    """The names of all variables that ``text`` mentions."""
    found = set()
    for match in _REFERENCE.finditer(text):
        found.add(match["bare"] or match["braced"])
        found |= references(match["otherwise"] or "")
    return found


def substitute(text: str, values: Mapping[str, str]) -> str:
    """``text`` with the variables it mentions replaced, once: values are not looked into."""

    def replacement(match: re.Match[str]) -> str:
        value = values.get(match["bare"] or match["braced"])
        otherwise = match["otherwise"]
        if otherwise is not None and not value:
            return substitute(otherwise, values)
        return match[0] if value is None else value

    return _REFERENCE.sub(replacement, text)
