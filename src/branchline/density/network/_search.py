"""The structure of a network: which columns are the parents of which.

1. ``exact``: the network of the highest score, by dynamic programming over sets of columns.
2. ``hill_climbing``: edges added, deleted, reversed, with a tabu list and restarts.
3. ``chow_liu``: the tree of the highest score; edges that do not pay for their parameters are left
   out. ``naive``: the target is the only parent. ``tan``: the target is a parent of all columns,
   and a tree (conditional on the target) joins them.

The searches are native (``network_search.hpp``) and need complete rows; missing cells are
completed before (``_completion``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from branchline import _core
from branchline._arrays import AnyArray, Bools, Floats, Ints
from branchline.density.network._network import flags_of, parents_of

__all__ = ["EXACT_COLUMNS", "LevelRows", "Parents", "SearchOptions", "family_score", "search"]

EXACT_COLUMNS = 15
Parents = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class LevelRows:
    """Rows as levels: a matrix of (rows, columns), and what each row weighs."""

    levels: AnyArray
    n_levels: tuple[int, ...]
    units: Ints
    unit: float = 1.0

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(self.units.sum()) * self.unit

    def merged(self) -> "LevelRows":
        """Return each different row once, in the order of levels, with its summed weight."""
        rows = np.ascontiguousarray(self.levels)
        n_bytes = rows.itemsize * rows.shape[1]
        names = (
            rows.view(np.dtype((np.void, n_bytes))).reshape(-1) if n_bytes else rows[:, :0].sum(1)
        )
        _, first, which = np.unique(names, return_index=True, return_inverse=True)
        units = np.zeros(len(first), dtype=np.int64)
        np.add.at(units, which.reshape(-1), self.units)
        return LevelRows(rows[first], self.n_levels, units, self.unit)

    @cached_property
    def native(self) -> tuple[AnyArray, AnyArray, tuple[Ints, float]]:
        """Return what the compiled core takes."""
        columns = np.ascontiguousarray(self.levels.T).reshape(-1)
        return columns, np.array(self.n_levels, dtype=np.uint32), (self.units, self.unit)


@dataclass(frozen=True, eq=False)
class SearchOptions:
    """What a search is told.

    Parameters
    ----------
    structure
        "exact", "hill_climbing", "chow_liu", "naive" or "tan".
    is_bdeu, sample_size
        The score: BDeu with this equivalent sample size, or BIC.
    allowed, required
        Flags of edges: a row for each child.
    max_parents
        The largest number of parents.
    target
        The column of classes, for "naive" and "tan"; −1: none.
    n_restarts, seed
        Of hill climbing.
    """

    structure: str
    is_bdeu: bool
    sample_size: float
    allowed: Bools
    required: Bools
    max_parents: int
    target: int = -1
    n_restarts: int = 20
    seed: int = 0

    @property
    def rule(self) -> tuple[bool, float]:
        """The score, as the compiled core takes it."""
        return self.is_bdeu, self.sample_size


def search(rows: LevelRows, options: SearchOptions, start: Parents | None = None) -> Parents:
    """Return the parents of each column, found in complete rows (trees: also in others)."""
    if len(rows.n_levels) == 0:
        return ()
    if options.structure in ("chow_liu", "tan", "naive"):
        return _tree(rows, options)
    n = len(rows.n_levels)
    allowed = np.ascontiguousarray(options.allowed, dtype=np.uint8).reshape(-1)
    required = np.ascontiguousarray(options.required, dtype=np.uint8).reshape(-1)
    limits = (allowed, required, options.max_parents)
    native = rows.native
    if options.structure == "exact":
        found, _ = _core.exact_network(*native, options.rule, limits)
    else:
        begin = required if start is None else flags_of(start).reshape(-1)
        how = (begin, options.n_restarts, options.seed)
        found, _ = _core.climb_network(*native, options.rule, limits, how)
    return parents_of(found.reshape(n, n).astype(bool))


def family_score(
    rows: LevelRows, options: SearchOptions, child: int, parents: Sequence[int]
) -> float:
    """Return the score of a column, given its parents."""
    given = np.array(parents, dtype=np.uint32)
    return float(_core.family_score(*rows.native, options.rule, child, given))


def _tree(rows: LevelRows, options: SearchOptions) -> Parents:
    """Return a tree, or the target as parent of all columns, with or without a tree."""
    n, target = len(rows.n_levels), options.target
    with_target = options.structure in ("naive", "tan")
    parents: list[list[int]] = [[target] if with_target and at != target else [] for at in range(n)]
    if options.structure != "naive":
        gains = _edge_gains(rows, target if with_target else -1)
        for parent, child in _spanning(gains, options):
            parents[child].append(parent)
    return tuple(tuple(sorted(each)) for each in parents)


def _edge_gains(rows: LevelRows, given: int) -> Floats:
    """Return what an edge between two columns adds to BIC; both are compared on the same rows."""
    n = len(rows.n_levels)
    gain, weight = _core.pair_gains(*rows.native, given)
    free = np.array(rows.n_levels, dtype=np.float64) - 1
    n_given = rows.n_levels[given] if given >= 0 else 1
    weight = np.maximum(weight.reshape(n, n), 1.0)
    penalty = 0.5 * np.log(weight) * np.outer(free, free) * n_given
    found = np.asarray(gain.reshape(n, n) - penalty)
    if given >= 0:
        found[given, :] = found[:, given] = -np.inf
    np.fill_diagonal(found, -np.inf)
    return found


def _spanning(gains: Floats, options: SearchOptions) -> list[tuple[int, int]]:
    """Return the edges (parent, child) of the forest of the largest gain (Prim)."""
    n = len(gains)
    usable = np.where(options.allowed | options.allowed.T, gains, -np.inf)
    outside = {at for at in range(n) if at != options.target or options.structure != "tan"}
    edges = []
    while outside:
        root = max(outside, key=lambda at: (_root_rank(at, options), -at))
        outside.remove(root)
        best = {at: (float(usable[at, root]), root) for at in outside}
        while best:
            at = max(best, key=lambda each: (best[each][0], -each))
            gain, near = best.pop(at)
            if gain <= 0:
                break
            if options.allowed[at, near]:
                edges.append((near, at))
            outside.remove(at)
            nearer = {each: (float(usable[each, at]), at) for each in best}
            best |= {each: new for each, new in nearer.items() if new[0] > best[each][0]}
    return edges


def _root_rank(column: int, options: SearchOptions) -> int:
    """Prefer as roots columns that may have no parents."""
    return int(not options.allowed[column].any())
