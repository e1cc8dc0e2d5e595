"""Environments that no program can be given: known before anything runs, and never retried."""

from __future__ import annotations

import os
import resource

import pytest

from jobsched.backends.base import ClusterState
from jobsched.errors import PrecheckFailed
from jobsched.states import TaskStatus
from tests.process.machines import Machine, a_task
from tests.world import World

#: Bytes of one variable at most, where pages have 4 KiB: with its name, "=" and the NUL.
LONGEST = 131_072

pytestmark = pytest.mark.skipif(
    os.sysconf("SC_PAGE_SIZE") != 4096, reason="the bound is a number of pages"
)


def test_the_longest_variable(machine: Machine) -> None:
    """One of just the size that the system allows reaches the program whole."""
    value = "x" * (LONGEST - len("BIG=") - 1)
    seen = machine.ended(a_task(f"[ ${{#BIG}} = {len(value)} ]"), env={"BIG": value})
    assert seen.exit_code == 0


@pytest.mark.parametrize("where", ["env", "base_env"])
def test_one_byte_more(machine: Machine, where: str) -> None:
    """It is refused with its name, its size and the bound; nothing is left."""
    env = {"PATH": os.environ["PATH"], "BIG": "x" * (LONGEST - len("BIG="))}
    with pytest.raises(PrecheckFailed) as refused:
        machine.launch(a_task("true"), **{where: env})
    (reason,) = refused.value.reasons
    assert "variable BIG" in reason
    assert "takes 131073 bytes" in reason
    assert "131072 in one" in reason
    assert machine.backend.probe("7-0-1").state is ClusterState.GONE
    assert machine.backend.clusters() == []


@pytest.mark.parametrize(("value", "what"), [("a\0b", "a NUL"), ("\ud800", "no character")])
def test_what_is_no_text(machine: Machine, value: str, what: str) -> None:
    """A value that no environment can hold is refused with the variable's name."""
    with pytest.raises(PrecheckFailed, match=f"variable ODD .* holds .*{what}"):
        machine.launch(a_task("true"), env={"ODD": value})


def test_too_much_altogether(machine: Machine) -> None:
    """Many variables of an allowed size are refused where together they are too many."""
    stack = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (8 * 2**20, stack[1]))
    try:
        many = {f"V{number}": "x" * 100_000 for number in range(19)}
        assert machine.ended(a_task("true"), env=many).exit_code == 0
        with pytest.raises(PrecheckFailed, match=r"environment takes .* at most"):
            machine.launch(a_task("true"), env=many | {f"W{n}": "x" * 100_000 for n in range(3)})
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, stack)


def test_such_a_job_ends(world: World) -> None:
    """It is FAILED_PRECHECKS at once, and says which variable it is."""
    world.tick()
    job_id = world.submit(f"envs: {{BIG: {'x' * 150_000}}}\nrun: 'true'\n")
    world.until_done(job_id)
    assert world.statuses(job_id) == [str(TaskStatus.FAILED_PRECHECKS)]
    assert "variable BIG" in (world.tasks(job_id)[0].failure_reason or "")
