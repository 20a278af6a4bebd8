"""The blocks of many numeric columns, held as arrays.

A table of 50 000 numeric columns has 50 000 blocks. ``NumberBlocks`` is that list: it holds their
scales as arrays, which work on whole matrices takes as they are, and makes a block when it is asked
for one. All its columns vary and have no indicator. ``fit_number_blocks`` learns them from a table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._encoding._block import Options, Term
from branchline._encoding._number_block import EXPONENTS, NumberBlock, are_scales
from branchline._encoding._number_scales import Scales, fit_scales, has_missing
from branchline._state import array_from_state, malformed
from branchline.table import Schema, Table

__all__ = [
    "MANY",
    "NumberBlocks",
    "blocks_as_arrays",
    "fit_number_blocks",
    "gathered_numbers",
    "scales_of_numbers",
]

# Fewer columns than this are kept and saved one by one.
MANY = 64
# Columns are read and learned from together while they fit into the cache.
_CELLS_AT_ONCE = 2**15
_LEAST_AT_ONCE = 16
_PARTS = {"kind", "places", "exponent", "centre", "spread", "fill"}  # words: ok

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NumberBlocks(Sequence[NumberBlock]):
    """Blocks of numeric columns that vary and have no indicator, in the order of columns."""

    places: Places
    names: tuple[str, ...]
    scales: Scales

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> NumberBlock: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[NumberBlock]: ...
    def __getitem__(self, index: int | slice) -> NumberBlock | Sequence[NumberBlock]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        scales = self.scales
        return NumberBlock(
            int(self.places[index]),
            self.names[index],
            int(scales.exponent[index]),
            float(scales.center[index]),
            float(scales.spread[index]),
            float(scales.fill[index]),
            has_indicator=False,
        )

    @property
    def units(self) -> tuple[Floats, Floats]:
        """How much of its column's unit one step of each number is, and what is encoded as 0."""
        with np.errstate(over="ignore"):
            unit = np.ldexp(self.scales.spread, self.scales.exponent)
            return unit, np.ldexp(self.scales.center, self.scales.exponent)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The number of each column."""
        unit, center = self.units
        listed = zip(self.names, unit.tolist(), center.tolist(), strict=True)
        return tuple(Term(name, name, None, *scale) for name, *scale in listed)

    def pack(self) -> Mapping[str, Any]:
        """Return the blocks as plain values."""
        scales = self.scales
        parts = {"exponent": scales.exponent, "centre": scales.center}  # words: ok
        parts |= {"spread": scales.spread, "fill": scales.fill}
        return {"kind": "numbers", "places": self.places, **parts}

    @staticmethod
    def unpack(state: Mapping[str, Any], schema: Schema) -> "NumberBlocks":
        """Check packed values and return the blocks."""
        if set(state) != _PARTS:
            raise malformed("the scales of many numbers lack a part, or have one too many")
        places = array_from_state(state, "places", np.dtype(np.int64))
        if len(places) < MANY or places[0] < 0 or places[-1] >= len(schema):
            raise malformed("a number of an encoding belongs to no column")
        if (np.diff(places) <= 0).any():
            raise malformed("the blocks of an encoding are not in the order of columns")
        fields = [schema.fields[place] for place in places.tolist()]
        if any(field.type.kind == "category" for field in fields):
            raise malformed("a block of an encoding is not of its column's kind")
        scales = _scales_from_state(state, len(places))
        return NumberBlocks(places, tuple(field.name for field in fields), scales)


def _scales_from_state(state: Mapping[str, Any], length: int) -> Scales:
    exponent = array_from_state(state, "exponent", np.dtype(np.int64), length=length)
    if not ((exponent >= EXPONENTS[0]) & (exponent <= EXPONENTS[-1])).all():
        raise malformed("the exponent of a scale is out of range")
    floats = np.dtype(np.float64)
    center, spread, fill = (
        array_from_state(state, name, floats, length=length)
        for name in ("centre", "spread", "fill")  # words: ok
    )
    if not (are_scales(center, spread, fill) & (spread > 0)).all():
        raise malformed("a scale is not positive and finite")
    return Scales(exponent, center, spread, fill)


def fit_number_blocks(
    table: Table, weights: Floats, options: Options
) -> NumberBlocks | Sequence[NumberBlock]:
    """Learn the blocks of a table's numeric columns, but for those that are constant and complete.

    Many numbers without indicators come as arrays.
    """
    found = list(scales_of_numbers(table, weights, options))
    if not found:
        return ()
    places, is_marked = (np.concatenate([part[at] for part in found]) for at in (0, 2))
    scales = _joined([part[1] for part in found])
    kept = (scales.spread > 0) | is_marked
    all_names = table.names
    names = all_names if kept.all() and len(kept) == table.n_columns else None
    names = names or tuple(all_names[place] for place in places[kept].tolist())
    blocks = NumberBlocks(places[kept], names, scales.take(kept))
    if len(blocks) >= MANY and not is_marked.any():
        return blocks
    marked = is_marked[kept].tolist()
    return [replace(b, has_indicator=m) if m else b for b, m in zip(blocks, marked, strict=True)]


def scales_of_numbers(
    table: Table, weights: Floats, options: Options
) -> Iterator[tuple[Places, Scales, npt.NDArray[np.bool_]]]:
    """Return the scales of a table's numeric columns that have values, some columns at a time.

    Each time: where the columns stand, their scales, and whether each has an indicator.
    """
    room = np.empty((3, _n_at_once(table), table.n_rows))
    for places, columns in gathered_numbers(table, room[2]):
        yield _fit_some(places, columns, weights, options, room[:2])


def _fit_some(
    places: Places, columns: Floats, weights: Floats, options: Options, room: Floats
) -> tuple[Places, Scales, npt.NDArray[np.bool_]]:
    """Return places, scales and whether there is an indicator, for columns that have values."""
    if not has_missing(columns):
        scale = fit_scales(columns, weights, options.scale, room)
        return places, scale, np.zeros(len(places), bool)
    absent = np.isnan(columns)
    has_values, is_complete = ~absent.all(axis=1), ~absent.any(axis=1)
    if not has_values.any():
        empty = np.zeros(0)
        return places[:0], Scales(empty.astype(np.int64), empty, empty, empty), absent[:0, 0]
    parts = [is_complete, ~is_complete & has_values]
    scales = [fit_scales(columns[part], weights, options.scale) for part in parts if part.any()]
    order = np.argsort(np.concatenate([places[part] for part in parts]))
    missing_weight = (absent * weights).sum(axis=1)[has_values]
    is_marked = (missing_weight >= options.rare) & (missing_weight > 0) & options.indicators
    return places[has_values], _joined(scales).take(order), is_marked


def _joined(scales: Sequence[Scales]) -> Scales:
    return Scales(
        np.concatenate([some.exponent for some in scales]),
        np.concatenate([some.center for some in scales]),
        np.concatenate([some.spread for some in scales]),
        np.concatenate([some.fill for some in scales]),
    )


def _n_at_once(table: Table) -> int:
    fitting = max(_LEAST_AT_ONCE, _CELLS_AT_ONCE // max(1, table.n_rows))
    return min(fitting, max(1, table.n_columns))


def gathered_numbers(table: Table, room: Floats | None = None) -> Iterator[tuple[Places, Floats]]:
    """Return the numeric columns of a table in order, some at a time, each in a row of a matrix.

    With ``room`` for them, all are written there, one set over the other.
    """
    n_at_once = _n_at_once(table)
    if table.matrix is not None:
        numeric = np.arange(table.n_columns, dtype=np.int64)
    else:
        is_number = [field.type.kind != "category" for field in table.schema]
        numeric = np.flatnonzero(is_number).astype(np.int64)
    for first in range(0, len(numeric), n_at_once):
        places = numeric[first : first + n_at_once]
        own = np.empty((len(places), table.n_rows)) if room is None else room[: len(places)]
        yield places, _columns_at(table, places, own)


def _columns_at(table: Table, places: Places, columns: Floats) -> Floats:
    """Write the columns at some places into the rows of ``columns``, and return it."""
    some = slice(int(places[0]), int(places[-1]) + 1)  # of a matrix all columns are numbers
    if table.matrix is not None:
        columns[:] = table.matrix[:, some].T
        return columns
    if table.sparse is not None:
        columns[:] = table.sparse[:, some].toarray(order="F").T
        return columns
    for row, place in enumerate(places.tolist()):
        columns[row] = table.columns[place].numbers()
    return columns


def blocks_as_arrays(blocks: Sequence[NumberBlock]) -> NumberBlocks:
    """Return plain blocks as arrays."""
    scales = Scales(
        np.array([block.exponent for block in blocks], dtype=np.int64),
        np.array([block.center for block in blocks], dtype=np.float64),
        np.array([block.spread for block in blocks], dtype=np.float64),
        np.array([block.fill for block in blocks], dtype=np.float64),
    )
    places = np.array([block.place for block in blocks], dtype=np.int64)
    return NumberBlocks(places, tuple(block.column for block in blocks), scales)
