"""Numbers in few bytes: the narrowest dtype, bytes of equal rank side by side, eight truths a byte.

1. *Planes*: the lowest bytes of all numbers first, then the next ones; planes that hold nothing but
   zeros are left out. What deflates well (high bytes) no longer stands among what does not.
2. *Bits*: truths, the first in the lowest bit of the first byte.
Read back, each has one form only: a plane or a bit too many is refused.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._state import array_from_state, malformed

__all__ = [
    "bits_from_state",
    "narrowed",
    "narrowest",
    "planes_from_state",
    "to_bits",
    "to_planes",
]

_BYTE = np.dtype(np.uint8)

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Wholes = npt.NDArray[Any]


def narrowest(most: int) -> np.dtype[Any]:
    """Return the narrowest unsigned dtype that holds whole numbers from 0 to ``most``."""
    return np.dtype(
        np.uint8
        if most < 2**8
        else np.uint16
        if most < 2**16
        else np.uint32
        if most < 2**32
        else np.uint64
    )


def narrowed(values: Wholes) -> Wholes:
    """Return whole numbers of at least 0 in the narrowest unsigned dtype."""
    return values.astype(narrowest(int(values.max(initial=0))), copy=False)


def to_planes(values: Wholes, n_planes: int | None = None) -> Bytes:
    """Return the bytes of whole numbers, by their rank; None: as many planes as are needed."""
    size = values.dtype.itemsize
    if n_planes is None:
        n_planes = max(1, (int(values.max(initial=0)).bit_length() + 7) // 8)
    lowest_first = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    planes = np.ravel(lowest_first).view(_BYTE).reshape(-1, size)[:, :n_planes]
    return np.ravel(np.ascontiguousarray(planes.T))


def planes_from_state(
    state: Mapping[str, Any], name: str, length: int, n_planes: int | None = None
) -> Wholes:
    """Return ``length`` whole numbers of at least 0, in the narrowest unsigned dtype."""
    packed = array_from_state(state, name, _BYTE)
    count = len(packed) // length if length and n_planes is None else (n_planes or 1)
    if len(packed) != count * length or not 1 <= count <= 8:
        raise malformed(f"{name!r} has {len(packed)} bytes for {length} numbers")
    planes = packed.reshape(count, length)
    if n_planes is None and count > 1 and not planes[-1].any():
        raise malformed(f"{name!r} has more bytes than its numbers need")
    size = next(size for size in (1, 2, 4, 8) if size >= count)
    spaced = np.zeros((length, size), dtype=_BYTE)
    spaced[:, :count] = planes.T
    numbers = np.ravel(spaced.view(np.dtype(f"<u{size}")))
    return numbers.astype(np.dtype(f"u{size}"), copy=False)


def to_bits(truths: Wholes) -> Bytes:
    """Return truths, eight a byte."""
    return np.packbits(truths != 0, bitorder="little")


def bits_from_state(state: Mapping[str, Any], name: str, length: int) -> Bools:
    """Return ``length`` truths; the bits after the last one are 0."""
    packed = array_from_state(state, name, _BYTE, length=(length + 7) // 8)
    bits = np.unpackbits(packed, bitorder="little")
    if bits[length:].any():
        raise malformed(f"{name!r} has bits beyond its end")
    return bits[:length].astype(np.bool_)
