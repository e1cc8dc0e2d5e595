from __future__ import annotations

import pytest

from .judging import judge


@pytest.mark.parametrize(
    ("text", "blanked"),
    [
        ("run: x\nsecrets: {A: s3, B: 't3'}\n", "run: x\nsecrets: {A: null, B: null}\n"),
        ('run: x\nsecrets: {"A":"s3","B":  }\n', 'run: x\nsecrets: {"A":null,"B":  }\n'),
        (
            "secrets:\n  A: s3 # keep me\n  B:\nrun: x\n",
            "secrets:\n  A: null # keep me\n  B:\nrun: x\n",
        ),
        (
            "secrets:\n  A: |\n    s3\n    s4\n\n  # keep\n  B: >-\n    s5\nrun: x\n",
            "secrets:\n  A: null\n\n  # keep\n  B: null\nrun: x\n",
        ),
        ("secrets:\n  A: s3\n    s4\nrun: x\n", "secrets:\n  A: null\nrun: x\n"),
        ("secrets:\n  A: 's3\n\n    s4'\nrun: x\n", "secrets:\n  A: null\nrun: x\n"),
        ("run: x\nsecrets:\n  A: |\n    s3", "run: x\nsecrets:\n  A: null"),
        ("run: x\r\nsecrets:\r\n  A: s3\r\n", "run: x\r\nsecrets:\r\n  A: null\r\n"),
        (
            "name: \U0001f600é\nsecrets: {A: s3}\nrun: é\n",
            "name: \U0001f600é\nsecrets: {A: null}\nrun: é\n",
        ),
        ("\ufeffsecrets: {A: s3}\nrun: x\n", "\ufeffsecrets: {A: null}\nrun: x\n"),
        ("secrets: {A: 5, B: true}\nrun: x\n", "secrets: {A: null, B: null}\nrun: x\n"),
        (
            "name: p\n---\nsecrets: {A: s3}\n---\nrun: x\nsecrets:\n  B: s4\n...\n",
            "name: p\n---\nsecrets: {A: null}\n---\nrun: x\nsecrets:\n  B: null\n...\n",
        ),
    ],
)
def test_values_of_secrets_become_null_and_the_rest_stays(text: str, blanked: str) -> None:
    """Comments, line ends, quotes of others: byte for byte."""
    loaded = judge(text)
    assert loaded.yaml == blanked
    values = [value for of_task in loaded.secrets.values() for value in of_task.values()]
    assert values
    # What is stored can be read again, and is the same job without the values.
    again = judge(loaded.yaml)
    assert again.spec == loaded.spec
    assert not any(again.secrets.values())


def test_a_text_without_secrets_stays() -> None:
    """Byte for byte."""
    text = "# c\nname:   a\t\nrun: |\n  x  \n\n  y\n"
    assert judge(text).yaml == text
