"""Whole jobs on the local backend: chains, branches, groups, restarts, preemptions."""

from __future__ import annotations

import json
from pathlib import Path

from jobsched.audit import check
from jobsched.backends.base import ClusterState
from jobsched.scheduler.operate import set_limits
from jobsched.scheduler.submission import Submission, load, stored_env, submit_new
from jobsched.states import ScheduleState, TaskStatus
from tests.scenario.conftest import MakeWorld
from tests.world import World

S, T = ScheduleState, TaskStatus


def test_chain_with_a_failing_setup(world: World) -> None:
    """Later tasks end CANCELLED; the failure's reason is the job's."""
    job = world.submit(
        "name: p\n---\nname: a\nrun: 'true'\n---\nname: b\nsetup: exit 3\nrun: 'true'\n"
        "---\nname: c\nrun: 'true'\n"
    )
    row = world.until_done(job)
    assert world.statuses(job) == ["SUCCEEDED", "FAILED_SETUP", "CANCELLED"]
    assert (str(row.status), row.failure_reason) == (
        "FAILED_SETUP",
        "setup ended with exit code 3",
    )
    assert world.tasks(job)[1].exit_code == 3


def test_a_follower_ends_with_the_job_that_failed(world: World) -> None:
    """A controller ends it along with its own job, and acts for it no more than that."""
    set_limits(world.context, paused=True)
    first = world.submit("run: exit 3\n")
    path = world.root.parent / "follower.yaml"
    path.write_text("run: 'true'\n")
    (second,) = submit_new(
        world.context,
        [
            Submission(
                loaded=load(path), source=str(path), env=stored_env(world.context), after=(first,)
            )
        ],
    )
    set_limits(world.context, paused=False)
    assert (str(world.until_done(first).status), str(world.until_done(second).status)) == (
        "FAILED",
        "CANCELLED",
    )
    assert world.job(second).failure_reason == "job 1, which it was to follow, ended FAILED"
    assert check(world.context).violations == ()


def test_branches(world: World, tmp_path: Path) -> None:
    """Independent tasks run at the same time; a failed one cancels what depends on it alone."""
    meet = tmp_path / "meet"
    job = world.submit(
        f"""\
        name: tree
        ---
        name: left
        run: mkfifo {meet}; echo hello > {meet}; exit 1
        depends_on: []
        ---
        name: right
        run: until [ -p {meet} ]; do sleep 0.05; done; cat {meet}
        ---
        name: after-left
        run: 'true'
        depends_on: [left]
        ---
        name: after-right
        run: 'true'
        depends_on: right
        """
    )
    row = world.until_done(job)
    assert world.statuses(job) == ["FAILED", "SUCCEEDED", "CANCELLED", "SUCCEEDED"]
    assert str(row.status) == "FAILED"
    assert "hello" in world.home.task_log(job, 1).read_text()


def test_nothing_to_run(world: World) -> None:
    """A task without run succeeds at once and has no cluster."""
    job = world.submit("name: x\n---\nname: y\n")
    assert str(world.until_done(job).status) == "SUCCEEDED"
    assert world.tasks(job)[0].cluster is None


def test_restarts(world: World, tmp_path: Path) -> None:
    """max_restarts_on_errors: 2 gives three runs, in the same log, and then FAILED."""
    ran = tmp_path / "ran"
    job = world.submit(
        f"run: echo run >> {ran}; echo output; exit 7\n"
        "resources: {job_recovery: {max_restarts_on_errors: 2}}\n"
    )
    world.until_done(job)
    task = world.tasks(job)[0]
    assert (str(task.status), task.exit_code, task.restart_count) == ("FAILED", 7, 2)
    assert ran.read_text().count("run") == 3
    assert world.home.task_log(job, 0).read_text().count("output") == 3


def test_listed_exit_codes_spend_nothing(world: World, tmp_path: Path) -> None:
    """A listed exit code restarts without end; another one fails at once."""
    ran = tmp_path / "ran"
    job = world.submit(
        f"run: echo run >> {ran}; [ $(wc -l < {ran}) -lt 4 ] && exit 29; exit 8\n"
        "resources: {job_recovery: {recover_on_exit_codes: 29}}\n"
    )
    world.until_done(job)
    task = world.tasks(job)[0]
    assert (str(task.status), task.exit_code, ran.read_text().count("run")) == ("FAILED", 8, 4)


REGIONS = "[local.regions.r1]\n[local.regions.r2]\n[local.regions.r3]\n"


def preempt(world: World, job: int) -> str:
    """Lose the job's cluster and wait until it runs again; the new region."""
    before = world.tasks(job)[0]
    world.context.backend().preempt(before.cluster or "")
    world.until(
        lambda: (
            (task := world.tasks(job)[0]).status is T.RUNNING
            and task.recovery_count > before.recovery_count
        ),
        "the recovery",
    )
    return world.tasks(job)[0].region or ""


def test_eager_next_region(make_world: MakeWorld) -> None:
    """Each preemption moves on to another region; the restart budget is untouched."""
    world = make_world(REGIONS)
    job = world.submit("run: sleep 300\n")
    world.until_status(job, T.RUNNING)
    assert world.tasks(job)[0].region == "r1"
    assert preempt(world, job) == "r2"
    assert preempt(world, job) != "r2"
    task = world.tasks(job)[0]
    assert (task.recovery_count, task.restart_count) == (2, 0)


def test_failover(make_world: MakeWorld) -> None:
    """The same region first."""
    world = make_world(REGIONS)
    job = world.submit("run: sleep 300\nresources: {job_recovery: failover}\n")
    world.until_status(job, T.RUNNING)
    assert (world.tasks(job)[0].region, preempt(world, job)) == ("r1", "r1")


def test_pinned_region(make_world: MakeWorld) -> None:
    """A region that the user pinned is not given up for another."""
    world = make_world(REGIONS)
    job = world.submit("run: sleep 300\nresources: {region: r3}\n")
    world.until_status(job, T.RUNNING)
    assert (world.tasks(job)[0].region, preempt(world, job)) == ("r3", "r3")


def test_no_recovery(make_world: MakeWorld) -> None:
    """With NONE a preemption ends the task FAILED, saying so."""
    world = make_world(REGIONS)
    job = world.submit("run: sleep 300\nresources: {job_recovery: none}\n")
    world.until_status(job, T.RUNNING)
    world.context.backend().preempt(world.tasks(job)[0].cluster or "")
    row = world.until_done(job)
    assert str(row.status) == "FAILED"
    assert "preempted" in (row.failure_reason or "")


def test_backoff_is_outside_the_slot(make_world: MakeWorld, tmp_path: Path) -> None:
    """While one job waits for room the single launch slot is another's; room ends the wait."""
    world = make_world("[local.regions.small]\ncpus = 2\n", gap=300)
    set_limits(world.context, launch=1)
    go = tmp_path / "go"
    first = world.submit(
        f"run: until [ -e {go} ]; do sleep 0.05; done\nresources: {{cpus: 2}}\n", name="first"
    )
    world.until_status(first, T.RUNNING)
    second = world.submit("run: 'true'\nresources: {cpus: 1}\n", name="second")
    world.until(lambda: world.tasks(second)[0].backoff_code == "NO_ROOM", "want of room")
    third = world.submit("run: 'true'\n", name="third")
    assert str(world.until_done(third).status) == "SUCCEEDED"
    go.touch()
    assert str(world.until_done(second, timeout=10).status) == "SUCCEEDED"


def test_prechecks(make_world: MakeWorld) -> None:
    """What no region can ever serve fails at launch with every reason, and is not retried."""
    world = make_world("[local.regions.small]\ncpus = 2\n")
    job = world.submit("run: 'true'\nresources: {any_of: [{cpus: 64}, {region: smal}]}\n")
    row = world.until_done(job)
    assert str(row.status) == "FAILED_PRECHECKS"
    assert "64" in (row.failure_reason or "")
    assert "smal" in (row.failure_reason or "")


def test_max_duration(world: World) -> None:
    """A task that takes too long is stopped and FAILED; its processes are gone at DONE."""
    job = world.submit("run: sleep 300\nmax_duration: 1\n")
    row = world.until_done(job)
    assert str(row.status) == "FAILED"
    assert "max_duration" in (row.failure_reason or "")


def test_job_group(world: World, tmp_path: Path) -> None:
    """A group runs together; auxiliary tasks are CANCELLED after the delay and do not count."""
    meet = tmp_path / "meet"
    job = world.submit(
        f"""\
        name: group
        execution: parallel
        primary_tasks: [main]
        termination_delay: 1s
        ---
        name: server
        run: mkfifo {meet}; echo "$SKYPILOT_JOBGROUP_NAME" > {meet}; sleep 300
        ---
        name: main
        run: until [ -p {meet} ]; do sleep 0.05; done; cat {meet}
        """,
        name="group",
    )
    row = world.until_done(job)
    assert (str(row.status), world.statuses(job)) == ("SUCCEEDED", ["CANCELLED", "SUCCEEDED"])
    assert "group" in world.home.task_log(job, 1).read_text()


def test_group_is_placed_together_or_not_at_all(make_world: MakeWorld) -> None:
    """With room for one of two no task of the group starts, and nothing stays reserved."""
    world = make_world("[local.regions.small]\nclusters = 2\n", gap=300)
    blocker = world.submit("run: sleep 300\n", name="blocker")
    world.until_status(blocker, T.RUNNING)
    group = world.submit(
        "name: g\nexecution: parallel\n---\nname: a\nrun: 'true'\n---\nname: b\nrun: 'true'\n",
        name="g",
    )
    world.until(lambda: world.tasks(group)[0].backoff_until, "the group to wait")
    up = [one for one in world.context.backend().clusters() if one.state is ClusterState.UP]
    assert [one.job_id for one in up] == [blocker]
    assert world.statuses(group) == ["STARTING", "STARTING"]
    assert str(world.until_done(world.submit("run: 'true'\n", name="one")).status) == "SUCCEEDED"


def test_gang(world: World) -> None:
    """num_nodes nodes run side by side, each with its rank and log; one failure ends them all."""
    job = world.submit(
        "num_nodes: 3\nrun: echo rank $SKYPILOT_NODE_RANK of $SKYPILOT_NUM_NODES;"
        " [ $SKYPILOT_NODE_RANK = 1 ] && exit 5; sleep 300\n"
    )
    row = world.until_done(job)
    assert (str(row.status), world.tasks(job)[0].exit_code) == ("FAILED", 5)
    for node in range(3):
        assert f"rank {node} of 3" in world.home.task_log(job, 0, node).read_text()


def test_identity_of_runs(make_world: MakeWorld) -> None:
    """TASK_ID is the same before and after a recovery; TASK_IDS has a line for each task."""
    world = make_world(REGIONS)
    job = world.submit(
        "name: p\n---\nname: a\nrun: echo id=$SKYPILOT_TASK_ID; sleep 300\n---\nname: b\n"
        'run: echo "$SKYPILOT_TASK_IDS"\n'
    )
    world.until_status(job, T.RUNNING)
    preempt(world, job)
    log = world.home.task_log(job, 0)
    world.until(lambda: log.read_text().count("id=") == 2, "both runs to speak")
    assert len({line for line in log.read_text().splitlines() if "id=" in line}) == 1


def test_submitters_environment(world: World, tmp_path: Path) -> None:
    """A task gets what was stored with it, and none of what a controller is told by its starter."""
    out = tmp_path / "env"
    dag = tmp_path / "env.yaml"
    dag.write_text(f"run: env -0 > {out}\nenvs: {{MINE: '1'}}\nsecrets: {{TOKEN: s3cret}}\n")
    loaded = load(dag, name="env")
    env = {**stored_env(world.context), "TZ": "Pacific/Chatham"}
    submission = Submission(loaded=loaded, source=str(dag), env=env)
    job = submit_new(world.context, [submission])[0]
    world.until_done(job)
    found = dict(item.split("=", 1) for item in out.read_text().split("\0") if item)
    assert (found["MINE"], found["TOKEN"], found["TZ"]) == ("1", "s3cret", "Pacific/Chatham")
    hidden = {"JOBSCHED_HOME", "JOBSCHED_JOB_ID", "JOBSCHED_ATTEMPT", "JOBSCHED_LOCK_FD"}
    assert not hidden & found.keys()
    assert found["SKYPILOT_TASK_ID"] == found["JOBSCHED_TASK_ID"]


def test_secrets_lie_in_one_file_until_done(world: World, tmp_path: Path) -> None:
    """While the job lives the value is in its 0600 file alone; after DONE nowhere in the home."""
    go = tmp_path / "go"
    job = world.submit(
        f"secrets: {{TOKEN: s3cr3tvalue}}\nrun: until [ -e {go} ]; do sleep 0.05; done\n"
    )
    world.until_status(job, T.RUNNING)
    holding = [path for path in world.root.rglob("*") if contains(path, b"s3cr3tvalue")]
    assert holding == [world.home.secrets_file(job)]
    assert holding[0].stat().st_mode & 0o777 == 0o600
    go.touch()
    world.until_done(job)
    assert not [path for path in world.root.rglob("*") if contains(path, b"s3cr3tvalue")]


def contains(path: Path, what: bytes) -> bool:
    """Whether a file holds these bytes."""
    return path.is_file() and what in path.read_bytes()


def test_event_callback(world: World, tmp_path: Path) -> None:
    """It is told of every committed change in order, with the names that existing files use."""
    told = tmp_path / "told"
    job = world.submit(
        f"name: job\nrun: 'true'\nevent_callback: echo $JOB_ID $TASK_NAME $JOB_STATUS >> {told}\n"
    )
    world.until_done(job)
    assert told.read_text().splitlines() == [
        f"{job} job {status}" for status in ("STARTING", "STARTED", "SUCCEEDED")
    ]


def test_event_callback_that_fails(world: World) -> None:
    """Whatever a callback does, it cannot make the job fail."""
    job = world.submit("run: 'true'\nevent_callback: exit 1\n")
    assert str(world.until_done(job).status) == "SUCCEEDED"


def test_leftovers_end_with_the_task(world: World, tmp_path: Path) -> None:
    """What run leaves in the background is stopped before the job is DONE."""
    note = tmp_path / "pid"
    job = world.submit(f"run: sleep 300 & echo $! > {note}\n")
    assert str(world.until_done(job).status) == "SUCCEEDED"
    from jobsched import process  # noqa: PLC0415 - named beside its use

    assert process.identify(int(note.read_text())) is None


def test_snapshot_is_what_runs(world: World) -> None:
    """An edit of the file after submission changes nothing, and the stored DAG is complete."""
    set_limits(world.context, launch=0)
    job = world.submit("run: echo first\n")
    (world.root.parent / "job.yaml").write_text("run: echo second\n")
    set_limits(world.context, launch="auto")
    world.until_done(job)
    assert world.home.task_log(job, 0).read_text() == "first\n"
    with world.context.db.read() as tx:
        from jobsched.store import reads  # noqa: PLC0415 - named beside its use

        stored = reads.snapshot(tx, job)
    assert stored is not None
    assert json.loads(stored["dag"])["tasks"][0]["run"] == "echo first"
