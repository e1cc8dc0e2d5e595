"""The room of declared regions, as the local backend gives it out."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from jobsched import process
from jobsched.backends.base import ClusterState
from jobsched.backends.local import LocalBackend
from jobsched.clock import SystemClock
from jobsched.config import LocalConfig, RegionConfig
from jobsched.errors import BackendError, NoCapacity, PrecheckFailed
from jobsched.home import Home
from jobsched.models import Placement, Resources, TaskSpec
from tests.process.machines import Machine, a_task, with_regions
from tests.support import wait_until

REGIONS = {
    "big": RegionConfig(cpus=4, memory_gib=8, accelerators={"A100": 2}),
    "small": RegionConfig(cpus=1, clusters=1),
}


def need(**over: object) -> TaskSpec:
    """A task with one candidate that asks for this."""
    return a_task("sleep 60", candidates=(Resources(**over),))  # type: ignore[arg-type]


def test_places_in_order(home: Home, machines: list[Machine]) -> None:
    """All regions that could ever serve the task, in the order in which they are declared."""
    backend = with_regions(home, machines, REGIONS).backend
    assert [place.region for place in backend.placements(need(cpus=1.0))] == ["big", "small"]
    assert [place.region for place in backend.placements(need(cpus=3.0))] == ["big"]
    assert [place.region for place in backend.placements(need(region="small"))] == ["small"]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"cpus": 5.0}, "5"),
        ({"memory_gib": 9.0, "region": "big"}, "9"),
        ({"accelerators": {"A100": 3.0}, "region": "big"}, "A100"),
        ({"region": "smal"}, "small"),
    ],
)
def test_never(home: Home, machines: list[Machine], asked: dict[str, object], says: str) -> None:
    """What no region can ever serve is a precheck error that says what was asked for."""
    with pytest.raises(PrecheckFailed, match=says):
        with_regions(home, machines, REGIONS).backend.placements(need(**asked))


def test_room(home: Home, machines: list[Machine]) -> None:
    """What is taken is not given twice, and free again after the removal."""
    machine = with_regions(home, machines, REGIONS)
    first = machine.launch(need(cpus=3.0))
    with pytest.raises(NoCapacity) as full:
        machine.launch(need(cpus=2.0, region="big"))
    assert full.value.knows_room
    assert "cpus" in str(full.value).lower()
    machine.backend.remove(first, grace=0.1)
    machine.launch(need(cpus=2.0, region="big"))


def test_accelerators_are_told_apart(home: Home, machines: list[Machine]) -> None:
    """Declared accelerators are handed out one by one; two clusters never get the same."""
    machine = with_regions(home, machines, REGIONS)
    run = 'echo "gpu=$CUDA_VISIBLE_DEVICES"; sleep 60'
    one = a_task(run, candidates=(Resources(accelerators={"A100": 1.0}, region="big"),))
    for _ in range(2):
        machine.launch(one)
    wait_until(lambda: machine.log().count(b"gpu=") == 2, 5, "both to speak")
    assert sorted(machine.log().split()) == [b"gpu=0", b"gpu=1"]
    with pytest.raises(NoCapacity):
        machine.launch(one)


def test_reservation(home: Home, machines: list[Machine]) -> None:
    """Room for several clusters, all or none; asking again changes nothing."""
    machine = with_regions(home, machines, REGIONS)
    spec = need(cpus=1.0)
    places = machine.backend.placements(spec)
    wants = [("7-0-1", spec, places), ("7-1-1", need(cpus=3.0), [Placement(region="big")])]
    chosen = machine.backend.reserve(wants)
    assert [place.region for place in chosen] == ["big", "big"]
    assert machine.backend.reserve(wants) == chosen
    with pytest.raises(NoCapacity):
        machine.backend.reserve(
            [("7-2-1", spec, places), ("7-3-1", need(cpus=2.0), [Placement(region="big")])]
        )
    assert machine.backend.probe("7-2-1").state is ClusterState.GONE
    for name in ("7-0-1", "7-1-1"):
        machine.backend.remove(name, grace=0.1)
    machine.launch(need(cpus=4.0), cluster="7-0-2")


def test_without_regions_there_is_one_without_limits(machine: Machine) -> None:
    """Whatever a task asks for and names is served by ``here``, one place for each candidate."""
    huge = Resources(cpus=1e6, memory_gib=1e6, accelerators={"A100": 64.0}, region="us-east1")
    any_of = a_task("true", candidates=(huge, Resources(region="*")))
    assert machine.backend.placements(any_of) == (
        Placement(region="here"), Placement(region="here", candidate=1),
    )  # fmt: skip
    assert machine.backend.reserve([("a", any_of, machine.backend.placements(any_of))]) == [
        Placement(region="here")
    ]
    assert machine.ended(any_of).exit_code == 0


def test_candidates_in_order(home: Home, machines: list[Machine]) -> None:
    """The order of candidates comes before that of regions; those without a place are left out."""
    backend = with_regions(home, machines, REGIONS).backend
    wanted = (
        Resources(cpus=3.0),
        Resources(cpus=99.0),
        Resources(region="*"),
        Resources(region="nowhere"),
    )
    found = [
        (place.candidate, place.region)
        for place in backend.placements(a_task("true", candidates=wanted))
    ]
    assert found == [(0, "big"), (2, "big"), (2, "small")]


def test_all_reasons_and_a_hint(home: Home, machines: list[Machine]) -> None:
    """Where none serves, every candidate and region says why, and a misspelt name is recognised."""
    backend = with_regions(home, machines, REGIONS).backend
    wanted = (
        Resources(region="bigg"),
        Resources(image_id="ami-1"),
        Resources(cpus=5.0, memory_gib=9.0, accelerators={"a100": 3.0}),
    )
    with pytest.raises(PrecheckFailed) as refused:
        backend.placements(a_task("true", candidates=wanted))
    first, image, big, small = refused.value.reasons
    assert "candidate 1: region bigg is not declared" in first
    assert "did you mean" in first
    assert "big" in first.split("did you mean")[1]
    assert "ami-1" in image
    assert big == (
        "candidate 3: region big: 5 CPUs asked, 4 declared, 9 GiB of memory asked, 8 declared,"
        " 3 A100 asked, 2 declared"
    )
    assert small == "candidate 3: region small: 5 CPUs asked, 1 declared"


def test_a_gang_counts_as_a_whole(home: Home, machines: list[Machine]) -> None:
    """All nodes have room or none; what is free is told."""
    machine = with_regions(home, machines, REGIONS)
    gang = a_task("sleep 60", num_nodes=3, candidates=(Resources(cpus=1.0, region="big"),))
    machine.launch(gang)
    with pytest.raises(NoCapacity, match="region big: 3 CPUs asked, 1 of 4 free"):
        machine.launch(gang)
    with pytest.raises(PrecheckFailed, match="6 CPUs asked, 4 declared"):
        machine.backend.placements(
            a_task("true", num_nodes=3, candidates=(Resources(cpus=2.0, region="big"),))
        )


def test_nodes_of_a_gang_have_their_own_accelerators(home: Home, machines: list[Machine]) -> None:
    """Numbered through over all regions and kinds, in whatever case a task writes the name."""
    regions = {
        "one": RegionConfig(accelerators={"T4": 2}),
        "two": RegionConfig(accelerators={"A100": 4, "T4": 1}),
    }
    machine = with_regions(home, machines, regions)
    gang = a_task(
        'echo "$CUDA_VISIBLE_DEVICES"; echo "$SKYPILOT_NUM_GPUS_PER_NODE"; sleep 60',
        num_nodes=2, candidates=(Resources(accelerators={"a100": 2.0}, region="two"),),
    )  # fmt: skip
    machine.launch(gang)
    machine.until_printed(b"\n", times=2)
    wait_until(lambda: machine.log(1).count(b"\n") == 2, 10, "node 1")
    assert [machine.log(node).split() for node in (0, 1)] == [[b"2,3", b"2"], [b"4,5", b"2"]]
    with pytest.raises(NoCapacity, match="4 A100 asked, 0 of 4 free"):
        machine.launch(gang)


def test_fractions_share_an_accelerator(home: Home, machines: list[Machine]) -> None:
    """Fractions are put together where they leave least unused; whole ones stay alone."""
    machine = with_regions(home, machines, {"r": RegionConfig(accelerators={"A": 2, "B": 1})})

    def launch(count: float) -> str:
        wanted = (Resources(accelerators={"A": count}),)
        before = machine.log().count(b"gpu=") if machine.made else 0
        run = 'echo "gpu=$CUDA_VISIBLE_DEVICES"; sleep 60'
        machine.launch(a_task(run, candidates=wanted))
        machine.until_printed(b"gpu=", times=before + 1)
        return machine.log().decode().split()[-1]

    assert [launch(0.5), launch(1), launch(0.25), launch(0.25)] == [
        "gpu=0", "gpu=1", "gpu=0", "gpu=0",
    ]  # fmt: skip
    with pytest.raises(NoCapacity, match=r"0\.25 A asked, 0 of 2 free"):
        launch(0.25)


def test_what_is_not_asked_for_is_not_held(home: Home, machines: list[Machine]) -> None:
    """A task that asks for nothing takes a place only; one that asks for no GPU sees no list."""
    machine = with_regions(home, machines, {"r": RegionConfig(cpus=1, accelerators={"A": 1})})
    none = a_task('echo "[${CUDA_VISIBLE_DEVICES-unset}]"; sleep 60')
    for _ in range(3):
        machine.launch(none)
    machine.launch(a_task("sleep 60", candidates=(Resources(accelerators={"Other": 8.0}),)))
    machine.launch(a_task("sleep 60", candidates=(Resources(cpus=1.0, accelerators={"A": 0.0}),)))
    machine.until_printed(b"[unset]", times=3)


def test_a_region_that_is_not_declared_any_more(home: Home, machines: list[Machine]) -> None:
    """A launch in it is refused with the reason."""
    machine = with_regions(home, machines, REGIONS)
    request = machine.request(need(), placement=Placement(region="gone"))
    with pytest.raises(PrecheckFailed, match="region gone is not declared"):
        machine.backend.launch(request, threading.Event())
    assert machine.backend.clusters() == []


def test_a_group_that_takes_some_puzzling(home: Home, machines: list[Machine]) -> None:
    """A preferred place is given up where that makes room for all."""
    regions = {"x": RegionConfig(cpus=2), "y": RegionConfig(cpus=1)}
    machine = with_regions(home, machines, regions)
    small, large = need(cpus=1.0), need(cpus=2.0)
    places = machine.backend.placements
    chosen = machine.backend.reserve(
        [("7-0-1", small, places(small)), ("7-1-1", large, places(large))], job_id=7
    )
    assert [place.region for place in chosen] == ["y", "x"]
    assert {info.name for info in machine.backend.clusters()} == {"7-0-1", "7-1-1"}


def test_a_puzzle_without_end(home: Home, machines: list[Machine]) -> None:
    """Many that cannot fit are answered soon, though there are more ways than can be tried."""
    regions = {f"r{number}": RegionConfig(cpus=2) for number in range(6)}
    machine = with_regions(home, machines, regions)
    spec = need(cpus=1.0)
    wants = [(f"7-{number}-1", spec, machine.backend.placements(spec)) for number in range(13)]
    with pytest.raises(NoCapacity) as full:
        machine.backend.reserve(wants)
    assert full.value.reasons
    assert machine.backend.reserve(wants[:12])


def test_storm_of_takers(home: Home, machines: list[Machine]) -> None:
    """Many who reserve at the same time never get more than there is."""
    machine = with_regions(home, machines, {"r": RegionConfig(cpus=4)})
    spec = need(cpus=1.0)
    got: list[str] = []

    def take(number: int) -> None:
        backend = LocalBackend(home, machine.config, SystemClock())
        try:
            backend.reserve([(f"7-{number}-1", spec, [Placement(region="r")])], job_id=7)
        except NoCapacity:
            return
        got.append(f"7-{number}-1")

    takers = [threading.Thread(target=take, args=(number,)) for number in range(12)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    assert len(got) == 4
    assert sorted(info.name for info in machine.backend.clusters()) == sorted(got)


def test_a_name_that_is_no_directory(machine: Machine, tmp_path: Path) -> None:
    """A name cannot lead out of the clusters' directory."""
    for name in ("../x", "", ".old", "a/b", "x" * 201):
        assert machine.backend.probe(name).state is ClusterState.GONE
        with pytest.raises(BackendError, match="cannot be called"):
            machine.backend.remove(name, grace=0)
    (machine.home.clusters / "stray").write_text("a file")
    (machine.home.clusters / "half").mkdir()
    assert machine.backend.clusters() == []
    assert Machine(Home(tmp_path / "none")).backend.clusters() == []


def test_after_a_reboot(home: Home, machines: list[Machine]) -> None:
    """A cluster of an earlier boot is lost, and says so; its removal gives back the room."""
    machine = with_regions(home, machines, REGIONS)
    cluster = machine.launch(need(cpus=4.0))
    for pid in machine.left():
        who = process.identify(pid)
        assert who is None or process.signal(who, 9)
    facts = home.clusters / ".kept" / cluster / "cluster.json"
    facts.write_text(facts.read_text().replace(process.boot_id(), "an-earlier-one"))
    assert "restarted" in machine.until(cluster, ClusterState.GONE).reason
    machine.backend.remove(cluster, grace=0.1)
    machine.launch(need(cpus=4.0))
    assert LocalConfig(regions=REGIONS) == machine.config
