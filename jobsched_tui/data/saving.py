"""Files that an operator asks for: whole or not at all, for their owner alone, over no other file.

Owns how they are written. What is in them is the caller's.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def save(path: Path, pieces: Iterable[str], *, replacing: bool) -> None:
    """Write a text of ``pieces``, which may be made while it is written.

    Raises ``FileExistsError`` if there is something of that name, unless ``replacing``; a link is
    replaced, never followed. Raises ``OSError``, and whatever making the pieces does.
    """
    descriptor, beside = tempfile.mkstemp(prefix=f".{path.name[:50]}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.writelines(pieces)
        if not replacing:  # take the name: whoever was quicker keeps it
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
