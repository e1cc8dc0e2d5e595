"""Every action of the console with its keys, and what ``[console] keys`` makes of them.

Ids, default keys and where each is heard are data; the widgets' bindings and the help take theirs
from here. Knows nothing of what an action does.
"""

from __future__ import annotations

from jobsched_tui.data.keymap.actions import BY_ID, KEYS, PANES, Context, Key
from jobsched_tui.data.keymap.remapping import RESERVED, remap

__all__ = ["BY_ID", "KEYS", "PANES", "RESERVED", "Context", "Key", "remap"]
