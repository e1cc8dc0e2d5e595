"""Settings: defaults, ``config.toml``, overrides, and what is refused in which words."""

from __future__ import annotations

import textwrap
from dataclasses import FrozenInstanceError, fields
from typing import Any, get_type_hints

import pytest

from jobsched import config
from jobsched.config import Config, RegionConfig
from jobsched.errors import ConfigError
from jobsched.home import Home

EVERYTHING = """
[limits]
launch = 3
alive = "auto"
[recovery]
retry_gap_seconds = 1
retry_gap_max_seconds = 2.5
grace_seconds = 0
probe_seconds = 0.5
max_launch_retries = 7
[controller]
command = ["python", "-u", "my controller.py"]
on_reboot = "hold"
max_requeues = 0
max_failed_starts = 1
[backend]
default = "slurm"
stop_grace_seconds = 4
[submit]
pass_env = ["WANDB_MODE", "_X1"]
[local]
allow_absolute_mounts = true
[local.regions.here]
cpus = 8
memory_gib = 32.5
accelerators = { A100 = 8, "H100-80GB" = 0.5 }
clusters = 100
[local.regions."far away"]
[logs]
max_mib = 1
keep_days = 0.5
[console]
read_only = true
keys = { "job.cancel" = "x" }
theme = "nord"
"""

KEYS = {
    "limits": ["launch", "alive"],
    "recovery": [
        "retry_gap_seconds",
        "retry_gap_max_seconds",
        "grace_seconds",
        "probe_seconds",
        "max_launch_retries",
    ],
    "controller": [
        "command",
        "nursery",
        "rest_after_seconds",
        "on_reboot",
        "max_requeues",
        "max_failed_starts",
    ],
    "backend": ["default", "stop_grace_seconds"],
    "submit": ["pass_env"],
    "local": ["allow_absolute_mounts", "regions"],
    "logs": ["max_mib", "keep_days"],
    "console": ["read_only", "keys", "theme"],
}
#: Told to controllers, then to tasks, then nobody's.
OWN = ["HOME", "JOB_ID", "ATTEMPT", "LOCK_FD"]
OF_TASKS = ["TASK_ID", "TASK_IDS", "NODE_IPS", "NUM_NODES", "NODE_RANK", "NUM_GPUS_PER_NODE"]
OTHERS = ["JOBGROUP_NAME", "LOGS", "X"]


def write(home: Home, text: str) -> None:
    """Put ``text`` into the home's ``config.toml``."""
    home.config_file.write_text(textwrap.dedent(text))


def refusal(home: Home, **variables: str) -> str:
    """The sentence with which the configuration is refused; both readers refuse alike."""
    with pytest.raises(ConfigError) as loading:
        config.load(home, variables)
    with pytest.raises(ConfigError) as listing:
        config.provenance(home, variables)
    assert str(loading.value) == str(listing.value)
    return str(loading.value)


def test_defaults_without_a_file(home: Home) -> None:
    """A home without a file, even one that does not exist, has the documented defaults."""
    found = config.load(Home(home.root / "missing"), {})
    assert found == config.load(home, {}) == Config()
    assert (found.limits.launch, found.limits.alive) == (None, None)
    recovery = found.recovery
    assert (recovery.retry_gap_seconds, recovery.retry_gap_max_seconds) == (60, 300)
    assert (recovery.grace_seconds, recovery.probe_seconds) == (5, 15)
    assert recovery.max_launch_retries == 0
    assert (found.controller.command, found.controller.on_reboot) == ((), "requeue")
    assert (found.controller.max_requeues, found.controller.max_failed_starts) == (10, 3)
    assert (found.backend.default, found.backend.stop_grace_seconds) == ("local", 10)
    assert found.submit.pass_env == ()
    assert (found.local.allow_absolute_mounts, found.local.regions) == (False, {})
    assert (found.logs.max_mib, found.logs.keep_days) == (512, 30)
    assert (found.console.read_only, found.console.keys, found.console.theme) == (False, {}, "")


def test_every_key_of_the_file_is_read(home: Home) -> None:
    """Each setting takes the value of the file, in the program's own form."""
    write(home, EVERYTHING)
    found = config.load(home, {})
    assert (found.limits.launch, found.limits.alive) == (3, None)
    recovery = found.recovery
    assert (recovery.retry_gap_seconds, recovery.retry_gap_max_seconds) == (1.0, 2.5)
    assert (recovery.grace_seconds, recovery.probe_seconds) == (0.0, 0.5)
    assert recovery.max_launch_retries == 7
    assert found.controller.command == ("python", "-u", "my controller.py")
    assert found.controller.on_reboot == "hold"
    assert (found.controller.max_requeues, found.controller.max_failed_starts) == (0, 1)
    assert (found.backend.default, found.backend.stop_grace_seconds) == ("slurm", 4.0)
    assert found.submit.pass_env == ("WANDB_MODE", "_X1")
    assert found.local.allow_absolute_mounts is True
    assert found.local.regions == {
        "here": RegionConfig(
            cpus=8.0,
            memory_gib=32.5,
            accelerators={"A100": 8.0, "H100-80GB": 0.5},
            clusters=100,
        ),
        "far away": RegionConfig(),
    }
    assert (found.logs.max_mib, found.logs.keep_days) == (1, 0.5)
    assert found.console.read_only is True
    assert (found.console.keys, found.console.theme) == ({"job.cancel": "x"}, "nord")


def test_values_have_the_types_that_are_annotated(home: Home) -> None:
    """Defaults and values of the file alike are of the types that the other code relies on."""
    write(home, EVERYTHING)
    for found in (Config(), config.load(home, {})):
        for section in fields(found):
            part: Any = getattr(found, section.name)
            hints = get_type_hints(type(part))
            for key in fields(part):
                value = getattr(part, key.name)
                name = str(hints[key.name])
                if value is None:
                    assert "None" in name
                else:
                    assert type(value).__name__ in name.replace("Mapping", "dict"), key.name


def test_what_is_read_cannot_be_changed(home: Home) -> None:
    """Settings are frozen: an attempt keeps what it read at its start."""
    with pytest.raises(FrozenInstanceError):
        config.load(home, {}).limits.launch = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("variable", "text", "section", "key", "expected"),
    [
        ("JOBSCHED_LIMITS_LAUNCH", "5", "limits", "launch", 5),
        ("JOBSCHED_LIMITS_LAUNCH", "auto", "limits", "launch", None),
        ("JOBSCHED_RECOVERY_GRACE_SECONDS", "0.25", "recovery", "grace_seconds", 0.25),
        ("JOBSCHED_RECOVERY_MAX_LAUNCH_RETRIES", "2", "recovery", "max_launch_retries", 2),
        ("JOBSCHED_CONTROLLER_ON_REBOOT", "hold", "controller", "on_reboot", "hold"),
        ("JOBSCHED_CONTROLLER_COMMAND", "sh, -c,x", "controller", "command", ("sh", "-c", "x")),
        ("JOBSCHED_CONTROLLER_COMMAND", '["a, b", "c"]', "controller", "command", ("a, b", "c")),
        ("JOBSCHED_SUBMIT_PASS_ENV", "", "submit", "pass_env", ()),
        ("JOBSCHED_CONSOLE_READ_ONLY", "1", "console", "read_only", True),
        ("JOBSCHED_CONSOLE_READ_ONLY", "False", "console", "read_only", False),
        ("JOBSCHED_CONSOLE_THEME", "nord", "console", "theme", "nord"),
    ],
)
def test_variable_overrides_the_file(
    home: Home, variable: str, text: str, section: str, key: str, expected: object
) -> None:
    """``JOBSCHED_<SECTION>_<KEY>`` wins over the file, and nothing else changes."""
    write(home, '[limits]\nlaunch = 9\nalive = 8\n[submit]\npass_env = ["A"]\n')
    found = config.load(home, {variable: text})
    assert getattr(getattr(found, section), key) == expected
    assert found.limits.alive == 8


def test_every_plain_setting_can_be_overridden(home: Home) -> None:
    """Each setting that is no table has its variable, which takes the default as text."""
    for setting in config.SETTINGS:
        default = setting.default
        if isinstance(default, dict):
            continue
        text = ",".join(default) if isinstance(default, list) else str(default)
        assert config.load(home, {setting.variable: text}) == Config()


def test_override_hides_a_wrong_value_of_the_file(home: Home) -> None:
    """What is overridden does not matter: a variable gets one past a mistake in the file."""
    write(home, "[limits]\nlaunch = -1\n")
    assert config.load(home, {"JOBSCHED_LIMITS_LAUNCH": "2"}).limits.launch == 2


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[limits]\n\nlaunch = -1\n", 3, 'expected "auto" or a whole number from 0'),
        ("[limits]\nlaunch = true\n", 2, 'expected "auto" or a whole number from 0'),
        ("[limits]\nlaunch = 1.5\n", 2, "found 1.5"),
        ('[limits]\nlaunch = "many"\n', 2, 'found "many"'),
        ("[recovery]\ngrace_seconds = nan\n", 2, "expected a number from 0 to 86400"),
        ("[recovery]\ngrace_seconds = inf\n", 2, "expected a number from 0 to 86400"),
        ("[recovery]\ngrace_seconds = false\n", 2, "expected a number from 0 to 86400"),
        ("[recovery]\nprobe_seconds = 0\n", 2, "expected a number from 0.01 to 86400"),
        ("[recovery]\nprobe_seconds = 2026-01-01\n", 2, 'found "2026-01-01"'),
        ('[controller]\non_reboot = "no"\n', 2, 'expected "requeue" or "hold", found "no"'),
        ('[controller]\ncommand = "python c.py"\n', 2, "expected a list"),
        ("[controller]\ncommand = [\n'python', 3]\n", 2, 'found ["python", 3]'),
        ('[submit]\npass_env = ["A=B"]\n', 2, "name of an environment variable"),
        ('[backend]\ndefault = ""\n', 2, "expected a text of one line"),
        ("[local]\nallow_absolute_mounts = 1\n", 2, "expected true or false, found 1"),
        ("[local]\nregions = 3\n", 2, "expected a table"),
        ("[local.regions.a]\n[local.regions.b]\ncpus = -2\n", 3, "local.regions.b.cpus: expected"),
        ('[local.regions.b]\naccelerators = { A100 = "8" }\n', 2, "accelerators.A100: expected"),
        ('[local.regions."*"]\ncpus = 2\n', 1, "expected as its name a text of one line"),
        ('[console]\nkeys = { "job.cancel" = 3 }\n', 2, "console.keys.job.cancel: expected"),
        ("[logs]\nmax_mib = 0\n", 2, "expected a whole number from 1"),
        ("limits = 3\n", 1, "limits: expected a table, found 3"),
        ("[[limits]]\nlaunch = 3\n", 1, "limits: expected a table"),
    ],
)
def test_wrong_value_is_refused_at_its_line(home: Home, text: str, line: int, message: str) -> None:
    """A value of the wrong type or range is refused, with file, line, key and what was expected."""
    write(home, text)
    said = refusal(home)
    assert said.startswith(f"{home.config_file}:{line}: ")
    assert message in said


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[logs]\n[limit]\nlaunch = 1\n", 2, "limit: there is no such key; did you mean limits?"),
        ("[recovery]\n# grace_second = 3\ngrace_second = 3\n", 3, "did you mean grace_seconds?"),
        ("recovery.grace_second = 3\n", 1, "did you mean grace_seconds?"),
        ("[local.regions.here]\nmemory = 3\n", 2, "did you mean memory_gib?"),
        ("[local]\nregions = { here = { gpus = 1 } }\n", 2, "did you mean cpus?"),
        ("[submit]\nxyz = 1\n", 2, "submit.xyz: there is no such key; there are pass_env"),
    ],
)
def test_unknown_key_is_refused_with_a_suggestion(
    home: Home, text: str, line: int, message: str
) -> None:
    """A section or key that does not exist is refused at its line; the nearest one is named."""
    write(home, text)
    said = refusal(home)
    assert said.startswith(f"{home.config_file}:{line}: ")
    assert message in said


@pytest.mark.parametrize(
    ("text", "where"),
    [("[limits]\nlaunch = \n", ":2: not TOML"), ("[limits]\n\n[a", ":3: not TOML")],
)
def test_broken_file_is_refused_at_its_line(home: Home, text: str, where: str) -> None:
    """A file that is no TOML is refused with the line of the mistake."""
    write(home, text)
    assert refusal(home).startswith(f"{home.config_file}{where}")


def test_unreadable_file_is_refused(home: Home) -> None:
    """A file that is there and cannot be read is an error, never the defaults."""
    home.config_file.write_bytes(b"[limits]\n# \xff\n")
    assert refusal(home) == f"{home.config_file}: not UTF-8 at byte 11"
    home.config_file.unlink()
    home.config_file.mkdir()
    assert refusal(home) == f"{home.config_file}: cannot be read: Is a directory"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("JOBSCHED_LIMITS_LAUNCH", "many", 'expected "auto" or a whole number from 0'),
        ("JOBSCHED_LIMITS_LAUNCH", "", "found ''"),
        ("JOBSCHED_LIMITS_LAUNCH", "-3", "found -3"),
        ("JOBSCHED_RECOVERY_GRACE_SECONDS", "nan", "expected a number from 0 to 86400"),
        ("JOBSCHED_CONSOLE_READ_ONLY", "yes", "expected true or false, found 'yes'"),
        ("JOBSCHED_CONTROLLER_COMMAND", "[1]", "found [1]"),
        ("JOBSCHED_CONTROLLER_COMMAND", "[1", "found '[1'"),
        ("JOBSCHED_SUBMIT_PASS_ENV", "A,,B", 'found ["A", "", "B"]'),
        ("JOBSCHED_LOCAL_REGIONS", "here", "a table cannot be given here"),
        ("JOBSCHED_CONSOLE_KEYS", "{}", "use [console] keys in config.toml"),
        ("JOBSCHED_LIMITS_LUNCH", "1", "did you mean JOBSCHED_LIMITS_LAUNCH?"),
        ("JOBSCHED_LIMIT_LAUNCH", "1", "did you mean JOBSCHED_LIMITS_LAUNCH?"),
        ("JOBSCHED_SUBMIT_Q", "1", "there is no such key"),
    ],
)
def test_wrong_override_is_refused_by_its_name(
    home: Home, name: str, text: str, message: str
) -> None:
    """A variable that cannot be used is named, with what was expected; the file is not blamed."""
    write(home, "[limits]\nlaunch = 1\n")
    said = refusal(home, **{name: text})
    assert said.startswith(f"{name}: ")
    assert message in said


@pytest.mark.parametrize("name", [*OWN, *OF_TASKS, *OTHERS])
def test_other_variables_are_no_settings(home: Home, name: str) -> None:
    """What controllers and tasks find in their environment is never taken for an override."""
    assert config.load(home, {f"JOBSCHED_{name}": "7", "LIMITS_LAUNCH": "7"}) == Config()


def test_override_in_a_section_that_is_no_table(home: Home) -> None:
    """An override does not hide that its section in the file is no table."""
    write(home, "limits = 3\n")
    said = refusal(home, JOBSCHED_LIMITS_LAUNCH="1")
    assert said == f"{home.config_file}:1: limits: expected a table, found 3"


def test_provenance_tells_value_and_whence(home: Home) -> None:
    """Every setting is listed once, in order, as the file would write it, with its origin."""
    write(home, "[limits]\nlaunch = 3\nalive = 4\n[local.regions.here]\ncpus = 2\n")
    rows = config.provenance(
        home, {"JOBSCHED_LIMITS_ALIVE": "auto", "JOBSCHED_SUBMIT_PASS_ENV": "A"}
    )
    assert [(row.section, row.key) for row in rows] == [
        (setting.section, setting.key) for setting in config.SETTINGS
    ]
    found = {(section, key): (value, whence) for section, key, value, whence in rows}
    assert found["limits", "launch"] == (3, "config.toml")
    assert found["limits", "alive"] == ("auto", "JOBSCHED_LIMITS_ALIVE")
    assert found["submit", "pass_env"] == (["A"], "JOBSCHED_SUBMIT_PASS_ENV")
    assert found["local", "regions"] == ({"here": {"cpus": 2}}, "config.toml")
    assert found["recovery", "probe_seconds"] == (15, "default")


def test_all_mistakes_are_told_in_one_go(home: Home) -> None:
    """Of the variables, and of the file in its order, of every kind: a line for each."""
    write(
        home,
        """\
        [limits]
        launch = -1
        [recovery]
        grace_second = 3
        retry_gap_seconds = "x"
        [local.regions.here]
        cpus = -2
        gpus = 1
        [locall]
        """,
    )
    said = refusal(home, JOBSCHED_LOGS_MAX_MIB="0", JOBSCHED_SUBMIT_Q="1", JOBSCHED_X="1")
    places = [line.split(": ")[0].removeprefix(f"{home.config_file}:") for line in said.split("\n")]
    assert places == ["JOBSCHED_SUBMIT_Q", "JOBSCHED_LOGS_MAX_MIB", "2", "4", "5", "7", "8", "9"]


def test_what_can_be_used_is_used_where_there_are_mistakes(home: Home) -> None:
    """Each wrong setting has its default, all others are in force, and the mistakes are told."""
    write(home, "[recovery]\ngrace_seconds = 'x'\nprobe_seconds = 2\n[lgs]\nmax_mib = 1\n")
    variables = {"JOBSCHED_LOGS_MAX_MIB": "7", "JOBSCHED_LOGS_KEEP_DAYS": "for ever"}
    found = config.load_what_can_be_used(home, variables)
    assert (found.config.recovery.grace_seconds, found.config.recovery.probe_seconds) == (5, 2)
    assert (found.config.logs.max_mib, found.config.logs.keep_days) == (7, 30)
    assert [error.where for error in found.errors] == [
        "JOBSCHED_LOGS_KEEP_DAYS", f"{home.config_file}:2", f"{home.config_file}:4",
    ]  # fmt: skip
    write(home, "[logs\nmax_mib = 1\n")
    found = config.load_what_can_be_used(home, {})
    assert found.config == Config()
    assert len(found.errors) == 1
    write(home, "[logs]\nmax_mib = 1\n")
    assert config.load_what_can_be_used(home, {}).errors == ()


def test_settings_are_described() -> None:
    """Each setting has a meaning of one line and says which values it takes."""
    assert [(setting.section, setting.key) for setting in config.SETTINGS] == [
        (section, key) for section, keys in KEYS.items() for key in keys
    ]
    for setting in config.SETTINGS:
        assert setting.meaning, setting
        assert "\n" not in setting.meaning
        assert setting.kind.expected
