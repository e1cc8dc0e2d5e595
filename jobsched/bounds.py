"""How far what users give may go, where several places ask: numbers alone, which cost nothing.

Owns them apart from the shapes that they bound, so that a command line which only says how it is
called loads none of those.
"""

from __future__ import annotations

from typing import Final

#: Priorities that a job may have.
PRIORITIES: Final = range(-1000, 1001)
#: What a limit on jobs can be set to at most: far above any machine.
MOST_JOBS: Final = 1_000_000
