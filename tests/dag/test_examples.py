from __future__ import annotations

from pathlib import Path

import pytest

from jobsched import dag
from jobsched.dag import LoadedDag
from jobsched.errors import InvalidDag
from jobsched.models import FileMount, JobRecovery, Resources

from .judging import NOWHERE

EXAMPLES = Path(__file__).parent / "examples"


def load(name: str, **secrets: str) -> LoadedDag:
    """An example as ``submit`` would load it."""
    return dag.load(EXAMPLES / name, secrets=secrets, cwd=NOWHERE, user_home=NOWHERE, mode="submit")


def test_a_pipeline() -> None:
    """A chain, with all that a task usually says."""
    loaded = load("pipeline.yaml")
    prepare, train, last = loaded.spec.tasks
    assert not loaded.warnings
    assert loaded.spec.name == "nightly"
    assert [task.name for task in loaded.spec.tasks] == ["prepare", "train", "nightly-2"]
    assert [task.depends_on for task in loaded.spec.tasks] == [(), (0,), (1,)]
    assert prepare.envs == {"ROWS": "1000"}
    assert prepare.candidates == (Resources(cpus=2, memory_gib=4),)
    assert (train.num_nodes, train.max_duration) == (2, 43_200)
    assert train.candidates == (Resources(accelerators={"A100": 8}),)
    assert train.recovery == JobRecovery(
        strategy="FAILOVER", max_restarts_on_errors=3, recover_on_exit_codes=(29, 30)
    )
    assert last.event_callback == 'echo "$JOB_STATUS"\n'


def test_branches() -> None:
    """A task waits for those it names."""
    tasks = {task.name: task for task in load("branches.yaml").spec.tasks}
    assert {name: task.depends_on for name, task in tasks.items()} == {
        "report": (1, 2),
        "small": (3,),
        "large": (3,),
        "data": (),
    }


def test_a_group() -> None:
    """Only the client counts."""
    spec = load("group.yaml").spec
    assert spec.is_group
    assert [(t.name, t.counts, t.termination_delay) for t in spec.tasks] == [
        ("server", False, 10),
        ("client", True, 0),
        ("watcher", False, 60),
    ]


def test_alternatives() -> None:
    """Two candidates by preference, and a mount with variables."""
    (task,) = load("alternatives.yaml").spec.tasks
    assert task.ordered
    assert task.candidates == (
        Resources(cpus=4, cloud="aws", region="us-east-1", accelerators={"L4": 1}, use_spot=True),
        Resources(cpus=4, cloud="gcp", zone="us-east4-b", accelerators={"T4": 1}, memory_gib=32),
    )
    assert task.recovery == JobRecovery(strategy="NONE")
    assert task.file_mounts == (FileMount(target="/data", source="s3://results/raw"),)


def test_anchors() -> None:
    """One value in two places."""
    (task,) = load("anchors.yaml").spec.tasks
    assert task.run == task.setup == "echo hello\n"
    assert task.candidates == (
        Resources(cpus=1, memory_gib=2),
        Resources(cpus=1, memory_gib=4),
    )


def test_secrets() -> None:
    """What is stored of the file has no value of any secret."""
    loaded = load("secrets.yaml", PASSWORD="open sesame")  # noqa: S106 - an example
    assert loaded.spec.tasks[0].secrets == ("TOKEN", "KEY", "PASSWORD")
    assert loaded.secrets[0]["KEY"] == "-----BEGIN-----\nnor this\n-----END-----\n"
    assert loaded.yaml == (
        "# Secrets: kept out of everything that is stored with the job or shown.\n"
        "name: secrets\n\nsecrets:\n"
        "  TOKEN: null   # spelled out: blanked in what is stored\n"
        "  KEY: null\n"
        "  PASSWORD:              # given with --secret\n"
        '\nrun: test -n "$TOKEN"\n'
    )
    with pytest.raises(InvalidDag, match=r"secrets.yaml:10:3: secrets: PASSWORD has no value"):
        load("secrets.yaml")


def test_mistakes() -> None:
    """Every one of them, in the order of the file."""
    with pytest.raises(InvalidDag) as caught:
        load("mistakes.yaml")
    path = str(EXAMPLES / "mistakes.yaml")
    assert {problem.file for problem in caught.value.problems} == {path}
    assert str(caught.value).replace(f"{path}:", "") == MISTAKES.strip()


MISTAKES = r"""
4:1: primary_tasks is for job groups alone (add `execution: parallel`)
8:1: the key 'run' is given twice (it was given first in line 7; keep one of them)
9:12: num_nodes: expected a whole number, found the text 'two'
10:1: unknown field 'priority' (priority belongs under resources)
12:3: envs: '1ST' cannot name a variable (letters, digits and _, not beginning with a digit)
13:3: envs: EMPTY has no value (give it with --env EMPTY=..., or write "" for an empty one)
14:11: secrets[0]: no name of a variable (letters, digits and _, not beginning with a digit)
15:10: workdir: there is no directory '/nonexistent/nowhere' (relative paths start at /nonexistent)
17:7: name: a second task is called 'first' (the first is in line 6; task names are distinct)
18:1: unknown field 'runn' (did you mean 'run'?)
21:3: resources: infra and zone exclude each other (keep one of them)
22:17: resources.accelerators: expected an accelerator, such as V100 or V100:4, found a list
23:17: resources.job_recovery: unknown strategy 'failover!' (did you mean 'FAILOVER'?)
26:17: resources.any_of[0].priority: expected a whole number of at most 1000, found the number 1001
27:7: unknown field 'spot_recovery' in resources.any_of[1] (did you mean 'job_recovery'?)
29:7: name: expected a name of printable characters, found the text 'third\x1b' (its character 6 is U+001B)
30:6: tags (like !name or !!str) are not allowed (leave it away; quotes make text of a value)
32:15: max_duration: expected a duration, seconds or NUMBER[s|m|h|d|w], found the text '5 minutes' (such as 90, 90s or 2h)
34:9: file_mounts.data: expected a source, or a bucket's name
34:16: file_mounts.data.mode: expected MOUNT, COPY or MOUNT_CACHED, found the text 'mout' (did you mean 'MOUNT'?)
"""  # noqa: E501 - messages as they are
