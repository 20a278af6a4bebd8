"""Whole numbers as a column: numeric where floats hold them exactly, otherwise a category.

Learners compute with 64-bit floats, which hold every whole number up to 2⁵³ and only some beyond.
Long identifiers (order numbers, snowflakes) would be rounded and different ones become equal, so a
column with a number that a float does not hold exactly becomes a category named by the numbers.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import AnyArray
from branchline.errors import KindError, Repair
from branchline.table._column import INTEGER, MISSING_CODE, Column, ColumnType

__all__ = ["EXACT", "are_exact", "named_by_numbers", "refuse_inexact", "whole_column"]

EXACT = 2**53


def whole_column(
    name: str, values: AnyArray, missing: npt.NDArray[np.bool_] | None = None
) -> Column:
    """Return integers as a numeric column, or as a category when floats would round some."""
    if are_exact(values):
        return Column(name, INTEGER, values, missing)
    known = np.ones(len(values), dtype=bool) if missing is None else ~missing
    if are_exact(values[known]):
        return Column(name, INTEGER, np.where(known, values, 0), missing)
    distinct, places = np.unique(values[known], return_inverse=True)
    codes = np.full(len(values), MISSING_CODE, dtype=np.int32)
    codes[known] = places
    return Column(name, ColumnType("category", "category", tuple(distinct.tolist())), codes)


def named_by_numbers(name: str, cells: Iterable[Any]) -> Column:
    """Return whole numbers of any size, None for missing, as a category named by their texts."""
    texts = [None if cell is None else str(int(cell)) for cell in cells]
    names = sorted({text for text in texts if text is not None}, key=int)
    code_of: dict[str | None, int] = {text: code for code, text in enumerate(names)}
    codes = np.array([code_of.get(text, MISSING_CODE) for text in texts], dtype=np.int32)
    return Column(name, ColumnType("category", "string", tuple(names)), codes)


def are_exact(values: AnyArray) -> bool:
    """Whether a float64 holds each of the integers exactly."""
    if values.dtype.itemsize < 8 or not values.size:
        return True
    if int(values.max()) <= EXACT and int(values.min()) >= -EXACT:
        return True
    large = values[(values > EXACT) | (values < -EXACT)]
    # In Python's integers: a float of 2⁶³ or 2⁶⁴ has no way back into 64 bits.
    return all(int(float(value)) == value for value in large.tolist())


def refuse_inexact(values: AnyArray) -> None:
    """Refuse integers of a sparse matrix that floats would round."""
    if values.dtype.kind in "iu" and not are_exact(values):
        raise KindError(
            "The sparse matrix holds whole numbers beyond 2⁵³, which would be rounded: different "
            "numbers would become equal.",
            code="K100",
            values=[int(np.abs(values.astype(object)).max())],
            repair=Repair(
                "import numpy\n"
                "X = numpy.asarray(X.todense())  # as a plain array, such columns are categories"
            ),
        )
