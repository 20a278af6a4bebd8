"""The columns that a tree grows on, as the native grower takes them.

Values of a column with given intervals count by the interval they lie in. With
missing="sample_mode", a missing value stands for the commonest category or the median number.
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes
from branchline._trees._derived import DerivedColumns
from branchline._trees._derived_kinds import Interval
from branchline._validation import RowWeights, TrainingData
from branchline.tree.growing._settings import cost_of_columns, subsets_of_columns
from branchline.tree.growing._tree_settings import TreeSettings

__all__ = ["native_columns", "with_intervals"]


def native_columns(
    data: TrainingData,
    codes: Codes,
    settings: TreeSettings,
    without: Collection[int] = (),
    *,
    derived: DerivedColumns | None = None,
) -> _core.GrowColumns:
    """Return the columns as the native grower takes them.

    Columns in ``without`` are constant there, so that no test has them. Tests of named intervals,
    which are among the ``derived`` columns, have a branch for each.
    """
    constant = np.ones(data.table.n_rows, dtype=np.uint8)
    columns = _core.GrowColumns(
        [constant if c in without else column for c, column in enumerate(codes.columns)],
        np.array([1 if c in without else n for c, n in enumerate(codes.n_codes)], dtype=np.int64),
        codes.is_category,
        cost_of_columns(data.table, settings.test_costs),
        _modes(codes, data.weights) if settings.missing == "sample_mode" else _no_modes(codes),
    )
    for place, given in subsets_of_columns(data.table, settings.subsets).items():
        if place not in without:
            columns.give_subsets(place, np.ravel(given))
    for place, column in enumerate(() if derived is None else derived.columns):
        if isinstance(column, Interval) and derived is not None:
            columns.make_multiway(derived.n_given + place)
    return columns


def with_intervals(
    codes: Codes, data: TrainingData, cuts: dict[int, npt.NDArray[np.float64]]
) -> Codes:
    """Return codes in which values of some columns count by the given interval they lie in."""
    if not cuts:
        return codes
    columns, n_codes = list(codes.columns), codes.n_codes.copy()
    for place, edges in cuts.items():
        values = data.table.column(data.table.names[place]).numbers()
        inside = np.searchsorted(edges, values, side="left") + 1
        columns[place] = np.where(np.isnan(values), 0, inside).astype(np.uint32)
        n_codes[place] = len(edges) + 1
    return Codes(
        tuple(columns), codes.lowest, codes.highest, n_codes, codes.is_category, codes.pooling
    )


def _no_modes(codes: Codes) -> npt.NDArray[np.uint32]:
    return np.zeros(len(codes.columns), dtype=np.uint32)


def _modes(codes: Codes, weights: RowWeights) -> npt.NDArray[np.uint32]:
    """Return the code that missing values stand for: the commonest category, the median number."""
    modes = _no_modes(codes)
    for place, column in enumerate(codes.columns):
        count = np.bincount(column, weights.units, minlength=int(codes.n_codes[place]) + 1)[1:]
        if not count.any():
            continue
        if codes.is_category[place]:
            modes[place] = 1 + int(np.argmax(count))
        else:
            before = np.cumsum(count)
            modes[place] = 1 + int(np.searchsorted(before, before[-1] / 2))
    return modes
