"""What a watch sees of jobs: rows, lists, logs and processes."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

from jobsched import process
from jobsched.api import Field, Op, Order, OrderBy, Scheduler, Seen, Term, Watch
from jobsched.context import Context
from jobsched.models import DagSpec
from jobsched.states import TaskStatus
from jobsched.store import moves
from tests.store.filling import done, launching, waiting
from tests.world import InProcessStarter, World

T = TaskStatus


def test_rows(context: Context, watch: Watch) -> None:
    """What ``queue`` shows, with the file; ids that there are not are not in."""
    first, second = waiting(context, "a"), done(context, "b")
    shown = {one["job_id"]: one for one in Scheduler(context=context).queue(all=True)}
    found = watch.rows([second, 99, first])
    assert set(found) == {first, second}
    for job_id in (first, second):
        more = {"source": "x.yaml", "controller_seen": None}
        assert found[job_id] == {**shown[job_id], **more}
    inactive = Scheduler(context=context).create_job("c", ["t"])
    assert watch.rows([inactive])[inactive]["source"] is None


def test_controller_seen(context: Context, watch: Watch) -> None:
    """Whether the PID of the last controller is still that process; not all of it can be told."""
    me = process.me()
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        gone = process.identify(child.pid)
        assert gone is not None
    seen_as: dict[Seen | None, dict[str, Any]] = {
        Seen.SAME: {},
        Seen.REUSED: {"start_ticks": me.start_ticks - 1},
        Seen.GONE: {"pid": gone.pid, "start_ticks": gone.start_ticks},
        Seen.UNKNOWN: {"pid_ns": me.pid_ns + 1},
        None: {"pid": None, "start_ticks": None},
    }
    known = {"pid": me.pid, "start_ticks": me.start_ticks, "boot_id": me.boot_id}
    made: dict[int, Seen | None] = {}
    for seen, columns in seen_as.items():
        job_id = launching(context)
        made[job_id] = seen
        with context.db.write() as tx:
            moves.set_attempt(tx, job_id, 1, **{**known, "pid_ns": me.pid_ns, **columns})
    found = watch.rows(list(made))
    assert {job_id: found[job_id]["controller_seen"] for job_id in made} == made
    groups = {job_id: watch.processes(job_id) for job_id in made}
    assert {job_id: one[0].seen for job_id, one in groups.items() if one} == {
        job_id: seen for job_id, seen in made.items() if seen is not None
    }


def test_listing_and_matching(context: Context, watch: Watch) -> None:
    """All that match, and those of some that do; ages count from now, or from what is given."""
    old, new = waiting(context, "old", now=1000.0), waiting(context, "new", now=2000.0)
    young = [Term(Field.AGE, Op.LESS, (600.0,))]
    assert [job_id for _, job_id in watch.listing()] == [new, old]
    assert [job_id for _, job_id in watch.listing(young, now=2500.0)] == [new]
    assert watch.listing(young) == []
    by_name = [Order(OrderBy.NAME, descending=True)]
    whole = watch.listing(sort=by_name)
    assert [job_id for _, job_id in whole] == [old, new]
    assert watch.matching([new, 99], sort=by_name) == {new: whole[1][0]}
    assert watch.matching([old, new], young, now=2500.0).keys() == {new}


def test_show(context: Context, watch: Watch) -> None:
    """What ``show`` tells, and what was submitted."""
    job_id = waiting(context, "two", tasks=["a", "b"])
    shown = watch.show(job_id)
    dag = shown.pop("dag")
    assert isinstance(dag, DagSpec)
    assert (dag.name, [task.name for task in dag.tasks]) == ("two", ["a", "b"])
    assert (shown.pop("yaml"), shown.pop("source")) == ("", "x.yaml")
    assert shown.pop("controller_seen") is None
    assert shown == Scheduler(context=context).show(job_id)
    inactive = watch.show(Scheduler(context=context).create_job("c", ["t"]))
    assert (inactive["yaml"], inactive["source"], inactive["dag"]) == (None, None, None)


def test_log_paths(world: World, starter: InProcessStarter) -> None:
    """The controller's log, then one for each task and node, in the order of the DAG."""
    del starter
    job_id = world.submit("name: p\n---\nname: a\nnum_nodes: 2\nrun: x\n---\nname: b\nrun: y\n")
    tasks = world.home.root / "logs" / "tasks"
    assert Scheduler(context=world.context).watch().log_paths(job_id) == [
        ("controller", world.home.root / "logs" / "controller" / f"{job_id}.log"),
        ("task 0 (a), node 0", tasks / f"{job_id}-0.log"),
        ("task 0 (a), node 1", tasks / f"{job_id}-0-1.log"),
        ("task 1 (b)", tasks / f"{job_id}-1.log"),
    ]


def test_processes(unwatched: World) -> None:
    """The roots of what runs for a job: its controller, and the runner of its cluster."""
    world = unwatched
    job_id = world.submit("run: sleep 300 & exec sleep 301\n")
    world.until_status(job_id, T.RUNNING)
    watch = Scheduler(context=world.context).watch()
    controller, cluster = watch.processes(job_id)
    assert (controller.kind, controller.name, controller.seen) == (
        "controller", "attempt 1", Seen.SAME,
    )  # fmt: skip
    assert controller.pids == (world.controller(job_id),)
    assert (cluster.kind, cluster.name) == ("cluster", world.tasks(job_id)[0].cluster)
    assert cluster.seen is Seen.SAME
    assert len(cluster.pids) == 1
    world.until(lambda: len(process.descendants(cluster.pids[0])) >= 2, "both programs to run")
    assert watch.processes(job_id)[1].pids == cluster.pids
    assert watch.processes(job_id + 1) == []
    world.kill_controller(job_id, signal.SIGKILL)
    world.until(
        lambda: watch.processes(job_id)[0].seen is Seen.GONE, "the controller to be seen gone"
    )
    assert watch.rows([job_id])[job_id]["controller_seen"] == "gone"
    watch.close()
