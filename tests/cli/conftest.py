"""Fixtures of the command line's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobsched.home import Home
from tests.cli.running import CONFIG, IDLE, UNWATCHED, Cli


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[Cli]:
    """The command in a home of the test's own, with settings that make waits short."""
    home = Home(tmp_path / "home")
    home.create()
    home.config_file.write_text(CONFIG)
    cli = Cli(home, tmp_path)
    yield cli
    cli.close()


@pytest.fixture
def idle(cli: Cli) -> Cli:
    """The command in a home where no job starts, so that each stays where it was put."""
    cli.home.config_file.write_text(CONFIG + IDLE)
    return cli


@pytest.fixture
def unwatched(cli: Cli) -> Cli:
    """The command in a home where nobody notices a controller's death but a command that ticks."""
    cli.home.config_file.write_text(CONFIG + UNWATCHED)
    return cli


@pytest.fixture
def nowhere(tmp_path: Path) -> Cli:
    """The command, with a home that is not there."""
    return Cli(Home(tmp_path / "none"), tmp_path)
