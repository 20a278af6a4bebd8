"""Relief: columns that differ between near rows of different targets (``relief.hpp``).

Numbers are scaled to their range, categories compared, and a missing value is as far from any other
as two random rows are. All rows are probed while that takes at most about 4·10¹⁰ comparisons of
cells; beyond that as many rows as fit, chosen by content.

Iterated (TuRF: Moore and White 2007), the worst columns are dropped and the others scored anew, so
that noise does not blur which rows are near. Columns dropped later stand before those dropped
earlier.
"""

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Bools, Floats, Places
from branchline.features._column_scores import ColumnScores
from branchline.features._scored_rows import ScoredRows

__all__ = ["relief"]

Values = npt.NDArray[np.uint16]

# What a whole range is in whole numbers, and the mark of a missing value: as in relief.hpp.
_FULL = 60_000
_MISSING = 0xFFFF
_MOST_WORK = 4e10
# Columns of zeros fill the numbers up to a multiple of this: vectors without a rest.
_LANE = 32
_MOST_CATEGORIES = 60_000
# Iterated: this many columns are left and ranked by their last scores.
_FEWEST = 10


def relief(rows: ScoredRows, *, n_neighbors: int = 10, drop: float = 0.0) -> ColumnScores:
    """Return ReliefF's scores (RReliefF's for numbers).

    Parameters
    ----------
    rows
        The rows.
    n_neighbors
        Neighbors of each class; 0 takes all within MultiSURF's reach.
    drop
        The share of columns dropped in each iteration; 0: all are scored once.
    """
    values = np.column_stack([_values(rows, place) for place in range(rows.table.n_columns)])
    kept = np.arange(values.shape[1])
    scores = _scores(rows, values, kept, n_neighbors)
    if drop == 0:
        return scores
    score, turn = scores.score.copy(), np.zeros(len(kept))
    error = None if scores.error is None else scores.error.copy()
    while len(kept) > _FEWEST:
        order = np.argsort(score[kept], kind="stable")
        n_dropped = min(max(1, int(drop * len(kept))), len(kept) - _FEWEST)
        kept = np.sort(kept[order[n_dropped:]])
        turn[kept] += 1
        again = _scores(rows, values[:, kept], kept, n_neighbors)
        score[kept] = again.score
        if error is not None and again.error is not None:
            error[kept] = again.error
    return ColumnScores(score, error, turn=turn)


def _scores(rows: ScoredRows, values: Values, kept: Places, n_neighbors: int) -> ColumnScores:
    order, n_kinds = _by_kind(values, rows.is_number[kept])
    n_padding = -int(n_kinds[0]) % _LANE
    padding = np.zeros((len(values), n_padding), dtype=np.uint16)
    n_kinds[0] += n_padding
    table = np.ascontiguousarray(np.hstack([padding, values[:, order]]))
    expected = _expected(table, n_kinds, rows.weights)
    probes = _probes(*table.shape)
    score, squares = _core.relief_scores(
        table, (n_kinds, expected), _target(rows), rows.units, (probes, n_neighbors), rows.n_threads
    )
    score, squares = score[n_padding:], squares[n_padding:]
    found = np.empty(len(order))
    found[order] = score
    if len(squares) == 0:
        return ColumnScores(found)
    n_probed = float(rows.weights[probes].sum())
    error = np.empty(len(order))
    error[order] = np.sqrt(np.maximum(squares - score**2, 0.0) / max(n_probed - 1, 1.0))
    return ColumnScores(found, error)


def _values(rows: ScoredRows, place: int) -> Values:
    """Return a column as whole numbers from 0 to 60 000, or as codes of categories."""
    if not rows.is_number[place]:
        codes = rows.codes.columns[place].astype(np.int64)
        return np.where(codes == 0, _MISSING, (codes - 1) % _MOST_CATEGORIES).astype(np.uint16)
    numbers = rows.numbers[:, place]
    known = np.isfinite(numbers)
    if not known.any():
        return np.full(len(numbers), _MISSING, dtype=np.uint16)
    low, high = numbers[known].min(), numbers[known].max()
    half = high / 2 - low / 2  # the range itself may be beyond all floats
    share = (numbers / 2 - low / 2) / half if half > 0 else np.zeros(len(numbers))
    return np.where(known, np.rint(np.where(known, share, 0) * _FULL), _MISSING).astype(np.uint16)


def _by_kind(values: Values, is_number: Bools) -> tuple[Places, npt.NDArray[np.int64]]:
    """Return columns ordered by kind (as relief.hpp wants them) and the number of each kind."""
    kind = 2 * (values == _MISSING).any(axis=0) + ~is_number
    order = np.argsort(kind, kind="stable")
    return order, np.bincount(kind, minlength=4).astype(np.int64)


def _expected(table: Values, n_kinds: npt.NDArray[np.int64], weights: Floats) -> Values:
    """Return the mean difference of two random rows, of columns with missing values."""
    expected = np.zeros(table.shape[1], dtype=np.uint16)
    first_missing = int(n_kinds[:2].sum())
    first_category = first_missing + int(n_kinds[2])
    for column in range(first_missing, table.shape[1]):
        known = table[:, column] != _MISSING
        distinct, place = np.unique(table[known, column], return_inverse=True)
        share = np.bincount(place, weights[known])
        if share.sum() == 0:
            continue
        share = share / share.sum()
        if column >= first_category:
            mean = 1 - (share**2).sum()
        else:
            below = np.cumsum(share)[:-1]
            mean = 2 * (below * (1 - below) * np.diff(distinct.astype(np.float64))).sum() / _FULL
        expected[column] = round(float(mean) * _FULL)
    return expected


def _probes(n_rows: int, n_columns: int) -> npt.NDArray[np.uint32]:
    """Return the rows to look at: all, or every k-th (rows are in the order of a hash)."""
    most = max(50, int(_MOST_WORK / (n_rows * max(n_columns, 1))))
    step = -(-n_rows // most)
    return np.arange(0, n_rows, step, dtype=np.uint32)


def _target(rows: ScoredRows) -> npt.NDArray[np.uint32] | Values:
    if rows.has_classes:
        return rows.class_of_row.astype(np.uint32)
    numbers = rows.data.number_target.values
    low, high = numbers.min(), numbers.max()
    half = high / 2 - low / 2
    share = (numbers / 2 - low / 2) / half if half > 0 else np.zeros(len(numbers))
    return np.rint(share * _FULL).astype(np.uint16)
