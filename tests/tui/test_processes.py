from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Literal

import psutil
import pytest
from textual.app import App, ComposeResult

from jobsched.api import ProcessGroup, Seen
from jobsched.clock import SystemClock
from jobsched_tui.data import proctable
from jobsched_tui.data.processes import Proc, Sampler, Tree, Usage
from jobsched_tui.data.proctable import Identity
from jobsched_tui.data.signals import Sent, menu, send
from jobsched_tui.present import processes as words
from jobsched_tui.present.glyphs import ASCII
from jobsched_tui.present.spans import plain, width
from jobsched_tui.widgets.process_view import ProcessView
from tests.support import wait_until


def group(
    kind: Literal["controller", "cluster"],
    pids: Sequence[int],
    name: str = "",
    seen: Seen = Seen.SAME,
) -> ProcessGroup:
    """Roots as the library names them."""
    return ProcessGroup(kind=kind, name=name, pids=tuple(pids), seen=seen, started_at=0.0)


@pytest.fixture
def family() -> Iterator[subprocess.Popen[bytes]]:
    """A shell that burns CPU, with a child that sleeps and one that has a child of its own."""
    script = "sleep 60 & (sleep 61; true) & while :; do :; done"
    parent = subprocess.Popen(["bash", "-c", script, "the\x1bparent"])
    wait_until(
        lambda: len(psutil.Process(parent.pid).children(recursive=True)) == 3, 10, "children"
    )
    yield parent
    with suppress(psutil.Error):
        for child in psutil.Process(parent.pid).children(recursive=True):
            child.kill()
    parent.kill()
    parent.wait()


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that sleeps."""
    process = subprocess.Popen(["sleep", "60"])
    yield process
    process.kill()
    process.wait()


def sample(*groups: ProcessGroup) -> Usage:
    """One look at one job."""
    return Sampler(SystemClock()).sample({1: groups})[1]


def commands(tree: Tree) -> list[tuple[int, str]]:
    """Depth and program of each process of a tree, without the shells' own names."""
    return [(proc.depth, proc.command) for proc in tree.procs]


def test_a_tree_has_all_descendants_below_their_parents(family: subprocess.Popen[bytes]) -> None:
    """One pass finds children and their children; numbers and times are the kernel's."""
    (tree,) = sample(group("controller", (family.pid,))).trees
    assert [depth for depth, _ in commands(tree)] == [0, 1, 1, 2]
    assert tree.procs[0].pid == family.pid
    assert tree.procs[0].command.endswith("done the\x1bparent")
    assert [command for _, command in commands(tree) if command.startswith("sleep")] == [
        "sleep 60",
        "sleep 61",
    ]
    known = psutil.Process(family.pid)
    assert tree.procs[0].rss == pytest.approx(known.memory_info().rss, rel=0.5)
    assert tree.procs[0].elapsed == pytest.approx(time.time() - known.create_time(), abs=2.0)
    assert tree.procs[0].state == "R"


def test_load_is_told_from_the_second_look_on(family: subprocess.Popen[bytes]) -> None:
    """Before there are two looks no load is known; then 100 is one core, and a sleeper has none."""
    sampler, groups = Sampler(SystemClock()), {1: [group("controller", (family.pid,))], 2: []}
    first = sampler.sample(groups)
    assert (first[1].cpu, first[2].cpu, first[2].rss) == (None, None, None)
    loads: list[Usage] = []

    def is_busy() -> bool:
        time.sleep(0.3)
        loads.append(sampler.sample(groups)[1])
        return (loads[-1].cpu or 0.0) > 10

    wait_until(is_busy, 10, "a load")
    assert (loads[-1].cpu or 0.0) <= 110
    assert [proc.cpu for proc in loads[-1].procs if proc.command == "sleep 60"] == [0.0]
    assert loads[-1].rss == sum(proc.rss for proc in loads[-1].procs)


def test_a_process_belongs_to_the_nearest_root(family: subprocess.Popen[bytes]) -> None:
    """A cluster's root below the controller is the cluster's, and is counted once."""
    children = psutil.Process(family.pid).children()
    (shell,) = [child for child in children if child.children()]
    usage = sample(group("controller", (family.pid,)), group("cluster", (shell.pid,), "1-0-1"))
    controller, cluster = usage.trees
    assert [proc.depth for proc in controller.procs] == [0, 1]
    assert [proc.depth for proc in cluster.procs] == [0, 1]
    pids = [proc.pid for proc in usage.procs]
    assert len(pids) == len(set(pids)) == 4
    assert usage.controller is not None
    assert usage.controller.pid == family.pid


def test_a_root_below_another_of_its_group_is_shown_once(family: subprocess.Popen[bytes]) -> None:
    """All processes of a cluster may be named as roots; it is one tree all the same."""
    pids = [family.pid, *(p.pid for p in psutil.Process(family.pid).children(recursive=True))]
    (tree,) = sample(group("cluster", pids[::-1])).trees
    assert [proc.depth for proc in tree.procs] == [0, 1, 1, 2]


def test_a_reused_pid_is_never_part_of_the_job(family: subprocess.Popen[bytes]) -> None:
    """What runs under the PID now is named as another one, and neither counted nor followed."""
    usage = sample(group("controller", (family.pid,), seen=Seen.REUSED))
    (tree,) = usage.trees
    assert tree.procs == ()
    assert tree.usurper is not None
    assert tree.usurper.pid == family.pid
    assert (usage.cpu, usage.rss, usage.controller) == (None, None, None)
    head, other = words.rows(usage, 80)
    assert plain(head.line) == f"controller · ? pid {family.pid} now belongs to bash"
    assert "not of this job: bash -c" in plain(other.line)
    assert other.identity is None


def test_a_stopped_and_a_dead_process_are_told_by_their_state() -> None:
    """T: stopped by a signal; Z: ended, and not collected by its parent yet."""
    child = subprocess.Popen(["sleep", "60"])
    try:
        child.send_signal(signal.SIGSTOP)
        roots = group("controller", (child.pid,))
        wait_until(lambda: state(roots) == "T", 10, "it to stop")
        child.kill()
        wait_until(lambda: state(roots) == "Z", 10, "it to end")
        assert proctable.identify(child.pid) is None
    finally:
        child.kill()
        child.wait()
    assert sample(roots).trees[0].procs == ()


def state(roots: ProcessGroup) -> str:
    """The state of the one process of a group."""
    return sample(roots).trees[0].procs[0].state


def test_psutil_tells_the_same_where_there_is_no_proc(family: subprocess.Popen[bytes]) -> None:
    """The reader for other systems agrees with the one that reads /proc."""
    now = time.time()
    ours = proctable.table(now)[family.pid]
    (theirs,) = proctable._psutil_entries(proctable._one(family.pid), now)
    assert (theirs.pid, theirs.parent, theirs.state) == (ours.pid, ours.parent, ours.state)
    assert theirs.name == ours.name == "bash"
    assert theirs.rss == pytest.approx(ours.rss, rel=0.5)
    assert theirs.cpu_seconds == pytest.approx(ours.cpu_seconds, abs=0.5)
    assert theirs.elapsed == pytest.approx(ours.elapsed, abs=2.0)
    assert list(proctable._psutil_entries(proctable._one(2**22 + 1), now)) == []


def test_nobody_takes_process_one_for_a_root() -> None:
    """PIDs that can be no job's are left out."""
    assert sample(group("cluster", (0, 1, -5))).trees[0].procs == ()


def test_a_signal_reaches_that_process(sleeper: subprocess.Popen[bytes]) -> None:
    """On the right identity it is sent; afterwards there is nobody to send it to."""
    identity = proctable.identify(sleeper.pid)
    assert identity is not None
    assert send(identity, signal.SIGTERM) is Sent.SENT
    assert sleeper.wait(10) == -signal.SIGTERM
    assert send(identity, signal.SIGTERM) is Sent.GONE


def test_a_signal_never_reaches_another_process(sleeper: subprocess.Popen[bytes]) -> None:
    """The same PID with another start, the console itself and PID 1 get nothing."""
    identity = proctable.identify(sleeper.pid)
    assert identity is not None
    other = Identity(identity.pid, identity.started - 0.01)
    assert send(other, signal.SIGKILL) is Sent.GONE
    me = proctable.identify(os.getpid())
    assert me is not None
    assert send(me, signal.SIGKILL) is Sent.REFUSED
    assert send(Identity(1, 0.0), signal.SIGKILL) is Sent.REFUSED
    assert sleeper.poll() is None


@pytest.mark.parametrize("kind", ["controller", "cluster"])
def test_the_menu_begins_gently_and_warns(kind: str) -> None:
    """TERM comes first, KILL last; all but CONT say what they cost."""
    choices = menu(kind)
    assert [choice.name for choice in choices] == ["TERM", "INT", "HUP", "STOP", "CONT", "KILL"]
    assert [choice.name for choice in choices if choice.warning is None] == ["CONT"]


def proc(
    pid: int,
    depth: int = 0,
    command: str = "python train.py",
    *,
    state: str = "S",
    cpu: float | None = 12.4,
    rss: int = 64 * 2**20,
) -> Proc:
    """A process that was seen."""
    return Proc(
        identity=Identity(pid, float(pid)), depth=depth, command=command,
        state=state, cpu=cpu, rss=rss, elapsed=125.0,
    )  # fmt: skip


USAGE = Usage(
    trees=(
        Tree(
            kind="controller", name="", pids=(88123,), seen=Seen.SAME,
            procs=(
                proc(88123, command="python -m jobsched.controller --job-id 7"),
                proc(88124, 1, "bash", state="T", cpu=None),
                proc(88125, 2, "evil\x1b[2J\nname", state="D", rss=5 * 2**30),
            ),
        ),
        Tree(kind="cluster", name="7-0-1", pids=(9,), seen=Seen.GONE),
        Tree(kind="cluster", name="7-1-1", pids=(10, 11), seen=Seen.UNKNOWN, procs=(proc(10),)),
        Tree(kind="cluster", name="7-2-1", pids=(12,), seen=Seen.SAME),
    )
)  # fmt: skip


def test_trees_in_lines() -> None:
    """A head for each group, then its processes; nothing that a command line holds does harm."""
    assert [plain(row.line).rstrip() for row in words.rows(USAGE, 100)] == [
        "controller · ● runs, as recorded · 3 processes · CPU 25% · 5.1G",
        "   88123    12   64M S   2m05s  python -m jobsched.controller --job-id 7",
        "   88124     -   64M T   2m05s  └─bash",
        "   88125    12  5.0G D   2m05s    └─evil␛[2J␊name",
        "cluster 7-0-1 · ✗ pid 9: not running",
        (
            "cluster 7-1-1 · ? whether it is the recorded one cannot be told"
            " · 1 process · CPU 12% · 64M"
        ),
        "      10    12   64M S   2m05s  python train.py",
        "cluster 7-2-1 · ✗ pid 12 has just ended",
    ]


def test_trees_in_ascii_and_in_little_room() -> None:
    """Every line is ASCII if asked to, and no wider than told."""
    rows = words.rows(USAGE, 40, ASCII)
    assert all(plain(row.line).isascii() for row in rows)
    assert all(width(row.line) <= 40 for row in rows)
    assert plain(rows[2].line) == "   88124     -   64M T   2m05s  +-bash"


def test_a_job_without_processes_says_so() -> None:
    """An empty view always tells why it is empty."""
    (row,) = words.rows(Usage(), 80)
    assert plain(row.line) == "no process: no controller was started, no cluster runs"


def test_states_have_words() -> None:
    """Letters of the process table are explained."""
    assert words.state_in_words("D") == "waits in the kernel, cannot be interrupted"
    assert words.state_in_words("I") == "state I"


class Shell(App[None]):
    """A screen with nothing but processes."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[int, str]] = []

    def compose(self) -> ComposeResult:
        """The processes."""
        yield ProcessView()

    def on_process_view_signal_asked(self, message: ProcessView.SignalAsked) -> None:
        """Remember whom one wants to signal."""
        self.asked.append((message.identity.pid, message.kind))


def test_the_cursor_stays_with_its_process() -> None:
    """Whatever comes above it, K asks about the process that the cursor was put on."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 12)) as pilot:
            view = app.query_one(ProcessView)
            view.focus()
            view.show(USAGE)
            await pilot.pause()
            assert view.render_line(0).text.startswith("     PID  CPU%   RSS S")
            await pilot.press("j", "K")
            more = Tree(
                kind="cluster", name="7-9-1", pids=(1234,), seen=Seen.SAME, procs=(proc(1234),)
            )
            view.show(Usage(trees=(more, *USAGE.trees)))
            await pilot.press("K", "G", "K")
            assert app.asked == [
                (88124, "controller"), (88124, "controller"), (10, "cluster"),
            ]  # fmt: skip
            view.show(Usage())
            await pilot.press("K", "j", "enter")
            assert len(app.asked) == 3

    asyncio.run(scenario())


def test_without_a_process_keys_scroll() -> None:
    """Heads alone have no cursor; the list can be read to its end all the same."""

    async def scenario() -> None:
        app = Shell()
        async with app.run_test(size=(80, 6)) as pilot:
            view = app.query_one(ProcessView)
            view.focus()
            gone = [
                Tree(kind="cluster", name=f"7-{number}-1", pids=(9,), seen=Seen.GONE)
                for number in range(20)
            ]
            view.show(Usage(trees=tuple(gone)))
            await pilot.pause()
            await pilot.press("pagedown", "j", "g", "G", "enter")
            assert view.scroll_offset.y == 6
            assert view.render_line(0).text.startswith("cluster 7-5-1")

    asyncio.run(scenario())
