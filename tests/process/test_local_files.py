"""The files of a local task: private copies, file mounts, and the removal of all of it."""

from __future__ import annotations

import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from jobsched.backends.base import ClusterState
from jobsched.errors import Cancelled, PrecheckFailed
from jobsched.home import Home
from jobsched.models import Placement, Resources
from tests.process.machines import Machine, a_task, mount, with_regions
from tests.support import wait_until


def test_workdir(machine: Machine, tmp_path: Path) -> None:
    """Each run has a private copy, without what .skyignore names; links and modes are kept."""
    work = tmp_path / "work"
    (work / "deep" / "er").mkdir(parents=True)
    (work / "deep" / "er" / "file").write_text("content")
    (work / "run.sh").write_text("echo ran")
    (work / "run.sh").chmod(0o755)
    (work / "link").symlink_to("run.sh")
    (work / "secret.key").write_text("no")
    (work / "build").mkdir()
    (work / "build" / "big").write_text("no")
    (work / ".gitignore").write_text("run.sh\n")
    (work / ".skyignore").write_text("# comment\n*.key\nbuild/\n")
    cluster = machine.launch(
        a_task("find . -type f -o -type l | sort; ./run.sh; echo new > made", workdir=str(work))
    )
    machine.until(cluster, ClusterState.ENDED)
    lines = machine.log().decode().split()
    assert "./deep/er/file" in lines
    assert "./link" in lines
    assert lines[-1] == "ran"
    assert not {"./secret.key", "./build/big"} & set(lines)
    assert not (work / "made").exists()


def test_gitignore(machine: Machine, tmp_path: Path) -> None:
    """Without .skyignore it is .gitignore that says what is left out, at every level."""
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    for name in ("a.log", "keep.log", "b.txt", "sub/c.log", "sub/d.tmp"):
        (work / name).write_text("x")
    (work / ".gitignore").write_text("*.log\n!keep.log\n")
    (work / "sub" / ".gitignore").write_text("*.tmp\n")
    cluster = machine.launch(a_task("find . -name '*.*' -type f | sort", workdir=str(work)))
    machine.until(cluster, ClusterState.ENDED)
    found = set(machine.log().decode().split())
    assert {"./keep.log", "./b.txt"} <= found
    assert not {"./a.log", "./sub/c.log", "./sub/d.tmp"} & found


def test_file_mounts(machine: Machine, tmp_path: Path) -> None:
    """Relative targets land in the workdir, ~/ ones in a private HOME; nothing is replaced."""
    data, work = tmp_path / "data", tmp_path / "work"
    data.mkdir()
    work.mkdir()
    (data / "one").write_text("1")
    (work / "mine").write_text("original")
    mounts = (
        mount("in/data", data),
        mount("~/conf/one", data / "one"),
        mount("mine", data / "one"),
    )
    cluster = machine.launch(
        a_task(
            'cat in/data/one ~/conf/one mine; echo; echo "$HOME"',
            workdir=str(work),
            file_mounts=mounts,
        )
    )
    machine.until(cluster, ClusterState.ENDED)
    lines = machine.log().decode().splitlines()
    assert "11original" in lines
    assert lines[-1].startswith(str(machine.home.clusters))


@pytest.mark.parametrize("target", ["/etc/jobsched-test", "../up", "~/../../up", "~other/x"])
def test_targets_outside(machine: Machine, tmp_path: Path, target: str) -> None:
    """No mount leaves the private directories."""
    with pytest.raises(PrecheckFailed, match="file_mounts"):
        machine.backend.placements(a_task("true", file_mounts=(mount(target, tmp_path),)))


def test_absolute_targets_where_allowed(
    home: Home, machines: list[Machine], tmp_path: Path
) -> None:
    """An absolute target is filled where the configuration allows it, never over a file."""
    machine = with_regions(home, machines, {}, allow_absolute_mounts=True)
    source, there = tmp_path / "source", tmp_path / "there"
    source.write_text("new")
    there.write_text("old")
    cluster = machine.launch(
        a_task(
            "true",
            file_mounts=(mount(str(tmp_path / "a" / "b"), source), mount(str(there), source)),
        )
    )
    machine.until(cluster, ClusterState.ENDED)
    assert ((tmp_path / "a" / "b").read_text(), there.read_text()) == ("new", "old")


def test_only_a_cloud_has_these(machine: Machine) -> None:
    """Buckets and images are refused, all reasons at once, saying what could serve them."""
    spec = a_task(
        "true",
        file_mounts=(mount("/data", "s3://bucket"), mount("out", None, name="mine")),
        candidates=(Resources(image_id="ami-1"),),
    )
    with pytest.raises(PrecheckFailed) as refused:
        machine.backend.placements(spec)
    text = str(refused.value)
    assert "s3://bucket" in text
    assert "mine" in text
    assert "ami-1" in text


def tree(root: Path, names: list[str]) -> Path:
    """A directory with these files; a name that ends in a slash is a directory."""
    for name in names:
        path = root / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_text(name)
    return root


def copied(machine: Machine, cluster: str = "7-0-1", place: str = "workdir-0") -> Path:
    """Where a cluster keeps a node's files."""
    return machine.home.clusters / cluster / place


def test_each_node_has_its_own(machine: Machine, tmp_path: Path) -> None:
    """What one node writes into its copy neither the other nor the original sees."""
    work = tree(tmp_path / "work", ["shared"])
    run = 'echo "$JOBSCHED_NODE_RANK" >> shared; cat shared'
    machine.ended(a_task(run, workdir=str(work), num_nodes=2))
    assert machine.log(0).splitlines()[-1] == b"shared0"
    assert machine.log(1).splitlines()[-1] == b"shared1"
    assert (work / "shared").read_text() == "shared"


def test_odd_entries(machine: Machine, tmp_path: Path) -> None:
    """Names that are no text, dangling links and modes are kept; sockets and pipes are noted."""
    work = tree(tmp_path / "work", ["plain", "empty/", "locked/inside"])
    (work / os.fsdecode(b"\xff\xfe")).write_text("bytes")
    (work / "dangling").symlink_to("/nonexistent/target")
    os.mkfifo(work / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(work / "s"))
    (work / "plain").chmod(0o4755)
    (work / "locked").chmod(0o500)
    machine.ended(a_task("true", workdir=str(work)))
    copy = copied(machine)
    assert (copy / os.fsdecode(b"\xff\xfe")).read_text() == "bytes"
    assert (copy / "dangling").readlink() == Path("/nonexistent/target")
    assert (copy / "empty").is_dir()
    assert stat.S_IMODE((copy / "plain").stat().st_mode) == 0o755
    assert (copy / "locked" / "inside").exists()
    assert not (copy / "pipe").exists()
    assert machine.log().count(b"is no file, directory or link; left out") == 2
    (work / "locked").chmod(0o700)
    machine.backend.remove("7-0-1", grace=0.1)
    assert not copy.exists()


def test_a_workdir_around_the_home(home: Home, tmp_path: Path) -> None:
    """A copy of a directory that contains jobsched's own does not contain that, nor itself."""
    machine = Machine(home)
    (tmp_path / "file").write_text("x")
    try:
        machine.ended(a_task("ls -A", workdir=str(tmp_path)))
        assert machine.log().split() == [b"file"]
    finally:
        machine.close()


@pytest.mark.parametrize("what", ["missing", "file"])
def test_a_workdir_that_is_none(machine: Machine, tmp_path: Path, what: str) -> None:
    """A missing one, or a file, is known beforehand, and nothing is left."""
    if what == "file":
        (tmp_path / what).touch()
    with pytest.raises(PrecheckFailed, match="workdir: "):
        machine.launch(a_task("true", workdir=str(tmp_path / what)))
    assert list(machine.home.clusters.glob("[!.]*")) == []


def test_skyignore_stands_alone(machine: Machine, tmp_path: Path) -> None:
    """With .skyignore no .gitignore counts; patterns that are none are passed over."""
    work = tree(tmp_path / "work", ["a.log", "b.key", "sub/c.log", "sub/b.key", "keep.key"])
    (work / ".gitignore").write_text("*.log\n")
    (work / "sub" / ".gitignore").write_text("c.log\n")
    (work / ".skyignore").write_bytes(b"!\n*.key\n!keep.key\n\xff\n")
    machine.ended(a_task("true", workdir=str(work)))
    copy = copied(machine)
    found = sorted(str(path.relative_to(copy)) for path in copy.rglob("[!.]*") if path.is_file())
    assert found == ["a.log", "keep.key", "sub/c.log"]


def test_gitignore_further_down(machine: Machine, tmp_path: Path) -> None:
    """The nearest file has the last word, and nothing comes back below an ignored directory."""
    work = tree(tmp_path / "w", ["out/deep/x", "sub/keep.log", "sub/no.log", "a.log"])
    (work / ".gitignore").write_text("*.log\n/out/\n!out/deep/x\n")
    (work / "sub" / ".gitignore").write_text("!keep.log\n")
    (work / "sub" / "odd").mkdir()
    (work / "sub" / "odd" / ".gitignore").mkdir()
    machine.ended(a_task("true", workdir=str(work)))
    copy = copied(machine)
    found = sorted(str(path.relative_to(copy)) for path in copy.rglob("[!.]*") if path.is_file())
    assert found == ["sub/keep.log"]


def test_nothing_is_written_through_a_link(machine: Machine, tmp_path: Path) -> None:
    """A link in the copied workdir leads no file mount out of it."""
    outside = tree(tmp_path / "outside", ["precious"])
    work = tree(tmp_path / "work", ["x"])
    (work / "link").symlink_to(outside)
    (work / "precious").symlink_to(outside / "precious")
    data = tree(tmp_path / "data", ["precious", "link/precious"])
    for name, what in (("link", "a symbolic link"), ("x", "no directory")):
        spec = a_task(workdir=str(work), file_mounts=(mount(f"{name}/new", data / "precious"),))
        with pytest.raises(PrecheckFailed, match=f"{name} on the way there is {what}"):
            machine.launch(spec)
    mounts = (mount("precious", data / "precious"), mount(".", data))
    machine.ended(a_task("true", workdir=str(work), file_mounts=mounts))
    assert machine.log().count(b"is there already; not replaced") == 3
    assert [path.name for path in outside.iterdir()] == ["precious"]
    assert (outside / "precious").read_text() == "precious"


def test_mounts_in_the_private_home(machine: Machine, tmp_path: Path) -> None:
    """A directory or file for ~ itself, links in trees as links, and each node its own home."""
    data = tree(tmp_path / "data", ["one", "sub/two"])
    (data / "sub" / "link").symlink_to("two")
    mounts = (mount("~", data), mount("~/sub", data / "sub"), mount("~/one", data / "sub" / "two"))
    run = 'cat ~/one ~/sub/link; touch ~/own; [ "$JOBSCHED_NODE_RANK" = 0 ] || ls ~'
    machine.ended(a_task(run, file_mounts=mounts, num_nodes=2))
    assert machine.log(0).endswith(b"onesub/two")
    assert machine.log(0).count(b"not replaced") == 3
    assert copied(machine, place="home-1").joinpath("sub", "link").is_symlink()
    own = mount("~", data / "one")
    machine.ended(a_task("cat ~/one", file_mounts=(own,)))
    assert machine.log(0).endswith(b"one")


@pytest.mark.parametrize("what", ["missing", "pipe", "/dev/zero"])
def test_a_source_that_is_none(machine: Machine, tmp_path: Path, what: str) -> None:
    """What is missing, or would never come to an end, is refused with its target and name."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PrecheckFailed, match=f"file_mounts: to/it: .*{what}"):
        machine.launch(a_task("true", file_mounts=(mount("to/it", tmp_path / what),)))
    assert list(machine.home.clusters.glob("[!.]*")) == []


def test_all_reasons_at_once(machine: Machine, tmp_path: Path) -> None:
    """Every target that cannot be served is told, not the first alone, by a launch too."""
    mounts = (
        mount("/etc/x", tmp_path), mount("a/../../b", tmp_path), mount("~root/x", tmp_path),
        mount("ok", tmp_path), mount("b", "gs://bucket/key"),
    )  # fmt: skip
    task = a_task("true", file_mounts=mounts, candidates=(Resources(image_id="docker:x"),))
    with pytest.raises(PrecheckFailed) as refused:
        machine.backend.placements(task)
    assert len(refused.value.reasons) == 5
    assert "allow_absolute_mounts" in refused.value.reasons[0]
    assert "gs://bucket/key" in refused.value.reasons[3]
    request = machine.request(task, placement=Placement(region="here"))
    with pytest.raises(PrecheckFailed, match="allow_absolute_mounts"):
        machine.backend.launch(request, threading.Event())


def test_absolute_targets(home: Home, machines: list[Machine], tmp_path: Path) -> None:
    """Where allowed they follow links, as the user's own do; / itself is none."""
    machine = with_regions(home, machines, {}, allow_absolute_mounts=True)
    data = tree(tmp_path / "data", ["one", "sub/two"])
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").touch()
    machine.ended(a_task("true", file_mounts=(mount(f"{tmp_path}/link/in", data),), num_nodes=2))
    assert (tmp_path / "real" / "in" / "sub" / "two").read_text() == "sub/two"
    with pytest.raises(PrecheckFailed, match="root directory"):
        machine.launch(a_task("true", file_mounts=(mount("/", data),)))
    with pytest.raises(PrecheckFailed, match="no directory"):
        machine.launch(a_task("true", file_mounts=(mount(f"{tmp_path}/file/x", data),)))


def test_a_copy_can_be_cancelled(machine: Machine, tmp_path: Path) -> None:
    """Told to stop in the middle of a large file, it ends soon and leaves nothing."""
    work = tmp_path / "work"
    work.mkdir()
    with (work / "large").open("wb") as file:
        file.truncate(8 << 30)
    stop = threading.Event()
    copy = copied(machine) / "large"

    def cancel() -> None:
        wait_until(lambda: copy.exists() and copy.stat().st_size > 0, 10, "a part of the copy")
        stop.set()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        machine.backend.launch(machine.request(a_task("true", workdir=str(work))), stop)
    canceller.join()
    assert list(machine.home.clusters.glob("[!.]*")) == []
    assert list(machine.home.clusters.glob(".old/*")) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_sources(machine: Machine, tmp_path: Path) -> None:
    """What may not be read is a precheck error that names it."""
    work = tree(tmp_path / "work", ["file", "sub/x", "sub/.gitignore"])
    for name in ("", "file", "sub", "sub/x", "sub/.gitignore"):
        (work / name).chmod(0)
        try:
            with pytest.raises(PrecheckFailed, match=f"work/?{name}: Permission denied"):
                machine.launch(a_task("true", workdir=str(work)))
        finally:
            (work / name).chmod(0o700)
    (work / "file").chmod(0)
    with pytest.raises(PrecheckFailed, match=r"file_mounts: it: .*Permission denied"):
        machine.launch(a_task("true", file_mounts=(mount("it", work / "file"),)))
    assert list(machine.home.clusters.glob("[!.]*")) == []
