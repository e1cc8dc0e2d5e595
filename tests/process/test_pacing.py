"""Of very many claims, only as many controllers begin at once as there are processors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from jobsched.home import Home
from jobsched.nursery.handing import Claim, hand_over, listen
from tests.support import measured, wait_until

#: A nursery whose controllers begin when they are let: then they say so, and end. Time stands
#: still in it, so that none is ever said to have begun long ago.
PROGRAM = """
import os, socket, sys, time
from pathlib import Path
from jobsched import wake
from jobsched.nursery.brood import Brood, Roles
from jobsched.testing import FakeClock

folder = Path(sys.argv[2])

def begins(claim, lifeline, tell):
    (folder / f"began-{claim.job_id}").touch()
    while not (folder / f"go-{claim.job_id}").exists():
        time.sleep(0.005)
    os.write(tell, os.getpid().to_bytes(4))
    wake.wait([lifeline], None)
    return 0

def ticks(lifeline):
    wake.wait([lifeline], None)
    return 0

Brood(
    socket.socket(fileno=int(sys.argv[1])),
    Roles(controller=begins, relief=begins, attendant=ticks, mourner=lambda _: 0),
    clock=FakeClock(),
).serve()
"""


def test_the_next_begins_when_one_has_begun(tmp_path: Path) -> None:
    """Whichever that is; all that were handed over begin in the end."""
    home, count = Home(tmp_path / "home"), 7
    home.create()
    most = max(2, os.cpu_count() or 1)
    jobs = range(1, most + count)
    with listen(home) as listener, (tmp_path / "lock").open("w") as lock:
        nursery = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(listener.fileno()), str(tmp_path)],
            pass_fds=[listener.fileno()], env=measured({"PATH": os.environ["PATH"]}),
        )  # fmt: skip
        try:
            claims = [Claim(job, 1, lock.fileno()) for job in jobs]
            assert hand_over(home, claims, end=lambda: False)
            for at_most in range(most, most + count):
                until_begun(tmp_path, at_most)
                assert began(tmp_path) == set(jobs[:at_most])
                (tmp_path / f"go-{jobs[at_most - 1]}").touch()
        finally:
            for job in jobs:
                (tmp_path / f"go-{job}").touch()
            nursery.kill()
            nursery.wait()


def until_begun(folder: Path, number: int) -> None:
    """Wait until so many controllers have begun."""
    wait_until(lambda: len(began(folder)) == number, 20, f"{number} to begin")


def began(folder: Path) -> set[int]:
    """The jobs whose controllers have begun."""
    return {int(path.name.removeprefix("began-")) for path in folder.glob("began-*")}
