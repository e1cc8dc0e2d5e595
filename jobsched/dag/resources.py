"""What a task asks for: its candidates, how it is recovered, and the priority it brings.

Owns how alternatives are laid over the common part, and which fields exclude each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from jobsched.dag.documents import Document
from jobsched.dag.explain import label
from jobsched.dag.fields import Accelerators, Infra
from jobsched.dag.loaded import RENAMED_STRATEGIES
from jobsched.dag.report import KeyPath, Report
from jobsched.dag.shapes import (
    KEPT,
    CandidateShape,
    JobRecoveryShape,
    ResourcesShape,
    TaskShape,
)
from jobsched.dag.words import did_you_mean, listed, shown
from jobsched.models import DEFAULT_STRATEGY, JobRecovery, Resources

_EXCLUSIVE: Final = (
    ("infra", "cloud"),
    ("infra", "region"),
    ("infra", "zone"),
    ("any_of", "ordered"),
    ("accelerators", "gpus"),
)
_ALL: Final[KeyPath] = ("resources",)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a task's ``resources`` come to."""

    candidates: tuple[Resources, ...]
    ordered: bool
    recovery: JobRecovery
    priority: int


@dataclass(frozen=True, slots=True)
class _Alternative:
    """One way to serve the task, and where the file describes it."""

    shape: CandidateShape
    path: KeyPath
    place: Infra


def wishes(
    task: TaskShape, document: Document, strategies: Sequence[str], report: Report
) -> Wishes:
    """Read the task's ``resources``."""
    base = task.resources or ResourcesShape()
    reader = _Reader(document, strategies, report)
    alternatives = reader.alternatives(base)
    candidates = [c for each in alternatives for c in reader.candidates(each)]
    ordered = base.given("ordered") or any(_accelerators(a.shape).ordered for a in alternatives)
    return Wishes(
        candidates=tuple(candidates),
        ordered=ordered and len(candidates) > 1,
        recovery=reader.shared(alternatives, "job_recovery", JobRecovery()),
        priority=reader.shared(alternatives, "priority", 0),
    )


def _accelerators(shape: CandidateShape) -> Accelerators:
    return shape.accelerators or shape.gpus or Accelerators(())


class _Reader:
    """Reads the resources of one task."""

    def __init__(self, document: Document, strategies: Sequence[str], report: Report) -> None:
        self._document, self._strategies, self._report = document, strategies, report

    def alternatives(self, base: ResourcesShape) -> list[_Alternative]:
        """All entries of any_of or ordered, each laid over ``base``; else ``base`` alone."""
        self._check_exclusive(base, _ALL)
        kind = "ordered" if base.given("ordered") else "any_of"
        place = _laid_over(Infra(), base)
        entries: list[CandidateShape] = getattr(base, kind) or []
        if not entries:
            return [_Alternative(base, _ALL, place)]
        laid = []
        for index, entry in enumerate(entries):
            path = (*_ALL, kind, index)
            self._check_exclusive(entry, path)
            changes = {field: getattr(entry, field) for field in entry.model_fields_set}
            merged = base.model_copy(update=changes)
            laid.append(_Alternative(merged, path, _laid_over(place, entry)))
        return laid

    def candidates(self, alternative: _Alternative) -> list[Resources]:
        """The candidates that one alternative stands for: one per choice of accelerator."""
        shape, place = alternative.shape, alternative.place
        choices = [{name: count} for name, count in _accelerators(shape).choices] or [{}]
        kept = {name: getattr(shape, name) for name in KEPT if shape.given(name)}
        image = shape.image_id
        if isinstance(image, dict):  # one per region
            kept["image_id"] = image
        return [
            Resources(
                cpus=shape.cpus,
                memory_gib=self._memory(alternative),
                accelerators=choice,
                cloud=place.cloud,
                region=place.region,
                zone=place.zone,
                use_spot=bool(shape.use_spot),
                image_id=image if isinstance(image, str) else None,
                instance_type=shape.instance_type,
                other=kept,
            )
            for choice in choices
        ]

    def shared(self, alternatives: list[_Alternative], field: str, default: Any) -> Any:
        """The value that all alternatives have in common; reports it if they do not."""
        values = []
        for alternative in alternatives:
            path = self._origin(alternative, field)
            value = getattr(alternative.shape, field)
            if isinstance(value, JobRecoveryShape):
                value = self._recovery(value, path)
            values.append(default if value is None else value)
            if values[-1] != values[0]:
                message = f"{label(path)}: all candidates of a task must have the same {field}"
                hint = f"give {field} once, under resources itself"
                self._report.error(self._document.at(*path), message, hint)
                break
        return values[0]

    def _origin(self, alternative: _Alternative, field: str) -> KeyPath:
        """Where the file gives the alternative its ``field``, or does not."""
        for path in ((*alternative.path, field), (*_ALL, field)):
            if path in self._document.values:
                return path
        return alternative.path

    def _recovery(self, shape: JobRecoveryShape, path: KeyPath) -> JobRecovery:
        return JobRecovery(
            strategy=self._strategy(shape.strategy, (*path, "strategy")),
            max_restarts_on_errors=shape.max_restarts_on_errors or 0,
            recover_on_exit_codes=tuple(dict.fromkeys(shape.recover_on_exit_codes or ())),
        )

    def _strategy(self, written: str | None, path: KeyPath) -> str:
        name = DEFAULT_STRATEGY if written is None else written.upper()
        place, where = self._document.at(*path), label(self._document.known(path))
        if name in RENAMED_STRATEGIES and name not in self._strategies:
            new = RENAMED_STRATEGIES[name]
            self._report.warn(place, f"{where}: {name} is called {new} now")
            return new
        if name not in self._strategies:
            message = f"{where}: unknown strategy {shown(written or name)}"
            known = f"known are {listed(sorted(self._strategies), 'and')}"
            self._report.error(place, message, did_you_mean(name, self._strategies) or known)
            return DEFAULT_STRATEGY
        return name

    def _memory(self, alternative: _Alternative) -> float | None:
        memory, cpus = alternative.shape.memory, alternative.shape.cpus
        if memory is None or not memory.per_cpu:
            return memory.amount if memory else None
        if cpus is None:
            path = (*alternative.path, "memory")
            message = f"{label(path)}: memory for each CPU says nothing without cpus"
            self._report.warn(self._document.at(*path), message, "nothing is reserved")
            return None
        return memory.amount * cpus

    def _check_exclusive(self, shape: CandidateShape, path: KeyPath) -> None:
        for one, other in _EXCLUSIVE:
            if all(
                field in type(shape).model_fields and shape.given(field) for field in (one, other)
            ):
                message = f"{label(path)}: {one} and {other} exclude each other"
                self._report.error(self._document.at_key(*path, other), message, "keep one of them")


def _laid_over(place: Infra, shape: CandidateShape) -> Infra:
    """``place`` as ``shape`` changes it."""
    if "infra" in shape.model_fields_set:
        return shape.infra or Infra()
    fields = [field for field in Infra._fields if field in shape.model_fields_set]
    changed = place._replace(**{field: getattr(shape, field) for field in fields})
    return changed._replace(cloud=changed.cloud and changed.cloud.lower())
