"""A look at memory, on files as the kernel writes them; control groups of both forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsched.machine.memory import Memory, look

MIB = 1024**2
GIB = 1024**3

MEMINFO = """MemTotal:       25165824 kB
MemFree:        15000000 kB
MemAvailable:   18874368 kB
HugePages_Total:       0
"""
UNBOUNDED = "9223372036854771712\n"


class Kernel:
    """What it tells, in directories of a test."""

    def __init__(self, root: Path) -> None:
        self.proc, self.mount = root / "proc", root / "cgroup"
        self.write("proc/meminfo", MEMINFO)

    def write(self, name: str, text: str) -> None:
        """One of its files."""
        path = self.proc.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def look(self, pid: int | None = None) -> Memory:
        """Look at it."""
        return look(pid, proc=self.proc, mount=self.mount)


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    """A kernel that tells of a machine of 24 GiB, and of no group."""
    return Kernel(tmp_path)


def test_a_machine_without_groups(kernel: Kernel) -> None:
    """What it has, what can be had, and no pressure where none is told."""
    assert kernel.look() == Memory(total=24 * GIB, available=18 * GIB)


@pytest.mark.parametrize(
    ("text", "stalled"),
    [
        ("some avg10=12.34 avg60=1.00 avg300=0.10 total=5\nfull avg10=99.00\n", 12.34),
        ("full avg10=99.00 avg60=0.00\n", 0.0),
        ("some avg10=x\n", 0.0),
        ("some\n", 0.0),
        ("", 0.0),
    ],
)
def test_pressure(kernel: Kernel, text: str, stalled: float) -> None:
    """The share of time in which some program waited; none where it makes no sense."""
    kernel.write("proc/pressure/memory", text)
    assert kernel.look().stalled == stalled


def test_a_container_of_the_second_form(kernel: Kernel) -> None:
    """Its bound, and what is left of it; pages that would be given up first are not in use."""
    kernel.write("proc/self/cgroup", "0::/\n")
    kernel.write("cgroup/memory.max", f"{512 * MIB}\n")
    kernel.write("cgroup/memory.current", f"{300 * MIB}\n")
    kernel.write("cgroup/memory.stat", f"anon 1\ninactive_file {100 * MIB}\nactive_file 7\n")
    kernel.write("cgroup/memory.pressure", "some avg10=20.00 avg60=0.00 avg300=0.00 total=0\n")
    assert kernel.look() == Memory(total=512 * MIB, available=312 * MIB, stalled=20.0)


def test_the_tightest_of_groups_within_groups(kernel: Kernel) -> None:
    """All above count, a bound that throttles too; ``max`` is none."""
    kernel.write("proc/self/cgroup", "0::/user.slice/app.scope\n")
    kernel.write("cgroup/user.slice/memory.max", f"{4 * GIB}\n")
    kernel.write("cgroup/user.slice/memory.current", f"{3 * GIB}\n")
    kernel.write("cgroup/user.slice/app.scope/memory.max", "max\n")
    kernel.write("cgroup/user.slice/app.scope/memory.high", f"{2 * GIB}\n")
    kernel.write("cgroup/user.slice/app.scope/memory.current", f"{GIB // 2}\n")
    assert kernel.look() == Memory(total=2 * GIB, available=GIB)


def test_a_container_of_the_first_form(kernel: Kernel) -> None:
    """The memory controller's own tree, in which no bound is a very large one."""
    kernel.write("proc/self/cgroup", "5:cpu:/x\n4:memory:/jobs/one\n0::/\n")
    kernel.write("cgroup/memory/memory.limit_in_bytes", UNBOUNDED)
    kernel.write("cgroup/memory/jobs/memory.limit_in_bytes", UNBOUNDED)
    kernel.write("cgroup/memory/jobs/one/memory.limit_in_bytes", f"{GIB}\n")
    kernel.write("cgroup/memory/jobs/one/memory.usage_in_bytes", f"{GIB // 2}\n")
    kernel.write("cgroup/memory/jobs/one/memory.stat", f"cache 9\ntotal_inactive_file {GIB // 4}\n")
    assert kernel.look() == Memory(total=GIB, available=3 * GIB // 4)


@pytest.mark.parametrize("path", ["/docker/0123abcd", "/../other"])
def test_a_path_that_is_not_seen_from_within(kernel: Kernel, path: str) -> None:
    """The host's name of the group is not there: what is mounted is the container's own."""
    kernel.write("proc/self/cgroup", f"0::{path}\n")
    kernel.write("cgroup/memory.max", f"{GIB}\n")
    assert kernel.look() == Memory(total=GIB, available=GIB)


def test_the_group_of_another_process(kernel: Kernel) -> None:
    """Memory is what that process may have, not whoever looks."""
    kernel.write("proc/self/cgroup", "0::/\n")
    kernel.write("proc/71/cgroup", "0::/small\n")
    kernel.write("cgroup/small/memory.max", f"{GIB}\n")
    kernel.write("cgroup/small/memory.current", "0\n")
    assert kernel.look().total == 24 * GIB
    assert kernel.look(71).total == GIB


def test_more_used_than_may_be(kernel: Kernel) -> None:
    """Nothing is available, and never less than nothing."""
    kernel.write("proc/self/cgroup", "0::/\n")
    kernel.write("cgroup/memory.max", f"{GIB}\n")
    kernel.write("cgroup/memory.current", f"{2 * GIB}\n")
    assert kernel.look() == Memory(total=GIB, available=0)


def test_no_kernel_that_tells(tmp_path: Path) -> None:
    """Elsewhere it is asked for in another way: some memory, and not more than there is."""
    found = look(proc=tmp_path, mount=tmp_path)
    assert 0 < found.available <= found.total
