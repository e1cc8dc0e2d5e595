"""Words that people give a job: names, and reasons for what they do to it.

Owns which are accepted: what fits into one line of a listing, harmless, in UTF-8.
"""

from __future__ import annotations

from jobsched.errors import InvalidInput
from jobsched.models import MAX_NAME
from jobsched.text import is_printable


def require_name(text: str) -> None:
    """Raise ``InvalidInput`` for what cannot name a job or task."""
    if not text or not _is_a_line(text):
        raise InvalidInput(
            f"a name must be 1 to {MAX_NAME} printable characters, not {text[:40]!r}"
        )


def checked_reason(text: str | None) -> str | None:
    """A reason as it was given. Raises ``InvalidInput`` for one that is no line of text."""
    if text is not None and not _is_a_line(text):
        raise InvalidInput(
            f"a reason must be at most {MAX_NAME} printable characters, not {text[:40]!r}"
        )
    return text


def _is_a_line(text: str) -> bool:
    return len(text) <= MAX_NAME and is_printable(text)
