from __future__ import annotations

import pytest

from .judging import errors, judge, warnings


def tasks(**depends_on: str) -> str:
    """A file with tasks of these names, each with its ``depends_on`` as YAML."""
    return "---\n".join(
        f"name: {name}\nrun: x\n" + (f"depends_on: {wanted}\n" if wanted else "")
        for name, wanted in depends_on.items()
    )


def order(text: str) -> list[tuple[int, ...]]:
    """What each task waits for."""
    return [task.depends_on for task in judge(text).spec.tasks]


def test_documents_form_a_chain() -> None:
    """Each waits for the one before."""
    assert order(tasks(a="", b="", c="")) == [(), (0,), (1,)]
    assert order("name: p\nexecution: serial\n---\n" + tasks(a="", b="")) == [(), (0,)]


def test_with_depends_on_the_dag_is_what_it_says() -> None:
    """Tasks without it are roots; a name alone will do; saying it twice counts once."""
    text = tasks(a="", b="a", c="[a]", d="[c, b, c]", e="")
    assert order(text) == [(), (0,), (0,), (2, 1), ()]
    assert not judge(text).spec.is_group


def test_an_empty_depends_on_makes_all_tasks_roots() -> None:
    """It is said, so the chain is off; null is as good as absent."""
    assert order(tasks(a="", b="[]")) == [(), ()]
    assert order(tasks(a="", b="~")) == [(), (0,)]


def test_a_task_may_wait_for_a_later_document() -> None:
    """The order of documents means nothing then."""
    assert order(tasks(a="b", b="")) == [(1,), ()]


def test_an_unnamed_task_can_be_named_by_its_made_up_name() -> None:
    """What listings show is what one refers to."""
    assert order("run: x\n---\nname: b\nrun: y\ndepends_on: file-0\n") == [(), (0,)]


def test_unknown_tasks_are_located_with_a_suggestion() -> None:
    """Each name where it stands."""
    text = tasks(train="", check="[train, trian]", report="nothing")
    assert errors(text) == [
        "6:21: depends_on: there is no task 'trian' (did you mean 'train'?)",
        (
            "10:13: depends_on: there is no task 'nothing' "
            "(the tasks are 'train', 'check' and 'report')"
        ),
    ]


def test_of_many_tasks_some_are_listed() -> None:
    """A message stays readable."""
    (error,) = errors(tasks(**{f"t{i}": "" for i in range(50)}, last="zzz"))
    assert error.endswith("'t6', 't7' and 43 more)")


def test_a_name_that_was_refused_is_not_reported_unknown_elsewhere() -> None:
    """One mistake, one message."""
    (error,) = errors("name: [a]\nrun: x\n---\nname: b\nrun: y\ndepends_on: a\n")
    assert error.startswith("1:7: name: expected text")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (tasks(a="a"), "3:13: depends_on goes in a circle: 'a' -> 'a'"),
        (tasks(a="b", b="a"), "3:13: depends_on goes in a circle: 'a' -> 'b' -> 'a'"),
        (
            tasks(a="", b="[a, d]", c="b", d="c"),
            "6:13: depends_on goes in a circle: 'b' -> 'd' -> 'c' -> 'b'",
        ),
    ],
)
def test_circles_are_shown(text: str, problem: str) -> None:
    """Along what each task waits for, from the first of them in the file."""
    (error,) = errors(text)
    assert error == f"{problem} (a task can only wait for tasks that do not wait for it)"


def test_every_circle_is_shown() -> None:
    """Two that share no task are two messages."""
    found = errors(tasks(a="b", b="a", c="d", d="c"))
    assert [error.split(":")[0] for error in found] == ["3", "11"]


def test_a_long_circle_is_cut_short() -> None:
    """A thousand tasks in a row neither overflow the stack nor fill the screen."""
    (error,) = errors(tasks(**{f"t{i}": f"t{(i + 1) % 700}" for i in range(700)}))
    assert "'t0' -> 't1'" in error
    assert "-> ... -> 't0'" in error
    assert len(error) < 300


GROUP = "name: p\nexecution: parallel\n"


def roles(header: str) -> list[tuple[bool, float]]:
    """Whether each of the tasks a, b and c counts, and its delay."""
    spec = judge(f"{GROUP}{header}---\n" + tasks(a="", b="", c="")).spec
    assert spec.is_group
    assert all(task.depends_on == () for task in spec.tasks)
    return [(task.counts, task.termination_delay) for task in spec.tasks]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", [(True, 0), (True, 0), (True, 0)]),
        ("primary_tasks: []\n", [(True, 0), (True, 0), (True, 0)]),
        ("primary_tasks: [a, b]\n", [(True, 0), (True, 0), (False, 0)]),
        ("primary_tasks: b\n", [(False, 0), (True, 0), (False, 0)]),
        ("primary_tasks: [a]\ntermination_delay: 5\n", [(True, 0), (False, 5), (False, 5)]),
        ("primary_tasks: [a]\ntermination_delay: 2m\n", [(True, 0), (False, 120), (False, 120)]),
        (
            "primary_tasks: [a]\ntermination_delay: {b: 5s, default: 30s}\n",
            [(True, 0), (False, 5), (False, 30)],
        ),
        (
            "primary_tasks: [a]\ntermination_delay: {b: 5s}\n",
            [(True, 0), (False, 5), (False, 0)],
        ),
        ("termination_delay: 5s\n", [(True, 0), (True, 0), (True, 0)]),
    ],
)
def test_roles_in_a_group(header: str, expected: list[tuple[bool, float]]) -> None:
    """Tasks that are not primary do not count, and end some time after those that are."""
    assert roles(header) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            f"{GROUP}primary_tasks: [a, bb]\n---\n" + tasks(a="", b=""),
            "3:20: primary_tasks: there is no task 'bb' (did you mean 'b'?)",
        ),
        (
            f"{GROUP}termination_delay: {{c: 5s}}\n---\n" + tasks(a="", b=""),
            "3:21: termination_delay: there is no task 'c' (the tasks are 'a' and 'b')",
        ),
        (
            f"{GROUP}termination_delay: abc\n---\n" + tasks(a=""),
            (
                "3:20: termination_delay: expected a duration, seconds or NUMBER[s|m|h|d|w], "
                "found the text 'abc' (such as 90, 90s or 2h)"
            ),
        ),
        (
            f"{GROUP}termination_delay: {{a: -1}}\n---\n" + tasks(a=""),
            (
                "3:24: termination_delay.a: expected a duration, seconds or NUMBER[s|m|h|d|w], "
                "found the number -1 (such as 90, 90s or 2h)"
            ),
        ),
        (
            f"{GROUP}---\nrun: x\n",
            "4:1: a task of a job group needs a name (add `name: ...`; the others find it by it)",
        ),
        (
            GROUP,
            "1:1: the job group has no tasks (add a document for each task, each after a line ---)",
        ),
        (
            f"{GROUP}---\n" + tasks(a="", b="a"),
            (
                "9:1: depends_on: the tasks of a job group start together "
                "(use execution: serial, or leave depends_on away)"
            ),
        ),
        (
            "name: p\nprimary_tasks: [a]\n---\n" + tasks(a=""),
            "2:1: primary_tasks is for job groups alone (add `execution: parallel`)",
        ),
        (
            "name: p\nexecution: serial\ntermination_delay: 5s\n---\n" + tasks(a=""),
            "3:1: termination_delay is for job groups alone (add `execution: parallel`)",
        ),
        (
            "name: p\nexecution: paralel\nprimary_tasks: [a]\n---\n" + tasks(a=""),
            (
                "2:12: execution: expected serial or parallel, found the text 'paralel' "
                "(did you mean 'parallel'?)"
            ),
        ),
    ],
)
def test_mistakes_in_a_group(text: str, problem: str) -> None:
    """Each is located in the header or in the task."""
    assert errors(text) == [problem]


def test_how_tasks_are_connected_is_noted() -> None:
    """The reference's field is accepted."""
    text = f"{GROUP}inter_connection: true\n---\n" + tasks(a="")
    assert warnings(text) == ["3:1: inter_connection is noted, not acted upon"]


@pytest.mark.parametrize("word", ["paralel", "Parallel", "foo", "[parallel]", "!x parallel"])
def test_a_misspelt_group_hides_no_other_mistake(word: str) -> None:
    """All that would be wrong once the word is right is told with it."""
    header = f"execution: {word}\nprimary_tasks: [zz, a]\ntermination_delay: {{b: 5s}}\n---\n"
    text = "name: p\n" + header + tasks(a="[a]") + "---\nrun: y\n"
    found = errors(text)
    assert found[0].startswith(
        "2:12: tags" if word[0] == "!" else "2:12: execution: expected serial or parallel"
    )
    assert [one.partition(" (")[0] for one in found[1:]] == [
        "3:17: primary_tasks: there is no task 'zz'",
        "4:21: termination_delay: there is no task 'b'",
        "8:1: depends_on: the tasks of a job group start together",
        "10:1: a task of a job group needs a name",
    ]


def test_a_misspelt_chain_is_no_group() -> None:
    """Where nothing speaks of a group, the tasks are judged as a chain."""
    text = "execution: serail\n---\n" + tasks(a="[zz]")
    assert [one.partition(" (")[0] for one in errors(text)] == [
        "1:12: execution: expected serial or parallel, found the text 'serail'",
        "5:14: depends_on: there is no task 'zz'",
    ]
