"""Where a draft lies between two tries: in memory, and in a file for the next console.

Owns the file's form. Values of secrets are never written. That a draft cannot be kept is said, and
never fatal.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from jobsched_tui.data.drafts import Draft

#: Bytes of the file at most: a text of the largest size, read and edited, with room to spare.
MOST_BYTES: Final = 4 * 1024 * 1024

_KINDS: Final[Mapping[str, type]] = MappingProxyType(
    {
        "path": str,
        "text": str,
        "read": str,
        "envs": str,
        "priority": str,
        "copies": str,
        "hold": bool,
    }
)


@dataclass
class Shelf:
    """Holds one draft. ``file``: ``None``: in memory alone."""

    file: Path | None = None
    _draft: Draft | None = None

    def draft(self) -> Draft:
        """The one that was put there last; an empty one if there is none."""
        if self._draft is None:
            self._draft = Draft() if self.file is None else _load(self.file)
        return self._draft

    def put(self, draft: Draft) -> str | None:
        """Keep it; a sentence if only in memory."""
        self._draft = draft
        if draft.is_empty:
            return self.clear()
        return None if self.file is None else _save(self.file, draft)

    def clear(self) -> str | None:
        """Forget it: it was submitted, or there is nothing in it."""
        self._draft = Draft()
        try:
            if self.file is not None:
                self.file.unlink(missing_ok=True)
        except OSError as error:
            return f"{self.file} was not removed: {error.strerror}"
        return None


def _save(path: Path, draft: Draft) -> str | None:
    """The new draft or the old one, whoever dies when; readable by its owner alone."""
    content = json.dumps(asdict(replace(draft, secrets=""))).encode("ascii")
    try:
        descriptor, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(beside).replace(path)
    except OSError as error:
        return f"the draft is kept until the console ends: {path}: {error.strerror}"
    return None


def _load(path: Path) -> Draft:
    """What is in the file, or nothing: a draft that cannot be read is as good as none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            raw = json.loads(file.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return Draft()
    if not isinstance(raw, dict):
        return Draft()
    known: dict[str, Any] = {
        name: raw[name] for name, kind in _KINDS.items() if isinstance(raw.get(name), kind)
    }
    return Draft(**known)
