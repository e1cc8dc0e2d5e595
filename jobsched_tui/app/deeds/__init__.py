"""What every action of the console does, by its id in the table of keys.

Owns the table: keys, palette and command line all end here. A deed is a function of the console; it
asks, plans and shows, and leaves the deciding to ``data``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from jobsched_tui.app.deeds.acting import DEEDS as ACTING
from jobsched_tui.app.deeds.copying import DEEDS as COPYING
from jobsched_tui.app.deeds.exporting import DEEDS as EXPORTING
from jobsched_tui.app.deeds.general import DEEDS as GENERAL
from jobsched_tui.app.deeds.looking import DEEDS as LOOKING
from jobsched_tui.app.palette import open_palette

if TYPE_CHECKING:
    from jobsched_tui.app import Console

Deed: TypeAlias = "Callable[[Console], None]"

DEEDS: Final[Mapping[str, Deed]] = MappingProxyType(
    {**LOOKING, **ACTING, **COPYING, **EXPORTING, **GENERAL, "app.palette": open_palette}
)
