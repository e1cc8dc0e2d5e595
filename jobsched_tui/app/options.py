"""How the console was started: what the command line and ``config.toml`` say.

Owns the values alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import Final

from jobsched_tui.data.keymap import KEYS
from jobsched_tui.present.glyphs import UNICODE, Pen

#: The theme for the 16 colours of a terminal, and for none.
ANSI_THEME: Final = "ansi-dark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What does not change while the console runs."""

    read_only: bool = False
    pen: Pen = UNICODE
    #: For thin lines: one frame a second, no animation, no bell for news.
    slow: bool = False
    #: The 16 colours of the terminal alone: where it is thin, or there is to be no colour.
    is_ansi: bool = False
    #: Of ``config.toml``; empty: the console's own.
    theme: str = ""
    #: Whether the home is that of a demonstration.
    is_demo: bool = False
    #: Whether it begins as it was left, and writes down how it is left.
    remembers: bool = True
    #: Keys by action, as they were remapped.
    keys: Mapping[str, str] = field(default_factory=lambda: {key.id: key.keys for key in KEYS})
    zone: tzinfo | None = None
    user: str = ""
    #: The home, where commands have to name it.
    named_home: Path | None = None
    #: The programs that files are read and edited with, as argument lists.
    pager: tuple[str, ...] = ("less", "-R")
    editor: tuple[str, ...] = ("vi",)
    #: Worth saying at the start: keys that could not be had, a memory that could not be read.
    notes: tuple[str, ...] = ()
    #: Seconds in which an action can be taken back before it is done.
    grace: float = 5.0
