"""The command line that does the same: what is shown beside each action, to be learnt or scripted.

Owns the spelling. Names secrets, and never shows the value of one.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from jobsched_tui.data.actions import Kind, Plan, Setting
from jobsched_tui.data.drafts import Draft, Options

#: Commands that ask unless they are told not to; ``cancel`` does only about several jobs.
_YES: Final = "-y"


def twin(plan: Plan, home: Path | None = None) -> str:
    """The exact command; several, where one takes only one job. ``home``: if not the default."""
    return "; ".join(shlex.join([*_begin(home), *words]) for words in _commands(plan))


def _begin(home: Path | None) -> list[str]:
    return ["jobsched"] if home is None else ["jobsched", "--home", str(home)]


def _commands(plan: Plan) -> list[list[str]]:
    ids = [str(job_id) for job_id in plan.job_ids]
    match plan.kind:
        case Kind.CANCEL:
            return [["cancel", *ids, *([_YES] if len(ids) > 1 else [])]]
        case Kind.DONE:
            why = ["--reason", plan.reason] if plan.reason else []
            return [["done", *ids, *why, _YES]]
        case Kind.HOLD | Kind.RELEASE:
            return [[plan.kind, *ids]]
        case Kind.REQUEUE:
            return [["requeue", job_id] for job_id in ids]
        case Kind.RERUN:
            return [["rerun", job_id, *_secrets(plan.secrets)] for job_id in ids]
        case Kind.PRIORITY:
            return [["priority", str(one), str(plan.priorities[one])] for one in plan.job_ids]
        case Kind.LIMITS | Kind.PAUSE | Kind.RESUME:
            return [["limits", *_setting(plan.setting)]]
        case Kind.SWEEP:
            return [["sweep"]]


def _setting(setting: Setting) -> list[str]:
    words = []
    for option, value in (("--launch", setting.launch), ("--alive", setting.alive)):
        words += [] if value is None else [option, str(value)]
    if setting.paused is not None:
        words.append("--pause" if setting.paused else "--resume")
    return words


def _secrets(secrets: Mapping[str, str]) -> list[str]:
    return [word for name in secrets for word in ("--secret", name)]


def submit_twin(draft: Draft, options: Options, home: Path | None = None) -> str:
    """The command that submits the draft's file; a comment where that is not what the draft says.

    Values of secrets are taken from the environment of whoever types it.
    """
    words = [*_begin(home), "submit", *[str(draft.file)] * options.copies]
    for name, value in options.envs.items():
        words += ["--env", f"{name}={value}"]
    words += _secrets(options.secrets)
    words += [] if options.priority is None else ["--priority", str(options.priority)]
    words += ["--hold"] if draft.hold else []
    remark = "  # once the text is saved there" if draft.is_edited else ""
    return shlex.join(words) + remark
