"""Whether ``config.toml`` can be used as it lies there now: for processes that have read it before.

Owns that the file is read again only when it has changed.
"""

from __future__ import annotations

from jobsched.config.environment import environ
from jobsched.config.loading import load_what_can_be_used
from jobsched.home import Home


class Soundness:
    """The state of one home's settings; cheap to ask, and often asked."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._made_at = self._look()
        self._seen: tuple[int, int, int] | None = None
        self._mistakes: str | None = None

    def has_changed(self) -> bool:
        """Whether the file is another one than when this was made."""
        return self._look() != self._made_at

    def mistakes(self) -> str | None:
        """What is wrong with it, a line for each mistake; ``None``: nothing."""
        now = self._look()
        if now != self._seen:
            self._seen = now
            errors = load_what_can_be_used(self._home, environ()).errors if now else ()
            self._mistakes = "\n".join(map(str, errors)) or None
        return self._mistakes

    def _look(self) -> tuple[int, int, int] | None:
        try:
            found = self._home.config_file.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size
