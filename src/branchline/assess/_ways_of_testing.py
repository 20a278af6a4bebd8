"""The ways in which ``cross_validate`` tests a model: which rows it is fitted and tested on.

``_folds`` decides which rows go where. A comparison has more ways (``comparing._resampling``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from branchline._even_shares import keeps_shares, leave_one_out
from branchline._folds import FoldRows
from branchline._plain_numbers import count
from branchline.errors import DataError, Repair

__all__ = ["HOW", "WAYS", "AllBut", "Splits", "is_biased"]

Places: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class AllBut:
    """All rows but some: n training sets of nearly all rows would take room for n² places."""

    left_out: Places


# Rows to fit on, and rows to test.
Splits: TypeAlias = list[tuple[Places | AllBut, Places]]

_HELD_OUT = 0.3
# What compares rows with each other; leave-one-out has a model for each row, and they differ.
_RANKING_METRICS = ("auc", "average_precision", "gain", "lift")
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
    folds = leave_one_out(rows)
    return _some([(AllBut(np.flatnonzero(one.learn == 0)), one.test_rows) for one in folds], rows)


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


def is_biased(metric: str, resampling: str, rows: FoldRows) -> bool:
    """Return whether leave-one-out changes shares of classes, and the metric ranks by them."""
    ranks = metric.split("@")[0] in _RANKING_METRICS
    return resampling == "leave_one_out" and ranks and not keeps_shares(rows)


WAYS: dict[str, Callable[[FoldRows, int, int], Splits]] = {
    "folds": _folds,
    "leave_one_out": _leave_one_out,
    "hold_out": _hold_out,
    "resubstitution": _resubstitution,
}
