"""One open transaction: the only thing that runs statements.

Owns how a statement meets its values. Text that is no UTF-8, which the driver refuses, is written
with escapes for what is none. What the catalogue has compiled goes to the driver as it is; a
statement in Core that was made up just now (a filter, a sort order) is compiled first, and only
then is SQLAlchemy loaded, by whoever made it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from jobsched.store.rows import Row
from jobsched.store.sql import Sql
from jobsched.text import storable

if TYPE_CHECKING:
    from sqlalchemy import ClauseElement

#: Of the catalogue, or made up in Core.
Statement: TypeAlias = "Sql | ClauseElement"

#: Values in one list of a statement: well below SQLite's limit on variables.
MOST_IDS: Final = 500
#: Where a list of values goes, as Core marks it.
_LIST: Final = re.compile(r"__\[POSTCOMPILE_(\w+)\]")


class Tx:
    """One open transaction. Ends with the block that gave it out."""

    __slots__ = ("_driver",)

    def __init__(self, driver: sqlite3.Connection) -> None:
        self._driver = driver

    def rows(self, statement: Statement, **values: object) -> list[Row]:
        """All rows of a query, as mappings."""
        cursor = self._run(statement, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def row(self, statement: Statement, **values: object) -> Row | None:
        """The first row of a query, or ``None``."""
        cursor = self._run(statement, values)
        found = cursor.fetchone()
        if found is None:
            return None
        cursor.close()  # it may have more
        return dict(zip([column[0] for column in cursor.description], found, strict=True))

    def tuples(self, statement: Statement, **values: object) -> list[tuple[Any, ...]]:
        """All rows of a query as the driver gives them: for very many of them at once."""
        return self._run(statement, values).fetchall()

    def change(self, statement: Statement, **values: object) -> int:
        """Run an UPDATE or DELETE; the number of rows that it matched."""
        return self._write(statement, values).rowcount

    def insert(self, statement: Statement, **values: object) -> int:
        """Run an INSERT of one row; its integer key."""
        return int(self._write(statement, values).lastrowid or 0)

    def apart(self, action: Callable[[], object]) -> Exception | None:
        """Do a part that is undone by itself where it fails: what came before it stays.

        Why it has failed; raises that where all was undone with it, as by a full disk.
        """
        self._driver.execute("SAVEPOINT part")
        try:
            action()
        except Exception as error:
            if not self._driver.in_transaction:
                raise
            self._driver.execute("ROLLBACK TO part")
            return error
        finally:
            if self._driver.in_transaction:
                self._driver.execute("RELEASE part")
        return None

    def _write(self, statement: Statement, values: Mapping[str, object]) -> sqlite3.Cursor:
        try:
            return self._run(statement, values)
        except UnicodeEncodeError:
            held = {
                name: storable(value) if isinstance(value, str) else value
                for name, value in values.items()
            }
            return self._run(statement, held)

    def _run(self, statement: Statement, values: Mapping[str, object]) -> sqlite3.Cursor:
        if not isinstance(statement, str):
            return self._driver.execute(*_compiled(statement, values))
        if "__[" in statement:
            return self._driver.execute(*_with_lists(statement, values))
        return self._driver.execute(statement, values)


@cache
def setting(update: Sql, names: tuple[str, ...]) -> Sql:
    """An UPDATE of the catalogue that also sets the columns ``names`` to the values so named."""
    if not names:
        return Sql(update.replace("{more}, ", ""))
    if not all(name.isidentifier() for name in names):
        raise ValueError(f"no names of columns: {names}")
    return Sql(update.replace("{more}", ", ".join(f"{name}=:{name}" for name in names)))


def _with_lists(statement: str, values: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """One parameter for each value of a list."""
    given = dict(values)

    def places(match: re.Match[str]) -> str:
        listed: Any = given.pop(match[1])
        given.update({f"{match[1]}_{n}": value for n, value in enumerate(listed)})
        return ", ".join(f":{match[1]}_{n}" for n in range(len(listed)))

    return _LIST.sub(places, statement), given


def _compiled(
    statement: ClauseElement, values: Mapping[str, object]
) -> tuple[str, Mapping[str, Any]]:
    from jobsched.store.catalogue.rendering import text_and_values  # noqa: PLC0415 -- see above

    return text_and_values(statement, values)


def in_chunks(ids: Sequence[int]) -> list[Sequence[int]]:
    """``ids`` in lists that a statement can take."""
    return [ids[first : first + MOST_IDS] for first in range(0, len(ids), MOST_IDS)]
