"""A batch of rows that are informative and not alike.

Rows of the highest scores are often copies of one doubt: one answer would settle them all.

1. The candidates are the rows of the highest scores, a few times as many as are asked for.
2. The best one is taken. Then, again and again, the row of the largest score times the distance to
   the nearest row taken already; distances beyond the median one count as that.

For a forest, two rows are as far apart as the share of trees that put them into different leaves:
they are alike where the model cannot tell them apart. For other learners distances are those of
mixed tables (``_row_distances``), with missing values.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._row_distances import Comparison, fit_comparison
from branchline._validation import check_training_inputs
from branchline.active._pool import Pool

__all__ = ["Distances", "choose_batch"]

# Rows that a metric learns from, and candidates for each row of a batch.
_MOST_ROWS, _TIMES = 2_000, 5


class Distances:
    """Distances between rows of a pool; the metric is learned when it is first needed."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._comparison: Comparison | None = None

    def between(self, rows: Places, model: Any) -> Floats:
        """Return the distance of each of these rows from each, for a fitted model."""
        if hasattr(model, "forest_"):
            return np.asarray(1.0 - model.proximity(self.pool.table.rows(rows)))
        if self._comparison is None:
            data = check_training_inputs(self.pool.table.rows(self.pool.order[:_MOST_ROWS]), None)
            weights = np.ones(data.table.n_rows)
            self._comparison, _ = fit_comparison(data, weights, "auto", "auto")
        return self._comparison.between(self._comparison.rows(self.pool.table.rows(rows)))


def choose_batch(
    rows: Places, scores: Floats, n_rows: int, between: Callable[[Places], Floats] | None
) -> Places:
    """Return the rows of a batch, the most informative one first.

    Parameters
    ----------
    rows, scores
        The candidates in a random order, and how informative each is.
    n_rows
        How many are asked for.
    between
        Gives the distances of some rows from one another; None: rows may be alike.
    """
    best = np.argsort(-scores, kind="stable")
    if between is None or n_rows == 1 or len(rows) <= n_rows:
        return rows[best[:n_rows]]
    best = best[: _TIMES * n_rows]
    best = best[np.isfinite(scores[best])]
    if len(best) <= n_rows:
        return rows[best]
    apart = between(rows[best])
    return rows[best[_spread(apart, scores[best], n_rows)]]


def _spread(apart: Floats, scores: Floats, n_rows: int) -> list[int]:
    """Return places of candidates: high scores, and far from those taken before."""
    lowest = float(scores.min())
    value = (scores - lowest) / max(float(scores.max()) - lowest, 1e-12) + 0.1
    usual = float(np.median(apart[np.triu_indices(len(apart), 1)])) or 1.0
    taken = [0]
    nearest = apart[0].copy()
    while len(taken) < n_rows:
        merit = value * np.minimum(nearest / usual, 1.0)
        merit[taken] = -1.0
        taken.append(int(np.argmax(merit)))
        nearest = np.minimum(nearest, apart[taken[-1]])
    return taken
