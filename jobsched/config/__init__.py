"""What can be set, what is in force and whence, and what the environment tells this process.

The only package that reads the environment or ``config.toml``. It stays light, because every
controller imports it; a command that only shows its help does not load what knows the settings.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from jobsched.config.environment import (
    AttemptIdentity,
    attempt_identity,
    become,
    default_root,
    environ,
)

if TYPE_CHECKING:
    from jobsched.config.loading import Loaded, Provenance, load, load_what_can_be_used, provenance
    from jobsched.config.settings import (
        SETTINGS,
        BackendConfig,
        Config,
        ConsoleConfig,
        ControllerConfig,
        LimitsConfig,
        LocalConfig,
        LogsConfig,
        RecoveryConfig,
        RegionConfig,
        Setting,
        SubmitConfig,
    )
    from jobsched.config.soundness import Soundness

__all__ = [
    "SETTINGS",
    "AttemptIdentity",
    "BackendConfig",
    "Config",
    "ConsoleConfig",
    "ControllerConfig",
    "LimitsConfig",
    "Loaded",
    "LocalConfig",
    "LogsConfig",
    "Provenance",
    "RecoveryConfig",
    "RegionConfig",
    "Setting",
    "Soundness",
    "SubmitConfig",
    "attempt_identity",
    "become",
    "default_root",
    "environ",
    "load",
    "load_what_can_be_used",
    "provenance",
]

#: Modules whose names are found in them when they are first asked for (PEP 562).
_LATER: Final = ("jobsched.config.settings", "jobsched.config.loading", "jobsched.config.soundness")


if not TYPE_CHECKING:  # a name that is not there is to be found by the type checker, too

    def __getattr__(name: str) -> Any:
        if name in __all__:
            for module in map(import_module, _LATER):
                if hasattr(module, name):
                    globals()[name] = getattr(module, name)
                    return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
