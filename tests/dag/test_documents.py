from __future__ import annotations

import pytest

from .judging import errors, judge, only_task


def test_both_lines_of_a_duplicate_key_are_named() -> None:
    """The second is refused; the first is pointed out."""
    (error,) = errors("run: a\nsetup: b\nrun: c\n")
    assert (
        error
        == "3:1: the key 'run' is given twice (it was given first in line 1; keep one of them)"
    )


def test_duplicate_keys_are_found_at_every_depth() -> None:
    """Also where the value would be accepted and forgotten."""
    found = errors("envs: {A: 1, A: 2}\nconfig:\n  x: 1\n  y: 2\n  x: 3\n")
    assert [error.split(" (")[0] for error in found] == [
        "1:14: the key 'A' is given twice",
        "5:3: the key 'x' is given twice",
    ]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("run: !!str x\n", "1:6"),
        ("run: !x y\n", "1:6"),
        ("run: ! y\n", "1:6"),
        ("run: !!python/object/apply:os.system [id]\n", "1:6"),
        ("run: x\nenvs: !!map {A: b}\n", "2:7"),
        ("run: x\nenvs: {A: !!binary eA==}\n", "2:11"),
        ("run: x\nenvs:\n  ? !x A\n  : b\n", "3:5"),
        ("run: x\nresources:\n  any_of:\n    - cpus: 1\n    - !x {cpus: 2}\n", "5:7"),
        ("--- !x\nrun: x\n", "1:5"),
    ],
)
def test_tags_are_refused_everywhere(text: str, where: str) -> None:
    """A tag, harmless or not, is refused where it stands."""
    (error,) = errors(text)
    assert error.startswith(f"{where}: tags (like !name or !!str) are not allowed")


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("5", "the number 5"),
        ("on", "the boolean true"),
        ("~", "nothing"),
        ("1.5", "the number 1.5"),
        ("[a]", "a list or mapping"),
        ("{a: b}", "a list or mapping"),
    ],
)
def test_keys_are_names(key: str, found: str) -> None:
    """YAML's other kinds of key are refused, even where anything else would do."""
    (error,) = errors(f"run: x\nconfig:\n  ? {key}\n  : v\n")
    assert error.startswith(f"3:5: a key must be a name, found {found}")


def test_anchors_repeat_a_value() -> None:
    """An alias stands for what it names, in the same document."""
    task = only_task("envs: &e {A: x}\nrun: &r echo\nsetup: *r\n")
    assert (task.run, task.setup) == ("echo", "echo")


def test_an_error_inside_an_alias_stands_where_the_text_is() -> None:
    """The place is where the author can mend it."""
    found = errors("run: &r 5\nsetup: *r\n")
    assert [error.split(",")[0] for error in found] == [
        "1:6: run: expected text",
        "1:6: setup: expected text",
    ]


def test_merge_keys_lay_a_mapping_under_another() -> None:
    """What the mapping itself says counts, then the first of those merged."""
    task = only_task(
        "run: x\n"
        "resources:\n"
        "  any_of:\n"
        "    - &one {cpus: 1, memory: 2, region: r}\n"
        "    - &two {cpus: 4, zone: z}\n"
        "    - {<<: [*one, *two], memory: 8}\n"
    )
    merged = task.candidates[2]
    assert (merged.cpus, merged.memory_gib, merged.region, merged.zone) == (1, 8, "r", "z")


@pytest.mark.parametrize("source", ["5", "[5]", "[{a: b}, x]"])
def test_only_mappings_are_merged(source: str) -> None:
    """Anything else under ``<<`` is refused."""
    (error,) = errors(f"run: x\nenvs:\n  <<: {source}\n")
    assert error == "3:3: << merges a mapping or a list of mappings, nothing else"


def test_a_second_merge_key_is_a_duplicate() -> None:
    """Several mappings are merged by a list."""
    (error,) = errors("run: x\nenvs:\n  <<: {A: a}\n  <<: {B: b}\n")
    assert error.startswith("4:3: the key '<<' is given twice")


def test_empty_documents_are_dropped() -> None:
    """An empty document in the middle is harmless."""
    spec = judge("---\nname: p\n---\nname: a\nrun: x\n---\n---\nname: b\nrun: y\n---\n").spec
    assert (spec.name, [task.name for task in spec.tasks]) == ("p", ["a", "b"])


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n", "~\n---\nnull\n"])
def test_a_file_without_a_task_is_refused(text: str) -> None:
    """Nothing to do is most likely a mistake."""
    assert errors(text)[0].startswith("1:1: the file holds no task")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("run: x\n---\n- a\n- b\n", "3:1: a document is a mapping of fields, found a list"),
        ("run: x\n---\nhello\n", "3:1: a document is a mapping of fields, found the text 'hello'"),
        ("run: x\n---\n5\n", "3:1: a document is a mapping of fields, found the text '5'"),
    ],
)
def test_a_document_is_a_mapping(text: str, found: str) -> None:
    """A list or a lone value is located."""
    assert errors(text)[0].startswith(found)


def test_places_are_right_behind_wide_characters_and_in_crlf_files() -> None:
    """Columns count characters, whatever they take in bytes; lines end as they like."""
    found = errors("name: \U0001f600é\r\nrun: x\r\nenvs: {é: 1, A: {}, 😀: 2}\r\nnum_nodes: x\r\n")
    assert [error.split(": ")[0] for error in found] == ["3:8", "3:21", "4:12"]


def test_a_text_is_read_for_each_who_gives_it() -> None:
    """What is remembered of it is only what the text says; the rest is told anew, each time."""
    text = "run: echo $A\nenvs: {A: }\nworkdir: nowhere\n"
    for value in ("1", "2"):
        loaded = judge(text, source=f"{value}.yaml", envs={"A": value})
        assert loaded.spec.tasks[0].envs == {"A": value}
        assert {warning.file for warning in loaded.warnings} == {f"{value}.yaml"}
    assert len({str(errors(text, mode="submit", envs={"A": "1"})) for _ in range(2)}) == 1
    faulty = "run: x\nrun: y\n"
    assert errors(faulty) == errors(faulty)
