"""How a command that only looks, or that stops things, gets past mistakes in ``config.toml``.

Whoever is on call must be able to see and to cancel while the file is being mended. What cannot be
used of it has its default meanwhile, and no controller is started: it would read the same file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from jobsched.cli.terminal import Terminal
from jobsched.config import default_root, load_what_can_be_used
from jobsched.context import Context, operator
from jobsched.errors import StartFailed
from jobsched.home import Home
from jobsched.nursery.handing import Claim


def context_despite_mistakes(root: Path | None, terminal: Terminal) -> Context | None:
    """The context of a home, having warned of each mistake; ``None``: there is none to get past."""
    home = Home(default_root(terminal.environ) if root is None else root.expanduser().resolve())
    config, mistakes = load_what_can_be_used(home, terminal.environ)
    if not mistakes:
        return None
    for mistake in mistakes:
        terminal.warn(str(mistake))
    terminal.warn("these settings have their defaults here; whatever starts jobs is refused")
    return Context(home, config, actor=operator("jobsched"), starter=_NoStarts())


class _NoStarts:
    """Starts nothing; a job that would have been started waits for a later pass."""

    def refusal(self) -> str:
        """Nothing is claimed either."""
        return "config.toml has mistakes, so no controller is started"

    def start_together(self, claims: Sequence[Claim]) -> list[Claim]:
        """None of them."""
        return list(claims)

    def start(self, claim: Claim, command: Sequence[str], env: Mapping[str, str]) -> NoReturn:
        del command, env
        os.close(claim.lock_fd)
        raise StartFailed(self.refusal(), transient=True)

    def leave_attendant(self) -> None:
        """Leave nothing."""

    def reap(self) -> dict[tuple[int, int], str]:
        """None was started."""
        return {}
