"""What can be set, what is in force and whence, and what the environment tells this process.

The only package that reads the environment or ``config.toml``. It stays light, because every
controller imports it.
"""

from jobsched.config.environment import (
    AttemptIdentity,
    attempt_identity,
    become,
    default_root,
    environ,
)
from jobsched.config.load import Loaded, Provenance, load, load_what_can_be_used, provenance
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
