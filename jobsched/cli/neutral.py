"""What a task printed, made harmless for a terminal: colours pass, all else is shown as it is.

A task's output may hold sequences that move the cursor, write the clipboard or answer questions in
the user's name. Piped output is never touched; this is for eyes alone.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from jobsched.text import safe

#: Let through: line ends, tabs, and the two that join and part letters in words and emoji.
_HARMLESS: Final = "\r\n\t\u200c\u200d"
#: A colour or style, whole; or any one character that may not be plain.
_NOTABLE: Final = re.compile(r"\x1b\[[0-9;:]*m|[^\t\r\n -~]")
#: A colour or style that may go on in the next piece.
_UNFINISHED: Final = re.compile(r"\x1b(?:\[[0-9;:]{0,64})?\Z")
_RESET: Final = "\x1b[0m"


class Neutraliser:
    """Filters one stream, piece by piece; pieces may end anywhere."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._held = ""
        self._styled = False

    def feed(self, piece: bytes) -> str:
        """What can be shown now that ``piece`` has come."""
        text = self._held + self._decoder.decode(piece)
        unfinished = _UNFINISHED.search(text)
        self._held = "" if unfinished is None else unfinished[0]
        return self._clean(text[: len(text) - len(self._held)])

    def end(self) -> str:
        """What is left, and an end to any colour."""
        text = self._clean(self._held + self._decoder.decode(b"", final=True))
        self._held = ""
        return text + (_RESET if self._styled else "")

    def _clean(self, text: str) -> str:
        return _NOTABLE.sub(self._replace, text)

    def _replace(self, match: re.Match[str]) -> str:
        found = match[0]
        if len(found) > 1:
            self._styled = True
            return found
        return safe(found, keep=_HARMLESS)
