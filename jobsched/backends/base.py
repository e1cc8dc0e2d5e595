"""What jobsched asks of whatever runs the tasks: the ``Backend`` protocol.

Owns the seam; holds no implementation. Its values live in ``models``, where every layer may see
them, and are named here too. A backend knows clusters by name, never jobs' states: it reads no
database and decides nothing about retries. All calls are synchronous; those that may take long take
a ``stop`` event and raise ``Cancelled`` soon after it is set. Names of clusters are made by the
caller, are unique for ever and are committed to the database *before* ``launch`` is called, so that
whatever a dead controller left can be found by name.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

from jobsched.models import (
    ClusterInfo,
    ClusterState,
    LaunchRequest,
    Observation,
    Phase,
    Placement,
    TaskSpec,
)

__all__ = [
    "Backend",
    "ClusterInfo",
    "ClusterState",
    "LaunchRequest",
    "Observation",
    "Phase",
]


class Backend(Protocol):
    """A kind of place that tasks run on. One instance serves one process."""

    #: Registered name, as in ``[backend] default``.
    name: str
    #: Whether a probe is the truth at once (no grace period, no polling): the local backend's is.
    certain: bool

    def placements(self, task: TaskSpec) -> tuple[Placement, ...]:
        """All places that could ever serve ``task``, in order of preference; never empty.

        Raises ``PrecheckFailed`` with every reason where there is none, or where the task needs
        something this backend does not have (a bucket, an image).
        """
        ...

    def reserve(
        self, wants: Sequence[tuple[str, TaskSpec, Sequence[Placement]]], *, job_id: int = 0
    ) -> list[Placement]:
        """Set room aside for several clusters, all or none: ``(cluster, task, places in order)``.

        Returns the place chosen for each. A later ``launch`` of that cluster at that place uses the
        room; ``stop`` and ``remove`` give it back. Asking again for a cluster that has its room
        already returns the same place. With the ``job_id`` whose clusters they are, ``clusters``
        lists them from now on; without it, from their launch. Raises ``NoCapacity``.
        """
        ...

    def launch(self, request: LaunchRequest, stop: threading.Event) -> None:
        """Make the cluster and start the task on it; returns once the task's programs are starting.

        Raises ``NoCapacity`` (nothing reserved, nothing left behind), ``PrecheckFailed``,
        ``Fenced`` (a newer attempt owns the cluster), ``Cancelled`` soon after ``stop`` is set, or
        ``BackendError``. After any raise no program of the task runs.

        A name serves once: a cluster that was launched or stopped before is refused. Only a launch
        that an older attempt began, and that started nothing, may be begun again, in its room.
        """
        ...

    def adopt(self, cluster: str, attempt: int) -> Observation:
        """Write ``attempt`` into the cluster as its fence, then probe it.

        After it returns, nothing that an older attempt had begun can start a program any more.
        A cluster that does not exist is GONE. Raises ``Fenced`` if a newer attempt was there first.
        """
        ...

    def probe(self, cluster: str) -> Observation:
        """What is known of the cluster now. Does not raise for one that does not exist: GONE."""
        ...

    def watch(self, cluster: str) -> list[int]:
        """Descriptors that become readable when ``probe`` may answer differently.

        The caller closes them. Empty where the backend has none: then the caller probes every
        ``probe_seconds``.
        """
        ...

    def stop(self, cluster: str, *, grace: float) -> None:
        """End every process of the task: politely, after ``grace`` seconds by force. Idempotent.

        Returns when none is left; raises ``BackendError`` naming those that would not end. Exit
        record and logs stay.
        """
        ...

    def remove(self, cluster: str, *, grace: float) -> None:
        """``stop``, then give back the room and delete what the cluster kept but for its logs.

        Idempotent. Raises ``BackendError`` as ``stop`` does.
        """
        ...

    def clusters(self) -> list[ClusterInfo]:
        """All clusters that exist, oldest first."""
        ...

    def preempt(self, cluster: str) -> None:
        """Lose the cluster on purpose, as a preemption would; ``BackendError`` if it cannot."""
        ...
