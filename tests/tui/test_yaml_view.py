"""A DAG file as it was submitted."""

from __future__ import annotations

from jobsched_tui.present import yaml
from jobsched_tui.present.glyphs import ASCII
from jobsched_tui.present.spans import Tone, plain, width


def test_lines_are_numbered() -> None:
    """As in an editor, with where the file came from above."""
    lines = [plain(line) for line in yaml.lines("a: 1\n" * 10, "/x/job.yaml", 80)]
    assert lines[0] == "as submitted from /x/job.yaml; secrets are left out"
    assert lines[1] == " 1  a: 1"
    assert lines[10] == "10  a: 1"


def test_no_file() -> None:
    """A job that was not submitted has none, and that is said."""
    assert plain(yaml.lines(None, None, 80)[0]) == "it was not submitted yet, so there is no file"


def test_tones() -> None:
    """Keys are strong; comments, and what parts documents, are muted."""
    _, key, comment, rule, listed = yaml.lines("run: |\n  # no: x\n---\n- a: b", "f", 80)
    assert [(piece.text, piece.tone) for piece in key[1:]] == [
        ("", Tone.PLAIN), ("run", Tone.STRONG), (": ", Tone.PLAIN), ("|", Tone.PLAIN),
    ]  # fmt: skip
    assert comment[1].tone is Tone.MUTED
    assert rule[1].tone is Tone.MUTED
    assert plain(listed) == "4  - a: b"


def test_the_text_is_not_changed() -> None:
    """Blanks, long lines and what looks like markup stay as they are."""
    rows = ["  deep:   x", "[red]a[/]", "k:", "a: b: c", "", "\tx"]
    lines = yaml.lines("\n".join(rows), "f", 80)
    assert [plain(line)[3:].rstrip() for line in lines[1:]] == [
        "  deep:   x", "[red]a[/]", "k:", "a: b: c", "", "␉x",
    ]  # fmt: skip


def test_it_is_harmless_and_fits() -> None:
    """Nothing of it acts on a terminal, and no line is too wide."""
    text = "a: \x1b[31m\u202e" + "x" * 300
    for cells in (0, 10, 40):
        for line in yaml.lines(text, "\x1bf", cells, ASCII):
            assert width(line) <= cells
            assert plain(line).isascii()
            assert plain(line).isprintable()
