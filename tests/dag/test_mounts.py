from __future__ import annotations

from pathlib import Path

import pytest

from jobsched.models import FileMount

from .judging import errors, judge, warnings


def mounts(text: str, **settings: object) -> tuple[FileMount, ...]:
    """The mounts of the only task, whose warnings do not matter."""
    (task,) = judge(text, **settings).spec.tasks  # type: ignore[arg-type] # whatever judge takes
    return task.file_mounts


def test_relative_paths_start_where_submit_runs(tmp_path: Path) -> None:
    """Not where the file lies."""
    (tmp_path / "code").mkdir()
    (tmp_path / "data.txt").touch()
    text = "run: x\nworkdir: ./code/../code\nfile_mounts: {data: data.txt}\n"
    loaded = judge(text, cwd=tmp_path, mode="submit")
    assert loaded.spec.tasks[0].workdir == str(tmp_path / "code")
    assert loaded.spec.tasks[0].file_mounts == (
        FileMount(target="data", source=str(tmp_path / "data.txt")),
    )
    assert not loaded.warnings


def test_a_tilde_is_the_given_home(tmp_path: Path) -> None:
    """Nothing is read from the environment."""
    (tmp_path / "x").touch()
    text = "run: x\nworkdir: '~'\nfile_mounts: {~/a: ~/x, b: '~other'}\n"
    loaded = judge(text, user_home=tmp_path, cwd=tmp_path)
    task = loaded.spec.tasks[0]
    assert task.workdir == str(tmp_path)
    assert [(mount.target, mount.source) for mount in task.file_mounts] == [
        ("~/a", str(tmp_path / "x")),
        ("b", str(tmp_path / "~other")),
    ]


def test_missing_paths_are_needed_to_submit(tmp_path: Path) -> None:
    """``validate`` warns, ``submit`` refuses, each path where it stands."""
    text = "run: x\nworkdir: no1\nfile_mounts:\n  a: no2\n  b: {source: ~/no3}\n"
    settings = {"cwd": tmp_path, "user_home": Path("/nonexistent")}
    missing = [
        f"2:10: workdir: there is no directory {str(tmp_path / 'no1')!r}",
        f"4:6: file_mounts.a: there is no path {str(tmp_path / 'no2')!r}",
        "5:15: file_mounts.b.source: there is no path '/nonexistent/no3'",
    ]
    for found in (warnings(text, **settings), errors(text, **settings, mode="submit")):
        assert [problem.rsplit(" (", 1)[0] for problem in found] == missing
        assert found[0].endswith(f"(relative paths start at {tmp_path})")


def test_a_workdir_is_a_directory(tmp_path: Path) -> None:
    """A file in its place is as good as nothing."""
    (tmp_path / "file").touch()
    (error,) = errors("workdir: file\n", cwd=tmp_path, mode="submit")
    assert error.startswith("1:10: workdir: there is no directory")


def test_a_path_that_may_not_be_looked_at_is_missing(tmp_path: Path) -> None:
    """A name too long for the disk raises nothing else."""
    (warning,) = warnings(f"run: x\nworkdir: {'x' * 5_000}\n", cwd=tmp_path)
    assert warning.startswith("2:10: workdir: there is no directory")
    assert len(warning) < 600


def test_variables_are_put_into_paths(tmp_path: Path) -> None:
    """Targets, sources and names; from the file's envs and those given, never from outside."""
    text = (
        "run: echo $A\nsetup: echo $A\nworkdir: $A\nenvs: {A: code, B: x, C: }\n"
        "file_mounts:\n"
        "  /t/$B: ${A}/sub\n"
        "  /u: {name: 'bucket-$C', source: 's3://$B/${HOME}/${D:-d}'}\n"
    )
    (task,) = judge(text, cwd=tmp_path, envs={"C": "sea"}).spec.tasks
    assert (task.run, task.setup) == ("echo $A", "echo $A")
    assert task.workdir == str(tmp_path / "code")
    assert task.file_mounts == (
        FileMount(target="/t/x", source=str(tmp_path / "code/sub")),
        FileMount(target="/u", source="s3://x/${HOME}/d", name="bucket-sea"),
    )


def test_an_unknown_variable_stays_and_is_named() -> None:
    """A path with it does not exist, and the hint says why."""
    (warning,) = warnings("run: x\nfile_mounts: {/x: $NOPE/y}\n")
    assert warning == (
        "2:19: file_mounts['/x']: there is no path '/nonexistent/$NOPE/y' "
        "(no env gives $NOPE a value)"
    )


def test_a_secret_cannot_be_part_of_a_path() -> None:
    """Paths are stored and shown."""
    text = "run: x\nsecrets: {S: hunter2}\nworkdir: /$S\nfile_mounts: {'/x/$S': 's3://${Z:-$S}'}\n"
    found = errors(text)
    assert [error.split(" (")[0] for error in found] == [
        "3:10: workdir: a path cannot contain the secret S",
        "4:24: file_mounts['/x/$S']: a path cannot contain the secret S",
    ]
    assert "hunter2" not in "".join(found)


def test_all_forms_of_a_mount(tmp_path: Path) -> None:
    """Local paths, URIs, buckets with and without a source."""
    (tmp_path / "d").mkdir()
    found = mounts(
        "run: x\n"
        "file_mounts:\n"
        "  a: d\n"
        "  /b: gs://bucket/x\n"
        "  c: {source: d}\n"
        "  ~/e: {name: bucket, source: d, mode: mount_cached, store: s3, persistent: false}\n"
        "  /f: {name: bucket, mode: COPY}\n",
        cwd=tmp_path,
        mode="submit",
    )
    here = str(tmp_path / "d")
    assert found == (
        FileMount(target="a", source=here),
        FileMount(target="/b", source="gs://bucket/x"),
        FileMount(target="c", source=here),
        FileMount(
            target="~/e",
            source=here,
            name="bucket",
            mode="MOUNT_CACHED",
            store="s3",
            persistent=False,
        ),
        FileMount(target="/f", source=None, name="bucket", mode="COPY"),
    )
    assert [mount.is_bucket for mount in found] == [False, True, False, True, True]


@pytest.mark.parametrize("value", ["{}", "{mode: COPY}", "{source: ~}", "~"])
def test_a_mount_needs_something_to_mount(value: str) -> None:
    """Neither source nor bucket is a mistake."""
    (error,) = errors(f"run: x\nfile_mounts: {{/x: {value}}}\n")
    assert error.split(" ", 1)[1].startswith("file_mounts['/x']: expected a")


def test_a_target_is_filled_once() -> None:
    """Variables can make two targets one."""
    found = errors(
        "run: x\nenvs: {A: a}\nfile_mounts:\n  /$A: s3://b\n  /a: s3://c\n  '': s3://d\n"
    )
    assert found == [
        "5:3: file_mounts: '/a' is filled twice",
        "6:3: file_mounts: a target is empty",
    ]


def test_an_empty_path_is_refused() -> None:
    """A variable without a value must not copy the whole working directory."""
    text = "run: x\nenvs: {E: ''}\nworkdir: $E\nfile_mounts: {/x: $E, /y: ''}\n"
    assert errors(text)[0] == "3:10: workdir: the path is empty"
    assert errors(text)[1] == "4:19: file_mounts['/x']: the path is empty"
    assert errors(text)[2] == "4:27: file_mounts['/y']: the path is empty"


def test_a_word_that_yaml_takes_for_a_boolean_is_no_path() -> None:
    """``no`` is a directory only in quotes."""
    assert errors("run: x\nworkdir: no\n") == [
        "2:10: workdir: expected text, found the boolean false (quote the word to make it text)"
    ]


def test_a_repository_as_workdir_is_refused() -> None:
    """It would silently run without its code."""
    (error,) = errors("run: x\nworkdir: {url: https://example.com/x.git}\n")
    assert error.startswith("2:10: workdir: a git repository is not supported (clone it in setup")


def test_what_is_noted_of_a_mount_is_said() -> None:
    """Options for object stores, and more than one source."""
    assert warnings(
        "run: x\nfile_mounts:\n  /x:\n    source: [s3://a, s3://b]\n    config: {a: 1}\n"
    ) == [
        "4:13: file_mounts['/x'].source: only the first of 2 sources is noted",
        "5:5: file_mounts['/x'].config is noted, not acted upon",
    ]
