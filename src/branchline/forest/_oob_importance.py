"""Importance by shuffling: how much worse a forest predicts unseen rows without a column.

1. The cells of one column change places among all rows, in an order drawn by the rows' content.
2. Each row is predicted again by the trees that have not seen it; the loss it gains is the column's
   importance for that row: an error (0 or 1), or the squared error over the target's variance.
3. The mean over rows is the importance; the spread over rows gives its interval, so a column whose
   interval holds 0 may tell nothing.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import fixed
from branchline._row_keys import scramble
from branchline._trees._costs import decide
from branchline._trees._forest_arrays import ForestArrays
from branchline.forest._growth import ForestGrowth, OutOfBag
from branchline.forest._out_of_bag import oob_rows

__all__ = ["OobImportance", "importance_out_of_bag"]

Floats = npt.NDArray[np.float64]

_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class OobImportance:
    """Importances of columns by shuffling, out of bag.

    Parameters
    ----------
    columns
        The names of the columns.
    mean
        What shuffling a column adds to the loss of a row, on average.
    low, high
        A 95 % interval of each mean, from the spread over rows.
    loss
        What the loss is: "share of errors", "share of the highest cost" or "share of variance".

    See Also
    --------
    RandomForestClassifier : a random forest that predicts a class.
    permutation_importance

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.forest import RandomForestClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = RandomForestClassifier(n_estimators=50).fit(X, y).oob_importance()
    >>> len(found.columns)
    4
    """

    columns: tuple[str, ...]
    mean: Floats
    low: Floats
    high: Floats
    loss: str

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each column, the most important first."""
        order = np.argsort(-self.mean, kind="stable")
        return [
            {
                "column": self.columns[place],
                "importance": float(self.mean[place]),
                "low": float(self.low[place]),
                "high": float(self.high[place]),
            }
            for place in order.tolist()
        ]

    def __str__(self) -> str:
        width = max(len("column"), *(len(name) for name in self.columns))
        lines = [f"{'column':<{width}}  importance   95 % interval      ({self.loss})"]
        lines += [
            f"{row['column']:<{width}}  {fixed(row['importance'], 4):>10}   "
            f"{fixed(row['low'], 4)} to {fixed(row['high'], 4)}"
            for row in self.to_rows()
        ]
        return "\n".join(lines)

    __repr__ = __str__


def importance_out_of_bag(
    growth: ForestGrowth,
    forest: ForestArrays,
    oob: OutOfBag,
    costs: Floats | None,
    *,
    n_repeats: int,
    n_threads: int,
) -> OobImportance:
    """Return the importance of every column that the forest tests; 0 of the others."""
    table = growth.data.table
    if growth.draws.repeats:  # shuffled rows are not equal any more: compared row by row
        oob = growth.out_of_bag_by_row(forest, n_threads)
    before = _losses(growth, oob, costs)
    used = np.unique(forest.feature)
    mean, error = np.zeros(table.n_columns), np.zeros(table.n_columns)
    weight = oob_rows(growth.data, oob).weight
    share = weight / weight.sum()
    for place in used.tolist():
        gained = np.zeros(len(before))
        for repeat in range(n_repeats):
            source = _sources(growth, place, repeat)
            again = growth.out_of_bag_by_row(forest, n_threads, (place, source))
            gained += (_losses(growth, again, costs) - before) / n_repeats
        mean[place] = np.sum(share * gained)
        spread = np.sum(np.square(share * (gained - mean[place])))
        error[place] = np.sqrt(spread * len(share) / max(1, len(share) - 1))
    return OobImportance(
        tuple(table.names),
        mean,
        mean - _NORMAL_95 * error,
        mean + _NORMAL_95 * error,
        _loss_of(is_classes=forest.is_classification, has_costs=costs is not None),
    )


def _loss_of(*, is_classes: bool, has_costs: bool) -> str:
    if not is_classes:
        return "share of variance"
    return "share of the highest cost" if has_costs else "share of errors"


def _losses(growth: ForestGrowth, oob: OutOfBag, costs: Floats | None) -> Floats:
    rows = oob_rows(growth.data, oob)
    if rows.truth.ndim == 1:
        decided = decide(rows.mean, costs)
        prices = 1.0 - np.eye(rows.mean.shape[1]) if costs is None else costs / costs.max()
        lost: Floats = prices[rows.truth, decided]
        return lost
    scale = np.abs(rows.truth - rows.truth.mean(axis=0)).max(axis=0)
    scale[scale == 0] = 1.0
    truth, mean = rows.truth / scale, rows.mean / scale
    variance = truth.var(axis=0)
    variance[variance == 0] = 1.0
    losses: Floats = (np.square(truth - mean) / variance).mean(axis=1)
    return losses


def _sources(growth: ForestGrowth, place: int, repeat: int) -> npt.NDArray[np.intp]:
    """Return from which row each row gets its cell: the one before it, in an order drawn."""
    salt = scramble(np.array([growth.bag.seed, 2 * place + 1, repeat], dtype=np.uint64))
    first = growth.rows.first_copy.astype(np.uint64)
    keys = scramble(scramble(growth.rows.keys ^ salt[0] ^ salt[1]) + first + salt[2])
    order = np.argsort(keys, kind="stable")
    source = np.empty(len(order), dtype=np.intp)
    source[order] = np.roll(order, 1)
    return source
