from __future__ import annotations

import pytest

from .judging import errors, judge


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("runn: x\n", "1:1: unknown field 'runn' (did you mean 'run'?)"),
        ("run: x\nresource: {}\n", "2:1: unknown field 'resource' (did you mean 'resources'?)"),
        ("RUN: x\n", "1:1: unknown field 'RUN' (did you mean 'run'?)"),
        (
            "run: x\nresources: {use_spot: true, spot_recovery: failover}\n",
            "2:29: unknown field 'spot_recovery' in resources (did you mean 'job_recovery'?)",
        ),
        (
            "run: x\nresources:\n  any_of:\n    - cpu: 4\n",
            "4:7: unknown field 'cpu' in resources.any_of[0] (did you mean 'cpus'?)",
        ),
        (
            "run: x\nresources: {job_recovery: {strategie: failover}}\n",
            "2:28: unknown field 'strategie' in resources.job_recovery (did you mean 'strategy'?)",
        ),
        (
            "run: x\nfile_mounts: {/x: {sorce: s3://b}}\n",
            "2:20: unknown field 'sorce' in file_mounts['/x'] (did you mean 'source'?)",
        ),
        (
            "excution: parallel\n---\nname: a\nrun: x\n",
            "1:1: unknown field 'excution' (did you mean 'execution'?)",
        ),
    ],
)
def test_an_unknown_field_has_a_suggestion(text: str, problem: str) -> None:
    """The nearest field of the same mapping is suggested, at the place of the key."""
    assert problem in errors(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "run: x\npriority: 5\n",
            "2:1: unknown field 'priority' (priority belongs under resources)",
        ),
        (
            "run: x\nresources: {setup: y}\n",
            (
                "2:13: unknown field 'setup' in resources "
                "(setup belongs in the task's document itself)"
            ),
        ),
        (
            "run: x\nresources: {max_restarts_on_errors: 3}\n",
            (
                "2:13: unknown field 'max_restarts_on_errors' in resources "
                "(max_restarts_on_errors belongs under resources.job_recovery)"
            ),
        ),
        (
            "run: x\n---\nname: a\nexecution: serial\n",
            (
                "4:1: unknown field 'execution' "
                "(execution belongs in the header, the first document of the file)"
            ),
        ),
        (
            "name: a\nexecution: serial\nrun: x\n",
            (
                "3:1: unknown field 'run' "
                "(this is the header; run belongs in a task, after it and a line ---)"
            ),
        ),
    ],
)
def test_a_misplaced_field_is_told_its_place(text: str, problem: str) -> None:
    """A field that exists elsewhere is not called a typing error."""
    assert problem in errors(text)


def test_a_field_far_from_all_gets_the_list() -> None:
    """Where nothing is near, the possible fields are named."""
    (error,) = errors("run: x\nresources: {job_recovery: {foo: 1}}\n")
    assert error == (
        "2:28: unknown field 'foo' in resources.job_recovery "
        "(it takes max_restarts_on_errors, recover_on_exit_codes or strategy)"
    )


@pytest.mark.parametrize("field", ["service", "pool"])
def test_other_products_are_refused_with_a_reason(field: str) -> None:
    """Services and pools are no jobs."""
    (error,) = errors(f"run: x\n{field}: {{a: 1}}\n")
    assert error.startswith(f"2:1: {field} is not supported (jobsched ")


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("run: 5", "1:6: run: expected text, found the number 5"),
        ("run: yes", "1:6: run: expected text, found the boolean true"),
        ("run: [a]", "1:6: run: expected text, found a list"),
        ("setup: {a: b}", "1:8: setup: expected text, found a mapping"),
        ("name: 5", "1:7: name: expected text, found the number 5"),
        (
            "num_nodes: 0",
            "1:12: num_nodes: expected a whole number of at least 1, found the number",
        ),
        ("num_nodes: -1", "1:12: num_nodes: expected a whole number of at least 1, found the"),
        ("num_nodes: 1.5", "1:12: num_nodes: expected a whole number, found the number 1.5"),
        ("num_nodes: true", "1:12: num_nodes: expected a whole number, found the boolean true"),
        ('num_nodes: "2"', "1:12: num_nodes: expected a whole number, found the text '2' (take"),
        ("event_callback: 5", "1:17: event_callback: expected text, found the number 5"),
        ("workdir: 5", "1:10: workdir: expected text, found the number 5"),
        ("envs: [A]", "1:7: envs: expected a mapping, found a list (write NAME: VALUE lines"),
        ("file_mounts: {/x: 5}", "1:19: file_mounts['/x']: expected a local path, a URI or a"),
        ("file_mounts: {/x: {source: [5]}}", "1:28: file_mounts['/x'].source: expected a local"),
        ("file_mounts: {/x: {name: b, mode: MONT}}", "1:35: file_mounts['/x'].mode: expected MO"),
        ("file_mounts: {/x: {name: b, persistent: 1}}", "1:41: file_mounts['/x'].persistent: exp"),
        ("depends_on: [5]", "1:14: depends_on[0]: expected text, found the number 5"),
        ("depends_on: {a: b}", "1:13: depends_on: expected a list, found a mapping"),
        ("max_duration: 0", "1:15: max_duration: expected a duration of more than 0 seconds"),
        ("max_duration: soon", "1:15: max_duration: expected a duration, seconds or NUMBER[s|m|"),
        ("resources: [a]", "1:12: resources: expected a mapping, found a list"),
        ("resources: {cpus: x}", "1:19: resources.cpus: expected a number of CPUs, such as 4 or"),
        ("resources: {memory: x}", "1:21: resources.memory: expected an amount of GiB"),
        ("resources: {accelerators: 5}", "1:27: resources.accelerators: expected an accelerator"),
        ("resources: {infra: a//c}", "1:20: resources.infra: expected cloud[/region[/zone]]"),
        ("resources: {use_spot: 1}", "1:23: resources.use_spot: expected true or false, found"),
        ("resources: {image_id: 5}", "1:23: resources.image_id: expected text, found the number 5"),
        ("resources: {priority: 1001}", "1:23: resources.priority: expected a whole number of at"),
        ("resources: {priority: -1001}", "1:23: resources.priority: expected a whole number of a"),
        ("resources: {priority: '5'}", "1:23: resources.priority: expected a whole number, found"),
        ("resources: {disk_size: .nan}", "1:24: resources.disk_size: expected a finite number"),
        ("resources: {any_of: []}", "1:21: resources.any_of: expected at least one entry, found a"),
        ("resources: {any_of: [5]}", "1:22: resources.any_of[0]: expected a mapping, found the n"),
        ("resources: {job_recovery: 3}", "1:27: resources.job_recovery: expected a strategy's nam"),
    ],
)
def test_what_was_expected_and_what_was_found(field: str, message: str) -> None:
    """Each field says what it takes, and stands where its value does."""
    (error,) = errors(f"{field}\n")
    assert error.startswith(message)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (
            "max_restarts_on_errors: -1",
            "1:52: {}.max_restarts_on_errors: expected a whole number of",
        ),
        (
            "max_restarts_on_errors: '2'",
            "1:52: {}.max_restarts_on_errors: expected a whole number,",
        ),
        (
            "max_restarts_on_errors: true",
            "1:52: {}.max_restarts_on_errors: expected a whole number",
        ),
        (
            "recover_on_exit_codes: 256",
            "1:51: {}.recover_on_exit_codes: expected a whole number of a",
        ),
        (
            "recover_on_exit_codes: [1, 256]",
            "1:55: {}.recover_on_exit_codes[1]: expected a whole num",
        ),
        (
            "recover_on_exit_codes: [-1]",
            "1:52: {}.recover_on_exit_codes[0]: expected a whole number",
        ),
        (
            "recover_on_exit_codes: [true]",
            "1:52: {}.recover_on_exit_codes[0]: expected a whole num",
        ),
        (
            "recover_on_exit_codes: x",
            "1:51: {}.recover_on_exit_codes: expected a whole number, fo",
        ),
        ("strategy: 5", "1:38: {}.strategy: expected text, found the number 5"),
    ],
)
def test_job_recovery_in_detail(field: str, message: str) -> None:
    """Bounds and types of the recovery's own fields."""
    (error,) = errors(f"resources: {{job_recovery: {{{field}}}}}\n")
    assert error.startswith(message.format("resources.job_recovery"))


def test_one_mistake_hides_no_other() -> None:
    """Everything wrong in a file is reported at once, in its order."""
    found = errors(
        "name: p\n"
        "execution: serail\n"
        "---\n"
        "name: a\n"
        "run: 5\n"
        "envs: {1A: x, B: }\n"
        "resources:\n"
        "  cpus: x\n"
        "  infra: aws\n"
        "  region: here\n"
        "  job_recovery: failovr\n"
        "  foo: 1\n"
        "---\n"
        "name: a\n"
        "depends_on: b\n"
        "workdir: /nonexistent/w\n",
        mode="submit",
    )
    assert [error.split(" (")[0] for error in found] == [
        "2:12: execution: expected serial or parallel, found the text 'serail'",
        "5:6: run: expected text, found the number 5",
        "6:8: envs: '1A' cannot name a variable",
        "6:15: envs: B has no value",
        "8:9: resources.cpus: expected a number of CPUs, such as 4 or \"4+\", found the text 'x'",
        "10:3: resources: infra and region exclude each other",
        "11:17: resources.job_recovery: unknown strategy 'failovr'",
        "12:3: unknown field 'foo' in resources",
        "14:7: name: a second task is called 'a'",
        "15:13: depends_on: there is no task 'b'",
        "16:10: workdir: there is no directory '/nonexistent/w'",
    ]


def test_messages_show_values_escaped_and_short() -> None:
    """Nothing from a file can act on a terminal or fill a screen."""
    (error,) = errors(f'num_nodes: "\\x1b[2J{"x" * 10_000}"\n')
    assert error.isprintable()
    assert "\\x1b[2J" in error
    assert len(error) < 200


@pytest.mark.parametrize(
    "field",
    ["name", "run", "setup", "workdir", "num_nodes", "envs", "secrets", "file_mounts", "resources",
     "event_callback", "max_duration", "depends_on"],
)  # fmt: skip
def test_null_is_as_good_as_absent(field: str) -> None:
    """A field whose lines are all commented out is no mistake."""
    text = "run: x\n" if field != "run" else ""
    assert judge(f"{text}{field}:\n").spec == judge(text or "setup:\n").spec
