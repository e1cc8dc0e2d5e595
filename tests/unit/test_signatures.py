"""The functions of modules and the methods of the door: one set of signatures."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest

from jobsched import Scheduler, logs, scheduler, state

MODULES: dict[ModuleType, tuple[str, ...]] = {
    scheduler: ("submit_job", "maybe_schedule_next_jobs", "scheduled_launch", "job_done"),
    state: ("create_job", "get_job_schedule_state", "set_task_status", "cancel_requested"),
    logs: ("follow", "tail"),
}
CASES = [(module, name) for module, names in MODULES.items() for name in names]


@pytest.mark.parametrize(("module", "name"), CASES)
def test_a_method_is_called_as_the_function_is(module: ModuleType, name: str) -> None:
    """The same parameters, in the same order, of the same kinds, with the same defaults."""
    function = inspect.signature(getattr(module, name))
    method = inspect.signature(getattr(Scheduler, name))
    own, *rest = method.parameters.values()
    assert own.name == "self"
    assert [*function.parameters.values()] == rest
    assert function.return_annotation == method.return_annotation


def test_follow_and_tail_take_the_controller_by_position() -> None:
    """As embedding programs call them."""
    for name in ("follow", "tail"):
        bound = inspect.signature(getattr(Scheduler, name)).bind(None, 1, None, True)
        assert bound.arguments["controller"] is True
