"""What is loaded when: help answers at once, and a controller carries nothing needless."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support import measured

#: Loaded by who needs them, never by an import of the package or by ``--help``.
SLOW = {"sqlalchemy", "pydantic", "yaml", "rich", "textual"}
#: A controller reads the stored DAG and prints plain lines: it needs no YAML, no models of files,
#: no tables, no command line.
NOT_FOR_CONTROLLERS = {
    "textual", "yaml", "pydantic", "rich", "jobsched.cli", "jobsched.dag.parsing",
}  # fmt: skip

HELP = """
from jobsched.cli import main
try:
    main(["--help"])
except SystemExit as ended:
    assert ended.code == 0
"""


def loaded_after(program: str) -> set[str]:
    """Names of all modules that a fresh interpreter has loaded when it has run ``program``."""
    tell = "\nimport sys\nprint('\\nLOADED', *sys.modules)\n"
    done = subprocess.run(
        [sys.executable, "-c", program + tell], check=True, capture_output=True, text=True,
        env=measured({"PATH": "/usr/bin:/bin"}), timeout=60,
    )  # fmt: skip
    return set(done.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize("program", ["import jobsched", HELP], ids=["import", "help"])
def test_nothing_slow_is_loaded_early(program: str) -> None:
    """Neither importing the package nor asking for help loads a library that takes its time."""
    loaded = loaded_after(program)
    assert "jobsched" in loaded
    assert not loaded & SLOW


def test_a_controller_carries_no_ballast() -> None:
    """Its memory is what the alive limit divides by: what it does not use is not loaded."""
    loaded = loaded_after("import jobsched.controller.__main__")
    assert "jobsched.controller.job" in loaded
    assert not loaded & NOT_FOR_CONTROLLERS
