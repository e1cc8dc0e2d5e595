"""The one file that holds the values of a job's secrets, mode 0600, until the job is DONE."""

from __future__ import annotations

import json
from collections.abc import Mapping

from jobsched.home import Home, write_private


def write_secrets(home: Home, job_id: int, secrets: Mapping[int, Mapping[str, str]]) -> None:
    """Store the values by task, synced to disk, if there are any.

    Where none is, none is left either: a submission that was killed before its commit may have
    written one for the job that was to have this number.
    """
    path = home.secrets_file(job_id)
    if not any(secrets.values()):
        path.unlink(missing_ok=True)
        return
    write_private(path, json.dumps({str(task): dict(values) for task, values in secrets.items()}))


def read_secrets(home: Home, job_id: int) -> dict[int, dict[str, str]]:
    """The values by task; empty where there are none (any more)."""
    try:
        text = home.secrets_file(job_id).read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    return {int(task): values for task, values in json.loads(text).items()}
