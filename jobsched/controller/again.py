"""Whether the process of a controller whose job is DONE may drive another job.

Owns that answer. A signal to a controller is meant for its job, and sent by the identity of its
process: so one that somebody may be about to signal drives no other. Whoever signals has committed
why before: a cancel, a requeue, a fence. None of them can be committed once the job is DONE, so a
look after that is proof.
"""

from __future__ import annotations

import threading

from jobsched.context import Context
from jobsched.errors import StoreError
from jobsched.nursery.handing import Claim
from jobsched.store import reads


def is_unsought(context: Context, claim: Claim) -> bool:
    """Whether its attempt has ended its job itself, and nobody has reason to signal it.

    And whether nothing of it is left in this process.
    """
    if threading.active_count() > 1:
        return False
    try:
        with context.db.read() as tx:
            job = reads.job(tx, claim.job_id)
            attempt = reads.attempt(tx, claim.job_id, claim.attempt)
    except StoreError:
        return False
    return (
        job is not None and job.is_done and job.attempt == claim.attempt and job.cancel_at is None
        and attempt is not None and attempt.end_reason is None
    )  # fmt: skip
