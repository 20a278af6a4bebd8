"""Columns of numbers become terms in the core (``scale_rows.hpp``), with the bits of ``NumberBlock``."""

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._encoding._block import LARGEST
from branchline._encoding._number_block import NumberBlock

__all__ = ["column_terms", "is_scalable", "usable"]

_LARGEST_POWER = 1022


def is_scalable(block: Any) -> TypeGuard[NumberBlock]:
    """Whether the core can make the terms of a block.

    Products with powers of two beyond these are not exact, or rounded twice.
    """
    return isinstance(block, NumberBlock) and abs(block.exponent) <= _LARGEST_POWER


def column_terms(
    own: Sequence[tuple[NumberBlock, int]], places: npt.NDArray[np.int64]
) -> _core.ColumnTerms:
    """Return how columns of numbers at ``places`` become terms: each block's from a row on."""
    blocks = [block for block, _ in own]
    spread = np.array([block.spread for block in blocks], dtype=np.float64)
    center = np.array([block.center for block in blocks], dtype=np.float64)
    fill = np.array([block.fill for block in blocks], dtype=np.float64)
    power = np.ldexp(1.0, np.array([-block.exponent for block in blocks]))
    first = np.array([at for _, at in own], dtype=np.int64)
    marked = np.array([block.has_indicator for block in blocks], dtype=bool)
    divided = np.where(spread > 0, spread, 1.0)
    scaled_fill = np.clip((fill - center) / divided, -LARGEST, LARGEST)
    scales = _core.RowScales(power, center, divided, scaled_fill, LARGEST)
    number = np.where(spread > 0, first, -1)
    return _core.ColumnTerms(places, number, np.where(marked, first + (spread > 0), -1), scales)


def usable(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array that the core can read: the same one, or a copy where it is not aligned."""
    in_step = all(step % numbers.itemsize == 0 for step in numbers.strides)
    return numbers if numbers.flags.aligned and in_step else numbers.copy()
