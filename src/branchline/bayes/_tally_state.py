"""Tallies packed for a model file, and checked when they come back.

1. Whole numbers beyond 64 bits are text: hexadecimal digits without zeros at the end, ``p``, and
   how many bits were left off: 3 · 2^1074 is "3p1074".
2. What no rows could have given is refused: negative weights, more weight in a column than in its
   class, squares too small for their sum, cells out of order or not adding up to the column.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import UNITS
from branchline._state import array_from_state, malformed
from branchline.bayes._cells import MOST_CELLS, MOST_DROPPED, Cells, key_range
from branchline.bayes._class_rows import ClassRows
from branchline.bayes._class_sums import class_sums
from branchline.bayes._long_sums import SMALLEST
from branchline.bayes._number_groups import NumberGroup
from branchline.bayes._tally import MOST_UNITS, CategoryTally, ColumnTally, NumberTally, Tally
from branchline.table import Field, Schema

__all__ = ["pack_tally", "unpack_tally"]

_MOST_ROWS = 2**62
_MOST_BITS = 1_200
_NUMBER = re.compile(r"0p0|-?[1-9a-f][0-9a-f]{0,1399}p[0-9]{1,4}")
_NUMBER_PARTS = {"units", "firsts", "seconds"}
_CELL_PARTS = {"dropped", "keys", "cell_units"}


def pack_tally(tally: Tally) -> dict[str, Any]:
    """Return a tally as arrays, numbers and text."""
    return {
        "n_rows": tally.n_rows,
        "bits": tally.bits,
        "is_whole": tally.is_whole,
        "class_units": tally.class_units,
        "columns": [_pack_column(column) for column in tally.columns],
    }


def unpack_tally(
    state: Mapping[str, Any], schema: Schema, n_classes: int, with_cells: bool
) -> Tally:
    """Return the tally that packed values stand for, every one checked."""
    n_rows, bits, is_whole = (state.get(name) for name in ("n_rows", "bits", "is_whole"))
    if type(n_rows) is not int or not 1 <= n_rows < _MOST_ROWS or type(is_whole) is not bool:
        raise malformed("'n_rows' or 'is_whole' is out of range")
    if type(bits) is not int or abs(bits) > _MOST_BITS or (is_whole and bits != 0):
        raise malformed("the unit of the weights is out of range")
    classes = _units(array_from_state(state, "class_units", UNITS, length=n_classes))
    if not classes.any() or (is_whole and n_rows > int(classes.sum())):
        raise malformed("the classes weigh less than their rows")
    columns = state.get("columns")
    if not isinstance(columns, list) or len(columns) != len(schema):
        raise malformed("there is not a tally for each column")
    tallies = (
        _unpack_column(*pair, classes, with_cells) for pair in zip(columns, schema, strict=True)
    )
    return Tally(n_rows, bits, is_whole, classes, tuple(tallies))


def _pack_column(column: ColumnTally) -> dict[str, Any]:
    if isinstance(column, CategoryTally):
        return {"units": column.units}
    packed: dict[str, Any] = {
        "units": column.units,
        "firsts": [_to_text(total) for total in column.firsts],
        "seconds": [_to_text(total) for total in column.seconds],
    }
    if column.cells is not None:
        cells = column.cells
        packed |= {"dropped": cells.dropped, "keys": cells.keys, "cell_units": cells.units}
    return packed


def _unpack_column(
    packed: Any, field: Field, classes: npt.NDArray[np.int64], with_cells: bool
) -> ColumnTally:
    if not isinstance(packed, Mapping):
        raise malformed(f"the tally of column {field.name[:60]!r} is not an object")
    if field.type.kind == "category":
        return _unpack_category(packed, field, classes)
    if set(packed) != (_NUMBER_PARTS | _CELL_PARTS if with_cells else _NUMBER_PARTS):
        raise malformed(f"the tally of column {field.name[:60]!r} lacks a part, or has too many")
    units = _units(array_from_state(packed, "units", UNITS, length=len(classes)))
    firsts, seconds = (_totals(packed[name], len(classes)) for name in ("firsts", "seconds"))
    _check_sums(units, firsts, seconds, classes)
    cells = _unpack_cells(packed, units) if with_cells else None
    if cells is not None:
        _check_against_cells(cells, firsts, seconds)
    return NumberTally(units, firsts, seconds, cells)


def _unpack_category(
    packed: Mapping[str, Any], field: Field, classes: npt.NDArray[np.int64]
) -> CategoryTally:
    shape = (len(field.type.categories or ()), len(classes))
    units = _table(packed.get("units"), shape)
    if set(packed) != {"units"} or (units.sum(axis=0) > classes).any():
        raise malformed(f"categories of column {field.name[:60]!r} weigh more than their class")
    return CategoryTally(units)


def _unpack_cells(packed: Mapping[str, Any], units: npt.NDArray[np.int64]) -> Cells:
    dropped = packed["dropped"]
    if type(dropped) is not int or not 0 <= dropped <= MOST_DROPPED:
        raise malformed("the width of cells is out of range")
    keys = array_from_state(packed, "keys", UNITS)
    low, high = (limit >> dropped for limit in key_range())
    if len(keys) > MOST_CELLS or (keys < low).any() or (keys > high).any():
        raise malformed("there are too many cells, or cells beyond all numbers")
    if not (keys[1:] > keys[:-1]).all():
        raise malformed("cells are not in order")
    weights = _table(packed["cell_units"], (len(keys), len(units)))
    if not weights.any(axis=1).all() or (weights.sum(axis=0) != units).any():
        raise malformed("the weights of cells do not add up")
    return Cells.of_table(dropped, keys, weights)


def _table(array: Any, shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    if not isinstance(array, np.ndarray) or array.dtype != UNITS or array.shape != shape:
        raise malformed("weights are not a table of whole numbers")
    units = _units(np.ascontiguousarray(np.asarray(array)))
    # Each is below 2^62, but 64 bits might not hold their sum: floats do, nearly.
    if shape[0] and float(units.sum(axis=0, dtype=np.float64).max()) >= MOST_UNITS:
        raise malformed("weights are too large")
    return units


def _units(units: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    if (units < 0).any() or float(units.sum(dtype=np.float64)) >= MOST_UNITS:
        raise malformed("weights are negative or too large")
    return units


def _check_sums(
    units: npt.NDArray[np.int64],
    firsts: tuple[int, ...],
    seconds: tuple[int, ...],
    classes: npt.NDArray[np.int64],
) -> None:
    if (units > classes).any():
        raise malformed("a column weighs more than its class")
    largest = int(math.ldexp(1.0, 1023)) * 2 << SMALLEST  # no float is as large
    for weight, first, second in zip(units.tolist(), firsts, seconds, strict=True):
        if abs(first) > weight * largest or second > weight * largest * largest:
            raise malformed("a sum is beyond that of the largest numbers")
        if second < 0 or weight * second < first * first:
            raise malformed("the sum of squares is too small for the sum")


def _check_against_cells(cells: Cells, firsts: tuple[int, ...], seconds: tuple[int, ...]) -> None:
    """Refuse sums that values in these cells cannot have; of single values there is one sum."""
    if len(cells.keys) == 0:
        return  # then all weights are 0, and so are the sums
    place = cells.place
    low, high = cells.ends()
    is_nearer = np.abs(low) <= np.abs(high)
    near, far = np.where(is_nearer, low, high), np.where(is_nearer, high, low)
    group = NumberGroup((0, 1, 2, 3), None, tuple(ends[place] for ends in (low, high, near, far)))
    sums = class_sums(group, ClassRows.of(cells.kind, cells.n_classes, cells.weight))
    least_first, most_first = (sums.whole_sums(column)[0] for column in (0, 1))
    least_second, most_second = (sums.whole_sums(column)[1] for column in (2, 3))
    for found, least, most in (
        (firsts, least_first, most_first),
        (seconds, least_second, most_second),
    ):
        if not all(a <= b <= c for a, b, c in zip(least, found, most, strict=True)):
            raise malformed("sums are not those of the values")


# -- whole numbers of any size ------------------------------------------------------------------


def _to_text(number: int) -> str:
    if number == 0:
        return "0p0"
    zeros = (number & -number).bit_length() - 1
    return f"{number >> zeros:x}p{zeros}"


def _totals(packed: Any, n_classes: int) -> tuple[int, ...]:
    if not isinstance(packed, list) or len(packed) != n_classes:
        raise malformed("there is not a sum for each class")
    return tuple(_from_text(text) for text in packed)


def _from_text(text: Any) -> int:
    if not isinstance(text, str) or not _NUMBER.fullmatch(text):
        raise malformed("a sum is not a whole number in hexadecimal digits")
    digits, zeros = text.split("p")
    number = int(digits, 16) << int(zeros)
    if _to_text(number) != text:
        raise malformed("a sum is not a whole number in hexadecimal digits")
    return number
