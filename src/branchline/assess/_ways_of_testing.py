"""The ways in which ``cross_validate`` tests a model: which rows it is fitted and tested on.

``_folds`` decides which rows go where. A comparison has more ways (``comparing._resampling``).
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from branchline._folds import FoldRows
from branchline._plain_numbers import count
from branchline.errors import DataError, Repair

__all__ = ["HOW", "RANKING_METRICS", "WAYS", "Splits"]

# Rows to fit on (None: all that are not tested), and rows to test.
Splits: TypeAlias = list[tuple[npt.NDArray[np.intp] | None, npt.NDArray[np.intp]]]

_HELD_OUT = 0.3
# What compares rows with each other; leave-one-out has a model for each row, and they differ.
RANKING_METRICS = ("auc", "average_precision", "gain", "lift")
HOW = {
    "leave_one_out": "leave-one-out",
    "hold_out": f"{_HELD_OUT:.0%} of the rows held out".replace("%", " %"),
    "resubstitution": "training rows: too good",
}


def _folds(rows: FoldRows, n_folds: int, seed: int) -> Splits:
    least = n_folds if rows.stratum.any() else 2 * n_folds  # r2 of one row does not exist
    found = rows.split(n_folds, seed)
    if rows.n_rows < least or not found:
        most = rows.n_rows * n_folds // least
        raise DataError(
            f"{n_folds} folds need at least {least} different rows; there are only {rows.n_rows}.",
            code="D090",
            repair=Repair(f"cross_validate(model, X, y, n_folds={most})" if most >= 2 else None),
        )
    return [(fold.learn_rows, rows.by_content(fold.test_rows)) for fold in found]


def _leave_one_out(rows: FoldRows, n_folds: int, seed: int) -> Splits:
    # Training sets are made one by one: all of them together would take room for n² places.
    return _some([(None, fold.test_rows) for fold in rows.leave_one_out()], rows)


def _hold_out(rows: FoldRows, n_folds: int, seed: int) -> Splits:
    fold = rows.hold_out(_HELD_OUT, seed)
    return _some([(fold.learn_rows, rows.by_content(fold.test_rows))] if fold else [], rows)


def _resubstitution(rows: FoldRows, n_folds: int, seed: int) -> Splits:
    every = np.arange(rows.n_rows)
    return [(every, rows.by_content(every))]


def _some(splits: Splits, rows: FoldRows) -> Splits:
    if splits and rows.n_rows > 1 and len(splits[0][1]) < rows.n_rows:
        return splits
    raise DataError(
        f"The {count(rows.n_rows, 'row')} cannot be split into training rows and test rows: copies "
        "of a row, and rows of a group, stay together.",
        code="D520",
        repair=Repair("cross_validate(model, X, y, resampling='folds', n_folds=2)"),
    )


WAYS: dict[str, Callable[[FoldRows, int, int], Splits]] = {
    "folds": _folds,
    "leave_one_out": _leave_one_out,
    "hold_out": _hold_out,
    "resubstitution": _resubstitution,
}
