"""A text that goes to an editor and comes back: by way of a file that only its owner reads.

Owns that file, and what becomes of it where the text cannot come back. How an editor is run is the
caller's.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jobsched.errors import JobschedError
from jobsched_tui.data import drafts

#: Opens a file, and comes back once it is closed; a sentence if that did not go well.
Editor = Callable[[Path], str | None]
_NAME: Final = "draft.yaml"


@dataclass(frozen=True, slots=True)
class Edited:
    """What came back; ``problem``: a sentence about what did not go well."""

    text: str
    problem: str | None = None


def edit(text: str, editor: Editor) -> Edited:
    """Have a text edited. A text that cannot be read afterwards stays in its file, which is named.

    An editor that ends with an error may have saved before: what it saved comes back all the same.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="jobsched-tui-"))
        file = folder / _NAME
        file.touch(mode=0o600)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        return Edited(text, f"no file could be made for the editor: {error.strerror}")
    problem = editor(file)
    try:
        edited = drafts.read(file)
    except JobschedError as error:
        return Edited(text, f"the text stays as it was: {error}")
    shutil.rmtree(folder, ignore_errors=True)
    return Edited(edited, problem)
