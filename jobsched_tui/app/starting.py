"""How the console starts: from arguments, ``config.toml`` and the environment to its options.

Owns who wins where they differ: an argument, then the configuration, then what the terminal tells.
"""

from __future__ import annotations

import gc
import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from jobsched.api import Scheduler, operator
from jobsched_tui.app.options import Options
from jobsched_tui.data.keymap import KEYS, remap
from jobsched_tui.present.glyphs import pen_for


def collect_garbage() -> None:
    """From now on; what was loaded until then stays, and is looked at no more."""
    gc.freeze()
    gc.enable()


def options_for(
    door: Scheduler,
    environ: Mapping[str, str],
    *,
    home: Path | None,
    read_only: bool,
    is_ascii: bool,
    slow: bool,
    is_demo: bool = False,
) -> Options:
    """All that does not change while the console runs."""
    console = door.context.config.console
    keys, problems = remap(KEYS, console.keys)
    is_plain = slow or bool(environ.get("NO_COLOR"))
    unwritable = door.home.exists() and not os.access(door.home, os.W_OK)
    notes = list(problems)
    if unwritable and not (read_only or console.read_only):
        notes.append(f"{door.home} cannot be written: read only")
    return Options(
        read_only=read_only or console.read_only or unwritable,
        pen=pen_for(is_ascii=is_ascii),
        slow=slow,
        is_demo=is_demo,
        is_ansi=is_plain,
        theme=console.theme,
        keys=keys,
        user=operator("console").partition(" via ")[0],
        named_home=home,
        pager=_words(environ.get("PAGER"), "less -R"),
        editor=_words(environ.get("VISUAL") or environ.get("EDITOR"), "vi"),
        notes=tuple(notes),
    )


def _words(command: str | None, default: str) -> tuple[str, ...]:
    """A program and its arguments, as a shell would read them; else what is usual."""
    try:
        words = shlex.split(command or "")
    except ValueError:  # a quote that is not closed
        words = []
    return tuple(words or shlex.split(default))
