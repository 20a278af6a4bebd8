"""Tables of pure noise, and choices made on them that look good and are not.

1. Draw inputs and classes independently of each other: the true error of any rule is one half.
2. Choose inputs by looking at the classes of all rows: the best single one, the best correlated,
   those with the largest t.
3. Cross-validate on the chosen ones: the choice has seen the rows that are then held out.
"""

import numpy as np
import numpy.typing as npt

__all__ = ["best_correlated", "best_t", "draw_noise", "errors_of_single_inputs", "fold_of_rows"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.intp]


def draw_noise(n_rows: int, n_inputs: int, rng: np.random.Generator) -> tuple[Floats, Wholes]:
    """Return normal inputs and, independent of them, classes 0 and 1, equally many."""
    return rng.standard_normal((n_rows, n_inputs)), rng.permutation(np.arange(n_rows) % 2)


def fold_of_rows(y: Wholes, n_folds: int, rng: np.random.Generator) -> Wholes:
    """Return the fold of each row; every class is spread evenly."""
    fold = np.empty(len(y), dtype=np.intp)
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        fold[rows] = (np.arange(len(rows)) + label) % n_folds
    return fold


def errors_of_single_inputs(X: Floats, y: Wholes, fold: Wholes) -> Floats:
    """Return the cross-validated error of a full tree on each input alone.

    On one input a tree that is grown to the end cuts midway between neighbors of different class.
    So a new row gets the class of the nearest training row, and all inputs are done at once.
    """
    n_rows, n_inputs = X.shape
    columns, wrong = np.arange(n_inputs), np.zeros(n_inputs)
    for part in np.unique(fold):
        kept = np.flatnonzero(fold != part)
        order = np.argsort(X[kept], axis=0, kind="stable")
        values, labels = np.take_along_axis(X[kept], order, axis=0), y[kept][order]
        for row in np.flatnonzero(fold == part):
            place = (values < X[row]).sum(axis=0)
            below, above = np.maximum(place - 1, 0), np.minimum(place, len(kept) - 1)
            is_below = X[row] - values[below, columns] <= values[above, columns] - X[row]
            # Beyond the last training row on either side both neighbors are the same.
            near = np.where(is_below, below, above)
            wrong += labels[near, columns] != y[row]
    share: Floats = wrong / n_rows
    return share


def best_correlated(X: Floats, y: Wholes, count: int) -> Wholes:
    """Return the inputs with the largest correlation with the class, in size."""
    centered = X - X.mean(axis=0)
    amount = np.abs(centered.T @ (y - y.mean())) / np.sqrt((centered**2).sum(axis=0))
    return np.argsort(-amount, kind="stable")[:count]


def best_t(X: Floats, y: Wholes, count: int) -> Wholes:
    """Return the inputs with the largest t of the difference between the classes, in size."""
    one, other = X[y == 1], X[y == 0]
    scale = np.sqrt(one.var(axis=0, ddof=1) / len(one) + other.var(axis=0, ddof=1) / len(other))
    amount = np.abs(one.mean(axis=0) - other.mean(axis=0)) / scale
    return np.argsort(-amount, kind="stable")[:count]
