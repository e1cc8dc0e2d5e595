from __future__ import annotations

import pytest

from .judging import errors, judge, only_task, warnings


def names(text: str, **settings: object) -> tuple[str, list[str]]:
    """What the job and its tasks are called."""
    spec = judge(text, **settings).spec  # type: ignore[arg-type] # whatever judge takes
    return spec.name, [task.name for task in spec.tasks]


@pytest.mark.parametrize(
    ("text", "job", "tasks"),
    [
        ("run: x\n", "file", ["file"]),
        ("name: a\nrun: x\n", "a", ["a"]),
        ("name: p\n---\nrun: x\n", "p", ["p"]),
        ("name: p\n---\nname: a\nrun: x\n", "p", ["p"]),
        ("name: p\n---\nname: a\nrun: x\n---\nname: b\nrun: x\n", "p", ["a", "b"]),
        ("name: p\n---\nrun: x\n---\nname: b\nrun: x\n", "p", ["p-0", "b"]),
        ("name: a\nrun: x\n---\nrun: x\n", "file", ["a", "file-1"]),
        ("run: x\n---\nrun: x\n", "file", ["file-0", "file-1"]),
        ("name: p\nexecution: serial\n---\nrun: x\n---\nrun: y\n", "p", ["p-0", "p-1"]),
        ("execution: serial\n---\nrun: x\n---\nrun: y\n", "file", ["file-0", "file-1"]),
        ("name: x\n", "x", ["x"]),
        ("name: x\n---\n", "x", ["x"]),
        ("name: x\n---\nname: y\n", "x", ["x"]),
        ("name:\n---\nrun: x\n", "file", ["file"]),
        ("name: p\nexecution: parallel\n---\nname: a\nrun: x\n", "p", ["a"]),
    ],
)
def test_what_jobs_and_tasks_are_called(text: str, job: str, tasks: list[str]) -> None:
    """The header's name, else that of the only task, else the file's stem."""
    assert names(text) == (job, tasks)


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("name: a\nrun: x\n", ["a"]),
        ("run: x\n", ["given"]),
        ("name: p\n---\nrun: x\n---\nname: b\nrun: y\n", ["given-0", "b"]),
    ],
)
def test_a_given_name_is_the_jobs_whatever_the_file_says(text: str, tasks: list[str]) -> None:
    """``-n`` names the job, and tasks that have no name of their own."""
    assert names(text, name="given") == ("given", tasks)


@pytest.mark.parametrize(
    ("text", "given", "tasks"),
    [
        ("run: x\n", ["t"], ["t"]),
        ("name: a\nrun: x\n", ["t"], ["a"]),
        ("name: p\n---\nname: a\nrun: x\n", ["a"], ["a"]),
        ("name: p\n---\nname: a\nrun: x\n", ["p"], ["p"]),
        ("name: p\n---\nname: a\nrun: x\n", ["t"], ["p"]),
        ("name: p\n---\nrun: x\n", ["t"], ["p"]),
        ("run: x\n---\nname: b\nrun: y\n", ["t", "u"], ["t", "b"]),
        ("run: x\n---\nrun: y\n", ["t"], ["t", "J-1"]),
        ("run: x\n---\nrun: y\n", ["t", "u", "v"], ["t", "u"]),
    ],
)
def test_unnamed_tasks_take_the_names_they_were_created_with(
    text: str, given: list[str], tasks: list[str]
) -> None:
    """A name of the file's own stays, for the caller to compare."""
    assert names(text, name="J", task_names=given) == ("J", tasks)


def test_a_long_name_leaves_room_for_numbers() -> None:
    """Generated names keep the bound on names."""
    job, tasks = names(f"name: {'x' * 1_000}\n---\nrun: x\n---\nrun: y\n")
    assert len(job) == 1_000
    assert [len(task) for task in tasks] == [1_000, 1_000]
    assert [task[-2:] for task in tasks] == ["-0", "-1"]


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 1_001, "\udcff"])
def test_a_given_name_is_judged_like_any(name: str) -> None:
    """``-n`` is no way around the rules."""
    assert errors("run: x\n", name=name)[0].startswith("1:1: the job's name: expected a name")


def test_a_file_whose_own_name_cannot_be_shown() -> None:
    """Only matters where nothing else names the job."""
    (error,) = errors("run: x\n---\nrun: y\n", stem="a\x1b")
    assert error.startswith("1:1: the file's own name: expected a name of printable characters")
    assert names("name: a\nrun: x\n", stem="a\x1b") == ("a", ["a"])


def test_task_names_are_distinct() -> None:
    """Both are pointed out, also if one was made up."""
    text = "name: p\n---\nname: a\nrun: x\n---\nname: a\nrun: y\n---\nrun: z\n---\nname: p-2\n"
    distinct = "task names are distinct"
    assert errors(text) == [
        f"6:7: name: a second task is called 'a' (the first is in line 3; {distinct})",
        f"11:7: name: a second task is called 'p-2' (the first is in line 9; {distinct})",
    ]


def test_a_task_without_run_succeeds_at_once_and_is_warned_about() -> None:
    """Its setup is not run either."""
    assert only_task("name: x\n").run is None
    assert warnings("name: x\n") == ["1:1: the task has no run: it succeeds at once"]
    assert warnings("name: x\n---\nsetup: y\n") == [
        "3:1: the task has no run: it succeeds at once, and its setup is not run"
    ]


def test_fields_of_the_reference_without_a_meaning_here_are_noted() -> None:
    """Each is accepted with a warning at its key."""
    fields = [
        "inputs", "outputs", "experimental", "config", "volumes", "volume_mounts",
        "api_server_access", "file_mounts_mapping", "managed_secrets", "_metadata",
    ]  # fmt: skip
    text = "run: x\n" + "".join(f"{field}: {{a: 1}}\n" for field in fields)
    assert warnings(text) == [
        f"{line}:1: {field} is noted, not acted upon" for line, field in enumerate(fields, 2)
    ]
