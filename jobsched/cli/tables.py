"""Tables, colours and spinners, by rich. Nothing here interprets markup; all text is made safe.

The one module of the command line that imports rich.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from jobsched.cli.formatting import colour
from jobsched.cli.terminal import Terminal
from jobsched.text import clip, safe

#: Columns that a table may take where no terminal limits it.
_WIDE = 2000
#: Characters of one cell, at most: a listing names things, ``show`` tells all of them.
_LONGEST_CELL = 200
#: Columns that a flexible column should have, or all that it needs, before spare ones are shown.
_LEGIBLE = 32
#: Columns between two columns of a table.
_GAP = 2


@dataclass(frozen=True, slots=True)
class Column:
    """One column."""

    title: str
    right: bool = False
    #: Whether its cells are cut first where the terminal is narrow.
    flexible: bool = False
    #: Whether it is left out where the terminal is so narrow that the others would be cut.
    spare: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """Some text with a colour of its own."""

    text: str
    style: str = ""


def status_cell(status: str, more: str = "") -> Cell:
    """A status in its colour; ``more`` follows it."""
    return Cell(f"{status}{more}", colour(status))


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows under titles."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str | Cell]]

    def show(self, terminal: Terminal, *, error: bool = False) -> None:
        """Print it (``error``: beside the answer), as wide as a terminal, or as wide as it is."""
        console = _console(terminal, error=error)
        with console.capture() as capture:
            console.print(self.table(terminal, console.width))
        stream = terminal.err if error else terminal.out
        stream.writelines(f"{line.rstrip()}\n" for line in capture.get().splitlines())

    def table(self, terminal: Terminal, width: int) -> Table:
        """As rich draws it in so many columns of a terminal."""
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, _GAP, 0, 0))
        texts = [[_text(cell, terminal) for cell in row] for row in self.rows]
        shown = self._fitting(texts, width)
        for column in (self.columns[index] for index in shown):
            table.add_column(
                Text(column.title),
                justify="right" if column.right else "left",
                no_wrap=not column.flexible,
                overflow="ellipsis" if terminal.unicode else "crop",
            )
        for row in texts:
            table.add_row(*(row[index] for index in shown))
        return table

    def _fitting(self, texts: Sequence[Sequence[Text]], width: int) -> list[int]:
        """Indices of the columns to show: spare ones go, the last first, until the rest fits."""
        needed = [
            max([len(column.title), *(row[index].cell_len for row in texts)])
            for index, column in enumerate(self.columns)
        ]
        for index, column in enumerate(self.columns):
            if column.flexible:
                needed[index] = min(needed[index], _LEGIBLE)
        shown = list(range(len(self.columns)))
        for index in reversed(shown[:]):
            if sum(needed[i] + _GAP for i in shown) <= width:
                break
            if self.columns[index].spare:
                shown.remove(index)
        return shown


def _text(cell: str | Cell, terminal: Terminal) -> Text:
    """One line that never wraps, whatever it holds."""
    if isinstance(cell, str):
        cell = Cell(cell)
    shown = clip(cell.text, _LONGEST_CELL)
    if not terminal.unicode:
        shown = shown.replace("…", "...").encode("ascii", "backslashreplace").decode()
    return Text(
        shown, cell.style, no_wrap=True, overflow="ellipsis" if terminal.unicode else "crop"
    )


def _console(terminal: Terminal, *, error: bool = False) -> Console:
    is_tty = terminal.err_is_tty if error else terminal.out_is_tty
    return Console(
        file=terminal.err if error else terminal.out,
        force_terminal=is_tty,
        width=None if is_tty else _WIDE,
        color_system="auto" if is_tty and terminal.coloured else None,
        no_color=not terminal.coloured,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ=terminal.environ,
    )


class _Spinner:
    def __init__(self, status: object) -> None:
        self._status = status

    def say(self, text: str) -> None:
        """Show this from now on."""
        self._status.update(Text(safe(text)))  # type: ignore[attr-defined]


@contextmanager
def spinner(terminal: Terminal, text: str) -> Iterator[_Spinner]:
    """Show on standard error that something is going on, for the block."""
    console = _console(terminal, error=True)
    kind = "dots" if terminal.unicode else "line"
    with console.status(Text(safe(text)), spinner=kind) as status:
        yield _Spinner(status)


class LiveTable:
    """A table that is drawn anew in its place, with lines that stay above it."""

    def __init__(self, terminal: Terminal, display: Live) -> None:
        self._terminal, self._display = terminal, display

    def show(self, listing: Listing) -> None:
        """Show this table now."""
        table = listing.table(self._terminal, self._display.console.width)
        self._display.update(table, refresh=True)

    def say(self, text: str) -> None:
        """Put a line above the table."""
        self._display.console.print(Text(safe(text)))


@contextmanager
def live_table(terminal: Terminal) -> Iterator[LiveTable]:
    """A table on standard output that can change, for the block."""
    with Live(console=_console(terminal), auto_refresh=False) as display:
        yield LiveTable(terminal, display)
