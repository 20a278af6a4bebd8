"""Categories of few rows, in trees that weigh rows anew in each round.

A tree corrects for what many categories gain by chance, but it counts rows by their weight. In a
sequence the weight of a single row may grow to that of many, and its category would then count as
one of many rows. So rare categories are found once, by the weights as given. They count as missing
values, and trees send categories they never saw where missing values go.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._codes import Codes

__all__ = ["MANY_CATEGORIES", "with_rare_as_missing"]

# With more of them in a column, tests are compared by what they gain beyond chance.
MANY_CATEGORIES = 8
# A category must have this number of rows; in a small table one of twenty, at least two.
_FEWEST_ROWS = 5
_SHARE = 20


def with_rare_as_missing(codes: Codes, weight: npt.NDArray[np.float64]) -> tuple[Codes, int]:
    """Return codes in which rare categories are missing, and the most categories of a column.

    Parameters
    ----------
    codes
        The coded table.
    weight
        What each row counts; 0: it is held out.
    """
    columns, most = list(codes.columns), 0
    fewest = min(_FEWEST_ROWS, max(2, round(weight.sum() / _SHARE)))
    for place in np.flatnonzero(codes.is_category).tolist():
        columns[place], n_left = _without_rare(columns[place], weight, fewest)
        most = max(most, n_left)
    return replace(codes, columns=tuple(columns)), most


def _without_rare(
    column: npt.NDArray[Any], weight: npt.NDArray[np.float64], fewest: int
) -> tuple[npt.NDArray[Any], int]:
    rows = np.bincount(column, weight)
    rows[0] = 0
    is_kept = rows >= fewest
    kept: npt.NDArray[Any] = np.where(is_kept[column], column, 0).astype(column.dtype)
    return kept, int(is_kept.sum())
