"""Scales and bins of numbers that are hashed; of a matrix, many columns at a time."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._encoding._block import Options
from branchline._encoding._number_blocks import gathered_numbers, scales_of_numbers
from branchline.table import Table

__all__ = ["N_BINS", "constant_columns", "edges_of", "learn_scales"]

N_BINS = 16


def learn_scales(
    table: Table, exponent: npt.NDArray[np.int64], scale: Floats, edges: Floats
) -> None:
    """Write the scales and bins of columns of a matrix that vary and have none yet."""
    is_new = scale[:, 1] == 0
    if not is_new.any():
        return
    for places, found, _ in scales_of_numbers(table, np.ones(table.n_rows), Options()):
        learned = is_new[places] & (found.spread > 0)
        at = places[learned]
        exponent[at] = found.exponent[learned]
        scale[at] = np.stack([found.center, found.spread, found.fill], axis=1)[learned]
    is_new &= scale[:, 1] > 0
    for places, columns in gathered_numbers(table):
        of_columns = _edges_of_columns(columns)
        edges[places[is_new[places]]] = of_columns[is_new[places]]


def constant_columns(matrix: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return of which columns all cells are the same, or all are missing."""
    absent = np.isnan(matrix)
    are_equal = (matrix == matrix[:1]).all(axis=0)  # so none is missing
    return np.asarray(are_equal | absent.all(axis=0))


def edges_of(numbers: npt.NDArray[Any]) -> Floats:
    """Return the upper ends of bins of about equal weight, infinite beyond the last."""
    known = numbers[~np.isnan(numbers)].astype(np.float64)
    edges: Floats = _edges_of_columns(known[None])[0]
    return edges


def _edges_of_columns(columns: Floats) -> Floats:
    """Return the ends of the bins of columns, one in each row."""
    in_order = np.sort(columns, axis=1)  # missing values come last
    n_known = (~np.isnan(in_order)).sum(axis=1)
    picked = np.arange(1, N_BINS) * n_known[:, None] // N_BINS
    ends = np.take_along_axis(in_order, np.minimum(picked, columns.shape[1] - 1), axis=1)
    is_new = np.ones(ends.shape, dtype=bool)
    is_new[:, 1:] = ends[:, 1:] != ends[:, :-1]
    edges = np.full((len(columns), N_BINS), np.inf)
    rows = np.nonzero(is_new)[0]
    edges[rows, (np.cumsum(is_new, axis=1) - 1)[is_new]] = ends[is_new]
    edges[n_known == 0] = np.inf
    return edges
