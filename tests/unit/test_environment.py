"""What the environment tells a process: where the home is, and which attempt it is."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from jobsched import config
from jobsched.errors import ConfigError
from tests.support import measured


def test_default_root_is_what_jobsched_home_says(tmp_path: Path) -> None:
    """``JOBSCHED_HOME`` wins; the path is absolute and symbolic links in it are followed."""
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    told = {"JOBSCHED_HOME": str(tmp_path / "link" / "home")}
    assert config.default_root(told) == real / "home"
    assert config.default_root({"JOBSCHED_HOME": "here"}) == Path.cwd() / "here"
    assert config.default_root({"JOBSCHED_HOME": "~/x"}) == Path("~/x").expanduser().resolve()
    with pytest.raises(ConfigError, match="no such user"):
        config.default_root({"JOBSCHED_HOME": "~nobody-of-that-name/x"})


def run(code: str, cwd: Path, variables: dict[str, str]) -> str:
    """What a new Python prints that has only these variables, and the packages under test."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env={"PYTHONPATH": str(Path(config.__file__).parents[2]), **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_default_root_is_the_users_state_directory(tmp_path: Path) -> None:
    """Without ``JOBSCHED_HOME``, or with an empty one, the user's state directory is taken."""
    code = "from jobsched import config; print(config.default_root())"
    state = tmp_path.resolve() / "state"
    variables = measured({"HOME": str(tmp_path), "XDG_STATE_HOME": str(state)})
    assert run(code, tmp_path, variables) == str(state / "jobsched")
    assert run(code, tmp_path, {**variables, "JOBSCHED_HOME": ""}) == str(state / "jobsched")


def test_user_without_a_home_directory_is_told_what_to_set(tmp_path: Path) -> None:
    """Where the user's state directory cannot be told, no relative path is made up."""
    code = """
    import pwd
    from jobsched import config
    from jobsched.errors import ConfigError
    def unknown(uid):
        raise KeyError(uid)
    pwd.getpwuid = unknown
    try:
        config.default_root()
    except ConfigError as error:
        print(error)
    """
    said = run(textwrap.dedent(code), tmp_path, measured({}))
    assert said == "JOBSCHED_HOME: this user has no home directory; set it to a directory of yours"


def test_environ_is_the_environment() -> None:
    """What the process has at the moment of the call is what it tells."""
    assert dict(config.environ()) == dict(os.environ)


def test_attempt_identity_of_a_controller() -> None:
    """A controller learns job, attempt and descriptor; the descriptor may have been closed."""
    told = {"JOBSCHED_JOB_ID": "7", "JOBSCHED_ATTEMPT": "2"}
    assert config.attempt_identity({**told, "JOBSCHED_LOCK_FD": "0"}) == (7, 2, 0)
    assert config.attempt_identity(told) == (7, 2, None)
    assert config.attempt_identity({"PATH": "/bin", "JOBSCHED_HOME": "/x"}) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("JOBSCHED_JOB_ID", "0"),
        ("JOBSCHED_JOB_ID", "-1"),
        ("JOBSCHED_JOB_ID", ""),
        ("JOBSCHED_JOB_ID", "9" * 5000),
        ("JOBSCHED_ATTEMPT", "0"),
        ("JOBSCHED_ATTEMPT", "two"),
        ("JOBSCHED_ATTEMPT", "\u0662"),
        ("JOBSCHED_LOCK_FD", "-1"),
        ("JOBSCHED_LOCK_FD", "3 "),
    ],
)
def test_malformed_identity_is_refused(name: str, value: str) -> None:
    """A process that was told nonsense does not act as if it had been told nothing."""
    told = {"JOBSCHED_JOB_ID": "7", "JOBSCHED_ATTEMPT": "2", "JOBSCHED_LOCK_FD": "3", name: value}
    with pytest.raises(ConfigError, match=f"^{name}: expected a whole number"):
        config.attempt_identity(told)


@pytest.mark.parametrize("missing", ["JOBSCHED_JOB_ID", "JOBSCHED_ATTEMPT"])
def test_partial_identity_is_refused(missing: str) -> None:
    """Half an identity is refused too: without its number a call would not be fenced."""
    told = {"JOBSCHED_JOB_ID": "7", "JOBSCHED_ATTEMPT": "2", "JOBSCHED_LOCK_FD": "3"}
    del told[missing]
    with pytest.raises(ConfigError, match=f"^{missing}: not set"):
        config.attempt_identity(told)


def test_importing_it_loads_nothing_heavy(tmp_path: Path) -> None:
    """A controller that has no ``config.toml`` reads its settings without heavy modules."""
    code = """
    import sys
    from jobsched import config
    from jobsched.home import Home
    told = {"JOBSCHED_JOB_ID": "1", "JOBSCHED_ATTEMPT": "1", "JOBSCHED_HOME": "."}
    config.load(Home(config.default_root(told)), told)
    config.attempt_identity(told)
    heavy = {"pydantic", "rich", "sqlalchemy", "platformdirs", "tomllib", "yaml", "difflib"}
    print(*sorted(heavy & set(sys.modules)))
    """
    assert run(textwrap.dedent(code), tmp_path, {}) == ""
