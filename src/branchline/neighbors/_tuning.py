"""Tuning the weights of columns on held-out rows.

1. A third of the rows is held out (at most 500 are used); the distance is learned from the others,
   of which at most 2 000 are searched.
2. Squared distances (or, by Manhattan, distances) are sums over columns, so a column's weight can
   be changed by adding a multiple of its own part.
3. Column by column, the most relevant first: its weight times 0, ½ or 2 is kept when the squared
   error of the mean response of the nearest 1, 3 and 10 rows (and those that tie), added, falls
   by at least 1 part in 1 000. Two rounds, or until a round changes nothing.
"""

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

from branchline._folds import fold_rows
from branchline._validation import TrainingData
from branchline.neighbors._responses import Numbers, plain_responses, spread_out
from branchline.neighbors._space import Space

__all__ = ["tune"]

_MOST_HELD = 500
_MOST_SEARCHED = 2000
_NEAREST = (1, 3, 10)
_ROUNDS = 2
_FACTORS = (0.0, 0.5, 2.0)
_LEAST_GAIN = 1e-3
_FEWEST_ROWS = 20
# Distances that differ by less tie; sums are changed again and again, so this is not tiny.
_SAME = 1e-7


def tune(data: TrainingData, learn: Callable[[TrainingData], Space], metric: str) -> Numbers:
    """Return by how much to multiply the weight of each column; rows come in canonical order."""
    n_rows, n_columns = data.table.shape
    if n_rows < _FEWEST_ROWS:
        return np.ones(n_columns)
    fold = fold_rows(data).hold_out(1 / 3)
    if fold is None:
        return np.ones(n_columns)
    held = data.rows(spread_out(fold.test_rows, _MOST_HELD))
    rest = data.rows(fold.learn_rows)
    searched = rest.rows(spread_out(np.arange(rest.table.n_rows), _MOST_SEARCHED))
    space = learn(rest)
    trial = _Trial(
        _column_parts(space, held, searched, metric),
        plain_responses(data, searched),
        plain_responses(data, held),
        2.0 if metric == "euclidean" else 1.0,
    )
    for _ in range(_ROUNDS):
        n_better = sum(trial.improve(at) for at in trial.order)
        if n_better == 0:
            break
    factors = np.ones(n_columns)
    factors[list(trial.factors)] = list(trial.factors.values())
    return factors


def _column_parts(
    space: Space, held: TrainingData, searched: TrainingData, metric: str
) -> dict[int, Numbers]:
    """Return each column's part of the distance, held-out rows by searched ones."""
    kind = "sqeuclidean" if metric == "euclidean" else "cityblock"
    names = held.table.names
    parts = {}
    for part in space.parts:
        columns = (data.table.column(names[part.place]) for data in (held, searched))
        parts[part.place] = cdist(*(part.of(column) for column in columns), kind)
    return parts


class _Trial:
    """The state of the search: each column's factor, the total distances, and their error."""

    def __init__(
        self, parts: dict[int, Numbers], searched: Numbers, held: Numbers, power: float
    ) -> None:
        self.parts, self.searched, self.held, self.power = parts, searched, held, power
        self.factors = dict.fromkeys(parts, 1.0)
        self.total = sum(parts.values(), np.zeros((len(held), len(searched))))
        self.error = self._error(self.total)
        # A column whose part is larger weighs more.
        self.order = sorted(parts, key=lambda at: (-float(parts[at].mean()), at))

    def improve(self, at: int) -> bool:
        """Try other weights of one column; return whether one was better."""
        before = self.factors[at]
        best = (self.error * (1.0 - _LEAST_GAIN), before, self.total)
        for factor in _FACTORS:
            change = (before * factor) ** self.power - before**self.power
            total = self.total + change * self.parts[at]
            error = self._error(total)
            if error < best[0]:
                best = (error, before * factor, total)
        if best[1] == before:
            return False
        self.error, self.factors[at], self.total = best
        return True

    def _error(self, total: Numbers) -> float:
        in_order = np.partition(total, [k - 1 for k in _NEAREST], axis=1)
        error = 0.0
        for k in _NEAREST:
            farthest = in_order[:, k - 1 : k]
            is_near = (total <= farthest + _SAME * (1.0 + farthest)).astype(np.float64)
            means = (is_near @ self.searched) / is_near.sum(axis=1, keepdims=True)
            error += float(((means - self.held) ** 2).sum())
        return error
