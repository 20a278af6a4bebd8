"""The categories of a mixture: in each component, a share for each level of each column.

The likelihood of a row's known categories is the product of their shares; missing ones are left
out. No share may be below a thousandth of the level's share of all rows. The shares of greatest
likelihood within this floor are proportional to the counts, but for those that lie at the floor.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from branchline._arrays import Floats, Ints

__all__ = ["LEAST_SHARE", "LevelRows", "shares_of_counts"]

LEAST_SHARE = 1e-3
_FEW_LEVELS = 128  # up to here products of whole matrices are faster than sparse ones


@dataclass(frozen=True, eq=False)
class LevelRows:
    """Levels of rows as indicators: one column for each level of each category column.

    Parameters
    ----------
    indicators
        A matrix: rows × all levels; sparse if there are many levels.
    starts
        The first level of each column, and the end.
    """

    indicators: Floats | sparse.csr_array
    starts: Ints

    @staticmethod
    def of(levels: Ints, n_levels: tuple[int, ...]) -> "LevelRows":
        """Return the levels (−1: missing) as indicators."""
        starts = np.concatenate([[0], np.cumsum(np.array(n_levels, dtype=np.int64))])
        rows, columns = np.nonzero(levels >= 0)
        places = levels[rows, columns] + starts[columns]
        ends = np.concatenate([[0], np.cumsum((levels >= 0).sum(axis=1))])
        shape = (len(levels), int(starts[-1]))
        found = sparse.csr_array((np.ones(len(places)), places, ends), shape=shape)
        is_dense = shape[1] <= _FEW_LEVELS
        return LevelRows(found.toarray() if is_dense else found, starts.astype(np.int64))

    def log_shares(self, shares: Floats) -> Floats:
        """Return the log likelihood of each row's categories in each component."""
        if not shares.shape[1]:
            return np.zeros((self.indicators.shape[0], len(shares)))
        return np.asarray(self.indicators @ np.log(shares).T)

    def update(self, weights: Floats, old: Floats, floor: Floats) -> Floats:
        """Return the shares of greatest likelihood, given the weight of rows in components."""
        counts = np.asarray(self.indicators.T @ weights).T
        if not counts.shape[1]:
            return old
        raised = shares_of_counts(counts, floor, self.starts)
        sizes = np.add.reduceat(counts, self.starts[:-1], axis=1)
        if sizes.min() > 0:
            return raised
        return np.asarray(np.where(np.repeat(sizes > 0, np.diff(self.starts), axis=1), raised, old))

    def overall(self, weights: Floats) -> Floats:
        """Return the share of each level among the rows that have one."""
        counts = np.asarray(self.indicators.T @ weights)
        sizes = np.add.reduceat(counts, self.starts[:-1]) if len(counts) else counts
        return np.asarray(counts / np.repeat(sizes, np.diff(self.starts)))


def shares_of_counts(counts: Floats, floor: Floats, starts: Ints) -> Floats:
    """Return the shares of greatest likelihood that are not below the floor.

    Parameters
    ----------
    counts
        Components × levels of all columns.
    floor
        The least share of each level.
    starts
        The first level of each column, and the end.
    """
    column = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    rest = np.add.reduceat(counts, starts[:-1], axis=1)
    shares = counts * (1.0 / np.where(rest > 0, rest, 1.0))[:, column]
    at_floor = below = shares < floor
    while below.any():
        free = 1.0 - np.add.reduceat(np.where(at_floor, floor, 0.0), starts[:-1], axis=1)
        rest = np.add.reduceat(np.where(at_floor, 0.0, counts), starts[:-1], axis=1)
        part = (free / np.where(rest > 0, rest, 1.0))[:, column]
        shares = np.where(at_floor, floor, counts * part)
        below = ~at_floor & (shares < floor)
        at_floor = at_floor | below
    return np.asarray(shares)
