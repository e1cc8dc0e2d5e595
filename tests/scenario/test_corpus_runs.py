"""Real files of other people, run to their end on the local backend."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobsched.scheduler.submission import Submission, load, stored_env, submit_new
from tests.world import World

CORPUS = Path(
    os.environ.get("JOBSCHED_TEST_CORPUS", Path(__file__).parents[2].parent / "shared" / "corpus")
)
S, F, FS, C = "SUCCEEDED", "FAILED", "FAILED_SETUP", "CANCELLED"
EXPECTED = {
    "04_failed_setup_pipeline.yaml": [S, FS, C, C],
    "05_test_managed_jobs_retry.yaml": [F, C],
    "10_multi_jobs.yaml": [S, S, S, S],
    "e01_cr_progress_bar.yaml": [S],
    "e02_long_log_line.yaml": [S],
    "e12_failed_run_pipeline.yaml": [S, S, F, C],
}


@pytest.mark.timeout(400)
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the folder of other people's files is not here")
def test_corpus(world: World) -> None:
    """Each ends as its table says; the one with a restart has run exactly twice."""
    files = [CORPUS / name for name in EXPECTED]
    env = stored_env(world.context)
    jobs = submit_new(
        world.context, [Submission(loaded=load(file), source=str(file), env=env) for file in files]
    )
    ids = dict(zip(EXPECTED, jobs, strict=True))
    for job in jobs:
        world.until_done(job, timeout=300)
    assert {name: world.statuses(job) for name, job in ids.items()} == EXPECTED
    retried = world.home.task_log(ids["05_test_managed_jobs_retry.yaml"], 0).read_text()
    assert retried.count("Task 1 starting") == 2
    bar = world.home.task_log(ids["e01_cr_progress_bar.yaml"], 0).read_bytes()
    assert b"\rprogress-frame-4\nPROGRESS_BAR_DONE\n" in bar
    long = world.home.task_log(ids["e02_long_log_line.yaml"], 0).read_bytes()
    assert b"\n" + b"x" * 300_000 + b"\n" in long
