"""What the worker threads of the submit dialog tell it."""

from __future__ import annotations

from pathlib import Path

from textual.message import Message

from jobsched.api import Submitted
from jobsched_tui.data.drafts import Draft, Options, Report


class Filled(Message):
    """The draft that was kept."""

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self.draft = draft


class Checked(Message):
    """A text was judged; ``number`` says which one that was."""

    def __init__(self, number: int, report: Report, draft: Draft, options: Options) -> None:
        super().__init__()
        self.number, self.report = number, report
        self.draft, self.options = draft, options


class Stored(Message):
    """Jobs were made."""

    def __init__(self, made: tuple[Submitted, ...]) -> None:
        super().__init__()
        self.made = made


class Fetched(Message):
    """A file was read; ``text`` is ``None`` for a directory."""

    def __init__(self, path: Path, text: str | None = None) -> None:
        super().__init__()
        self.path, self.text = path, text


class Refused(Message):
    """A file was not read or nothing was submitted, and why."""

    def __init__(self, why: str) -> None:
        super().__init__()
        self.why = why
