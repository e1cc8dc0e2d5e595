"""One process of the storm: submits, launches, finishes, dies and cancels, as fast as it can."""

from __future__ import annotations

import random
import threading
from pathlib import Path

from sqlalchemy import select

from jobsched.config import AttemptIdentity
from jobsched.context import Context, open_context
from jobsched.errors import Cancelled
from jobsched.nursery.handing import Claim
from jobsched.scheduler.ending import cancel, job_done
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.slot import scheduled_launch
from jobsched.scheduler.submission import Submission, load, submit_new
from jobsched.states import ScheduleState
from jobsched.store import reads
from jobsched.store.catalogue.schema import jobs
from tests.world import InProcessStarter


def storm(root: Path, dag: Path, seed: int, submits: int) -> None:
    """Submit so many jobs and play the controller of whatever this process has claimed."""
    chance = random.Random(seed)  # noqa: S311 - the same storm each time
    context = open_context(root, actor=f"storm {seed}")
    starter = InProcessStarter()
    context.starter = starter
    submission = Submission(loaded=load(dag), source=str(dag))
    mine: list[int] = []
    players: dict[Claim, threading.Thread] = {}
    while len(mine) < submits:
        mine += submit_new(context, [submission])
        if chance.random() < 0.2:
            cancel(context, [chance.choice(mine)])
        begin(context, starter, players, chance)
    while unfinished(context):
        begin(context, starter, players, chance)
        run_pass(context, settling=True)
    for player in players.values():
        player.join()


def begin(
    context: Context,
    starter: InProcessStarter,
    players: dict[Claim, threading.Thread],
    chance: random.Random,
) -> None:
    """Give every claimed attempt a thread that plays its controller."""
    for claim in list(starter.claims):
        if claim not in players:
            seeded = random.Random(chance.random())  # noqa: S311 - likewise
            player = threading.Thread(target=play, args=(context, starter, claim, seeded))
            players[claim] = player
            player.start()


def play(context: Context, starter: InProcessStarter, claim: Claim, chance: random.Random) -> None:
    """Be the controller of one claimed attempt, for good or ill."""
    controller = open_context(context.home.root, actor="controller")
    controller.starter = starter
    controller.identity = AttemptIdentity(claim.job_id, claim.attempt)
    controller.mine(claim.job_id, "play")
    try:
        if chance.random() < 0.1:
            return
        try:
            for _ in range(chance.randrange(3)):
                with scheduled_launch(controller, claim.job_id):
                    pass
        except Cancelled:
            pass
        job_done(controller, claim.job_id, status="SUCCEEDED")
    finally:
        starter.die(claim)
        controller.db.close()


def unfinished(context: Context) -> bool:
    """Whether any job is not DONE."""
    with context.db.read() as tx:
        if reads.alive_jobs(tx):
            return True
        return bool(tx.rows(_WAITING))


_WAITING = select(jobs.c.job_id).where(jobs.c.schedule_state == ScheduleState.WAITING)
