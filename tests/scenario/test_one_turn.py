"""A change that is made in the transaction of the pass that follows from it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from jobsched import lock
from jobsched.errors import StoreError
from jobsched.lock import Grip, Held
from jobsched.nursery.handing import Claim
from jobsched.scheduler.operate import set_limits
from jobsched.scheduler.outcome import Change
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.submission import Submission, load, submit_new
from jobsched.states import ScheduleState
from jobsched.store import limits, moves, reads
from jobsched.store.tx import Tx
from tests.world import InProcessStarter, World

ONE = "run: 'true'\n"
SECRETIVE = "secrets: {KEY: }\nrun: 'true'\n"


class Broken(InProcessStarter):
    """A starter that fails after all is committed, as long as it is so."""

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
    assert (change.is_kept, starter.claims) == (False, [])
    with world.context.db.read() as tx:
        found = reads.job(tx, job)
    assert found is not None
    assert found.priority == 0


def test_a_pass_that_goes_wrong_undoes_nothing_of_the_change(world: World, tmp_path: Path) -> None:
    """One row that makes no sense keeps nobody from submitting; it is told of all the same."""
    starter = world.context.starter = InProcessStarter()
    spoilt = world.submit(ONE)
    with closing(sqlite3.connect(world.home.database)) as raw, raw:
        raw.execute("PRAGMA ignore_check_constraints = ON")
        raw.execute(
            "UPDATE jobs SET status = 'BOGUS', schedule_state = 'WAITING' WHERE job_id = ?",
            (spoilt,),
        )
    starter.claims.clear()
    with pytest.raises(ValueError, match="BOGUS"):
        submit_new(world.context, [with_secret(tmp_path / "dag.yaml")])
    assert world.job(spoilt + 1).schedule_state is ScheduleState.WAITING
    assert world.home.secrets_file(spoilt + 1).exists()
    assert (starter.claims, lock.probe(world.home.scheduler_lock)) == ([], Grip.FREE)
    with closing(sqlite3.connect(world.home.database)) as raw, raw:
        raw.execute(
            "UPDATE jobs SET status = 'PENDING', schedule_state = 'LAUNCHING' WHERE job_id = ?",
            (spoilt,),
        )


def test_who_is_stopped_while_the_disk_is_waited_for_takes_nobodys_turn(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was claimed in the same turn waits again, and keeps no slot."""
    starter = world.context.starter = InProcessStarter()
    set_limits(world.context, launch=0)
    first = world.submit(ONE)
    with world.context.locked() as held, world.context.db.write() as tx:
        limits.put(tx, held, limits.LAUNCH, 8, world.context.by(), auto=False)
    monkeypatch.setattr(os, "fdatasync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        submit_new(world.context, [with_secret(tmp_path / "dag.yaml")])
    monkeypatch.undo()
    assert starter.claims == []
    for job in (first, first + 1):
        assert world.job(job).schedule_state is ScheduleState.WAITING
        assert lock.probe(world.home.attempt_lock(job, 1)) is Grip.FREE
    assert world.home.secrets_file(first + 1).exists()


def interrupted(_descriptor: int) -> None:
    """What the system does for one who presses Ctrl-C."""
    raise KeyboardInterrupt


def test_secrets_of_what_was_refused_are_gone_before_anybody_else_has_the_lock(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next who submits may get the same id, and write its own to the same file."""
    world.context.starter = InProcessStarter()
    seen: list[Grip] = []
    unlink = Path.unlink

    def watched(path: Path, *, missing_ok: bool = False) -> None:
        if path == world.home.secrets_file(1):
            seen.append(lock.probe(world.home.scheduler_lock))
        unlink(path, missing_ok=missing_ok)

    wanted = [with_secret(tmp_path / f"{name}.yaml") for name in ("a", "b")]
    world.home.secrets_file(2).mkdir()
    monkeypatch.setattr(Path, "unlink", watched)
    with pytest.raises(OSError, match="Is a directory"):
        submit_new(world.context, wanted)
    assert seen == [Grip.HELD]
