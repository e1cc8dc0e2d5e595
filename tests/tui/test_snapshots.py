"""Every screen, dialog and state of the console, as it looked when somebody last agreed to it.

``make snapshots`` agrees to what there is now: look at what git says has changed then.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from jobsched.config import environ
from jobsched_tui.data.scenes import SCENES
from tests.tui.snapshots import picture, stage

_KEPT: Final = Path(__file__).parent / "snapshots" / "kept"
_SIZES: Final = ((80, 24), (120, 36))
#: Set: what is drawn now is what is expected from now on.
_AGREE: Final = "JOBSCHED_SNAPSHOTS"


@pytest.mark.parametrize("size", _SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCENES)
def test_a_scene_looks_as_it_did(name: str, size: tuple[int, int]) -> None:
    """Text and styles of every cell."""
    found = stage.picture(SCENES[name], size)
    file = _KEPT / f"{name}-{size[0]}x{size[1]}.txt"
    if environ().get(_AGREE):
        file.parent.mkdir(exist_ok=True)
        file.write_text(picture.written(found), encoding="utf-8")
    expected = picture.read(file.read_text(encoding="utf-8"))
    difference = picture.difference(expected, found)
    assert not difference, f"{file.name} differs; `make snapshots` agrees to it\n{difference}"


@pytest.mark.skipif(bool(environ().get(_AGREE)), reason="they are being written")
def test_no_snapshot_is_left_of_a_scene_that_is_gone() -> None:
    """A file that nobody compares with says nothing."""
    names = {f"{name}-{size[0]}x{size[1]}.txt" for name in SCENES for size in _SIZES}
    assert {path.name for path in _KEPT.iterdir()} == names


def test_a_change_of_text_and_one_of_style_are_told_apart() -> None:
    """The comparison itself: it finds what differs, and where."""
    before = picture.Picture(("one", "two"), (((3, "red"),), ((3, "bold"), (2, "plain"))))
    assert picture.difference(before, picture.read(picture.written(before))) == ""
    other = replace(before, rows=("one", "tow"))
    assert picture.difference(before, other).splitlines()[-2:] == ["-two", "+tow"]
    bolder = replace(before, runs=(((3, "red"),), ((5, "bold"),)))
    assert picture.difference(before, bolder).splitlines() == [
        "row 1: two",
        "  expected 3 x bold, 2 x plain",
        "  found    5 x bold",
    ]
