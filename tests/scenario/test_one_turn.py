"""A change that is made in the transaction of the pass that follows from it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from jobsched.errors import StoreError
from jobsched.lock import Held
from jobsched.nursery.handing import Claim
from jobsched.scheduler.passes import Change, run_pass
from jobsched.scheduler.submission import Submission, load, submit_new
from jobsched.states import ScheduleState
from jobsched.store import moves, reads
from jobsched.store.tx import Tx
from tests.world import InProcessStarter, World

ONE = "run: 'true'\n"
SECRETIVE = "secrets: {KEY: }\nrun: 'true'\n"


class Broken(InProcessStarter):
    """A starter that the system fails, in a way that nobody has foreseen, as long as it is so."""

    is_broken = True

    def start(self, claim: Claim, command: Sequence[str], env: object) -> int:
        """Fail after the claim is committed."""
        if self.is_broken:
            os.close(claim.lock_fd)
            raise StoreError("no start today")
        return super().start(claim, command, env)


def with_secret(path: Path) -> Submission:
    """A job that has one."""
    path.write_text(SECRETIVE)
    return Submission(loaded=load(path, secrets={"KEY": "value"}), source=str(path))


def test_a_submission_stays_whatever_becomes_of_its_start(world: World, tmp_path: Path) -> None:
    """With its secrets; the next pass starts it."""
    starter = world.context.starter = Broken()
    (job,) = submit_new(world.context, [with_secret(tmp_path / "dag.yaml")])
    assert world.home.secrets_file(job).exists()
    assert world.job(job).schedule_state is ScheduleState.LAUNCHING
    starter.is_broken = False
    run_pass(world.context, thorough=True)  # finds that nobody holds the attempt's lock
    with world.context.db.write() as tx:
        moves.set_job(tx, job, not_before=None)
    run_pass(world.context)
    assert (world.job(job).attempt, starter.claims[-1].attempt) == (2, 2)


def test_no_secret_is_left_of_what_could_not_be_stored(world: World, tmp_path: Path) -> None:
    """Of several, none is stored if one cannot be."""
    world.context.starter = InProcessStarter()
    wanted = [with_secret(tmp_path / f"{name}.yaml") for name in ("a", "b")]
    world.context.ensure_home()
    world.home.secrets_file(2).mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        submit_new(world.context, wanted)
    assert not world.home.secrets_file(1).exists()
    world.home.secrets_file(2).rmdir()
    assert submit_new(world.context, wanted) == [1, 2]


def test_what_cannot_be_changed_leaves_no_trace(world: World) -> None:
    """Nothing of the pass that was to follow is there either, nor of the start of another job."""
    starter = world.context.starter = InProcessStarter()
    job = world.submit(ONE)
    starter.claims.clear()

    def spoil(tx: Tx, held: Held) -> None:
        held.require()
        moves.set_job(tx, job, priority=7)
        raise LookupError("as it happens")

    change = Change(spoil, durable=True)
    with pytest.raises(LookupError):
        run_pass(world.context, change=change)
    assert (change.may_be_made, change.is_kept, starter.claims) == (False, False, [])
    with world.context.db.read() as tx:
        found = reads.job(tx, job)
    assert found is not None
    assert found.priority == 0
