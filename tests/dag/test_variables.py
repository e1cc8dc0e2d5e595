from __future__ import annotations

import pytest

from .judging import errors, judge, only_task, warnings


def test_values_become_text() -> None:
    """Numbers and booleans are what the reference makes of them."""
    task = only_task("run: x\nenvs: {A: 5, B: true, C: 5.50, D: text, E: ''}\n")
    assert task.envs == {"A": "5", "B": "True", "C": "5.5", "D": "text", "E": ""}


def test_a_value_that_changes_on_the_way_is_warned_about() -> None:
    """What the program gets differs from what the file shows."""
    assert warnings("run: x\nenvs: {A: 5, B: yes, C: 017, D: {b: 1}, E: 'yes'}\n") == [
        "2:17: envs: B becomes 'True', as YAML reads it (quote the value to keep it as written)",
        "2:25: envs: C becomes '15', as YAML reads it (quote the value to keep it as written)",
        (
            "2:33: envs: D becomes \"{'b': 1}\", as YAML reads it "
            "(quote the value to keep it as written)"
        ),
    ]


@pytest.mark.parametrize("name", ["1A", "A-B", "", "A B", "É", "A\u0301"])
def test_a_key_that_is_no_variable_is_refused(name: str) -> None:
    """Names of variables are letters, digits and underscores."""
    (error,) = errors(f'run: x\nenvs: {{"{name}": x}}\n')
    assert error.startswith(f"2:8: envs: {name!r} cannot name a variable (letters, digits and _")


@pytest.mark.parametrize("mode", ["submit", "validate"])
def test_a_null_env_is_an_error_unless_given(mode: str) -> None:
    """In either mode; the place is the key, as there is no value."""
    text = "run: x\nenvs:\n  A:\n  B: ~\n"
    assert [error.split(" (")[0] for error in errors(text, mode=mode)] == [
        "3:3: envs: A has no value",
        "4:6: envs: B has no value",
    ]
    assert judge(text, envs={"A": "1", "B": ""}).spec.tasks[0].envs == {"A": "1", "B": ""}


def test_given_envs_count_over_the_files_in_every_task() -> None:
    """``--env`` overrides, and adds to tasks that do not mention it."""
    spec = judge(
        "name: a\nrun: x\nenvs: {A: 1, B: 2}\n---\nname: b\nrun: y\n", envs={"A": "9"}
    ).spec
    assert [task.envs for task in spec.tasks] == [{"A": "9", "B": "2"}, {"A": "9"}]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"A-B": "x"}, "1:1: --env: 'A-B' cannot name a variable"),
        ({"A": "x\0"}, "1:1: --env: the value of 'A' is not UTF-8 text"),
        ({"A": "\udcff"}, "1:1: --env: the value of 'A' is not UTF-8 text"),
    ],
)
def test_given_envs_are_judged_too(given: dict[str, str], problem: str) -> None:
    """What the command line lets through still has to fit into an environment."""
    assert errors("run: x\n", envs=given)[0].startswith(problem)


def test_secrets_are_kept_apart_from_the_record() -> None:
    """The record has the names, in order; the values lie beside it, per task."""
    loaded = judge("name: a\nrun: x\nsecrets: {B: bee, A: 5}\n---\nname: b\nrun: x\n")
    assert [task.secrets for task in loaded.spec.tasks] == [("B", "A"), ()]
    assert loaded.secrets == {0: {"B": "bee", "A": "5"}, 1: {}}
    assert "bee" not in loaded.spec.to_json()
    assert "bee" not in repr(loaded)


def test_secrets_as_a_list_of_names() -> None:
    """The reference's prefix is tolerated; all need a value from outside."""
    loaded = judge("run: x\nsecrets: [A, 'secrets:B']\n", secrets={"A": "1", "B": "2"})
    assert loaded.spec.tasks[0].secrets == ("A", "B")
    assert loaded.secrets == {0: {"A": "1", "B": "2"}}
    assert not loaded.warnings


def test_given_secrets_count_over_the_files_in_every_task() -> None:
    """``--secret`` overrides, and adds to tasks that do not mention it."""
    text = "name: a\nrun: x\nsecrets: {A: in file}\n---\nname: b\nrun: x\n"
    loaded = judge(text, secrets={"A": "given"})
    assert [task.secrets for task in loaded.spec.tasks] == [("A",), ("A",)]
    assert loaded.secrets == {0: {"A": "given"}, 1: {"A": "given"}}
    assert "in file" not in loaded.yaml


def test_a_secret_without_a_value_is_needed_to_submit() -> None:
    """``validate`` warns, ``submit`` refuses, at the name."""
    text = "run: x\nsecrets:\n  A: # fill in\n---\nrun: y\nsecrets: [B]\n"
    missing = [
        "3:3: secrets: A has no value (set it in your environment and give --secret A)",
        "6:11: secrets: B has no value (set it in your environment and give --secret B)",
    ]
    assert warnings(text) == missing
    assert errors(text, mode="submit") == missing
    judge(text, secrets={"A": "1", "B": "2"}, mode="submit")


def test_the_same_name_in_envs_and_secrets_is_accepted() -> None:
    """As the reference does."""
    loaded = judge("run: x\nenvs: {A: x}\nsecrets: {A: y}\n")
    assert (loaded.spec.tasks[0].envs, loaded.secrets[0]) == ({"A": "x"}, {"A": "y"})


@pytest.mark.parametrize(
    ("secrets", "problem"),
    [
        ("hunter2", "2:10: secrets: expected NAME: VALUE lines or a list of names"),
        ("[TOKEN=hunter2]", "2:11: secrets[0]: no name of a variable (letters"),
        ("[5, {A: hunter2}]", "2:11: secrets[0]: no name of a variable (letters"),
        ("{1A: hunter2}", "2:15: secrets['1A']: no name of a variable (letters"),
        ("{A: [hunter2]}", "2:14: secrets: expected text for A, found a list"),
        ("{A: {hunter2: hunter2}}", "2:14: secrets: expected text for A, found a mapping"),
        ("{A: !x hunter2}", "2:14: tags (like !name or !!str) are not allowed"),
        ('{A: "hunter2\\0"}', "2:14: expected text (it holds U+0000"),
        ("{A: hunter2, A: hunter2}", "2:23: the key 'A' is given twice"),
    ],
)
def test_no_message_shows_a_secret(secrets: str, problem: str) -> None:
    """What is wrong with a secret is told without it."""
    found = errors(f"run: x\nsecrets: {secrets}\n")
    assert found[0].startswith(problem)
    assert "hunter2" not in "".join(found)


def test_a_secret_that_yaml_changes_is_warned_about_without_showing_it() -> None:
    """A password like ``0123`` is not what the program would get."""
    (warning,) = warnings("run: x\nsecrets: {A: 0123, B: '0123', C: 123}\n")
    assert warning == (
        "2:14: secrets: A is not taken as it is written but as YAML reads it (quote the value)"
    )


@pytest.mark.parametrize(
    "text",
    [
        "envs: {A: &a hunter2}\nsecrets: {B: *a}\n",
        "secrets: {B: &a hunter2}\nenvs: {A: *a}\n",
        "secrets: &a {B: hunter2}\nenvs: *a\n",
        "envs: &a {B: hunter2}\nsecrets: *a\n",
        "secrets: {<<: {B: hunter2}}\n",
        "envs: &a {B: hunter2}\nsecrets: {<<: *a}\n",
        "<<: {secrets: {B: hunter2}}\n",
        "<<: {secrets: {B: hunter2}}\nsecrets: {B: other}\n",
        "config: &a {secrets: {B: hunter2}}\n<<: *a\n",
        "&top\nsecrets: {B: hunter2}\n",
    ],
)
def test_a_secret_cannot_be_shared_with_other_fields(text: str) -> None:
    """Anchors and merges could carry it to where it is stored and shown."""
    found = errors(text)
    assert any("secrets cannot come from a merge" in e or "part of an anchor" in e for e in found)
    assert "hunter2" not in "".join(found)


@pytest.mark.parametrize(
    ("written", "place"), [("{TOKEN: null}", "2:18"), ("[TOKEN]", "2:11"), ("{TOKEN: x}", "2:18")]
)
def test_what_the_file_lists_as_a_secret_is_refused_as_an_env(written: str, place: str) -> None:
    """An env is stored, and shown, in clear; the message names the right option, not the value."""
    (error,) = errors(f"run: x\nsecrets: {written}\n", envs={"TOKEN": "hunter2"})
    assert error.startswith(
        f"{place}: secrets: TOKEN is given with --env, which stores it in clear"
    )
    assert "--secret TOKEN" in error
    assert "hunter2" not in error


def test_no_name_is_given_as_an_env_and_as_a_secret() -> None:
    """Also if the file does not know it: one of the two was not meant."""
    given = {"TOKEN": "hunter2"}
    (error,) = errors("run: x\n", envs=given, secrets=given)
    assert error.startswith("1:1: --env: 'TOKEN' is given as a secret too")
    assert "hunter2" not in error


def test_wrong_arguments_hide_no_mistake_of_the_file() -> None:
    """Both are told in one go."""
    found = errors("rnu: x\n", envs={"1A": "x"})
    assert found[0].startswith("1:1: --env: '1A' cannot name a variable")
    assert "unknown field 'rnu'" in found[1]
