"""What the screens that show frames have in common: how they are told, and what they can be asked.

Owns that protocol. A screen draws what it is handed and posts what was asked of it; it reads
nothing and acts on nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo

from textual.message import Message
from textual.screen import Screen

from jobsched_tui.data.frame import Frame
from jobsched_tui.data.logs.values import USUAL, Habits
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.header import Looking
from jobsched_tui.present.spans import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a screen shows beside the frame."""

    looking: Looking = field(default_factory=Looking)
    pen: Pen = UNICODE
    zone: tzinfo | None = None
    #: Keys by action, as they are bound now.
    keys: Mapping[str, str] = field(default_factory=dict)
    #: An action that can still be undone, or what became of the last one; empty: neither.
    said: Line = ()
    #: The command that does what was done last.
    twin: str = ""
    #: How logs are drawn that are opened from now on.
    habits: Habits = USUAL
    #: Whether logs are drawn as soon as they grow, and not once a second.
    events: bool = True


class Look(Message):
    """Look at something else: fields of the view to change."""

    def __init__(self, **changes: object) -> None:
        super().__init__()
        self.changes = changes


class OpenJob(Message):
    """Look into a job, at one of its tabs."""

    def __init__(self, job_id: int, tab: str = "log") -> None:
        super().__init__()
        self.job_id, self.tab = job_id, tab


class FrameScreen(Screen[None]):
    """A screen that is told of every frame."""

    @property
    def pane(self) -> str:
        """Which keys its hints and its help are about."""
        raise NotImplementedError

    @property
    def is_ready(self) -> bool:
        """Whether all of it is there: not yet before it is composed, nor while it is closed."""
        return self.is_attached and bool(self.query("#hints"))

    def show_frame(self, frame: Frame, around: Around) -> None:
        """Draw this moment."""
        raise NotImplementedError

    def tick(self, now: float) -> None:
        """A second has gone by; ``now``: wall time."""

    def step_back(self) -> bool:
        """One step back inside this screen; ``False``: there is none left."""
        return False

    def chosen(self) -> tuple[int, ...]:
        """The jobs that an action is about: marked ones, else the one under the cursor."""
        return ()
