from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobsched import dag
from jobsched.dag import LoadedDag, Mode
from jobsched.errors import InvalidDag
from jobsched.models import FileMount, JobRecovery

from .judging import NOWHERE

CORPUS = Path(
    os.environ.get("JOBSCHED_TEST_CORPUS") or Path(__file__).parents[3] / "shared" / "corpus"
)

pytestmark = pytest.mark.skipif(
    not (CORPUS / "index.tsv").is_file(),
    reason=f"there is no corpus at {CORPUS}; JOBSCHED_TEST_CORPUS says where it is",
)

#: Accepted by the reference, refused here on purpose.
STRICTER = {"any_of_jr_mismatch.yaml", "dup_names.yaml", "jr_unknown_key.yaml"}
#: Where each refusal stands, and what it is about.
REFUSED = {
    "anchors.yaml": ("1:1", "unknown field 'x'"),
    "any_of_jr_mismatch.yaml": ("5:29", "all candidates of a task must have the same job_recovery"),
    "dup_names.yaml": ("6:7", "a second task is called 'a'"),
    "env_badkey.yaml": ("2:8", "'1A' cannot name a variable"),
    "env_null.yaml": ("2:8", "A has no value"),
    "execution_bad.yaml": ("2:12", "expected serial or parallel, found the text 'foo'"),
    "jg_primary_unknown.yaml": ("3:17", "there is no task 'zz' (the tasks are 'a')"),
    "jr_codes_256.yaml": ("2:52", "expected a whole number of at most 255"),
    "jr_int.yaml": ("2:27", "expected a strategy's name or a mapping, found the number 3"),
    "jr_strnum.yaml": ("2:52", "expected a whole number, found the text '2'"),
    "jr_unknown_key.yaml": ("2:48", "unknown field 'foo'"),
    "num_nodes_bool.yaml": ("2:12", "expected a whole number, found the boolean true"),
    "num_nodes_str.yaml": ("2:12", "expected a whole number, found the text '2'"),
    "prio_res_1001.yaml": ("2:23", "expected a whole number of at most 1000"),
    "run_nonstr.yaml": ("2:6", "expected text, found the number 5"),
    "spot_recovery_legacy.yaml": ("2:29", "did you mean 'job_recovery'?"),
    "syntax.yaml": ("2:1", "did not find expected ',' or ']'"),
    "top_list.yaml": ("1:1", "found a list"),
    "unknown_field.yaml": ("2:1", "did you mean 'run'?"),
}


def rows(table: str) -> list[list[str]]:
    """The lines of a table of the corpus, without its head."""
    path = CORPUS / table
    if not path.is_file():
        return []
    return [line.split("\t") for line in path.read_text().splitlines()[1:]]


def load(name: str, mode: Mode = "validate", **secrets: str) -> LoadedDag:
    """A file of the corpus, on a machine that has none of its paths."""
    return dag.load(
        CORPUS / name, secrets=secrets, cwd=NOWHERE, user_home=NOWHERE / "home", mode=mode
    )


def test_the_tables_are_complete() -> None:
    """Every file is in its table, so that none goes untested."""
    assert {row[0] for row in rows("index.tsv")} == {p.name for p in CORPUS.glob("*.yaml")}
    edge = {p.name for p in (CORPUS / "edge").glob("*.yaml")}
    assert {row[0] for row in rows("edge/expected.tsv")} == edge
    assert set(REFUSED) <= edge


@pytest.mark.parametrize("name", [row[0] for row in rows("index.tsv")])
def test_real_files_are_accepted(name: str) -> None:
    """All of them; what this machine lacks is a warning."""
    spec = load(name, WANDB_API_KEY="key").spec
    documents = (CORPUS / name).read_text().split("\n---")
    assert 1 <= len(spec.tasks) <= len(documents)


@pytest.mark.parametrize(("name", "old", "new"), rows("edge/expected.tsv"))
def test_edge_cases_are_accepted_as_the_reference_does(name: str, old: str, new: str) -> None:
    """What either version accepts, under its names; but for what is refused on purpose."""
    accepted = [outcome for outcome in (old, new) if outcome.startswith("OK ")]
    if not accepted or name in STRICTER:
        where, what = REFUSED[name]
        with pytest.raises(InvalidDag) as caught:
            load(f"edge/{name}")
        (problem,) = caught.value.problems
        assert f"{problem.line}:{problem.column}" == where
        assert what in str(problem)
        return
    spec = load(f"edge/{name}").spec
    job, tasks = accepted[-1].removeprefix("OK dag=").split(" tasks=")
    if job == "<gen>":
        job = tasks = name.removesuffix(".yaml")
    assert spec.name.startswith(job)
    assert ",".join(task.name for task in spec.tasks).startswith(tasks)


def test_storage_of_every_form() -> None:
    """02: unnamed, a strategy in small letters, mounts of all kinds."""
    loaded = load("02_managed_job_with_storage.yaml")
    (task,) = loaded.spec.tasks
    assert task.name == "02_managed_job_with_storage"
    assert task.recovery == JobRecovery(strategy="FAILOVER")
    assert task.candidates[0].use_spot
    assert task.file_mounts[:3] == (
        FileMount(
            target="~/bucket_workdir",
            source="/nonexistent/examples",
            name="sky-workdir-zhwu",
            mode="COPY",
            persistent=False,
        ),
        FileMount(target="/output_path", source=None, name="sky-output-bucket", mode="MOUNT"),
        FileMount(target="/public-bucket", source="s3://fah-public-data-covid19-cryptic-pockets"),
    )
    assert len(task.file_mounts) == 8
    assert [f"{w.line}:{w.column}" for w in loaded.warnings] == [
        "14:10", "20:13", "33:17", "37:14", "38:20", "42:30", "44:22",
    ]  # fmt: skip
    with pytest.raises(InvalidDag) as caught:
        load("02_managed_job_with_storage.yaml", mode="submit")
    assert caught.value.problems == loaded.warnings


def test_secrets_without_values() -> None:
    """06: needed to submit, in both tasks."""
    with pytest.raises(InvalidDag) as caught:
        load("06_bert_qa_train_eval.yaml", mode="submit")
    missing = [p for p in caught.value.problems if "WANDB_API_KEY has no value" in p.message]
    assert [(p.line, p.column) for p in missing] == [(45, 5), (87, 5)]
    loaded = load("06_bert_qa_train_eval.yaml", WANDB_API_KEY="key")
    assert loaded.secrets == {0: {"WANDB_API_KEY": "key"}, 1: {"WANDB_API_KEY": "key"}}
    assert loaded.yaml == (CORPUS / "06_bert_qa_train_eval.yaml").read_text()


def test_a_group_with_one_primary_task() -> None:
    """e03: three servers that end five seconds after the client."""
    spec = load("e03_rlhf-math-jobgroup-cpu.yaml").spec
    assert (spec.name, spec.is_group) == ("rlhf-math-cpu", True)
    assert [(t.name, t.counts, t.termination_delay) for t in spec.tasks] == [
        ("data-server", False, 5),
        ("reward-server", False, 5),
        ("replay-buffer", False, 5),
        ("test-client", True, 0),
    ]


def test_places() -> None:
    """e07: a zone of any region; e08: two candidates by preference."""
    (first, *_) = load("e07_pipeline_gcp.yaml").spec.tasks
    place = first.candidates[0]
    assert (place.cloud, place.region, place.zone, place.cpus) == ("gcp", None, "us-east4-b", 2)
    (task,) = load("e08_multi_resources.yaml").spec.tasks
    assert task.ordered
    assert [(c.cloud, dict(c.accelerators)) for c in task.candidates] == [
        ("aws", {"A10g": 1}),
        ("gcp", {"L4": 1}),
    ]


def test_a_pipeline_without_header() -> None:
    """05: named after its file; one restart in the first task."""
    spec = load("05_test_managed_jobs_retry.yaml", mode="submit").spec
    assert [task.name for task in spec.tasks] == [f"{spec.name}-0", f"{spec.name}-1"]
    assert spec.tasks[0].recovery == JobRecovery(max_restarts_on_errors=1)
    assert spec.tasks[1].depends_on == (0,)


def test_block_text_is_kept_to_the_letter() -> None:
    """01: a line of blanks inside a program stays."""
    (task,) = load("01_managed_job.yaml", mode="submit").spec.tasks
    assert task.run is not None
    assert task.run.endswith("  time.sleep(1)\n\nEOF\n")
