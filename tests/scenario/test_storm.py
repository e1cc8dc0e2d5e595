"""Many processes at once: the limits hold at every row of the history, and nothing is forgotten."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import select

from jobsched.audit import fold
from jobsched.scheduler.operate import set_limits
from jobsched.states import ScheduleState
from jobsched.store.catalogue.schema import history
from jobsched.store.record import Event
from tests.scenario.conftest import MakeWorld
from tests.scenario.storm import storm, unfinished

#: Raised for a longer storm than the suite has time for.
PROCESSES = int(os.environ.get("STORM_PROCESSES", "4"))
SUBMITS = int(os.environ.get("STORM_SUBMITS", "40"))
LAUNCH, ALIVE = 3, 6

_EVENTS = select(*(history.c[name] for name in Event._fields)).order_by(history.c.seq)


@pytest.mark.timeout(1200)
def test_storm(make_world: MakeWorld, tmp_path: Path) -> None:
    """Submits, launches, ends, deaths and cancels from several processes keep every limit."""
    world = make_world("[controller]\nmax_requeues = 1000\n")
    set_limits(world.context, launch=LAUNCH, alive=ALIVE)
    dag = tmp_path / "storm.yaml"
    dag.write_text("run: 'true'\n")
    spawn = multiprocessing.get_context("spawn")
    workers = [
        spawn.Process(target=storm, args=(world.root, dag, seed, SUBMITS))
        for seed in range(PROCESSES)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * PROCESSES
    assert not unfinished(world.context)
    with world.context.db.read() as tx:
        events = [Event(*row.values()) for row in tx.rows(_EVENTS)]
    assert fold(events) == []
    last = {event.job_id: event.to_value for event in events if event.kind == "SCHEDULE"}
    assert Counter(last.values()) == {ScheduleState.DONE: PROCESSES * SUBMITS}
    limits = [(event.subject, event.to_value) for event in events if event.kind == "LIMIT"]
    assert limits[-2:] == [("LAUNCH", str(LAUNCH)), ("ALIVE", str(ALIVE))]
