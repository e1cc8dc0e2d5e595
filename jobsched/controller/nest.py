"""``python -m jobsched.controller.nest``: the nursery, with controllers in it.

Owns what its children become. Everything that a controller uses is imported here, so that its
children find it loaded; nothing here opens a database before a fork.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from typing import Final

from jobsched import config, process, wake
from jobsched.backends import local as _backend  # noqa: F401 -- loaded for the children
from jobsched.config import Soundness
from jobsched.context import Context, open_context
from jobsched.controller.__main__ import look_up, run
from jobsched.controller.again import is_unsought
from jobsched.controller.journal import Journal
from jobsched.controller.lifeline import Links
from jobsched.controller.plainlog import begin_log
from jobsched.controller.rest import stand_in
from jobsched.home import Home
from jobsched.nursery.brood import MOST_BEGINNING, Brood, Endings, Roles
from jobsched.nursery.handing import Claim, Relief, ask
from jobsched.scheduler.attendant import attend
from jobsched.scheduler.passes import run_pass
from jobsched.scheduler.starter import claim_variables, open_log
from jobsched.sweep.evidence import describe_exit

#: Seconds between looks of an attendant at whether the nursery still lives.
_GLANCE: Final = 2.0
#: Seconds that a controller whose job is DONE stays for another one, and jobs that it drives at
#: most: whatever a process gathers in its life comes to an end with it.
_IDLE: Final = 0.1
_MOST_JOBS: Final = 100
#: Seconds that a controller waits for the scheduler lock, above which others than controllers wait
#: for it, too: as many as may begin at once take their turns in less.
_CROWDED: Final = 0.0025 * MOST_BEGINNING


def main() -> int:
    """Serve until nothing has been alive for a while; the exit code."""
    home, listener = Home(config.default_root()), socket.socket(fileno=int(sys.argv[1]))
    os.umask(0o077)
    begin_log()
    sound, prepared = Soundness(home), _prepare(home)
    Brood(
        listener,
        Roles(
            controller=lambda claim, *links: _controller(prepared, sound, claim, Links(*links)),
            relief=lambda relief, *links: _relief(prepared, sound, relief, Links(*links)),
            attendant=lambda lifeline: _attendant(home, lifeline),
            mourner=lambda endings: _mourner(home, endings),
        ),
    ).serve()
    return 0


def _prepare(home: Home) -> Context:
    """What every controller begins with, as far as no job is needed for it. Opens no database."""
    found = config.load_what_can_be_used(home, {})
    context = Context(home, found.config, actor="controller")
    context.backend()
    return context


def _controller(prepared: Context, sound: Soundness, claim: Claim, links: Links) -> int:
    """Drive one job after the other, as long as there are some and nothing speaks against it."""
    status, waited = _drive(prepared, sound, claim, links)
    for _ in range(_MOST_JOBS - 1):
        if status or sound.has_changed() or not is_unsought(prepared, claim):
            break
        os.close(claim.lock_fd)
        following = ask(prepared.home, _IDLE, was_crowded=waited > _CROWDED)
        if following is None:
            break
        claim = following
        status, waited = _drive(prepared, sound, claim, links)
    return status


def _relief(prepared: Context, sound: Soundness, relief: Relief, links: Links) -> int:
    """Wait in a controller's place, then be it."""
    claim = relief.claim
    found = stand_in(prepared.home, relief, links.lifeline)
    if found is False:
        return 0
    if found is None:  # the rows may still name the one that died
        context = prepared.for_attempt(config.AttemptIdentity(*claim))
        Journal(context, claim.job_id, claim.attempt).put_process(process.me())
    return _controller(prepared, sound, claim, links)


def _drive(prepared: Context, sound: Soundness, claim: Claim, links: Links) -> tuple[int, float]:
    """Drive one job: the exit code, and the seconds that its end has waited for its turn."""
    home = prepared.home
    log = open_log(home.controller_log(claim.job_id))
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    stored = look_up(prepared.db, claim.job_id)
    env: dict[str, str] = {} if stored is None else json.loads(stored.snapshot["env"])
    config.become({**env, **claim_variables(home, claim)})
    time.tzset()
    if sound.has_changed() or any(name.startswith("JOBSCHED_") for name in env):
        context = open_context(actor="controller")
        context.db = prepared.db
    else:
        context = prepared.for_attempt(config.AttemptIdentity(*claim))
    return run(claim.job_id, links=links, context=context, stored=stored), context.waited


def _attendant(home: Home, lifeline: int) -> int:
    context = open_context(home.root, actor="attendant")
    attend(
        context,
        is_needed=lambda: not wake.wait([lifeline], 0.0),
        pause=lambda: wake.wait([lifeline], _GLANCE),
    )
    return 0


def _mourner(home: Home, endings: Endings) -> int:
    context: Context = open_context(home.root, actor="nursery")
    context.endings.update(
        (key, describe_exit(os.waitstatus_to_exitcode(status))) for key, status in endings.items()
    )
    run_pass(context, settling=False, suspects=[job_id for job_id, _ in endings])
    return 0


if __name__ == "__main__":
    sys.exit(main())
