"""Which strategies there are, by name. A new one gets a line here."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from jobsched.errors import InvalidInput
from jobsched.models import DEFAULT_STRATEGY
from jobsched.recovery.base import Strategy
from jobsched.recovery.eager_next_region import EagerNextRegion
from jobsched.recovery.failover import Failover
from jobsched.recovery.none import NoRecovery

_ALL: Final[tuple[Strategy, ...]] = (EagerNextRegion(), Failover(), NoRecovery())

STRATEGIES: Final[Mapping[str, Strategy]] = MappingProxyType({each.name: each for each in _ALL})

#: Names of before; whoever reads the user's file warns about them.
OLD_NAMES: Final[Mapping[str, str]] = MappingProxyType({"EAGER_FAILOVER": "EAGER_NEXT_REGION"})


def strategy_named(name: str | None) -> Strategy:
    """The strategy of that name, in any case; ``None`` or empty: the default one.

    Raises ``InvalidInput``, with the closest name, for one that is not there.
    """
    wanted = (name or DEFAULT_STRATEGY).strip().upper()
    found = STRATEGIES.get(OLD_NAMES.get(wanted, wanted))
    if found is None:
        known = ", ".join(STRATEGIES)
        close = get_close_matches(wanted, [*STRATEGIES, *OLD_NAMES], n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise InvalidInput(f"no recovery strategy is called {name!r} (there are {known}){hint}")
    return found
