"""``submit``, ``validate`` and ``rerun``: from files, or from what is stored, to jobs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from jobsched.api import FileReport, Submitted
from jobsched.cli import variables, waiting
from jobsched.cli.call import Call
from jobsched.cli.formatting import plural
from jobsched.states import TaskStatus

_INVALID = 2


def submit(call: Call) -> int:
    """Submit every file as a job, or none."""
    asked = call.arguments
    made = call.door.submit(
        [Path(file) for file in asked.files],
        name=asked.name,
        envs=variables.envs(asked.envs, asked.env_file, call.terminal.environ),
        secrets=variables.secrets(asked.secrets, asked.secret_file, call.terminal.environ),
        priority=asked.priority,
        after=asked.after,
        hold=asked.hold,
    )
    _report(call, made)
    if call.as_json:
        call.terminal.document([{"job_id": job.job_id, "name": job.name} for job in made])
    if asked.after:
        _warn_of_the_cancelled(call, made)
    if asked.wait:
        return waiting.until_done(call, [job.job_id for job in made], quiet=call.as_json)
    if call.terminal.out_is_tty and not call.as_json:
        _say_what_is_useful(call, [job.job_id for job in made])
    return 0


def rerun(call: Call) -> int:
    """Submit what is stored with a job once more."""
    asked = call.arguments
    job_id = call.door.rerun(
        asked.job_id,
        secrets=variables.secrets(asked.secrets, asked.secret_file, call.terminal.environ),
    )
    name = call.door.show(job_id)["name"]
    if call.as_json:
        call.terminal.document({"job_id": job_id, "name": name})
    else:
        call.terminal.say(f"Submitted job {job_id} ({name}), a rerun of job {asked.job_id}")
    return 0


def validate(call: Call) -> int:
    """Say everything that is wrong with files; 2 if one cannot be submitted."""
    asked = call.arguments
    reports = call.door.validate(
        [Path(file) for file in asked.files],
        envs=variables.envs(asked.envs, asked.env_file, call.terminal.environ),
        secrets=variables.secrets(asked.secrets, asked.secret_file, call.terminal.environ),
    )
    for report in reports:
        for problem in report.problems:
            call.terminal.error(str(problem))
        for warning in report.warnings:
            call.terminal.warn(str(warning))
        call.terminal.say(f"{report.file}: {_verdict(report)}")
    return _INVALID if any(report.problems for report in reports) else 0


def _verdict(report: FileReport) -> str:
    if report.problems or report.spec is None:
        return f"invalid, {plural(len(report.problems), 'problem')}"
    warnings = f", {plural(len(report.warnings), 'warning')}" if report.warnings else ""
    return f"valid, {plural(len(report.spec.tasks), 'task')}{warnings}"


def _report(call: Call, made: Sequence[Submitted]) -> None:
    for job in made:
        for warning in job.warnings:
            call.terminal.warn(str(warning))
        if not call.as_json:
            call.terminal.say(f"Submitted job {job.job_id} ({job.name})")


def _warn_of_the_cancelled(call: Call, made: Sequence[Submitted]) -> None:
    """Of jobs that are to follow one which has failed already."""
    for submitted in made:
        job = call.door.show(submitted.job_id)
        if job["status"] == TaskStatus.CANCELLED:
            why = (job["failure_reason"] or "").partition("\n")[0]
            call.terminal.warn(f"job {submitted.job_id} was cancelled at once: {why}")


def _say_what_is_useful(call: Call, job_ids: Sequence[int]) -> None:
    first = job_ids[0]
    home = "" if call.home is None else f"--home {shlex.quote(str(call.home))} "
    for command, meaning in (
        (f"logs -f {first}", "follow what it prints"),
        (f"why {first}", "why it is where it is"),
        (f"wait {' '.join(map(str, job_ids))}", "wait for the end"),
        (f"cancel {first}", "cancel it"),
        ("queue", "see all jobs"),
    ):
        call.terminal.note(f"  {f'jobsched {home}{command}':<32} {meaning}")
