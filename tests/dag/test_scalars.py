from __future__ import annotations

import pytest

from .judging import errors, only_task


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("5", "5"),
        ("5.50", "5.5"),
        ("true", "True"),
        ("no", "False"),
        ("017", "15"),
        ("0x1f", "31"),
        ("1_000", "1000"),
        ("12:30:45", "45045"),
        (".inf", "inf"),
        ("1e3", "1e3"),
        ("2024-01-01", "2024-01-01"),
        ("2024-01-01 10:00:00", "2024-01-01 10:00:00"),
        ("'017'", "017"),
        ('""', ""),
        ("=", "="),
        ("<<", "<<"),
    ],
)
def test_what_yaml_makes_of_a_word(written: str, text: str) -> None:
    """The reference's YAML 1.1, but for dates, which stay text."""
    assert only_task(f"run: x\nenvs: {{A: {written}}}\n").envs == {"A": text}


@pytest.mark.parametrize("written", ["0x_", "1" * 5_000])
def test_numbers_that_cannot_be_read_are_refused(written: str) -> None:
    """What only looks like a number is located, and raises nothing else."""
    (error,) = errors(f"run: x\nenvs: {{A: {written}}}\n")
    assert error == "2:11: expected a number that can be read (quote it if it is text)"


def test_a_nul_character_is_refused_in_any_text() -> None:
    """No program can be given one."""
    (error,) = errors('run: "echo \\0"\n')
    assert error.startswith("1:6: expected text (it holds U+0000")
