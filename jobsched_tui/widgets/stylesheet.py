"""What Textual's own widgets look like here: the application's style sheet.

Owns what holds for every screen. How one of our widgets looks stands with that widget.
"""

from __future__ import annotations

from typing import Final

SHEET: Final = """
.-ascii-palette SearchIcon { display: none; }
.-ascii-palette #--input { border: ascii $foreground 60%; }
.-ascii-palette CommandList { border: none; }
.-ascii OptionRows { text-overflow: clip; }
Widget:ansi {
    scrollbar-color: ansi_bright_black; scrollbar-background: ansi_default;
    scrollbar-color-hover: ansi_white; scrollbar-background-hover: ansi_default;
    scrollbar-color-active: ansi_white; scrollbar-background-active: ansi_default;
    scrollbar-corner-color: ansi_default;
}
#dialog:ansi, PromptScreen > Vertical:ansi, ReadingScreen > Vertical:ansi, SubmitScreen:ansi {
    background: ansi_default;
}
.-stale #jobs, .-stale #attention-list, .-stale #title, .-stale #panes { text-style: dim; }
Input:nocolor > .input--cursor, TextArea:nocolor > .text-area--cursor { text-style: reverse; }
Input:nocolor > .input--selection, TextArea:nocolor > .text-area--selection {
    text-style: underline;
}
Input.-textual-compact, VariablesArea { background: $foreground 8%; }
Input.-textual-compact:ansi { background: ansi_default; text-style: underline; }
TextArea { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
"""
