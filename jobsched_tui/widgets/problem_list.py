"""What is wrong with a text, a line each; Enter leads to where it is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.message import Message
from textual.widgets.option_list import Option

from jobsched_tui.data.drafts import Finding
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.problems import finding_line
from jobsched_tui.widgets.option_rows import OptionRows
from jobsched_tui.widgets.painting import palette_of
from jobsched_tui.widgets.texts import text_of


class ProblemList(OptionRows):
    """A list of findings that keeps its place while they change."""

    DEFAULT_CSS = """
    ProblemList { height: 1fr; text-wrap: wrap; }
    """

    class Chosen(Message):
        """Somebody wants to see where it is. Lines and columns count from 1."""

        def __init__(self, line: int, column: int) -> None:
            super().__init__()
            self.line, self.column = line, column

    def __init__(self, *, pen: Pen = UNICODE, **options: Any) -> None:
        super().__init__(pen=pen, **options)
        self._findings: tuple[Finding, ...] = ()

    def show(self, findings: Sequence[Finding]) -> None:
        """List these."""
        if tuple(findings) == self._findings:
            return
        self._findings, row = tuple(findings), self.highlighted
        colours = palette_of(self.app)
        self.set_options(Option(text_of(finding_line(one), colours, self._pen)) for one in findings)
        if row is not None and findings:
            self.highlighted = min(row, len(findings) - 1)

    def on_option_list_option_selected(self, event: OptionRows.OptionSelected) -> None:
        """Lead to it, if it is in the text at all."""
        event.stop()
        finding = self._findings[event.option_index]
        if finding.line:
            self.post_message(self.Chosen(finding.line, finding.column))
