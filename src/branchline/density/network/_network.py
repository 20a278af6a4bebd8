"""A Bayesian network as data: the parents of each column and its probabilities given them.

p(x) = Π_v θ_v(x_v | x_parents(v)). A table of probabilities has an axis for each parent, in
ascending order, and the last one for the column itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from branchline._arrays import AnyArray, Bools, Floats, Ints

__all__ = ["MISSING", "Network", "count_family", "fit_tables", "flags_of", "parents_of"]

MISSING = 0xFFFF  # the level of a missing cell


@dataclass(frozen=True, eq=False)
class Network:
    """Parents and tables of probabilities, one of each for each column."""

    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]

    def __len__(self) -> int:
        return len(self.parents)

    @cached_property
    def n_levels(self) -> tuple[int, ...]:
        """The number of levels of each column."""
        return tuple(table.shape[-1] for table in self.tables)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each column, ascending."""
        found: list[list[int]] = [[] for _ in self.parents]
        for child, parents in enumerate(self.parents):
            for parent in parents:
                found[parent].append(child)
        return tuple(tuple(each) for each in found)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The columns, parents before children."""
        return tuple(in_order(self.parents) or ())

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The edges as (parent, child), in order of parents, then children."""
        return [(parent, child) for parent, held in enumerate(self.children) for child in held]

    @property
    def n_parameters(self) -> int:
        """How many free numbers there are."""
        return sum(table.size - table.size // table.shape[-1] for table in self.tables)

    def blanket(self, column: int) -> tuple[int, ...]:
        """Return the Markov blanket: parents, children, and other parents of the children."""
        near = set(self.parents[column]) | set(self.children[column])
        for child in self.children[column]:
            near.update(self.parents[child])
        return tuple(sorted(near - {column}))

    def family_probability(self, levels: AnyArray, column: int) -> Floats:
        """Return θ(x_v | x_parents) of rows whose family is known."""
        places = tuple(levels[:, each] for each in (*self.parents[column], column))
        return np.asarray(self.tables[column][places])


def in_order(parents: Sequence[Sequence[int]]) -> list[int] | None:
    """Return the columns with parents before children; None when there is a cycle."""
    left = [len(each) for each in parents]
    children: list[list[int]] = [[] for _ in parents]
    for child, each in enumerate(parents):
        for parent in each:
            children[parent].append(child)
    waiting = [at for at, count in enumerate(left) if count == 0]
    found: list[int] = []
    while waiting:
        at = waiting.pop(0)
        found.append(at)
        for child in children[at]:
            left[child] -= 1
            if left[child] == 0:
                waiting.append(child)
    return found if len(found) == len(parents) else None


def parents_of(flags: Bools) -> tuple[tuple[int, ...], ...]:
    """Return parents from a matrix of flags: a row for each child."""
    return tuple(tuple(int(at) for at in np.flatnonzero(row)) for row in flags)


def flags_of(parents: Sequence[Sequence[int]]) -> AnyArray:
    """Return the matrix of flags of parents."""
    flags = np.zeros((len(parents), len(parents)), dtype=np.uint8)
    for child, each in enumerate(parents):
        flags[child, list(each)] = 1
    return flags


def fit_tables(
    levels: AnyArray,
    units: Ints,
    unit: float,
    parents: Sequence[Sequence[int]],
    n_levels: Sequence[int],
    prior_rows: float,
) -> tuple[Floats, ...]:
    """Return the tables of all columns; rows with a missing cell in a family do not count in it.

    θ = (n_jk + m θ_k) / (n_j + m), with m the ``prior_rows`` and θ_k the overall share of level k,
    itself (n_k + m / r) / (n + m): no probability is 0.
    """
    tables = []
    for child in range(len(parents)):
        r = n_levels[child]
        alone = count_family(levels, units, [child], n_levels) * unit
        share = (alone + prior_rows / r) / (alone.sum() + prior_rows)
        family = [*parents[child], child]
        counts = count_family(levels, units, family, n_levels) * unit if parents[child] else alone
        prior = prior_rows * share if parents[child] else np.full(r, prior_rows / r)
        grown = counts + prior
        tables.append(np.asarray(grown / grown.sum(axis=-1, keepdims=True)))
    return tuple(tables)


def count_family(
    levels: AnyArray, units: Ints, family: Sequence[int], n_levels: Sequence[int]
) -> Ints:
    """Return the units of each combination of levels of some columns, where all are known."""
    shape = tuple(n_levels[each] for each in family)
    cells = levels[:, list(family)]
    known = (cells != MISSING).all(axis=1)
    counts = np.zeros(int(np.prod(shape)), dtype=np.int64)
    places = np.ravel_multi_index(tuple(cells[known].T.astype(np.int64)), shape)
    np.add.at(counts, places, units[known])
    return counts.reshape(shape)
