"""Cluster files that hold something else: one cluster is UNKNOWN, and nothing else suffers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobsched import audit
from jobsched.api import Scheduler
from jobsched.audit import Invariant
from jobsched.backends.base import ClusterState
from jobsched.errors import BackendError
from jobsched.home import Home
from jobsched.scheduler.ending import cancel
from jobsched.scheduler.ticker import sweep
from jobsched.states import TaskStatus
from tests.process.machines import Machine, a_task
from tests.support import wait_until
from tests.world import World

FACTS, RECORD = "cluster.json", "record-0"
#: What a file may hold instead.
WRONG = [
    (FACTS, b"{}"), (FACTS, b""), (FACTS, b"[1]"), (FACTS, b"null"), (FACTS, b"\xff\xfe"),
    (FACTS, b'{"job_id": 7, "gpus": []}'), (FACTS, b"[" * 50_000), (RECORD, b"hello world\n"),
    (RECORD, b"RUN x 0 1\n"), (RECORD, b"RUN 0 0 inf\n"), (RECORD, b"\xff\n"),
]  # fmt: skip


def kept(home: Home, cluster: str) -> Path:
    """Where what is known of a cluster lies."""
    return home.clusters / ".kept" / cluster


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_one_damaged_cluster(machine: Machine, name: str, wrong: bytes) -> None:
    """It is UNKNOWN and listed, and can be stopped and removed; others are not concerned."""
    other, cluster = (machine.launch(a_task("exec sleep 60")) for _ in range(2))
    wait_until(lambda: len(machine.left()) == 4, 10, "two runners and two programs")
    (kept(machine.home, cluster) / name).write_bytes(wrong)
    backend = machine.another()
    for seen in (backend.probe(cluster), backend.adopt(cluster, 2)):
        assert seen.state is ClusterState.UNKNOWN
        assert seen.reason == f"{name}: does not hold what was written there"
    assert backend.watch(cluster) == []
    states = {info.name: (info.job_id, info.state) for info in backend.clusters()}
    assert states == {other: (7, ClusterState.UP), cluster: (7, ClusterState.UNKNOWN)}
    with pytest.raises(BackendError, match="cannot be preempted: it is UNKNOWN"):
        backend.preempt(cluster)
    backend.stop(cluster, grace=0.2)
    assert len(machine.left()) == 2
    backend.remove(cluster, grace=0.2)
    assert [info.name for info in backend.clusters()] == [other]


@pytest.mark.parametrize("wrong", [b"{}", None])
def test_an_end_is_told_without_the_facts(
    machine: Machine, tmp_path: Path, wrong: bytes | None
) -> None:
    """The exit code is on disk: whatever became of the facts, no success is run again."""
    go = tmp_path / "go"
    cluster = machine.launch(a_task(f"until [ -e {go} ]; do sleep 0.02; done", num_nodes=2))
    facts = kept(machine.home, cluster) / FACTS
    if wrong is None:
        facts.unlink()
    else:
        facts.write_bytes(wrong)
    assert machine.another().probe(cluster).state is ClusterState.UNKNOWN
    go.touch()
    assert machine.until(cluster, ClusterState.ENDED).exit_code == 0
    assert machine.another().adopt(cluster, 2).exit_code == 0


@given(text=st.binary(max_size=300))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("name", [FACTS, RECORD, "lost"])
def test_no_text_is_an_exception(machine: Machine, name: str, text: bytes) -> None:
    """Whatever stands in a file of a cluster that is over, each question has an answer."""
    cluster = "7-0-1"
    if machine.made == 0 and name == "lost":
        machine.backend.preempt(machine.launch(a_task("sleep 60")))
    elif machine.made == 0:
        machine.ended(a_task("true"))
    (kept(machine.home, cluster) / name).write_bytes(text)
    assert machine.backend.probe(cluster).state in ClusterState
    assert len(machine.backend.clusters()) <= 1


@pytest.mark.parametrize("text", [b"", b"x", b"\xff", b"9" * 5000, b"2 stopped and more\n"])
def test_a_fence_that_says_nothing(machine: Machine, text: bytes) -> None:
    """It can be raised and closed again, and stops whoever has not started yet."""
    cluster = machine.launch(a_task("echo begun; sleep 60"))
    machine.until_printed(b"begun")
    (machine.home.clusters / ".fences" / cluster).write_bytes(text)
    assert machine.backend.adopt(cluster, 2).state is ClusterState.UP
    machine.backend.stop(cluster, grace=0.2)
    assert machine.left() == []


def test_a_link_for_what_is_known(machine: Machine, tmp_path: Path) -> None:
    """Where a link leads instead of to what was kept, nothing is believed."""
    cluster = machine.launch(a_task("sleep 60"))
    place = kept(machine.home, cluster)
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    seen = machine.backend.probe(cluster)
    assert (seen.state, "symbolic link" in seen.reason) == (ClusterState.UNKNOWN, True)
    machine.backend.remove(cluster, grace=0.2)
    assert (tmp_path / "moved" / "cluster.json").exists()


@pytest.mark.parametrize(("name", "wrong"), [(FACTS, b"{}"), (RECORD, b"hello world\n")])
def test_a_home_with_one(world: World, name: str, wrong: bytes) -> None:
    """Commands and the job's controller go on; the audit names it; a cancel ends it well."""
    world.tick()
    job_id, other = world.submit("run: sleep 600"), world.submit("run: sleep 600")
    for each in (job_id, other):
        world.until_status(each, TaskStatus.RUNNING)
    (kept(world.home, "1-0-1") / name).write_bytes(wrong)
    door = Scheduler(context=world.context)
    listed = {found["name"]: found["state"] for found in door.clusters()}
    assert listed == {"1-0-1": "UNKNOWN", "2-0-1": "UP"}
    (violation,) = audit.check(world.context).violations
    assert violation.invariant is Invariant.COPIES
    assert violation.text == (
        f"what runs on cluster 1-0-1 cannot be told: {name}: does not hold what was written there"
    )
    assert sweep(world.context) == []
    world.kill_controller(job_id)
    world.until(lambda: world.job(job_id).attempt == 2, "another controller")
    pid = world.controller(job_id)
    cancel(world.context, [job_id])
    world.until_done(job_id)
    assert world.attempt(job_id).attempt == 2, f"the controller, PID {pid}, did not last"
    assert world.statuses(job_id) == ["CANCELLED"]
