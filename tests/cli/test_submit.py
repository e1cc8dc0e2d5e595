"""``submit`` and ``validate``: files become jobs, all or none."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import SLEEP, Cli

PRINTS = 'run: echo "$A $B"\nenvs: {A: null, B: file}\n'


def names(cli: Cli) -> list[str]:
    """Names of all jobs, oldest first."""
    return [job["name"] for job in reversed(cli.jobs(all=True))]


def test_it_tells_the_new_job_as_one_json_document(idle: Cli) -> None:
    """``--json`` prints a list with number and name; what else there is goes to stderr."""
    idle.file("a.yaml", "run: 'true'\nworkdir: .\nresources: {cloud: aws}\n")
    ended = idle.ok("submit", "a.yaml", "--json")
    assert ended.json == [{"job_id": 1, "name": "a"}]


def test_each_file_is_a_job_also_the_same_twice(idle: Cli) -> None:
    """Files become jobs in their order; one that is named twice becomes two."""
    idle.file("a.yaml", SLEEP)
    idle.file("b.yaml", "name: bee\n" + SLEEP)
    ended = idle.ok("submit", "a.yaml", "b.yaml", "a.yaml")
    assert ended.out.splitlines() == [
        "Submitted job 1 (a)", "Submitted job 2 (bee)", "Submitted job 3 (a)",
    ]  # fmt: skip


def test_one_bad_file_and_nothing_is_submitted(idle: Cli) -> None:
    """All problems of all files are told, each with its place, and no job is made."""
    idle.file("good.yaml", SLEEP)
    idle.file("bad.yaml", "run: x\nnum_nodse: 2\n")
    idle.file("worse.yaml", "run: [1, 2]\n")
    ended = idle.run("submit", "good.yaml", "bad.yaml", "worse.yaml", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert "error: bad.yaml:2:1: " in ended.err
    assert "num_nodes" in ended.err
    assert "error: worse.yaml:1:" in ended.err
    assert names(idle) == []


def test_name_priority_and_hold_are_stored(idle: Cli) -> None:
    """The options count over the file, also the priority of 0."""
    text = "name: x\nresources: {priority: 7}\n" + SLEEP
    first = idle.submit(text)
    second = idle.submit(text, "-n", "other", "--priority", 0, "--hold")
    assert (idle.job(first)["name"], idle.job(first)["priority"]) == ("x", 7)
    job = idle.job(second)
    assert (job["name"], job["priority"], job["waiting_reason"]) == ("other", 0, "HELD")


def test_envs_come_from_words_file_and_environment(cli: Cli) -> None:
    """``--env K`` takes what the submitter has; words count over the file."""
    cli.file("vars", "A=from file\nB='from # file'\n")
    cli.file("job.yaml", PRINTS)
    ended = cli.run(
        "submit", "job.yaml", "--env-file", "vars", "--env", "A", "--wait", env={"A": "mine"}
    )
    assert ended.code == 0, ended
    assert cli.ok("logs", 1).out == "mine from # file\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--env", "A"), "--env A: not set in your environment"),
        (("--env", "1A=x"), "--env '1A': no name of a variable"),
        (("--secret", "TOKEN=hunter2"), "--secret TOKEN=...: refused"),
        (("--secret", "TOKEN"), "--secret TOKEN: not set in your environment"),
        (("--env-file", "missing"), "missing: No such file"),
        (("--env-file", "."), ".: Is a directory"),
        (("--secret-file", "bad"), "bad:2:1: expected KEY=VALUE"),
    ],
)
def test_variables_that_cannot_be_had_are_named(
    idle: Cli, words: tuple[str, ...], said: str
) -> None:
    """The option and the name are told, never a value; nothing is stored."""
    idle.file("job.yaml", SLEEP)
    idle.file("bad", "A=1\nhunter2\n")
    ended = idle.fails(2, "submit", "job.yaml", *words)
    assert said in ended.err
    assert "hunter2" not in ended.err
    assert names(idle) == []


def test_a_null_env_must_be_given(idle: Cli) -> None:
    """A variable that the file leaves open is an error with its place."""
    idle.file("job.yaml", PRINTS)
    ended = idle.fails(2, "submit", "job.yaml")
    assert "job.yaml:2:" in ended.err
    assert "A" in ended.err


def test_secrets_reach_the_task_and_nothing_else(cli: Cli) -> None:
    """From environment or file to the task; no listing, log or stored text has the value."""
    cli.file("hidden", 'S2="two-two"\n')
    cli.file("job.yaml", "run: test ${#S1}${#S2} = 77\nsecrets: {S1: null, S2: null}\n")
    ended = cli.run(
        "submit", "job.yaml", "--secret", "S1", "--secret-file", "hidden", "--wait",
        env={"S1": "one-one"},
    )  # fmt: skip
    assert ended.code == 0, ended
    said = cli.ok("show", 1, "--json").out + cli.ok("logs", 1, "--controller").out
    kept = b"".join(path.read_bytes() for path in cli.home.root.rglob("*") if path.is_file())
    assert "one-one" not in said + ended.out + ended.err
    assert b"one-one" not in kept
    assert b"two-two" not in kept


def test_a_null_secret_is_an_error_to_submit_and_a_warning_to_validate(idle: Cli) -> None:
    """Whoever only judges a file need not have its secrets."""
    idle.file("job.yaml", "run: x\nsecrets: {TOKEN: null}\n")
    assert "TOKEN" in idle.fails(2, "submit", "job.yaml").err
    ended = idle.ok("validate", "job.yaml")
    assert "warning: job.yaml:2:" in ended.err
    assert ended.out == "job.yaml: valid, 1 task, 1 warning\n"


def test_a_secret_is_no_env(idle: Cli) -> None:
    """By word or file: refused with its place and the right option, and nowhere stored."""
    idle.file("job.yaml", "run: x\nsecrets: {TOKEN: null}\n")
    idle.file("vars", "TOKEN=hunter2\n")
    for words in (("--env", "TOKEN=hunter2"), ("--env-file", "vars")):
        for command in ("submit", "validate"):
            ended = idle.run(command, "job.yaml", *words)
            assert ended.code == 2
            assert ended.err.startswith("error: job.yaml:2:18: secrets: TOKEN is given with --env")
            assert "--secret TOKEN" in ended.err
            assert "hunter2" not in ended.err
    assert names(idle) == []
    idle.ok("submit", "job.yaml", "--secret", "TOKEN", env={"TOKEN": "hunter2"})


CANNOT = """\
name: pipe
---
name: one
run: x
file_mounts:
  /abs: /etc
  ok: /etc
  bucket: s3://some/thing
---
name: two
run: x
num_nodes: 2
resources: {cpus: 5}
---
run: x
resources:
  any_of: [{region: mars}, {image_id: "docker:x"}]
---
run: x
resources: {region: here, cpus: 9, any_of: [{cpus: 10}, {cpus: 1}]}
---
setup: x
file_mounts: {y: gs://a/b}
"""
REGION = "[local.regions.here]\ncpus = 8\n"


def test_what_the_backend_cannot_do_is_a_warning(idle: Cli) -> None:
    """For each task that would fail its prechecks, at its place; the file is accepted as it is."""
    idle.file("job.yaml", CANNOT)
    idle.home.config_file.write_text(REGION + "[limits]\nalive = 0\n")
    expected = [
        ("6:3", "/abs: an absolute target"), ("8:3", "bucket: s3://some/thing is object storage"),
        ("13:1", "resources: region here: 10 CPUs asked, 8 declared"),
        ("16:1", "resources: candidate 1: region mars is not declared"),
        ("16:1", "resources: candidate 2: image_id docker:x"),
    ]  # fmt: skip
    for command in ("validate", "submit"):
        lines = [line for line in idle.ok(command, "job.yaml").err.splitlines()
                 if "has no run" not in line]  # fmt: skip
        assert len(lines) == len(expected)
        for line, (place, said) in zip(lines, expected, strict=True):
            assert line.startswith(f"warning: job.yaml:{place}: ")
            assert said in line
            assert line.endswith("(as things are the task ends FAILED_PRECHECKS)")
    assert names(idle) == ["pipe"]


def test_what_the_backend_can_do_is_no_warning(idle: Cli) -> None:
    """Its settings count: a mount that is allowed, and any region where none is declared."""
    idle.file("job.yaml", "run: x\nfile_mounts: {/abs/x: /etc}\nresources: {region: mars}\n")
    allow = "[local]\nallow_absolute_mounts = true\n[limits]\nalive = 0\n"
    idle.home.config_file.write_text(allow)
    assert idle.ok("submit", "job.yaml").err == ""
    idle.home.config_file.write_text(allow + REGION)
    assert "region mars is not declared" in idle.ok("validate", "job.yaml").err
    (idle.home.config_file).write_text("[backend]\ndefault = 'slurm'\n")
    assert "there is no backend slurm" in idle.ok("validate", "job.yaml").err


def test_without_a_home_the_backend_is_asked_as_well(nowhere: Cli) -> None:
    """With the defaults; and no home is made for it."""
    nowhere.file("job.yaml", CANNOT)
    ended = nowhere.ok("validate", "job.yaml")
    assert "object storage" in ended.err
    assert ended.out == "job.yaml: valid, 5 tasks, 3 warnings\n"
    assert not nowhere.home.root.exists()


def test_after_success_it_starts(cli: Cli) -> None:
    """A job that follows another starts when that has succeeded, and not before."""
    first = cli.submit(SLEEP, "--hold")
    second = cli.submit("run: 'true'\n", "--after", first)
    reason = cli.ok("why", second, "--json").json
    assert reason["reason"] == "DEPENDS_ON"
    assert f"job {first}" in reason["text"]
    third = cli.submit("run: 'true'\n")
    fourth = cli.submit("run: 'true'\n", "--after", third, "--wait")
    assert cli.job(fourth)["status"] == "SUCCEEDED"
    assert cli.job(fourth)["started_at"] >= cli.job(third)["ended_at"]
    assert cli.job(second)["status"] == "PENDING"


def test_after_a_failure_it_is_cancelled_and_says_why(cli: Cli) -> None:
    """Whether the other fails later or has failed before: CANCELLED, naming it."""
    first = cli.submit("run: exit 3\n", "--hold")
    second = cli.submit(SLEEP, "--after", first)
    cli.ok("release", first)
    cli.until_status(second, "CANCELLED")
    late = cli.submit(SLEEP, "--after", first)
    for job_id in (second, late):
        job = cli.job(job_id)
        assert (job["status"], job["schedule_state"]) == ("CANCELLED", "DONE")
        assert f"job {first}" in job["failure_reason"]


def test_a_job_that_is_cancelled_at_once_is_told_of(cli: Cli) -> None:
    """Whoever lets it follow one that has failed already learns so, with the reason."""
    cli.file("bad.yaml", "run: exit 3\n")
    assert cli.run("submit", "bad.yaml", "--wait").code == 100
    ended = cli.ok("submit", "bad.yaml", "bad.yaml", "--after", 1, "--json")
    assert [job["job_id"] for job in ended.json] == [2, 3]
    why = "job 1, which it was to follow, did not succeed"
    assert ended.err.splitlines() == [
        f"warning: job {job_id} was cancelled at once: {why}" for job_id in (2, 3)
    ]
    assert cli.ok("submit", "bad.yaml", "--hold").err == ""


def test_after_an_unknown_job_nothing_is_stored(idle: Cli) -> None:
    """A number that is no job's is exit 1, for all files of the command."""
    idle.file("a.yaml", SLEEP)
    first = idle.submit()
    ended = idle.fails(1, "submit", "a.yaml", "a.yaml", "--after", first, "--after", 99)
    assert ended.err == "error: job 99 not found\n"
    assert names(idle) == ["job"]


@pytest.mark.parametrize("files", [1, 3])
def test_a_job_cannot_follow_one_of_its_own_submission(idle: Cli, files: int) -> None:
    """A number that this very command would give is no job's yet: exit 1, nothing stored."""
    idle.file("a.yaml", SLEEP)
    for first in (1, 2):
        for number in range(first, first + files):
            ended = idle.fails(1, "submit", *["a.yaml"] * files, "--after", number)
            assert ended.err == f"error: job {number} not found\n"
        assert len(names(idle)) == first - 1
        assert idle.submit() == first
    ended = idle.ok("submit", *["a.yaml"] * files, "--after", 2, "--json")
    assert [job["job_id"] for job in ended.json] == [*range(3, 3 + files)]


def test_validate_judges_and_stores_nothing(nowhere: Cli) -> None:
    """Good and bad files are judged one by one; no home is made for it."""
    nowhere.file("good.yaml", SLEEP)
    nowhere.file("bad.yaml", "run: x\nsetpu: y\n")
    ended = nowhere.run("validate", "good.yaml", "bad.yaml")
    assert ended.code == 2
    assert ended.out.splitlines() == ["good.yaml: valid, 1 task", "bad.yaml: invalid, 1 problem"]
    assert "error: bad.yaml:2:1: " in ended.err
    assert not nowhere.home.root.exists()


def test_validate_takes_variables(nowhere: Cli) -> None:
    """What a file leaves open can be given, and counts as given."""
    nowhere.file("job.yaml", PRINTS + "secrets: {TOKEN: null}\n")
    assert nowhere.run("validate", "job.yaml").code == 2
    ended = nowhere.ok("validate", "job.yaml", "--env", "A=1", "--secret", "T", env={"T": "x"})
    assert ended.out.startswith("job.yaml: valid")


def test_what_was_stored_at_submission_counts(cli: Cli) -> None:
    """A file that is edited or deleted afterwards changes nothing."""
    job_id = cli.submit("run: echo first\n", "--hold")
    cli.file("job.yaml", "run: echo second\n")
    cli.ok("release", job_id)
    assert cli.run("wait", job_id).code == 0
    assert cli.ok("logs", job_id).out == "first\n"


def test_rerun_is_a_new_job_from_what_is_stored(idle: Cli) -> None:
    """The same DAG, name and priority under a new number; the file is not read again."""
    first = idle.submit("name: again\n" + SLEEP, "--priority", 5)
    (idle.folder / "job.yaml").unlink()
    assert idle.ok("rerun", first, "--json").json == {"job_id": 2, "name": "again"}
    ended = idle.ok("rerun", first)
    assert ended.out == f"Submitted job 3 (again), a rerun of job {first}\n"
    job = idle.job(3)
    assert (job["status"], job["priority"], job["tasks"][0]["name"]) == ("PENDING", 5, "again")
    assert idle.fails(1, "rerun", 99).err == "error: job 99 not found\n"


def test_rerun_names_the_secrets_that_it_needs(idle: Cli) -> None:
    """Values are gone with the job's end: without them exit 2, with them a job that has them."""
    idle.file("job.yaml", "run: x\nsecrets: {S1: null, S2: null}\n")
    values = {"S1": "aaa", "S2": "bbb"}
    idle.ok("submit", "job.yaml", "--secret", "S1", "--secret", "S2", env=values)
    idle.ok("cancel", 1)
    ended = idle.fails(2, "rerun", 1, "--secret", "S2", env=values)
    assert "S1" in ended.err
    assert "S2" not in ended.err
    assert names(idle) == ["job"]
    idle.ok("rerun", 1, "--secret", "S2", "--secret", "S1", env=values)
    stored = json.loads(idle.home.secrets_file(2).read_text())
    assert "aaa" in json.dumps(stored)
    assert idle.home.secrets_file(2).stat().st_mode & 0o777 == 0o600
