"""A switch that reads the same without colour: ``[x] Hold``."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from jobsched_tui.present.spans import span


class Flag(Widget, can_focus=True):
    """On or off."""

    DEFAULT_CSS = """
    Flag { width: auto; height: 1; }
    Flag:focus { text-style: bold reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "switch", "Switch", id="flag.switch", show=False)
    ]

    value = reactive(default=False)

    class Changed(Message):
        """It was switched."""

        def __init__(self, flag: Flag) -> None:
            super().__init__()
            self.flag = flag

        @property
        def control(self) -> Flag:
            """Which one."""
            return self.flag

    def __init__(self, label: str, *, value: bool = False, id: str | None = None) -> None:  # noqa: A002 -- as in all widgets
        super().__init__(id=id)
        self._label = span(label).text
        self.set_reactive(Flag.value, value)

    def render(self) -> Text:
        """The box and the word."""
        return Text(f"[{'x' if self.value else ' '}] {self._label}")

    def get_content_width(self, *_: object) -> int:
        """As wide as the text."""
        return len("[x] ") + len(self._label)

    def watch_value(self) -> None:
        """Tell who has it."""
        self.post_message(self.Changed(self))

    def action_switch(self) -> None:
        """Switch it."""
        self.value = not self.value

    def on_click(self) -> None:
        """Switch it."""
        self.action_switch()
