"""The table of commands: what each is called, takes and says of itself, and what runs it.

Owns the surface of the command line, as data. A handler is ``module:function`` in this package; the
function takes a ``Call`` and returns an exit code.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any, Final

from jobsched.cli.kinds import count, job_id, limit, number, priority, seconds, statuses

#: Names and options of one ``add_argument``; those with the same ``either`` exclude each other.
Argument = tuple[tuple[str, ...], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command."""

    name: str
    #: One line, for the list of all.
    help: str
    handler: str
    arguments: tuple[Argument, ...] = ()
    aliases: tuple[str, ...] = ()
    #: What its own ``--help`` says; empty: the same line.
    description: str = ""
    #: Whether it goes on where the settings have mistakes: it looks or stops, and starts nothing.
    tolerant: bool = False
    #: Its options with which it does more than that, each with what it is when left out.
    strict_with: tuple[tuple[str, object], ...] = ()

    def is_strict(self, arguments: argparse.Namespace) -> bool:
        """Whether a mistake in the settings must stop it."""
        return not self.tolerant or any(
            getattr(arguments, option) is not left_out for option, left_out in self.strict_with
        )


def _arg(*names: str, **options: Any) -> Argument:
    return names, options


_ID: Final = _arg("job_id", metavar="ID", type=job_id, help="number of a job")
_IDS: Final = _arg("job_ids", metavar="ID", type=job_id, nargs="+", help="numbers of jobs")
_FILES: Final = _arg("files", metavar="FILE", nargs="+", help="YAML files, each one job")
_JSON: Final = _arg(
    "--json", action="store_true", help="print one JSON document; notes go to standard error"
)
_YES: Final = _arg("-y", "--yes", action="store_true", help="do not ask")
_REASON: Final = _arg("--reason", metavar="TEXT", help="kept in the history")
_ENVS: Final = (
    _arg(
        "--env", metavar="K[=V]", action="append", default=[], dest="envs",
        help="set a variable of every task; without =V its value is taken from your environment",
    ),
    _arg("--env-file", metavar="FILE", help="file of KEY=VALUE lines; --env counts over it"),
)  # fmt: skip
_SECRETS: Final = (
    _arg(
        "--secret", metavar="K", action="append", default=[], dest="secrets",
        help="pass the value that K has in your environment, and store it nowhere in clear view",
    ),
    _arg("--secret-file", metavar="FILE", help="file of KEY=VALUE lines that are secrets"),
)  # fmt: skip

_SUBMITTING: Final = (
    Command(
        name="submit",
        help="submit jobs from YAML files, all of them or none",
        handler="submit:submit",
        arguments=(
            _FILES,
            _arg("-n", "--name", metavar="NAME", help="name of the job, whatever the file says"),
            *_ENVS,
            *_SECRETS,
            _arg("--priority", metavar="N", type=priority, help="-1000 to 1000, higher is first"),
            _arg(
                "--after", metavar="ID", type=job_id, action="append", default=[],
                help="start once job ID has succeeded; cancelled if it ends otherwise; repeatable",
            ),
            _arg("--hold", action="store_true", help="do not start before it is released"),
            _arg("--wait", action="store_true", help="wait for the end; see the exit codes"),
            _JSON,
        ),
    ),
    Command(
        name="validate",
        help="judge YAML files and create nothing",
        handler="submit:validate",
        tolerant=True,
        arguments=(_FILES, *_ENVS, *_SECRETS),
    ),
    Command(
        name="rerun",
        help="submit a job once more, from what was stored with it",
        handler="submit:rerun",
        arguments=(_ID, *_SECRETS, _JSON),
    ),
)  # fmt: skip

_LOOKING: Final = (
    Command(
        name="queue",
        aliases=("ls",),
        help="list jobs that are not DONE, newest first",
        handler="listing:queue",
        tolerant=True,
        arguments=(
            _arg("--all", action="store_true", help="also jobs that are DONE"),
            _arg(
                "-s", "--status", metavar="STATUS,...", type=statuses, default=(),
                help="only jobs with one of these statuses",
            ),
            _arg("-n", "--name", metavar="NAME", help="only jobs of this name"),
            _arg("--limit", metavar="N", type=count, default=50, help="at most N jobs (50)"),
            _JSON,
        ),
    ),
    Command(
        name="show",
        help="one job: tasks, controller, why it waits, history",
        handler="detail:show",
        tolerant=True,
        arguments=(_ID, _JSON),
    ),
    Command(
        name="why",
        help="why a job is where it is, in one sentence",
        handler="detail:why",
        tolerant=True,
        arguments=(_ID, _JSON),
    ),
    Command(
        name="logs",
        help="what a job's tasks, or its controller, have printed",
        handler="logs:logs",
        tolerant=True,
        strict_with=(("follow", False),),
        arguments=(
            _ID,
            _arg("--task", metavar="T", help="number or name of a task (all, one after the other)"),
            _arg("--controller", action="store_true", help="the controller's log"),
            _arg("-f", "--follow", action="store_true", help="go on until the job is DONE"),
            _arg("-n", "--lines", metavar="LINES", type=count, help="only the last LINES lines"),
            _arg(
                "--raw", action="store_true",
                help="let all escape sequences through to the terminal, not only colours",
            ),
        ),
    ),
    Command(
        name="wait",
        help="wait until jobs are DONE; the exit code tells how they ended",
        handler="waiting:wait",
        arguments=(
            _IDS,
            _arg("--timeout", metavar="S", type=seconds, help="seconds, or as in 90s, 5m, 2h"),
        ),
    ),
    Command(
        name="clusters",
        help="list the clusters that exist",
        handler="listing:clusters",
        tolerant=True,
        arguments=(_JSON,),
    ),
)  # fmt: skip

_OPERATING: Final = (
    Command(
        name="cancel",
        help="cancel jobs, by number, by name, or all",
        handler="ending:cancel",
        tolerant=True,
        strict_with=(("wait", False),),
        arguments=(
            _arg("job_ids", metavar="ID", type=job_id, nargs="*", help="numbers of jobs"),
            _arg("-n", "--name", metavar="NAME", help="all unfinished jobs of this name"),
            _arg("--all", action="store_true", help="all unfinished jobs"),
            _REASON,
            _YES,
            _arg("--wait", action="store_true", help="wait until they are gone"),
        ),
    ),
    Command(
        name="done",
        help="end jobs by force; clusters that they leave are removed by a sweep",
        handler="ending:done",
        tolerant=True,
        arguments=(_IDS, _REASON, _YES),
    ),
    Command(
        name="requeue",
        help="end a job's controller, also a stopped one, and start the next; what runs goes on",
        handler="operate:requeue",
        arguments=(_ID, _REASON),
    ),
    Command(
        name="hold",
        help="let jobs launch nothing until they are released",
        handler="operate:hold",
        arguments=(_IDS, _REASON),
    ),
    Command(
        name="release",
        help="end a hold",
        handler="operate:release",
        arguments=(_IDS, _REASON),
    ),
    Command(
        name="priority",
        help="change a job's priority",
        handler="operate:priority",
        arguments=(
            _ID,
            _arg("priority", metavar="N", type=priority, help="-1000 to 1000, higher is first"),
            _REASON,
        ),
    ),
    Command(
        name="limits",
        help="show or change how many jobs may launch and be alive; pause starts",
        handler="operate:limits",
        tolerant=True,
        strict_with=(("launch", None), ("alive", None), ("paused", None)),
        arguments=(
            _arg("--launch", metavar="N|auto", type=limit, help="jobs that may launch at a time"),
            _arg("--alive", metavar="N|auto", type=limit, help="jobs that may be alive at a time"),
            _arg(
                "--pause", action="store_const", const=True, dest="paused", either="pause",
                help="start no new jobs; what runs goes on",
            ),
            _arg(
                "--resume", action="store_const", const=False, dest="paused", either="pause",
                help="start new jobs again",
            ),
            _JSON,
        ),
    ),
    Command(
        name="preempt",
        help="lose a cluster on purpose, as a preemption would",
        handler="operate:preempt",
        arguments=(_arg("cluster", metavar="CLUSTER", help="as jobsched clusters names it"),),
    ),
)  # fmt: skip

_KEEPING: Final = (
    Command(
        name="sweep",
        help="take back what the dead left, remove orphan clusters, reschedule",
        handler="admin:sweep",
        arguments=(_JSON,),
    ),
    Command(
        name="check",
        help="verify the invariants; exit 1 and the list if one is broken",
        handler="admin:check",
        tolerant=True,
        arguments=(_JSON,),
    ),
    Command(
        name="prune",
        help="forget jobs that are DONE, with their history and logs",
        handler="admin:prune",
        description="Forget jobs that are DONE, with their history and logs. Jobs that others wait"
        "\nfor are kept. Without an option: those that ended more than 30 days ago.",
        arguments=(
            _arg(
                "--older-than", metavar="AGE", type=seconds,
                help="only jobs that ended so long ago, as in 30d, 12h",
            ),
            _arg("--keep", metavar="N", type=number, help="keep the newest N of them"),
        ),
    ),
    Command(
        name="config",
        help="show what is in force, and whence",
        handler="admin:config",
        arguments=(_JSON,),
    ),
    Command(
        name="schema",
        help="print the JSON Schema of a YAML file's documents, for editors",
        handler="admin:schema",
    ),
    Command(
        name="demo",
        help="watch jobs succeed, fail, and survive in a scratch home; under two minutes",
        handler="demo:demo",
    ),
)  # fmt: skip

#: In the order of the help.
COMMANDS: Final = (*_SUBMITTING, *_LOOKING, *_OPERATING, *_KEEPING)
