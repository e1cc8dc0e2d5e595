"""Processes as the kernel knows them, also where it is older, or another system's.

What ``test_identities.py`` says of ordinary processes holds here for the unusual: who changes
under one's hands, who cannot be seen, and systems without ``/proc`` or process descriptors.
"""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jobsched import process
from tests.support import measured, wait_until

ROOT = Path(__file__).parents[2]

#: Runs before jobsched is imported, to stand in for another system.
KERNELS = {
    "this": "",
    "without pidfds": """
        import errno, os
        def refuse(pid, flags=0):
            raise OSError(errno.ENOSYS, "Function not implemented")
        os.pidfd_open = refuse
    """,
    "without pidfds in Python": """
        import os, signal
        del os.pidfd_open, signal.pidfd_send_signal
    """,
    "without /proc": """
        import os, signal
        del os.pidfd_open, signal.pidfd_send_signal
        isdir = os.path.isdir
        os.path.isdir = lambda path: path != "/proc/self/fdinfo" and isdir(path)
    """,
}

JUDGE = """
    import os, signal, subprocess, sys, time
    from dataclasses import replace
    from jobsched import process

    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        who = process.identify(child.pid)
        assert who is not None and process.is_same(who) is True
        assert process.identify(os.getpid()) == process.me()
        assert process.has_members(child.pid)
        entry = process.look_up(child.pid)
        assert entry.identity == who and entry.key == (who.pid, who.start_ticks)
        assert entry.session == child.pid
        assert child.pid in [entry.pid for entry in process.table()]
        for other in (
            replace(who, start_ticks=who.start_ticks + 1), replace(who, boot_id="another"),
            replace(who, pid_ns=who.pid_ns + 1), replace(who, pid=1), replace(who, pid=-child.pid),
        ):
            assert process.signal(other, signal.SIGKILL) is False
        time.sleep(0.1)
        assert child.poll() is None
        assert process.signal(who, signal.SIGTERM) is True
        deadline = time.monotonic() + 10
        while process.identify(child.pid) is not None:
            assert time.monotonic() < deadline
        assert process.is_same(who) is False, "a zombie has ended"
        assert process.signal(who, signal.SIGKILL) is False
        assert process.pidfd(who) is None
        child.wait()
        assert process.look_up(child.pid) is None and process.is_same(who) is False
        assert process.signal(who, signal.SIGKILL) is False
        assert not process.has_members(child.pid)
    finally:
        child.kill()
        child.wait()
"""


def run(code: str, *arguments: str, before: tuple[str, ...] = ()) -> str:
    """What a process that runs ``code`` prints; fails if it does."""
    done = subprocess.run(
        [*before, sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env=measured({"PATH": os.environ["PATH"]}),
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Decoy:
    """A process that notes each signal it gets."""

    def __init__(self, notes: Path) -> None:
        script = (
            f"for s in HUP INT TERM USR1 CONT; do trap \"echo $s >> '{notes}'\" $s; done;"
            f" echo ready >> '{notes}'; while :; do sleep 0.01; done"
        )
        self._notes = notes
        self.popen = subprocess.Popen(["bash", "-c", script], start_new_session=True)
        wait_until(lambda: self.heard, 10, "the decoy")

    @property
    def heard(self) -> list[str]:
        """Signals that it got, after "ready"."""
        return self._notes.read_text().split() if self._notes.exists() else []

    def close(self) -> None:
        """End it."""
        os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()


@pytest.fixture
def decoy(tmp_path: Path) -> Iterator[Decoy]:
    """A process that notes each signal it gets."""
    decoy = Decoy(tmp_path / "notes")
    yield decoy
    decoy.close()


def test_a_decoy_is_never_hit(decoy: Decoy) -> None:
    """Whoever has the PID of one that is meant, but is another, hears nothing."""
    who = process.identify(decoy.popen.pid)
    assert who is not None
    numbers = (signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGKILL)
    for other in (
        replace(who, start_ticks=who.start_ticks - 1),
        replace(who, start_ticks=0),
        replace(who, boot_id=""),
        replace(who, pid_ns=0),
    ):
        assert [process.signal(other, number) for number in numbers] == [False] * 4
        assert process.pidfd(other) is None
    assert process.signal(who, signal.SIGTERM) is True
    wait_until(lambda: "TERM" in decoy.heard, 10, "the one signal that was meant for it")
    assert decoy.heard == ["ready", "TERM"]


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_system(tmp_path: Path, kernel: str) -> None:
    """Older kernels and other systems tell who is who, and signals reach the one meant alone."""
    (tmp_path / "file").touch()
    run(textwrap.dedent(KERNELS[kernel]) + textwrap.dedent(JUDGE), str(tmp_path / "file"))


def test_without_proc_holders_are_openers(tmp_path: Path) -> None:
    """Where locks cannot be told, whoever has the file open is named; children are not known."""
    (tmp_path / "lock").touch()
    code = """
        import os, sys
        from jobsched import process
        with open(sys.argv[1]):
            print(process.holders(sys.argv[1]) == [os.getpid()], process.descendants(os.getppid()))
        print(process.boot_id().startswith("booted-"), process.identify(2**22 + 1))
    """
    found = run(
        textwrap.dedent(KERNELS["without /proc"]) + textwrap.dedent(code), str(tmp_path / "lock")
    )
    assert found.splitlines() == ["True []", "True None"]


def test_another_pid_namespace() -> None:
    """Where /proc speaks of another namespace nothing can be told, and nobody is signalled."""
    unshare = ["unshare", "--user", "--map-root-user"] if os.geteuid() else ["unshare"]
    before = (*unshare, "--pid", "--fork")
    tried = subprocess.run([*before, "true"], capture_output=True, check=False)
    if shutil.which("unshare") is None or tried.returncode != 0:
        pytest.skip("needs the right to make a PID namespace")
    code = """
        import os, signal, subprocess
        from dataclasses import replace
        from jobsched import process
        child = subprocess.Popen(["sleep", "60"])
        me = process.me()
        who = replace(me, pid=child.pid)
        print(process.is_same(who), process.look_up(child.pid), process.identify(child.pid))
        print(process.table(), process.descendants(os.getpid()))
        print(process.signal(who, signal.SIGKILL))
        print(process.pidfd(who), child.poll())
        child.kill()
        child.wait()
    """
    found = run(textwrap.dedent(code), before=before)
    assert found.splitlines() == ["None None None", "[] []", "False", "None None"]


def test_a_process_that_cannot_be_told(decoy: Decoy) -> None:
    """From another namespace it is unknown, from another boot it is gone."""
    who = process.identify(decoy.popen.pid)
    assert who is not None
    assert process.is_same(replace(who, pid_ns=who.pid_ns + 1)) is None
    assert process.is_same(replace(who, boot_id="earlier")) is False
    assert process.is_same(replace(who, pid=2**22 + 1)) is False


def test_a_stopped_process(decoy: Decoy) -> None:
    """It is the same one, and its descriptor is silent until it has ended."""
    who = process.identify(decoy.popen.pid)
    assert who is not None
    descriptor = process.pidfd(who)
    assert descriptor is not None
    process.signal(who, signal.SIGSTOP)
    wait_until(lambda: (e := process.look_up(who.pid)) and e.state == "T", 10, "the stop")
    assert process.is_same(who) is True
    assert select.select([descriptor], [], [], 0)[0] == []
    process.signal(who, signal.SIGKILL)
    assert select.select([descriptor], [], [], 10)[0] == [descriptor]
    os.close(descriptor)
    assert process.is_same(who) is False, "not yet collected, but ended"


def test_a_name_that_imitates_the_table(tmp_path: Path) -> None:
    """A program's name may hold spaces and brackets; what comes after it is read all the same."""
    program = tmp_path / "a) Z 1 ("
    shutil.copy(shutil.which("sleep") or "", program)
    with subprocess.Popen([str(program), "60"]) as child:
        wait_until(
            lambda: b"Z 1" in Path(f"/proc/{child.pid}/stat").read_bytes(), 10, "the program"
        )
        entry = process.look_up(child.pid)
        child.kill()
    assert entry is not None
    assert not entry.is_dead
    assert entry.session == os.getsid(0)


def test_members_of_a_session() -> None:
    """Also when its leader has gone, and in whatever group they are."""
    code = "set -m; sleep 60 & echo $!"
    with subprocess.Popen(
        ["bash", "-c", code], stdout=subprocess.PIPE, start_new_session=True
    ) as leader:
        assert leader.stdout is not None
        child = int(leader.stdout.readline())
        leader.wait()
        assert process.identify(leader.pid) is None
        assert process.has_members(leader.pid)
        who = process.identify(child)
        assert who is not None
        process.signal(who, signal.SIGKILL)
        wait_until(lambda: not process.has_members(leader.pid), 10, "the session to be empty")


def test_who_merely_has_it_open_is_no_holder(tmp_path: Path) -> None:
    """An exclusive lock is told from a shared one and from none; a missing file has no holder."""
    path = tmp_path / "lock"
    assert process.holders(path) == []
    with path.open("w") as shared, path.open() as other:
        fcntl.flock(shared, fcntl.LOCK_SH)
        assert process.holders(path) == []
        fcntl.flock(shared, fcntl.LOCK_UN)
        fcntl.flock(other, fcntl.LOCK_EX)
        assert process.holders(path) == [os.getpid()]
        # A name of which this one is the beginning is another file.
        (tmp_path / "lock.more").touch()
        assert process.holders(tmp_path / "lock.more") == []


def test_a_lock_is_inherited_with_its_descriptor(tmp_path: Path) -> None:
    """Each process that inherited it holds it, until the last has let go."""
    path = tmp_path / "lock"
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with subprocess.Popen(["sleep", "60"], pass_fds=[file.fileno()]) as heir:
            assert process.holders(path) == sorted([os.getpid(), heir.pid])
            process.close_on_exec(file.fileno())
            with subprocess.Popen(["sleep", "60"], close_fds=False) as other:
                wait_until(lambda: other.pid not in process.holders(path), 5, "the exec")
                other.kill()
            file.close()
            assert process.holders(path) == [heir.pid]
            heir.kill()
    assert process.holders(path) == []


def test_closing_what_is_closed() -> None:
    """A descriptor that is closed already is no mistake."""
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    process.close_on_exec(writing)


def test_short_of_descriptors() -> None:
    """A process that can open nothing more is told so, and not that others are gone."""
    code = """
        import os, resource, signal, subprocess
        from jobsched import process
        child = subprocess.Popen(["sleep", "60"])
        who = process.identify(child.pid)
        lowest = os.dup(0)
        os.close(lowest)
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, lowest))
        kill = lambda who: process.signal(who, signal.SIGKILL)
        for ask in (process.pidfd, process.is_same, kill):
            try:
                print(ask(who))
            except OSError as error:
                print(error.strerror)
        print(child.poll())
        child.kill()
        child.wait()
    """
    assert run(textwrap.dedent(code)).splitlines() == ["Too many open files"] * 3 + ["None"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may signal everybody")
def test_somebody_elses_process() -> None:
    """It gets no signal, and is no error."""
    others = [entry for entry in process.table() if entry.pid > 1 and owner(entry) == 0]
    assert [process.signal(entry.identity, 0) for entry in others] == [False] * len(others)
    root = process.look_up(1)
    if root is not None and owner(root) == 0:
        with pytest.raises(PermissionError):
            os.kill(1, 0)  # so the answers above were refusals, not deaths


def owner(entry: process.Entry) -> int | None:
    """Whose process it is; ``None`` once it is gone."""
    try:
        return Path(f"/proc/{entry.pid}").stat().st_uid
    except FileNotFoundError:
        return None
