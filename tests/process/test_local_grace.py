"""A stop asks every process that runs once, then leaves what they do about it alone until the end.

The programs note each SIGTERM that they get; none may get a second.
"""

from __future__ import annotations

import sys
import textwrap
import time

import pytest

from jobsched.backends.base import ClusterState
from tests.process.machines import Machine, a_task

#: Counts the requests to end, and works for a second once it has got one.
COUNTING = textwrap.dedent("""
    import signal, subprocess, sys, time
    asked = 0
    def count(number, frame):
        global asked
        asked += 1
    signal.signal(signal.SIGTERM, count)
    print("ready", flush=True)
    while not asked:
        time.sleep(0.01)
    child = subprocess.run([sys.executable, "-c", "import time; time.sleep(1)"])
    print(f"{sys.argv[1]}: asked {asked}, child {child.returncode}", flush=True)
""")


def counting(name: str) -> str:
    """A shell word that runs the counting program under a name."""
    return f"{sys.executable} -c '{COUNTING}' {name}"


@pytest.mark.parametrize("saver", ["sleep 1", "setsid sleep 1", "sleep 1 3>&- & wait $!"])
def test_what_a_handler_starts_is_left_alone(machine: Machine, saver: str) -> None:
    """A shell that saves its work by other programs gets to the end of that."""
    cluster = machine.launch(
        a_task(
            f"trap '{saver}; echo saved $?; exit' TERM\necho ready; while :; do sleep 0.02; done"
        )
    )
    machine.until_printed(b"ready")
    began = time.monotonic()
    machine.backend.stop(cluster, grace=20)
    assert 1 <= time.monotonic() - began < 8, "the end of the handler is the end of the wait"
    assert b"saved 0" in machine.log()
    assert machine.left() == []


@pytest.mark.parametrize("how", ["{}", "setsid {} & wait", "{} 3>&- & wait", "({} &) ; sleep 60"])
def test_each_is_asked_once(machine: Machine, how: str) -> None:
    """Wherever in the task it is, a program gets one SIGTERM, and its children none."""
    program = counting("it")
    cluster = machine.launch(a_task(f"trap : TERM; {how.format(program)}; wait; sleep 2"))
    machine.until_printed(b"ready")
    machine.backend.stop(cluster, grace=20)
    assert b"it: asked 1, child 0" in machine.log()
    assert machine.left() == []


def test_leftovers_of_an_ended_run_have_their_grace(machine: Machine) -> None:
    """What run left in the background is asked once, too, and may finish."""
    cluster = machine.launch(
        a_task(f"{counting('one')} & {counting('two')} & until [ -e go ]; do sleep 0.02; done")
    )
    machine.until_printed(b"ready", times=2)
    (machine.home.clusters / cluster / "workdir-0" / "go").touch()
    machine.until(cluster, ClusterState.ENDED)
    machine.backend.stop(cluster, grace=20)
    assert b"one: asked 1, child 0" in machine.log()
    assert b"two: asked 1, child 0" in machine.log()
    assert machine.left() == []


def test_whatever_is_left_after_the_grace_is_killed(machine: Machine) -> None:
    """Also what a handler has started since, and what goes on starting more."""
    restless = "trap '' TERM; while :; do setsid sleep 60 & sleep 0.05; done"
    cluster = machine.launch(
        a_task(f"trap '(trap \"\" TERM; sleep 60)' TERM; ({restless}) & echo ready; wait; sleep 60")
    )
    machine.until_printed(b"ready")
    began = time.monotonic()
    machine.backend.stop(cluster, grace=1)
    assert 1 <= time.monotonic() - began < 8
    assert machine.left() == []
