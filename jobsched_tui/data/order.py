"""The ids of all jobs that match, in the order in which they are shown, kept up to date.

Owns which job stands where. Holds ids and sort keys, never rows: whoever draws reads those of its
window. Reads nothing; belongs to one thread.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from jobsched.api import Key


class OrderedIds:
    """Job ids in the order of their keys. ``entries``: key and id of each, in order already."""

    __slots__ = ("_entries", "_keys")

    def __init__(self, entries: Iterable[tuple[Key, int]] = ()) -> None:
        self._entries = list(entries)
        self._keys: Final[dict[int, Key]] = {job_id: key for key, job_id in self._entries}

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, job_id: object) -> bool:
        return job_id in self._keys

    def index_of(self, job_id: int) -> int | None:
        """The row where a job stands, from 0; ``None`` if it is not there."""
        key = self._keys.get(job_id)
        return None if key is None else bisect_left(self._entries, (key, job_id))

    def first(self, most: int) -> OrderedIds:
        """A list of the first so many."""
        return OrderedIds(self._entries[:most])

    def only(self, job_ids: Iterable[int]) -> OrderedIds:
        """A list of some of the jobs. Costs those, not the list."""
        return OrderedIds(sorted((self._keys[job_id], job_id) for job_id in job_ids))

    def without(self, job_ids: Iterable[int]) -> OrderedIds:
        """A list of all but some of the jobs."""
        rest = OrderedIds(self._entries)
        rest.update(dict.fromkeys(job_ids))
        return rest

    def window(self, top: int, height: int) -> list[int]:
        """The ids of ``height`` rows from row ``top`` on; fewer where the list begins or ends."""
        return [job_id for _, job_id in self._entries[max(0, top) : max(0, top + height)]]

    def nearest(self, job_id: int, old_index: int) -> int | None:
        """The row for a cursor that was on a job in row ``old_index``; ``None`` in an empty list.

        It stays on its job, wherever that went; if the job is gone, it takes the row that took
        its place.
        """
        index = self.index_of(job_id)
        if index is not None or not self._entries:
            return index
        return min(max(0, old_index), len(self._entries) - 1)

    def update(self, changed: Mapping[int, Key | None]) -> bool:
        """Put jobs where their new keys belong (``None``: no longer in the list).

        Whether anything was another than before. Costs one copy of the list, however many changed.
        The keys must be comparable with those that are there (see ``Key``); else make a new list.
        """
        moved = {job_id: key for job_id, key in changed.items() if key != self._keys.get(job_id)}
        if not moved:
            return False
        gone = [row for job_id in moved if (row := self.index_of(job_id)) is not None]
        come = [(key, job_id) for job_id, key in moved.items() if key is not None]
        self._entries = _spliced(self._entries, gone, sorted(come))
        for job_id, key in moved.items():
            if key is None:
                del self._keys[job_id]
            else:
                self._keys[job_id] = key
        return True


def _spliced(
    entries: list[tuple[Key, int]], gone: Iterable[int], come: Sequence[tuple[Key, int]]
) -> list[tuple[Key, int]]:
    """Without the rows that are gone, and with those that come, given in order, in their places.

    One copy in slices: to delete and insert one by one moves the rest of the list each time.
    """
    cuts: list[tuple[int, int, list[tuple[Key, int]]]] = [(row, row + 1, []) for row in gone]
    for entry in come:
        row = bisect_left(entries, entry)
        cuts.append((row, row, [entry]))
    cuts.sort(key=lambda cut: cut[:2])  # several that come to one place stay in order
    result: list[tuple[Key, int]] = []
    start = 0
    for first, last, added in cuts:
        result += entries[start:first]
        result += added
        start = last
    result += entries[start:]
    return result
