"""Which regular expressions are sure to be quick. Pure."""

from __future__ import annotations

import re
from typing import Final

#: Without repetition, choice and group every place is tried once, and each try is short.
_SIMPLE: Final = re.compile(r"[^*+?{|(]*")


def is_quick(expression: str) -> bool:
    """Whether it takes no longer than a look at the text, whatever the text; else it may."""
    return _SIMPLE.fullmatch(expression) is not None
