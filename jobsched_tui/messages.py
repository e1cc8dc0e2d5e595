"""Messages between what reads, what draws and what remembers."""

from __future__ import annotations

from textual.message import Message

from jobsched_tui.data.frame import Frame


class FrameRead(Message):
    """Something new is to be seen. Comes from the reading thread; only the newest one counts."""

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        self.frame = frame

    def can_replace(self, message: Message) -> bool:
        """A later one makes an earlier one that was not handled yet worthless."""
        return isinstance(message, FrameRead)


class Remember(Message):
    """How the operator likes it: fields of the session, kept for the next start."""

    def __init__(self, **changes: object) -> None:
        super().__init__()
        self.changes = changes
