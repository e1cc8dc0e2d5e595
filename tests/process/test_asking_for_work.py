"""A child of the nursery that has done its work asks for more: it is given some, or leaves."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from jobsched.home import Home
from jobsched.nursery.handing import (
    Asked,
    Claim,
    Relief,
    ask,
    give,
    go_on,
    is_begun,
    listen,
    receive,
    relieve,
    short,
    stand_down,
    word,
)  # fmt: skip
from jobsched.scheduler.ending import cancel, job_done
from jobsched.states import TaskStatus
from jobsched.store import moves
from tests.world import World

#: At once: fewer than a process may have open where nobody has set that.
MANY = 200


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.create()
    return home


@pytest.fixture(name="listener")
def _listener(home: Home) -> Iterator[socket.socket]:
    with listen(home) as listener:
        yield listener


def test_who_asks_is_given_a_claim_with_its_lock(
    home: Home, listener: socket.socket, tmp_path: Path
) -> None:
    """The descriptor is of the same file, and no program that is started inherits it."""
    with ThreadPoolExecutor() as pool, (tmp_path / "lock").open("w") as lock:
        asked = pool.submit(ask, home, 10.0)
        line, _ = listener.accept()
        with line:
            assert receive(line) == Asked(os.getpid(), was_crowded=False)
            assert give(line, Claim(7, 2, lock.fileno()))
        claim = asked.result()
        assert claim is not None
        assert (claim.job_id, claim.attempt) == (7, 2)
        assert os.path.sameopenfile(claim.lock_fd, lock.fileno())
        assert not os.get_inheritable(claim.lock_fd)
        os.close(claim.lock_fd)


def test_hundreds_ask_in_the_same_moment(home: Home, listener: socket.socket) -> None:
    """None is refused because the nursery is still busy with those before."""
    with ExitStack() as lines, short(home.nursery_socket) as path:
        for _ in range(MANY):
            line = lines.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            line.settimeout(10.0)
            line.connect(path)
            line.sendall(b"?%d 0\n" % os.getpid())
        heard = 0
        listener.settimeout(10.0)
        for _ in range(MANY):
            mine, _ = listener.accept()
            with mine:
                heard += receive(mine) == Asked(os.getpid(), was_crowded=False)
        assert heard == MANY


def test_who_leaves_can_be_given_nothing(home: Home, listener: socket.socket) -> None:
    """And where there is no nursery, nobody is waited for."""
    assert ask(home, 0.01) is None
    line, _ = listener.accept()
    with line:
        assert receive(line) == Asked(os.getpid(), was_crowded=False)
        assert not give(line, Claim(7, 2, line.fileno()))
    home.nursery_socket.unlink()
    assert ask(home, 60.0) is None


def test_what_is_given_at_the_last_moment_is_taken(home: Home, listener: socket.socket) -> None:
    """Whichever comes first, both ends agree on it: no claim is lost, and none is taken twice."""
    rounds = 300

    def serve() -> list[int]:
        """Give after about as long as is waited; the jobs that somebody was there to take."""
        given = []
        for number in range(rounds):
            line, _ = listener.accept()
            with line:
                receive(line)
                time.sleep(0.002 * number / rounds)
                if give(line, Claim(number, 1, line.fileno())):
                    given.append(number)
        return given

    with ThreadPoolExecutor() as pool:
        served = pool.submit(serve)
        taken = [claim for _ in range(rounds) if (claim := ask(home, 0.001)) is not None]
        given = served.result()
    for claim in taken:
        os.close(claim.lock_fd)
    assert [claim.job_id for claim in taken] == given


@pytest.mark.parametrize("says", ["go on", "stand down", "nothing"])
def test_who_relieves_a_controller_does_as_it_says(
    home: Home, listener: socket.socket, tmp_path: Path, says: str
) -> None:
    """The lock, what to wait on and the note arrive; who dies without a word is replaced."""
    with ThreadPoolExecutor() as pool, (tmp_path / "lock").open("w") as lock:
        claim = Claim(7, 2, lock.fileno())
        asked = pool.submit(relieve, home, claim, [listener.fileno()], {"seconds": None})
        line, _ = listener.accept()
        with line:
            heard = receive(line)
        assert isinstance(heard, Relief)
        assert (heard.claim.job_id, heard.claim.attempt, heard.note) == (7, 2, {"seconds": None})
        assert os.path.sameopenfile(heard.claim.lock_fd, lock.fileno())
        assert [os.path.sameopenfile(fd, listener.fileno()) for fd in heard.descriptors] == [True]
        is_begun(heard, 4711)
        found = asked.result()
        assert found is not None
        pid, end = found
        assert pid == 4711
        if says == "go on":
            go_on(end)
        elif says == "stand down":
            stand_down(end)
        end.close()
        assert word(heard) is {"go on": True, "stand down": False, "nothing": None}[says]
        for descriptor in (heard.claim.lock_fd, *heard.descriptors):
            os.close(descriptor)


def test_a_nursery_that_says_nothing_relieves_nobody(home: Home, listener: socket.socket) -> None:
    """And whatever it has begun hears that it is not needed."""
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(relieve, home, Claim(7, 2, listener.fileno()), [], {})
        line, _ = listener.accept()
        with line:
            heard = receive(line)
        assert isinstance(heard, Relief)
        os.write(heard.line, b"hello\n")
        assert asked.result() is None
        assert word(heard) is False
        os.close(heard.claim.lock_fd)


@pytest.fixture(name="world")
def _world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "home", "[controller]\nnursery = false\n")
    yield world
    world.close()


_ASK = """
import sys, threading
from pathlib import Path
from jobsched.context import open_context
from jobsched.controller.again import is_unsought
from jobsched.nursery.handing import Claim

context, over = open_context(Path(sys.argv[1])), threading.Event()
if sys.argv[3] == "busy":
    threading.Thread(target=over.wait).start()
print(is_unsought(context, Claim(int(sys.argv[2]), 1, -1)))
over.set()
"""


def is_free(world: World, job: int, *, busy: bool = False) -> bool:
    """What a process that drove the job as its first attempt says: one without our threads."""
    words = [sys.executable, "-c", _ASK, str(world.root), str(job), "busy" if busy else "idle"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return {"True\n": True, "False\n": False}[said]


def ended(world: World) -> int:
    """A job that has come to its end by itself."""
    job = world.submit("run: 'true'\n")
    world.until_done(job)
    return job


def test_the_process_of_a_job_that_ended_by_itself_is_free(world: World) -> None:
    """Unless anything of it still goes on."""
    job = ended(world)
    assert is_free(world, job)
    assert not is_free(world, job, busy=True)


def test_a_process_that_may_be_signalled_is_not_free(world: World, tmp_path: Path) -> None:
    """Whoever signals has said so in the database, and means the job."""
    waits = f"run: while [ ! -e {tmp_path / 'go'} ]; do sleep 0.05; done\n"
    cancelled, forced = world.submit(waits), world.submit(waits)
    for job in (cancelled, forced):
        world.until_status(job, TaskStatus.RUNNING)
    cancel(world.context, [cancelled])
    job_done(world.context, forced)
    for job in (cancelled, forced):
        world.until_done(job)
        assert not is_free(world, job), job
    noted = ended(world)
    with world.context.db.write() as tx:
        moves.set_attempt(tx, noted, 1, end_reason="requeued")
    assert not is_free(world, noted)
