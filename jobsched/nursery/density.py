"""Making a process fit to be forked: what children allocate is to lie together.

Loading modules leaves free chunks all over the heap. A child that fills them dirties a page of its
own for each, and a page that is dirty is shared no more: opening SQLite alone cost 1.3 MB, of which
0.9 MB were such pages. So the holes are filled before the first fork, and stay filled.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, Final

#: Bytes of the chunks that are taken, the large ones first; above them there are none that matter.
_SIZES: Final = (*range(65_536, 2_048, -512), *range(2_040, 0, -16))
#: Chunks of one size that are taken at most: it must end, whatever the allocator does.
_MOST: Final = 5_000
#: Of CPython's own allocator: bytes of a pool, of its header, and sizes of the objects in it.
_POOL, _HEADER = 16 * 1024, 48
_SMALL: Final = range(48, 513, 16)

#: The fields of glibc's ``struct mallinfo2``, in order; ``keepcost`` is what lies above all else.
_COUNTS: Final = (
    "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
    "fordblks", "keepcost",
)  # fmt: skip

#: What fills the holes; never given back.
_filling: list[bytes] = []


def make_dense() -> None:
    """Collect garbage once and for all, and fill the holes that are left."""
    gc.collect()
    _fill_pools()
    _fill_heap()
    gc.freeze()
    gc.disable()


def _fill_pools() -> None:
    """Fill CPython's half-used pools: those are full once an object opens a new one."""
    for size in _SMALL:
        for _ in range(_MOST):
            _filling.append(bytes(size - 33))  # an empty one takes 33
            if id(_filling[-1]) % _POOL == _HEADER:
                break


def _fill_heap() -> None:
    """Fill the C library's free chunks, where it is one that tells how much is left."""
    found = _allocator()
    if found is None:
        return
    take, give_back, top = found
    for size in _SIZES:
        for _ in range(_MOST):
            before = top()
            chunk = take(size)
            if top() != before:  # there is no hole of this size left
                give_back(chunk)
                break


def _allocator() -> tuple[Callable[[int], int], Callable[[int], None], Callable[[], int]] | None:
    """``malloc``, ``free``, and the bytes that lie above everything in use; glibc alone has it."""
    try:
        import ctypes  # noqa: PLC0415 -- nobody else needs it

        library: Any = ctypes.CDLL(None)

        class Counts(ctypes.Structure):
            _fields_ = [(name, ctypes.c_size_t) for name in _COUNTS]

        count = library.mallinfo2
    except (ImportError, OSError, AttributeError):
        return None
    count.restype = Counts
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
    return library.malloc, library.free, lambda: int(count().keepcost)
