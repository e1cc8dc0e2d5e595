"""The one file that holds the values of a job's secrets, mode 0600, until the job is DONE."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from jobsched.home import Home


def write_secrets(home: Home, job_id: int, secrets: Mapping[int, Mapping[str, str]]) -> list[Path]:
    """Store the values by task, synced to disk; the file, if one was needed."""
    if not any(secrets.values()):
        return []
    path = home.secrets_file(job_id)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
        json.dump({str(task): dict(values) for task, values in secrets.items()}, file)
        file.flush()
        os.fsync(file.fileno())
    return [path]


def read_secrets(home: Home, job_id: int) -> dict[int, dict[str, str]]:
    """The values by task; empty where there are none (any more)."""
    try:
        text = home.secrets_file(job_id).read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    return {int(task): values for task, values in json.loads(text).items()}
