"""The environment and the request of one launch: what a task is told about itself.

Owns the names that existing YAML files use and their twins. What depends on the node is added by
the backend. Pure.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Final

from jobsched.models import DagSpec, TaskSpec

#: Written for tasks under both prefixes, so that files made for either system work.
PREFIXES: Final = ("SKYPILOT_", "JOBSCHED_")


def twins(values: Mapping[str, str]) -> dict[str, str]:
    """Every name under both prefixes."""
    return {prefix + name: value for prefix in PREFIXES for name, value in values.items()}


def run_id(spec: DagSpec, task: TaskSpec, job_id: int, submitted_at: float) -> str:
    """``TASK_ID``: the same for every run of a task, and no other's: a key for checkpoints."""
    stamp = time.strftime("%Y-%m-%d-%H-%M-%S", time.gmtime(submitted_at))
    names = [spec.name] if len(spec.tasks) == 1 else [spec.name, task.name]
    slug = "_".join(re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:40] for name in names)
    return f"sky-managed-{stamp}_{slug}_{job_id}-{task.task_id}"


def task_environment(
    spec: DagSpec, task: TaskSpec, job_id: int, submitted_at: float, secrets: Mapping[str, str]
) -> dict[str, str]:
    """``envs``, the secrets that the task names, and what it may know of its job.

    ``secrets``: values by name; those of names that the task does not give are not for it.
    """
    ids: Sequence[str] = [run_id(spec, one, job_id, submitted_at) for one in spec.tasks]
    known = {"TASK_ID": ids[task.task_id]}
    if len(spec.tasks) > 1:
        known["TASK_IDS"] = "\n".join(ids)
    if spec.is_group:
        known["JOBGROUP_NAME"] = spec.name
    named = {name: secrets[name] for name in task.secrets if name in secrets}
    return {**task.envs, **named, **twins(known)}
