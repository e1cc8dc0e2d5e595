"""Help, as it is made from the table of keys."""

from __future__ import annotations

from jobsched_tui.data.keymap import KEYS
from jobsched_tui.present import manual
from jobsched_tui.present.glyphs import ASCII
from jobsched_tui.present.spans import plain, width

DEFAULTS = {key.id: key.keys for key in KEYS}


def texts(*panes: str, **changed: str) -> list[str]:
    """Its lines, wide enough for all of them."""
    keys = {**DEFAULTS, **{name.replace("_", "."): key for name, key in changed.items()}}
    return [plain(line).rstrip() for line in manual.lines(panes, keys, 120)]


def test_every_action_is_in_it_once() -> None:
    """With its id, as it is written in the configuration."""
    for panes in (("list",), ("log", "detail"), ("dag", "detail")):
        ids = [line.rpartition(" ")[2] for line in texts(*panes)]
        for key in KEYS:
            assert ids.count(key.id) == 1, key.id


def test_keys_of_the_pane_come_first() -> None:
    """Those of the log in a log, those of the list in the list."""
    for pane, first, later in (
        ("list", "list.filter", "log.search"),
        ("log", "log.search", "list.filter"),
        ("dag", "dag.collapse", "log.search"),
    ):
        lines = texts(pane)
        assert lines[0] == "In this pane"
        middle = lines.index("Everywhere and elsewhere")
        assert any(line.endswith(first) for line in lines[:middle])
        assert any(line.endswith(later) for line in lines[middle:])


def test_a_job_s_log_has_the_keys_of_both() -> None:
    """Keys of a job are heard in its log, too."""
    lines = texts("log", "detail")
    middle = lines.index("Everywhere and elsewhere")
    ids = {line.rpartition(" ")[2] for line in lines[:middle]}
    assert {"log.search", "job.log", "process.signal"} <= ids


def test_keys_are_shown_as_they_are_bound() -> None:
    """As on a keyboard; an action without a key has a dash."""
    lines = texts("list", job_cancel="ctrl+x,f9", list_filter="none")
    assert "  ^x F9         cancel" in [line[:22] for line in lines]
    assert any(line.startswith("  -  ") and line.endswith("list.filter") for line in lines)


def test_filters_and_states_are_explained() -> None:
    """What can be typed, and what the words for states mean."""
    text = "\n".join(texts("list"))
    assert "\nFilter\n" in text
    assert "alive, wants a launch slot again" in text


def test_it_fits() -> None:
    """No line is wider than there is room, and in ASCII it is ASCII."""
    for cells in (20, 60, 78):
        for line in manual.lines(("list",), DEFAULTS, cells, ASCII):
            assert width(line) <= cells
            assert plain(line).isascii()
