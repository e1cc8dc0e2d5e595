"""Every setting: its name, type, default, range and meaning, stated once.

Owns that table and nothing else. A section of ``config.toml`` is a dataclass, a setting is a field,
and the defaults are written as ``config.toml`` would.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple

from jobsched.bounds import MOST_JOBS
from jobsched.config.kinds import (
    Kind,
    auto_or,
    choice,
    count,
    flag,
    list_of,
    map_of,
    number,
    table,
    text,
)

_DAY: Final = 86_400
_MANY: Final = 1_000_000
_SECONDS: Final = number(0, _DAY)
_AMOUNT: Final = number(0, _MANY)
_NUMBER: Final = count(0, _MANY)
_LIMIT: Final = auto_or(count(0, MOST_JOBS))
_LINE: Final = text("a text of one line", r"[^\x00-\x1f\x7f]+")
_LINE_OR_NONE: Final = text("a text of at most one line", r"[^\x00-\x1f\x7f]*")
_REGION: Final = text('a text of one line without "/" and "*"', r"[^\x00-\x1f\x7f/*]+")
_VARIABLE: Final = text("the name of an environment variable", r"[A-Za-z_][A-Za-z0-9_]*")
_ARGUMENT: Final = text("a text without NUL characters", r"[^\x00]+")


def _setting(kind: Kind, meaning: str, *, default: Any) -> Any:
    metadata = {"default": default, "kind": kind, "meaning": meaning}
    return field(default_factory=lambda: kind.accept(default), metadata=metadata)


def _room(kind: Kind) -> Any:
    return field(default=None, metadata={"kind": kind})


def _section(cls: type[Any]) -> dict[str, Any]:
    return {"kind": table(cls), "section": cls}


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsConfig:
    """``[limits]``: counts only when the database is created. ``None`` = auto."""

    launch: int | None = _setting(
        _LIMIT, "jobs that may launch at a time; auto: 4 x CPUs", default="auto"
    )
    alive: int | None = _setting(
        _LIMIT,
        "jobs that may be alive at a time; auto: memory / what a controller takes, measured",
        default="auto",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryConfig:
    """``[recovery]``: how long to wait for what, and how often to try."""

    retry_gap_seconds: float = _setting(
        _SECONDS, "pause after a launch that failed, at first", default=60
    )
    retry_gap_max_seconds: float = _setting(_SECONDS, "pause after a launch, at most", default=300)
    grace_seconds: float = _setting(
        _SECONDS, "time after a task's end in which a loss of its cluster may show", default=5
    )
    probe_seconds: float = _setting(
        number(0.01, _DAY),
        "time between two looks at a cluster that sends no word by itself",
        default=15,
    )
    max_launch_retries: int = _setting(
        _NUMBER,
        "launches that may fail for lack of room before the task does; 0: for ever",
        default=0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerConfig:
    """``[controller]``: what controls a job, and what happens when it dies."""

    command: tuple[str, ...] = _setting(
        list_of(_ARGUMENT),
        "a controller of your own: program and arguments; empty: jobsched's",
        default=[],
    )
    nursery: bool = _setting(
        flag(),
        "start controllers by fork; false: each is a Python process of its own",
        default=True,
    )
    rest_after_seconds: float = _setting(
        number(0.1, _DAY),
        "time without news after which a controller has a small process wait in its place",
        default=30,
    )
    on_reboot: str = _setting(
        choice("requeue", "hold"),
        "what becomes of jobs that a reboot interrupted",
        default="requeue",
    )
    max_requeues: int = _setting(
        _NUMBER, "controllers that a job may lose before it fails", default=10
    )
    max_failed_starts: int = _setting(
        _NUMBER, "controllers that may end before their first call into the library", default=3
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendConfig:
    """``[backend]``: where tasks run."""

    default: str = _setting(_LINE, "name of the backend", default="local")
    stop_grace_seconds: float = _setting(
        _SECONDS, "time between asking a process to end and ending it by force", default=10
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitConfig:
    """``[submit]``: what is stored with a job."""

    pass_env: tuple[str, ...] = _setting(
        list_of(_VARIABLE), "more names of the submitter's environment that a job gets", default=[]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionConfig:
    """``[local.regions.NAME]``: the room of one region. ``None`` or not named: unlimited."""

    cpus: float | None = _room(_AMOUNT)
    memory_gib: float | None = _room(_AMOUNT)
    #: Name of the accelerator to how many of it.
    accelerators: Mapping[str, float] = field(
        default_factory=dict, metadata={"kind": map_of(_LINE, _AMOUNT)}
    )
    #: Clusters that may exist at a time.
    clusters: int | None = _room(_NUMBER)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalConfig:
    """``[local]``: the backend that runs tasks on this machine."""

    allow_absolute_mounts: bool = _setting(
        flag(), "whether file_mounts may have absolute targets", default=False
    )
    #: By name. Empty: none is declared; there is one region ``here``, without limits.
    regions: Mapping[str, RegionConfig] = _setting(
        map_of(_REGION, table(RegionConfig)), "the regions and the room of each", default={}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogsConfig:
    """``[logs]``: how much is kept, and for how long."""

    max_mib: int = _setting(
        count(1, _MANY), "MiB that a log keeps; its oldest part goes", default=512
    )
    keep_days: float = _setting(
        _AMOUNT, "days that logs are kept after their job is DONE", default=30
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleConfig:
    """``[console]``: how ``jobsched-tui`` behaves and looks."""

    read_only: bool = _setting(
        flag(), "whether the console shows and changes nothing", default=False
    )
    #: Id of a binding to the key that it gets.
    keys: Mapping[str, str] = _setting(
        map_of(_LINE, _LINE), "keys by the id of what they do", default={}
    )
    #: Empty: the console's own choice.
    theme: str = _setting(_LINE_OR_NONE, "name of the theme; empty: the console's own", default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything that can be set. ``Config()`` has the defaults."""

    limits: LimitsConfig = field(default_factory=LimitsConfig, metadata=_section(LimitsConfig))
    recovery: RecoveryConfig = field(
        default_factory=RecoveryConfig, metadata=_section(RecoveryConfig)
    )
    controller: ControllerConfig = field(
        default_factory=ControllerConfig, metadata=_section(ControllerConfig)
    )
    backend: BackendConfig = field(default_factory=BackendConfig, metadata=_section(BackendConfig))
    submit: SubmitConfig = field(default_factory=SubmitConfig, metadata=_section(SubmitConfig))
    local: LocalConfig = field(default_factory=LocalConfig, metadata=_section(LocalConfig))
    logs: LogsConfig = field(default_factory=LogsConfig, metadata=_section(LogsConfig))
    console: ConsoleConfig = field(default_factory=ConsoleConfig, metadata=_section(ConsoleConfig))


class Setting(NamedTuple):
    """One setting, for those who list them all."""

    section: str
    key: str
    #: As in ``config.toml``.
    default: object
    kind: Kind
    #: One line.
    meaning: str

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        return f"JOBSCHED_{self.section}_{self.key}".upper()


#: All settings in the order of the file.
SETTINGS: Final = tuple(
    Setting(section.name, key.name, **key.metadata)
    for section in fields(Config)
    for key in fields(section.metadata["section"])
)

#: The form of the whole file.
FILE: Final = table(Config)
