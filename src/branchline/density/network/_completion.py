"""Networks of tables with missing cells: structural expectation and maximization.

Scores of families on their complete rows would reward families that drop rows. Here all families
are scored on all rows, each completed by the network found so far (Friedman, 1998):

1. Start from the tree of Chow and Liu; each pair of columns is compared on the rows that know both.
2. Expectation: a row with few missing cells becomes all its completions, weighted by their
   probability given its known cells; a row with many becomes draws from that distribution.
3. Maximization: structure and tables are found anew in the completed rows.
4. Repeat until the structure stays the same; then repeat for the tables alone, until they settle.
"""

from dataclasses import dataclass, replace

import numpy as np

from branchline._arrays import AnyArray, Floats, Ints, Places
from branchline.density.network._elimination import draw_missing
from branchline.density.network._network import MISSING, Network, fit_tables
from branchline.density.network._search import LevelRows, Parents, SearchOptions, search

__all__ = ["Learned", "complete", "learn"]

_MOST_ROUNDS, _MOST_TURNS = 10, 10
_MOST_COMPLETIONS, _N_DRAWS = 64, 16
_MOST_PARTS = 2**16  # of a row's weight
_SETTLED = 5e-4


@dataclass(frozen=True, eq=False)
class Learned:
    """A network, and how often the structure was searched."""

    network: Network
    n_rounds: int


def learn(rows: LevelRows, options: SearchOptions, prior_rows: float) -> Learned:
    """Return the network of a table as levels."""
    if not (rows.levels == MISSING).any():
        return Learned(_with_tables(rows, search(rows, options), prior_rows), 1)
    tree = replace(options, structure="chow_liu")
    network = _with_tables(rows, search(rows, tree), prior_rows)
    start: Parents | None = None
    seen: set[Parents] = set()
    n_rounds = 0
    while n_rounds < _MOST_ROUNDS:
        n_rounds += 1
        full = complete(network, rows, options.seed)
        parents = search(full, options, start)
        network = _with_tables(full, parents, prior_rows)
        if parents in seen:
            break
        seen.add(parents)
        start = parents
    return Learned(_settle(network, rows, options.seed, prior_rows), n_rounds)


def _settle(network: Network, rows: LevelRows, seed: int, prior_rows: float) -> Network:
    """Repeat expectation and maximization for the tables alone."""
    for _ in range(_MOST_TURNS):
        full = complete(network, rows, seed)
        after = _with_tables(full, network.parents, prior_rows)
        moves = [np.abs(a - b).max() for a, b in zip(after.tables, network.tables, strict=True)]
        network = after
        if max(moves, default=0.0) < _SETTLED:
            break
    return network


def _with_tables(rows: LevelRows, parents: Parents, prior_rows: float) -> Network:
    tables = fit_tables(rows.levels, rows.units, rows.unit, parents, rows.n_levels, prior_rows)
    return Network(parents, tables)


def complete(network: Network, rows: LevelRows, seed: int) -> LevelRows:
    """Return complete rows; the completions of a row share its weight."""
    missing = rows.levels == MISSING
    n_levels = np.array(rows.n_levels, dtype=np.float64)
    size = np.exp(np.where(missing, np.log(n_levels), 0.0).sum(axis=1))
    whole = ~missing.any(axis=1)
    few = ~whole & (size < _MOST_COMPLETIONS + 0.5)
    many = ~whole & ~few
    scale = _n_parts(rows.units)
    parts = [(rows.levels[whole], rows.units[whole] * scale)]
    if few.any():
        cells, origin, shares = _enumerated(network, rows.levels[few])
        parts.append((cells, np.rint(shares * scale).astype(np.int64) * rows.units[few][origin]))
    if many.any():
        draws = np.random.default_rng([seed, 701])
        cells = draw_missing(network, np.repeat(rows.levels[many], _N_DRAWS, axis=0), draws)
        parts.append((cells, np.repeat(rows.units[many] * (scale // _N_DRAWS), _N_DRAWS)))
    levels = np.concatenate([levels for levels, _ in parts])
    units = np.concatenate([units for _, units in parts])
    kept = units > 0
    return LevelRows(levels[kept], rows.n_levels, units[kept], rows.unit / scale).merged()


def _n_parts(units: Ints) -> int:
    """Return into how many parts a unit of weight is divided, so that all fit in 64 bits."""
    parts = _MOST_PARTS
    while parts > _N_DRAWS and int(units.sum()) * parts >= 2**62:
        parts //= 2
    return parts


def _enumerated(network: Network, levels: AnyArray) -> tuple[AnyArray, Places, Floats]:
    """Return all completions of rows, the row of each, and its probability given the row."""
    cells, origin = levels.copy(), np.arange(len(levels))
    for column, r in enumerate(network.n_levels):
        times = np.where(cells[:, column] == MISSING, r, 1)
        begin = np.repeat(np.cumsum(times) - times, times)
        level = np.arange(int(times.sum())) - begin
        cells, origin = np.repeat(cells, times, axis=0), np.repeat(origin, times)
        cells[:, column] = np.where(cells[:, column] == MISSING, level, cells[:, column])
    log_joint = np.zeros(len(cells))
    for column in range(len(network)):
        log_joint += np.log(network.family_probability(cells, column))
    largest = np.full(len(levels), -np.inf)
    np.maximum.at(largest, origin, log_joint)
    shares = np.exp(log_joint - largest[origin])
    total = np.bincount(origin, weights=shares, minlength=len(levels))
    return cells, origin, np.asarray(shares / total[origin])
