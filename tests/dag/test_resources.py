from __future__ import annotations

import pytest

from jobsched.models import JobRecovery, Resources

from .judging import errors, judge, only_task, warnings


def candidates(resources: str) -> tuple[Resources, ...]:
    """The candidates of a task with these resources."""
    return only_task(f"run: x\nresources: {resources}\n").candidates


def test_without_resources_there_is_one_candidate_that_asks_for_nothing() -> None:
    """Absent, null and empty are the same."""
    assert only_task("run: x\n").candidates == (Resources(),)
    assert candidates("") == candidates("{}") == (Resources(),)


def test_all_fields_of_one_candidate() -> None:
    """What jobsched acts upon has a field, what it only keeps lies in ``other``."""
    assert candidates(
        "{cloud: AWS, region: r, zone: z, cpus: 4+, memory: 16+, accelerators: V100:4, "
        "use_spot: true, instance_type: p3, image_id: img, disk_size: 100, labels: {a: b}, "
        "ports: [80, '90-95'], disk_tier: best, autostop: {idle_minutes: 5}, network_tier: ~, "
        "max_hourly_cost: 1.5, accelerator_args: {tpu_vm: true}}"
    ) == (
        Resources(
            cloud="aws",
            region="r",
            zone="z",
            cpus=4,
            memory_gib=16,
            accelerators={"V100": 4},
            use_spot=True,
            instance_type="p3",
            image_id="img",
            other={
                "accelerator_args": {"tpu_vm": True},
                "autostop": {"idle_minutes": 5},
                "disk_size": 100,
                "disk_tier": "best",
                "labels": {"a": "b"},
                "max_hourly_cost": 1.5,
                "ports": [80, "90-95"],
            },
        ),
    )


def test_infra_is_short_for_cloud_region_and_zone() -> None:
    """A star is no wish, in either spelling."""
    assert candidates("{infra: gcp/*/z}") == (Resources(cloud="gcp", zone="z"),)
    assert candidates("{region: '*', zone: z}") == (Resources(zone="z"),)


def test_an_image_for_each_region_is_kept() -> None:
    """It is no single image."""
    (candidate,) = candidates("{image_id: {r1: a, r2: b}}")
    assert (candidate.image_id, candidate.other) == (None, {"image_id": {"r1": "a", "r2": "b"}})


def test_memory_for_each_cpu() -> None:
    """``4x`` needs to know how many CPUs."""
    assert candidates("{cpus: 2, memory: 4x}")[0].memory_gib == 8
    assert warnings("run: x\nresources: {memory: 4x}\n") == [
        (
            "2:21: resources.memory: memory for each CPU says nothing without cpus "
            "(nothing is reserved)"
        )
    ]


def test_alternatives_are_laid_over_the_common_part() -> None:
    """An entry changes what it names; its null takes away."""
    task = only_task(
        "run: x\n"
        "resources:\n"
        "  cpus: 2\n"
        "  infra: aws/r\n"
        "  image_id: img\n"
        "  labels: {a: b}\n"
        "  any_of:\n"
        "    - {infra: gcp}\n"
        "    - {cpus: 8, image_id: null, labels: null}\n"
        "    - {region: r2}\n"
    )
    common = {"a": "b"}
    assert not task.ordered
    assert task.candidates == (
        Resources(cpus=2, cloud="gcp", image_id="img", other={"labels": common}),
        Resources(cpus=8, cloud="aws", region="r"),
        Resources(cpus=2, cloud="aws", region="r2", image_id="img", other={"labels": common}),
    )


def test_ordered_keeps_the_order_as_a_preference() -> None:
    """The corpus' own example, and its flag."""
    task = only_task("run: x\nresources: {ordered: [{infra: aws}, {infra: gcp}]}\n")
    assert [candidate.cloud for candidate in task.candidates] == ["aws", "gcp"]
    assert task.ordered


def test_accelerators_to_choose_from_are_alternatives() -> None:
    """A list by preference, a mapping without; also inside any_of."""
    listed = only_task("run: x\nresources: {cpus: 1, accelerators: [A100, 'L4:2']}\n")
    assert listed.ordered
    assert listed.candidates == (
        Resources(cpus=1, accelerators={"A100": 1}),
        Resources(cpus=1, accelerators={"L4": 2}),
    )
    mapped = only_task("run: x\nresources: {gpus: {L4, A100: 2}}\n")
    assert not mapped.ordered
    assert [c.accelerators for c in mapped.candidates] == [{"L4": 1}, {"A100": 2}]
    nested = candidates("{any_of: [{cpus: 1, accelerators: {A, B}}, {cpus: 2}]}")
    assert [(c.cpus, dict(c.accelerators)) for c in nested] == [
        (1, {"A": 1}),
        (1, {"B": 1}),
        (2, {}),
    ]


@pytest.mark.parametrize(
    ("resources", "where", "pair"),
    [
        ("{infra: a, cloud: b}", "2:23: resources", "infra and cloud"),
        ("{zone: z, infra: a}", "2:13: resources", "infra and zone"),
        ("{any_of: [{cpus: 1}], ordered: [{cpus: 2}]}", "2:34: resources", "any_of and ordered"),
        ("{gpus: L4, accelerators: L4}", "2:13: resources", "accelerators and gpus"),
        ("{any_of: [{infra: a, region: r}]}", "2:33: resources.any_of[0]", "infra and region"),
    ],
)
def test_fields_that_exclude_each_other(resources: str, where: str, pair: str) -> None:
    """Two spellings of one wish are refused, at the second of the pair."""
    (error,) = errors(f"run: x\nresources: {resources}\n")
    assert error == f"{where}: {pair} exclude each other (keep one of them)"


@pytest.mark.parametrize(
    ("written", "recovery"),
    [
        ("", JobRecovery()),
        ("~", JobRecovery()),
        ("{}", JobRecovery()),
        ("{strategy: ~, max_restarts_on_errors: 3}", JobRecovery(max_restarts_on_errors=3)),
        ("{max_restarts_on_errors: 1}", JobRecovery(max_restarts_on_errors=1)),
        ("failover", JobRecovery(strategy="FAILOVER")),
        ("FailOver", JobRecovery(strategy="FAILOVER")),
        ("eager_next_region", JobRecovery()),
        ("none", JobRecovery(strategy="NONE")),
        ("{strategy: none}", JobRecovery(strategy="NONE")),
        ("{recover_on_exit_codes: 29}", JobRecovery(recover_on_exit_codes=(29,))),
        ("{recover_on_exit_codes: [29, 0, 29]}", JobRecovery(recover_on_exit_codes=(29, 0))),
    ],
)
def test_job_recovery(written: str, recovery: JobRecovery) -> None:
    """A name in any case, a mapping, or nothing, which is the default."""
    assert only_task(f"run: x\nresources: {{job_recovery: {written}}}\n").recovery == recovery


def test_the_old_name_of_a_strategy_is_accepted_with_a_warning() -> None:
    """EAGER_FAILOVER is EAGER_NEXT_REGION."""
    text = "run: x\nresources: {job_recovery: eager_failover}\n"
    assert only_task(text).recovery == JobRecovery(strategy="EAGER_NEXT_REGION")
    assert warnings(text) == [
        "2:27: resources.job_recovery: EAGER_FAILOVER is called EAGER_NEXT_REGION now"
    ]


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("failovr", "2:27: resources.job_recovery: unknown strategy 'failovr' (did you mean 'FAIL"),
        (
            "{strategy: x}",
            "2:38: resources.job_recovery.strategy: unknown strategy 'x' (known are ",
        ),
        ("''", "2:27: resources.job_recovery: unknown strategy '' (known are EAGER_NEXT_REGION, "),
    ],
)
def test_an_unknown_strategy_is_refused(written: str, problem: str) -> None:
    """With the nearest, or all that there are."""
    (error,) = errors(f"run: x\nresources: {{job_recovery: {written}}}\n")
    assert error.startswith(problem)


def test_candidates_recover_alike() -> None:
    """A different job_recovery in one candidate is refused where it stands."""
    (error,) = errors(
        "run: x\nresources:\n  any_of:\n"
        "    - {cpus: 1, job_recovery: failover}\n"
        "    - {cpus: 2, job_recovery: {strategy: FAILOVER}}\n"
        "    - {cpus: 4, job_recovery: none}\n"
    )
    assert error == (
        "6:31: resources.any_of[2].job_recovery: all candidates of a task must have the same "
        "job_recovery (give job_recovery once, under resources itself)"
    )


def test_a_candidate_without_the_others_recovery_is_refused_too() -> None:
    """Saying nothing means the default."""
    (error,) = errors(
        "run: x\nresources:\n  any_of:\n    - {cpus: 1, job_recovery: failover}\n    - cpus: 2\n"
    )
    assert error.startswith(
        "5:7: resources.any_of[1]: all candidates of a task must have the same job_recovery"
    )


def test_the_jobs_priority_is_its_first_tasks() -> None:
    """Another task's is no use, and is said to be none."""
    text = "run: x\nresources: {priority: -5}\n---\nrun: y\nresources: {priority: 7}\n"
    assert judge(text).spec.priority == -5
    assert warnings(text) == ["5:23: only the first task's priority counts, it is the job's"]
    assert judge("run: x\n").spec.priority == 0
    assert judge("run: x\nresources: {any_of: [{priority: 3}, {priority: 3}]}\n").spec.priority == 3


@pytest.mark.parametrize("bound", [-1000, 1000])
def test_priorities_reach_a_thousand_either_way(bound: int) -> None:
    """The bounds themselves are fine."""
    assert judge(f"run: x\nresources: {{priority: {bound}}}\n").spec.priority == bound
