"""From Core to the text that SQLite's driver takes, with named parameters.

Owns the dialect. What a statement fixes (a state, a number of rows) becomes part of its text; what
its caller gives stays a parameter, ``:name``. A list of values stays open, as Core marks it; the
``Tx`` that runs the text fills in one parameter for each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from sqlalchemy import ClauseElement
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.sql.compiler import SQLCompiler

from jobsched.store.catalogue.schema import metadata

_DIALECT: Final = sqlite_dialect(paramstyle="named")
_OPEN_COLUMN: Final = re.compile(r"\w+=(\{more\})")
#: Both forms in which a parameter stands in a text; the first is a list.
_PARAMETER: Final = re.compile(r"__\[POSTCOMPILE_(\w+)\]|:(\w+)\b")


def text_of(statement: ClauseElement) -> str:
    """The text of a statement of the catalogue."""
    compiled = _compile(statement)
    fixed = {name: bind for name, bind in compiled.binds.items() if not bind.required}

    def filled(match: re.Match[str]) -> str:
        bind = fixed.get(match[1] or match[2])
        return match[0] if bind is None else _literal(bind)

    return _OPEN_COLUMN.sub(r"\1", _one_line(_PARAMETER.sub(filled, str(compiled))))


def text_and_values(
    statement: ClauseElement, values: Mapping[str, object]
) -> tuple[str, dict[str, Any]]:
    """The text of a statement that was made up just now, and all that it takes."""
    compiled = _compile(statement, column_keys=list(values))
    expanded = compiled.construct_expanded_state({**compiled.params, **values})
    return expanded.statement, dict(expanded.parameters)


def tables() -> dict[str, str]:
    """What makes each table, in an order in which they can be made."""
    return {table.name: _ddl(CreateTable(table)) for table in metadata.sorted_tables}


def indexes() -> list[str]:
    """What makes the indexes."""
    return [
        _ddl(CreateIndex(index))
        for table in metadata.sorted_tables
        for index in sorted(table.indexes, key=lambda index: str(index.name))
    ]


def _compile(statement: ClauseElement, **how: Any) -> SQLCompiler:
    return cast("SQLCompiler", statement.compile(dialect=_DIALECT, **how))


def _literal(bind: Any) -> str:
    process = bind.type.literal_processor(_DIALECT)
    if bind.expanding:
        return ", ".join(process(value) for value in bind.value)
    return str(process(bind.value))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _ddl(element: ClauseElement) -> str:
    return _one_line(str(element.compile(dialect=_DIALECT)))
