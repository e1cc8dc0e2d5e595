"""How a command line is read: words to values, mistakes to sentences."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import pytest

from jobsched import __version__
from jobsched.cli import main
from jobsched.cli.commands import COMMANDS
from jobsched.cli.parser import parse
from jobsched.states import TaskStatus

GOOD: list[tuple[str, dict[str, Any]]] = [
    ("submit a.yaml", {"files": ["a.yaml"], "envs": [], "wait": False, "priority": None}),
    ("submit a.yaml a.yaml", {"files": ["a.yaml", "a.yaml"]}),
    ("submit a -n x --env K --env L=1=2", {"name": "x", "envs": ["K", "L=1=2"]}),
    ("submit a --secret K --secret-file f", {"secrets": ["K"], "secret_file": "f"}),
    ("submit a --priority -5 --hold", {"priority": -5, "hold": True}),
    ("submit a --after 1 --after 2 --wait --json", {"after": [1, 2], "wait": True, "json": True}),
    ("queue", {"all": False, "status": (), "limit": 50, "json": False, "name": None}),
    ("ls --all --limit 3", {"all": True, "limit": 3, "handler": "listing:queue"}),
    ("queue -s failed,RUNNING", {"status": (TaskStatus.FAILED, TaskStatus.RUNNING)}),
    ("show 3 --json", {"job_id": 3, "json": True}),
    ("logs 3 --task train -f -n 20", {"task": "train", "follow": True, "lines": 20}),
    ("logs 3 --controller", {"controller": True, "follow": False, "lines": None}),
    ("cancel 1 2 -y", {"job_ids": [1, 2], "yes": True}),
    ("cancel --all", {"job_ids": [], "all": True}),
    ("cancel -n x --wait", {"name": "x", "wait": True}),
    ("done 1 2 --reason why -y", {"job_ids": [1, 2], "reason": "why"}),
    ("cancel 1 --reason why", {"job_ids": [1], "reason": "why"}),
    ("requeue 1 --reason why", {"job_id": 1, "reason": "why"}),
    ("hold 1 2 --reason why", {"job_ids": [1, 2], "reason": "why"}),
    ("release 1 --reason why", {"reason": "why"}),
    ("priority 1 -10 --reason why", {"priority": -10, "reason": "why"}),
    ("rerun 3 --secret K", {"job_id": 3, "secrets": ["K"]}),
    ("hold 1 2", {"job_ids": [1, 2]}),
    ("priority 3 -10", {"job_id": 3, "priority": -10}),
    ("limits --launch 4 --alive auto", {"launch": 4, "alive": "auto", "paused": None}),
    ("limits --launch 0", {"launch": 0}),
    ("limits --pause", {"paused": True}),
    ("limits --resume", {"paused": False}),
    ("wait 1 2 --timeout 90", {"job_ids": [1, 2], "timeout": 90.0}),
    ("wait 1 --timeout 2m", {"timeout": 120.0}),
    ("prune --older-than 30d --keep 0", {"older_than": 30 * 86_400.0, "keep": 0}),
    ("preempt c-1", {"cluster": "c-1"}),
    ("check --json", {"json": True}),
    ("--home A queue", {"home": "A"}),
    ("queue --home B", {"home": "B"}),
    ("--home A queue --home B", {"home": "B"}),
    ("--debug queue", {"debug": True}),
    ("queue", {"home": None, "debug": False}),
]

BAD: list[tuple[str, str]] = [
    ("", "COMMAND"),
    ("quue", "there is no command 'quue'; did you mean queue?"),
    ("submitt a.yaml", "did you mean submit?"),
    ("frobnicate", "`jobsched --help` lists all"),
    ("submit", "FILE"),
    ("submit a --priority 1001", "-1000 to 1000"),
    ("submit a --priority high", "-1000 to 1000"),
    ("submit a --after x", "is no job's number"),
    ("show", "ID"),
    ("show x", "'x' is no job's number"),
    ("show 0", "is no job's number"),
    ("show -5", "is no job's number"),
    ("show 99999999999999999999999", "is no job's number"),
    ("queue -s RUNING", "did you mean RUNNING?"),
    ("queue --limit 0", "at least 1"),
    ("queue --lim 5", "unrecognized arguments: --lim 5; did you mean --limit?"),
    ("queue --limt=5", "did you mean --limit?"),
    ("queue 5", "unrecognized arguments: 5\n"),
    ("queue --limit -1", "expected a whole number of at least 1, found '-1'"),
    ("prune --keep -1", "expected a whole number of at least 0, found '-1'"),
    ("logs 3 -n -1", "expected"),
    ("limits --launch -1", "expected"),
    ("limits --launch many", "or auto"),
    ("limits --pause --resume", "not allowed with"),
    ("wait 1 --timeout soon", "is no duration"),
    ("prune --older-than yesterday", "is no duration"),
    ("--print-completion fish", "invalid choice"),
]


@pytest.mark.parametrize(("words", "expected"), GOOD)
def test_words_become_values(words: str, expected: dict[str, Any]) -> None:
    """Each documented form is understood."""
    found = vars(parse(words.split()))
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize(("words", "said"), BAD)
def test_mistakes_are_explained(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each mistake ends with exit code 2 and says what was expected."""
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_what_a_command_does_not_know_shows_its_usage(
    command: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its own, which has what was meant, and not that of all commands."""
    words = [names[0] for names, _ in command.arguments if not names[0].startswith("-")]
    with pytest.raises(SystemExit) as ended:
        main([command.name, *("1" for _ in words), "--bogus"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"usage: jobsched {command.name} ")
    assert "unrecognized arguments: --bogus" in said


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_each_command_can_run_and_explain_itself(
    command: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the table names exists, and its help shows every option it takes."""
    module, _, name = command.handler.partition(":")
    assert callable(getattr(importlib.import_module(f"jobsched.cli.{module}"), name))
    with pytest.raises(SystemExit) as ended:
        parse([command.name, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for names, _options in command.arguments:
        assert names[-1].startswith("-") is False or names[-1] in text
    assert "--home" in text


def test_no_two_commands_share_a_name() -> None:
    """A name or alias means one command."""
    names = [name for command in COMMANDS for name in (command.name, *command.aliases)]
    assert len(names) == len(set(names))


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """``--version`` prints it and does nothing else."""
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"jobsched {__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_commands_and_files(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A completion script names every command."""
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", shell])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert all(command.name in text for command in COMMANDS)


def test_the_bash_completion_is_bash(tmp_path: Any) -> None:
    """Bash accepts the script made for it, and completes a command from its beginning."""
    script = tmp_path / "completion"
    printed = subprocess.run(
        [sys.executable, "-m", "jobsched", "--print-completion", "bash"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    script.write_text(
        printed.stdout + "\nCOMP_WORDS=(jobsched valid); COMP_CWORD=1\n"
        '_shtab_jobsched 2>/dev/null; echo "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", str(script)], check=False, capture_output=True, text=True)
    assert done.stdout.split() == ["validate"], done.stderr


HEAVY = {"sqlalchemy", "pydantic", "yaml", "rich", "psutil", "shtab", "asyncio", "textual"}


@pytest.mark.parametrize(
    "words", [["--help"], ["submit", "--help"], ["--version"], ["queue", "-x"]]
)
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    """Help, version and a mistyped option answer without loading a library."""
    program = (
        "import sys\n"
        "from jobsched.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "except SystemExit:\n    pass\n"
        "print('\\nLOADED', *sorted({name.partition('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words], check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.rpartition("LOADED")[2].split())
    assert "jobsched" in loaded
    assert not loaded & HEAVY


def test_the_home_of_a_subcommand_is_not_lost() -> None:
    """A default of the subcommand does not overwrite what was given before it."""
    found = parse(["--home", "A", "--debug", "show", "1"])
    assert (found.home, found.debug) == ("A", True)
