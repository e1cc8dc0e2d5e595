"""Files that are no jobs: exit 2, told with their place, nothing stored, and soon."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import Cli


def _billion(path: Path) -> None:
    rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    path.write_text("\n".join(["a0: &a0 [x]", *rows]))


CASES: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (Path.exists, "o such file|not found|does not exist"),
    "directory": (Path.mkdir, "directory|regular file"),
    "fifo": (os.mkfifo, "regular file|pipe|FIFO"),
    "empty": (lambda path: path.write_bytes(b""), "empty|task"),
    "binary": (lambda path: path.write_bytes(bytes(range(256)) * 20), "UTF-8|character|text"),
    "large": (lambda path: path.write_text("run: x\n" + "# y\n" * 75_000), "256 KiB|large"),
    "recursive": (lambda path: path.write_text("run: x\nenvs: &a {A: *a}\n"), "itself|recurs"),
    "billion": (_billion, "nodes|alias|large"),
    "malformed": (lambda path: path.write_text("run: x\n  y: [\n"), "."),
    "tag": (lambda path: path.write_text("run: !!python/name:os.system x\n"), "tag"),
    "twice": (lambda path: path.write_text("run: x\nrun: y\n"), "run"),
    "list": (lambda path: path.write_text("- run: x\n"), "mapping|expected"),
    "deep": (lambda path: path.write_text("envs: " + "[" * 500 + "]" * 500), "deep|nest|level"),
    "locked": (lambda path: path.symlink_to(path), "symbolic|loop|levels"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CASES)
def test_a_file_that_is_no_job(idle: Cli, kind: str) -> None:
    """Every problem names the file with its place; no home is made for it."""
    make, said = CASES[kind]
    path = idle.folder / f"{kind}.yaml"
    make(path)
    ended = idle.run("submit", path.name, timeout=20)
    assert (ended.code, ended.out) == (2, "")
    assert "Traceback" not in ended.err
    assert re.search(said, ended.err), ended.err
    for line in ended.err.splitlines():
        assert re.match(rf"error: {path.name}:\d+:\d+: ", line), line
    assert not idle.home.database.exists()


def test_validate_is_not_fooled_either(idle: Cli) -> None:
    """Each of them is judged, in one call."""
    for kind, (make, _) in CASES.items():
        make(idle.folder / f"{kind}.yaml")
    ended = idle.run("validate", *[f"{kind}.yaml" for kind in CASES], timeout=30)
    assert ended.code == 2
    verdicts = [line.partition(", ")[0] for line in ended.out.splitlines()]
    assert verdicts == [f"{kind}.yaml: invalid" for kind in CASES]
    assert "Traceback" not in ended.err


def test_a_hostile_file_name_is_shown_harmlessly(idle: Cli) -> None:
    """Escapes in the name of a file are made visible."""
    ended = idle.run("submit", "a\x1b[2J\nb.yaml")
    assert ended.code == 2
    assert "\x1b" not in ended.err
