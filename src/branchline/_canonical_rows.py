"""Training rows in an order of their own, equal ones merged: what float learners are given.

Sums of floats depend on their order, so a learner that adds floats would depend on the order of
rows. Here rows are first put into an order that depends on nothing but their content:

1. A key is hashed from each row's cells and target (``_row_keys``).
2. Rows are sorted by key.
3. Rows that are equal in every cell and in the target become one row with their summed weight
   (unless the learner takes no weights), so that weight k equals k copies to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._codes import Codes, fit_codes
from branchline._dtypes import UNITS
from branchline._row_keys import bag_of_ranks, content_keys, scramble
from branchline._validation import ClassTarget, NumberTarget, RowWeights, TrainingData

__all__ = ["RowOrigins", "canonical_rows", "canonical_rows_with_origins"]

Places = npt.NDArray[np.intp]
Words = npt.NDArray[np.uint64]

# A sparse table of more cells than this stays sparse; its equal rows are not merged.
_DENSE_CELLS = 2**22


@dataclass(frozen=True)
class RowOrigins:
    """Where canonical rows come from, in the table as it was before.

    Parameters
    ----------
    first
        The place of the first of the equal rows that each canonical row stands for.
    canonical_of_row
        The canonical row that stands for each row of the table.
    """

    first: Places
    canonical_of_row: Places


def canonical_rows(data: TrainingData, *, merge: bool, n_threads: int = 1) -> TrainingData:
    """Return the same rows in canonical order; with ``merge``, each distinct row once.

    The result does not depend on the number of threads.
    """
    return canonical_rows_with_origins(data, merge=merge, n_threads=n_threads)[0]


def canonical_rows_with_origins(
    data: TrainingData, *, merge: bool, n_threads: int = 1
) -> tuple[TrainingData, RowOrigins]:
    """Return the rows in canonical order, and where each comes from."""
    words = _target_words(data)
    if data.table.sparse is not None and data.n_cells > _DENSE_CELLS:
        order = np.argsort(_sparse_keys(data.table.sparse.tocsr(), words), kind="stable")
        return _take(data, order, _in_order(data.weights, order)), _origins(order)
    codes = fit_codes(data.table, n_threads=n_threads)
    keys = _keys(data, codes, words, n_threads)
    order = _order(data.weights, keys)
    weights = _in_order(data.weights, order)
    if not merge:
        return _take(data, order, weights), _origins(order)
    is_new = _is_new([*codes.columns, *words.T], keys, order)
    counted = np.ones(len(order), dtype=UNITS) if weights.units is None else weights.units
    summed = np.add.reduceat(counted, np.flatnonzero(is_new))
    weights = RowWeights(None if (summed == 1).all() else summed, data.weights.unit)
    return _take(data, order[is_new], weights), _origins(order, is_new)


def _origins(order: Places, is_new: npt.NDArray[np.bool_] | None = None) -> RowOrigins:
    groups = np.arange(len(order)) if is_new is None else np.cumsum(is_new) - 1
    canonical_of_row = np.empty(len(order), dtype=np.intp)
    canonical_of_row[order] = groups
    first = np.full(int(groups[-1]) + 1, len(order), dtype=np.intp)
    np.minimum.at(first, groups, order)
    return RowOrigins(first, canonical_of_row)


def _keys(data: TrainingData, codes: Codes, words: Words, n_threads: int) -> Words:
    copies = data.weights.units if data.weights.unit == 1.0 else None
    if data.target is None:
        words = bag_of_ranks(data.table, codes)[:, None]
    return content_keys(data.table, codes, words, copies, n_threads=n_threads)


def _order(weights: RowWeights, keys: Words) -> Places:
    if weights.units is None or weights.unit == 1.0:
        return np.argsort(keys, kind="stable")
    return np.lexsort((weights.units, keys))  # equal rows of unequal weight go by weight


def _is_new(
    columns: Sequence[npt.NDArray[Any]], keys: Words, order: Places
) -> npt.NDArray[np.bool_]:
    """Return which rows, in order, differ from the one before; equal keys alone prove nothing."""
    is_new = np.ones(len(order), dtype=bool)
    sorted_keys = keys[order]
    alike = np.flatnonzero(sorted_keys[1:] == sorted_keys[:-1]) + 1
    here, before = order[alike], order[alike - 1]
    differs = np.zeros(len(alike), dtype=bool)
    for column in columns:
        differs |= column[here] != column[before]
    is_new[alike] = differs
    return is_new


def _target_words(data: TrainingData) -> Words:
    """Return the target as 64-bit words, a column an output."""
    if data.target is None:
        return np.zeros((data.table.n_rows, 0), dtype=np.uint64)
    if isinstance(data.target, ClassTarget):
        return data.target.class_of_row[:, None].astype(np.uint64)
    values = data.number_target.matrix + 0.0  # −0.0 and 0.0 are one number
    return np.ascontiguousarray(values).view(np.uint64)


def _sparse_keys(matrix: Any, words: Words) -> Words:
    """Return keys of a sparse table's rows from the cells that are stored and not zero."""
    cells = matrix.tocoo()
    values = np.ascontiguousarray(cells.data + 0.0, dtype=np.float64)
    kept = values != 0.0
    places = scramble(cells.coords[1][kept].astype(np.uint64))
    keys = np.zeros(matrix.shape[0], dtype=np.uint64)
    np.add.at(keys, cells.coords[0][kept], scramble(values[kept].view(np.uint64) ^ places))
    for output in words.T:
        keys = scramble(keys ^ scramble(output))
    return keys


def _in_order(weights: RowWeights, order: Places) -> RowWeights:
    return RowWeights(None if weights.units is None else weights.units[order], weights.unit)


def _take(data: TrainingData, rows: Places, weights: RowWeights) -> TrainingData:
    return TrainingData(data.table.rows(rows), _take_target(data.target, rows), weights)


def _take_target(target: Any, rows: Places) -> ClassTarget | NumberTarget | None:
    if target is None:
        return None
    if isinstance(target, ClassTarget):
        return replace(target, class_of_row=target.class_of_row[rows])
    return NumberTarget(target.values[rows])
