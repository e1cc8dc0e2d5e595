"""Directories and the YAML files in them, and files that were used before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text
from textual import work
from textual.message import Message
from textual.widgets.option_list import Option

from jobsched.text import is_printable
from jobsched_tui.data.files import Entry, Listing, listing
from jobsched_tui.present.glyphs import UNICODE, Pen
from jobsched_tui.present.spans import Line, Tone, span
from jobsched_tui.widgets.option_rows import OptionRows
from jobsched_tui.widgets.painting import palette_of
from jobsched_tui.widgets.texts import text_of


class FilePicker(OptionRows):
    """One directory at a time. Enter goes into a directory, or picks a file."""

    DEFAULT_CSS = """
    FilePicker { margin-right: 1; }
    """

    class Picked(Message):
        """A file was picked."""

        def __init__(self, path: Path) -> None:
            super().__init__()
            self.path = path

    class Listed(Message):
        """A directory was looked at."""

        def __init__(self, found: Listing) -> None:
            super().__init__()
            self.found = found

    def __init__(
        self, directory: Path, *, recent: Sequence[str] = (), pen: Pen = UNICODE, **options: Any
    ) -> None:
        super().__init__(pen=pen, **options)
        self._recent = [Entry(name, Path(name), is_directory=False) for name in recent]
        self._offered: list[Entry] = []
        self.open(directory)

    def open(self, directory: Path) -> None:
        """Show another directory, once it has been read."""
        self._wanted = directory
        if self.is_attached:
            self._list(directory)

    def on_mount(self) -> None:
        """Show the first."""
        self._list(self._wanted)

    @work(thread=True, exclusive=True, group="listing")
    def _list(self, directory: Path) -> None:
        self.post_message(self.Listed(listing(directory)))

    def on_file_picker_listed(self, event: Listed) -> None:
        """Offer what was found, unless something else is wanted by now."""
        event.stop()
        found = event.found
        if found.directory != self._wanted:
            return
        self._offered = [*found.entries, *self._recent]
        lines = [*(_entry(one) for one in found.entries), *(_recent(one) for one in self._recent)]
        self.set_options(Option(self._text(line)) for line in lines)
        if found.error is not None:
            self.add_option(Option(self._text([span(found.error, Tone.BAD)]), disabled=True))
        self.highlighted = 0

    def _text(self, line: Line) -> Text:
        return text_of(line, palette_of(self.app), self._pen)

    def on_option_list_option_selected(self, event: OptionRows.OptionSelected) -> None:
        """Go there, or pick it."""
        event.stop()
        entry = self._offered[event.option_index]
        if entry.is_directory:
            self.open(entry.path)
        elif is_printable(str(entry.path)):
            self.post_message(self.Picked(entry.path))
        else:
            self.app.notify("its name cannot be shown; rename it first", markup=False)


def _entry(entry: Entry) -> Line:
    if entry.is_directory:
        return [span(f"{entry.name}/", Tone.STRONG)]
    return [span(entry.name)]


def _recent(entry: Entry) -> Line:
    """The name before the folder: where there is little room it is the folder that is cut."""
    folder = str(entry.path.parent)
    return [
        span("recent ", Tone.MUTED),
        span(entry.path.name),
        *([span(f"  {folder}/", Tone.MUTED)] if folder != "." else []),
    ]
