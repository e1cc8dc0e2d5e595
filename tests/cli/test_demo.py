"""``demo``: a scratch home in which each job ends as it should."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from jobsched.home import Home
from tests.cli.running import Cli
from tests.support import wait_until


@pytest.mark.timeout(120)
@pytest.mark.parametrize("at_terminal", [False, True], ids=["lines", "table"])
def test_the_demonstration_ends_well(nowhere: Cli, at_terminal: bool) -> None:
    """Exit 0, a table of what was expected and came, the home named, and nothing left running."""
    scratch = nowhere.folder / "tmp"
    scratch.mkdir()
    env = {"TMPDIR": str(scratch)}
    if at_terminal:
        ended = nowhere.terminal("demo", env=env, timeout=110, size=(50, 160))
    else:
        ended = nowhere.run("demo", env=env, timeout=110)
        assert "\x1b" not in ended.out
    assert ended.code == 0, ended
    assert "Clean: every invariant holds" in ended.out
    assert not nowhere.home.root.exists()
    found = re.search(r"Home of this demonstration: (\S+)", ended.out)
    assert found is not None
    root = Path(found[1])
    assert root.parent == scratch.resolve()
    demo = Cli(Home(root), nowhere.folder)
    jobs = demo.ok("queue", "--all", "--json").json
    assert {job["schedule_state"] for job in jobs} == {"DONE"}
    assert {"SUCCEEDED", "FAILED_SETUP", "CANCELLED"} <= {job["status"] for job in jobs}
    wait_until(lambda: not demo.processes(), 60, "the demonstration's processes to be gone")
    shutil.rmtree(root)
