"""Training rows in an order of their own, equal ones merged: what float learners are given.

Sums of floats depend on their order, so a learner that adds floats would depend on the order of
rows. Here rows are first put into an order that depends on nothing but their content:

1. A key is hashed from each row's cells and target (``_row_keys``).
2. Rows are sorted by key.
3. Rows that are equal in every cell and in the target become one row with their summed weight
   (unless the learner takes no weights), so that weight k equals k copies to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Places
from branchline._codes import fit_codes
from branchline._dtypes import UNITS
from branchline._row_keys import bag_of_ranks, content_keys, matrix_keys, scramble
from branchline._validation import ClassTarget, RowWeights, TrainingData
from branchline.table import Table

__all__ = [
    "RowOrigins",
    "canonical_rows",
    "canonical_rows_with_origins",
    "row_keys_of",
    "target_words",
]

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
    words = target_words(data)
    if data.table.sparse is not None and data.n_cells > _DENSE_CELLS:
        keys = _sparse_keys(data.table.sparse.tocsr(), words)
        order = np.argsort(keys, kind="stable")
        return _take(data, order, data.weights.rows(order), keys), _origins(order)
    keys, columns = _keys(data, words, n_threads)
    groups = _group_codes(data.table)
    order = _order(data.weights, keys, groups)
    weights = data.weights.rows(order)
    if not merge:
        return _take(data, order, weights, keys), _origins(order)
    is_new = _is_new([*columns, *words.T, *groups], keys, order)
    merged = _merged(weights, is_new)
    return _take(data, order[is_new], merged, keys), _origins(order, is_new)


def row_keys_of(data: TrainingData) -> Words:
    """Return the key of each row, which depends on nothing but its content."""
    if data.row_keys is not None:
        return data.row_keys
    words = target_words(data)
    if data.table.sparse is not None and data.n_cells > _DENSE_CELLS:
        return _sparse_keys(data.table.sparse.tocsr(), words)
    return _keys(data, words, 1)[0]


def _merged(weights: RowWeights, is_new: npt.NDArray[np.bool_]) -> RowWeights:
    """Return the summed weights of equal rows, which stand in order."""
    starts = np.flatnonzero(is_new)
    counted = np.ones(len(is_new), dtype=UNITS) if weights.units is None else weights.units
    units = np.add.reduceat(counted, starts)
    if weights.unit == 1.0:
        return RowWeights(None if (units == 1).all() else units)
    sizes = np.add.reduceat(weights.sizes(len(is_new)), starts)
    return RowWeights(units, weights.unit, None if (sizes == 1).all() else sizes)


def _group_codes(table: Table) -> list[npt.NDArray[Any]]:
    """Return the marks of rows by rank: equal rows of different groups or times stay apart."""
    marks = [marks for marks in (table.groups, table.times) if marks is not None]
    return [np.unique(mark, return_inverse=True)[1].reshape(-1) for mark in marks]


def _origins(order: Places, is_new: npt.NDArray[np.bool_] | None = None) -> RowOrigins:
    groups = np.arange(len(order)) if is_new is None else np.cumsum(is_new) - 1
    canonical_of_row = np.empty(len(order), dtype=np.intp)
    canonical_of_row[order] = groups
    first = np.full(int(groups[-1]) + 1, len(order), dtype=np.intp)
    np.minimum.at(first, groups, order)
    return RowOrigins(first, canonical_of_row)


def _keys(
    data: TrainingData, words: Words, n_threads: int
) -> tuple[Words, Sequence[npt.NDArray[Any]]]:
    """Return the key of each row, and columns in which equal cells are equal numbers."""
    copies = data.weights.units if data.weights.unit == 1.0 else data.weights.merged
    if data.table.matrix is not None:
        cells = data.table.matrix
        return matrix_keys(cells, words, copies, n_threads=n_threads), [cells]
    codes = fit_codes(data.table, n_threads=n_threads)
    if data.target is None:
        words = bag_of_ranks(data.table, codes)[:, None]
    return content_keys(data.table, codes, words, copies, n_threads=n_threads), codes.columns


def _order(weights: RowWeights, keys: Words, groups: list[npt.NDArray[Any]]) -> Places:
    if weights.units is None or weights.unit == 1.0:
        return np.lexsort((*groups, keys))
    return np.lexsort((weights.units, *groups, keys))  # equal rows of unequal weight go by weight


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
        differs |= _differ(column[here], column[before])
    is_new[alike] = differs
    return is_new


def _differ(some: npt.NDArray[Any], others: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which rows of two arrays differ; of a matrix, missing values are equal."""
    if some.ndim == 1:
        return np.asarray(some != others)
    either_known = (some == some) | (others == others)
    return np.asarray(((some != others) & either_known).any(axis=1))


def target_words(data: TrainingData) -> Words:
    """Return the target as 64-bit words, one column per output.

    Numbers count by their rank, so that neither their unit nor their zero point matters.
    """
    if data.target is None:
        return np.zeros((data.table.n_rows, 0), dtype=np.uint64)
    if isinstance(data.target, ClassTarget):
        return data.target.class_of_row[:, None].astype(np.uint64)
    ranks = [np.unique(output, return_inverse=True)[1] for output in data.number_target.matrix.T]
    return np.stack(ranks, axis=1).astype(np.uint64)


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


def _take(data: TrainingData, rows: Places, weights: RowWeights, keys: Words) -> TrainingData:
    target = None if data.target is None else data.target.rows(rows)
    return TrainingData(data.table.rows(rows), target, weights, keys[rows])
