"""Of very many claims, only as many controllers begin at once as there are processors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from jobsched.home import Home
from jobsched.nursery.handing import Claim, hand_over, listen
from tests.support import measured, wait_until

MOST = max(2, os.cpu_count() or 1)
#: A nursery whose controllers begin when they are let: then they say so, and end. Time stands
#: still in it until it is told that it is later, so that none is said to have begun long ago.
PROGRAM = """
import os, socket, sys, threading, time
from pathlib import Path
from jobsched import wake
from jobsched.home import Home
from jobsched.nursery.brood import Brood, Roles
from jobsched.nursery.handing import ask
from jobsched.testing import FakeClock

folder, then = Path(sys.argv[2]), sys.argv[3]

def begins(claim, lifeline, tell):
    while claim is not None:
        (folder / f"began-{claim.job_id}").touch()
        while not (folder / f"go-{claim.job_id}").exists():
            time.sleep(0.005)
        if then == "waits":
            os.write(tell, os.getpid().to_bytes(4))
            wake.wait([lifeline], None)
        claim = ask(Home(folder / "home"), 60.0, was_crowded=then == "was crowded")
    return 0

def ticks(lifeline):
    wake.wait([lifeline], None)
    return 0

clock = FakeClock()

def later():
    while not (folder / "later").exists():
        time.sleep(0.005)
    clock.sleep(1.0)

threading.Thread(target=later, daemon=True).start()
Brood(
    socket.socket(fileno=int(sys.argv[1])),
    Roles(controller=begins, relief=begins, attendant=ticks, mourner=lambda _: 0),
    clock=clock,
).serve()
"""


@contextmanager
def nursery(folder: Path, then: str) -> Iterator[Callable[[Sequence[int]], None]]:
    """A nursery whose controllers do ``then`` once they are let; how to hand jobs over to it."""
    home = Home(folder / "home")
    home.create()
    given: list[int] = []
    with listen(home) as listener, (folder / "lock").open("w") as lock:

        def hand(jobs: Sequence[int]) -> None:
            given.extend(jobs)
            claims = [Claim(job, 1, lock.fileno()) for job in jobs]
            assert hand_over(home, claims, end=lambda: False)

        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(listener.fileno()), str(folder), then],
            pass_fds=[listener.fileno()], env=measured({"PATH": os.environ["PATH"]}),
        )  # fmt: skip
        try:
            yield hand
        finally:
            let(folder, given)
            program.kill()
            program.wait()


def test_the_next_begins_when_one_has_begun(tmp_path: Path) -> None:
    """Whichever that is; all that were handed over begin in the end."""
    jobs = range(1, MOST + 7)
    with nursery(tmp_path, "waits") as hand:
        hand(jobs)
        for at_most in range(MOST, MOST + 7):
            until_begun(tmp_path, at_most)
            assert began(tmp_path) == set(jobs[:at_most])
            let(tmp_path, [jobs[at_most - 1]])


@pytest.mark.parametrize(("then", "at_once"), [("asks", MOST), ("was crowded", 1)])
def test_one_at_a_time_begins_where_others_wait(tmp_path: Path, then: str, at_once: int) -> None:
    """Those who have waited for others say so when they ask for more; for a moment that counts."""
    with nursery(tmp_path, then) as hand:
        hand(range(1, MOST + 1))
        until_begun(tmp_path, MOST)
        let(tmp_path, range(1, MOST + 1))
        jobs = range(MOST + 1, 3 * MOST + 1)
        hand(jobs)
        until_begun(tmp_path, MOST + at_once)
        hand([3 * MOST + 1])  # it has come round to hearing this
        hand([3 * MOST + 2])
        assert len(began(tmp_path)) == MOST + at_once
        (tmp_path / "later").touch()  # so much that nobody is said to begin any more
        until_begun(tmp_path, 2 * MOST + at_once)


def let(folder: Path, jobs: Iterable[int]) -> None:
    """Let controllers go on."""
    for job in jobs:
        (folder / f"go-{job}").touch()


def until_begun(folder: Path, number: int) -> None:
    """Wait until so many controllers have begun."""
    wait_until(lambda: len(began(folder)) == number, 20, f"{number} to begin")


def began(folder: Path) -> set[int]:
    """The jobs whose controllers have begun."""
    return {int(path.name.removeprefix("began-")) for path in folder.glob("began-*")}
