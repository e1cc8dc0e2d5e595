"""The text of ``store/sql.py``: a constant for each statement of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Final

from sqlalchemy import Executable

from jobsched.store.catalogue import auditing, scheduling, viewing, writing
from jobsched.store.catalogue.rendering import indexes, tables, text_of

_MODULES: Final = (scheduling, writing, viewing, auditing)
_WIDTH: Final = 88
_HEAD: Final = '''"""The catalogue's statements as SQLite's driver takes them. Made by ``make sql``.

``{more}`` takes the columns that an UPDATE sets besides; ``__[POSTCOMPILE_...]`` a list of values.
"""

from __future__ import annotations

from typing import Final, NewType

Sql = NewType("Sql", str)
'''


def module() -> str:
    """The whole module."""
    parts = [_HEAD]
    for source in _MODULES:
        parts.append(f"\n# {source.__name__.rpartition('.')[2]}\n\n")
        parts += (f"{name}: Final = Sql({_quoted(text)})\n" for name, text in _statements(source))
    parts.append("\n# schema\n\nTABLES: Final = {\n")
    parts += (f'    "{name}": Sql({_quoted(text, 4)}),\n' for name, text in tables().items())
    parts.append("}\nINDEXES: Final = (\n")
    parts += (f"    Sql({_quoted(text, 4)}),\n" for text in indexes())
    parts.append(")\n")
    return "".join(parts)


def _statements(source: ModuleType) -> Iterator[tuple[str, str]]:
    for name, value in vars(source).items():
        if name.isupper() and not name.startswith("_") and isinstance(value, Executable):
            yield name, text_of(value)  # type: ignore[arg-type] # each is a ClauseElement, too


def _quoted(text: str, depth: int = 0) -> str:
    """``text`` as lines of string literals."""
    margin = " " * (depth + 4)
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + len(word) > _WIDTH - depth:
            lines.append(line + " ")
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    return "\n" + "".join(f'{margin}"{each}"\n' for each in lines) + " " * depth
