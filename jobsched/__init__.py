"""A scheduler for long-lived managed jobs that needs no server.

Loads nothing by itself: :class:`Scheduler` is imported when first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from jobsched.api import Scheduler

__all__ = ["Scheduler", "__version__"]

__version__: Final = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load what is exported from deeper down when it is first used."""
    if name == "Scheduler":
        # By name: every module imports this one, and none may thereby seem to import the door.
        return import_module("jobsched.api").Scheduler
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
