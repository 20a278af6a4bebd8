"""Exact inference by variable elimination, for many rows at a time.

1. A missing cell without known descendants sums to 1 and is left out (unless it is asked for).
2. The other missing cells of a row fall into groups that known cells separate. Rows with the same
   group are worked on together: each family becomes a table over its missing cells, with an axis
   for the rows.
3. The missing cells of a group are summed out one after the other, the smallest product of tables
   first. Tables are divided by their largest number, whose logarithm is kept.
4. Walking back through the products draws missing cells from their joint distribution, or, with
   maxima instead of sums, finds the most probable ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from branchline._arrays import AnyArray, Bools, Floats, Places
from branchline._memory import budget_bytes
from branchline.density.network._network import MISSING, Network
from branchline.errors import DataError, Repair

__all__ = ["draw_missing", "log_likelihood", "marginals", "most_probable"]

_CELLS = 2**21  # of one table, over all rows that are worked on together
_TINY = 1e-300


@dataclass(frozen=True)
class _Group:
    """Missing columns that depend on each other, and the columns whose families hold them."""

    columns: tuple[int, ...]
    families: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Factor:
    """A table over some columns, with rows as its first axis."""

    scope: tuple[int, ...]
    values: Floats


@dataclass(eq=False)
class _Eliminated:
    """What is left of a group: a table over the columns that were kept, and the way there."""

    kept: Floats
    log_scale: Floats
    steps: list[tuple[int, tuple[int, ...], Floats]] = field(default_factory=list)


def log_likelihood(network: Network, levels: AnyArray) -> Floats:
    """Return the log probability of the known cells of each row."""
    total = np.zeros(len(levels))
    missing = levels == MISSING
    barren = _barren(network, missing)
    for column in range(len(network)):
        family = [*network.parents[column], column]
        known = ~missing[:, family].any(axis=1)
        found = network.family_probability(levels[known], column)
        total[known] += np.log(np.maximum(found, _TINY))
    for group, rows in _groups(network, missing, barren):
        for some in _blocks(network, group, rows):
            done = _eliminate(network, group, levels[some], (), "sum")
            total[some] += done.log_scale + np.log(np.maximum(done.kept, _TINY))
    return total


def marginals(network: Network, levels: AnyArray, keep: tuple[int, ...]) -> Floats:
    """Return p(columns of ``keep`` | the other known cells) for each row; an axis for each."""
    cells = levels.copy()
    cells[:, list(keep)] = MISSING
    missing = cells == MISSING
    barren = _barren(network, missing, keep)
    shape = tuple(network.n_levels[each] for each in keep)
    found = np.empty((len(levels), *shape))
    for group, rows in _groups(network, missing, barren, keep):
        for some in _blocks(network, group, rows, keep):
            table = _eliminate(network, group, cells[some], keep, "sum").kept
            found[some] = table / table.sum(axis=tuple(range(1, table.ndim)), keepdims=True)
    return found


def draw_missing(network: Network, levels: AnyArray, draws: np.random.Generator) -> AnyArray:
    """Return the rows with missing cells drawn from their joint distribution."""
    cells = levels.copy()
    uniform = draws.random(levels.shape)
    missing = levels == MISSING
    barren = _barren(network, missing)
    for group, rows in _groups(network, missing, barren):
        for some in _blocks(network, group, rows):
            done = _eliminate(network, group, levels[some], (), "sum")
            _walk_back(done, cells, some, uniform)
    for column in network.order:
        rows = np.flatnonzero(barren[:, column])
        if len(rows):
            parents = tuple(cells[rows, each] for each in network.parents[column])
            table = network.tables[column]
            shares = table[parents] if parents else np.broadcast_to(table, (len(rows), len(table)))
            cells[rows, column] = _choose(shares, uniform[rows, column])
    return cells


def most_probable(network: Network, levels: AnyArray) -> AnyArray:
    """Return the rows with the missing cells that together are the most probable ones."""
    cells = levels.copy()
    missing = levels == MISSING
    for group, rows in _groups(network, missing, np.zeros_like(missing)):
        for some in _blocks(network, group, rows):
            done = _eliminate(network, group, levels[some], (), "max")
            _walk_back(done, cells, some, None)
    return cells


def _barren(network: Network, missing: Bools, keep: Sequence[int] = ()) -> Bools:
    """Return the missing cells without a known descendant, which nothing depends on."""
    barren = missing.copy()
    barren[:, list(keep)] = False
    for column in reversed(network.order):
        for child in network.children[column]:
            barren[:, column] &= barren[:, child]
    return barren


def _groups(
    network: Network, missing: Bools, barren: Bools, keep: tuple[int, ...] = ()
) -> Iterator[tuple[_Group, Places]]:
    """Return groups of missing cells that depend on each other, each with its rows.

    With ``keep``, only the groups that hold these columns, as one group.
    """
    if not missing.any():
        return
    state = missing.astype(np.uint8) + barren  # 2: barren
    patterns, which = np.unique(state, axis=0, return_inverse=True)
    found: dict[_Group, list[int]] = {}
    for at, pattern in enumerate(patterns):
        skipped = {int(each) for each in np.flatnonzero(pattern == 2)}
        groups = _separated(network, np.flatnonzero(pattern == 1), skipped)
        if keep:
            groups = [{c for group in groups if group & {*keep} for c in group}]
        for group in groups:
            children = {child for each in group for child in network.children[each]} - skipped
            key = _Group(tuple(sorted(group)), tuple(sorted(group | children)))
            found.setdefault(key, []).append(at)
    which = which.reshape(-1)
    for key, held in found.items():
        yield key, np.flatnonzero(np.isin(which, held))


def _separated(network: Network, missing: Places, skipped: set[int]) -> list[set[int]]:
    """Return the missing columns of a row in groups that share no family."""
    left = {int(each) for each in missing}
    groups = []
    while left:
        waiting, group = [min(left)], set()
        while waiting:
            column = waiting.pop()
            if column in left:
                left.remove(column)
                group.add(column)
                children = [each for each in network.children[column] if each not in skipped]
                waiting += [*network.parents[column], *children]
                waiting += [each for child in children for each in network.parents[child]]
        groups.append(group)
    return groups


def _order(network: Network, group: _Group, keep: tuple[int, ...]) -> tuple[list[int], int]:
    """Return the order in which columns are summed out, and the cells of the largest table."""
    scopes = [set(scope) for scope in _scopes(network, group)]
    left = sorted(set(group.columns) - set(keep))
    order, largest = [], int(np.prod([float(network.n_levels[each]) for each in keep]))
    while left:
        sizes = {}
        for column in left:
            union = set().union(*(scope for scope in scopes if column in scope), {column})
            sizes[column] = float(np.prod([float(network.n_levels[each]) for each in union]))
        best = min(left, key=sizes.__getitem__)
        largest = max(largest, int(min(sizes[best], 2.0**62)))
        union = set().union(*(scope for scope in scopes if best in scope))
        scopes = [scope for scope in scopes if best not in scope] + [union - {best}]
        left.remove(best)
        order.append(best)
    return order, largest


def _scopes(network: Network, group: _Group) -> Iterator[tuple[int, ...]]:
    """Return the missing columns of each family of a group."""
    held = set(group.columns)
    for column in group.families:
        yield tuple(each for each in (*network.parents[column], column) if each in held)


def _blocks(
    network: Network, group: _Group, rows: Places, keep: tuple[int, ...] = ()
) -> Iterator[Places]:
    """Return rows in parts whose tables fit in memory."""
    _, largest = _order(network, group, keep)
    if 8 * largest > max(budget_bytes() // 4, 8 * _CELLS):
        raise DataError(
            f"Exact inference over {len(group.columns)} missing cells needs a table of "
            f"{largest:.2g} numbers, which does not fit in memory.",
            code="D700",
            repair=Repair("BayesianNetwork(max_parents=2)"),
        )
    step = max(1, _CELLS // max(1, largest))
    for begin in range(0, len(rows), step):
        yield rows[begin : begin + step]


def _eliminate(
    network: Network,
    group: _Group,
    levels: AnyArray,
    keep: tuple[int, ...],
    mode: Literal["sum", "max"],
) -> _Eliminated:
    factors = _factors(network, group, levels)
    done = _Eliminated(np.ones(len(levels)), np.zeros(len(levels)))
    for column in _order(network, group, keep)[0]:
        some = [factor for factor in factors if column in factor.scope]
        others = sorted({each for factor in some for each in factor.scope} - {column})
        joint = _product(some, (*others, column), len(levels))
        done.steps.append((column, tuple(others), joint))
        values = joint.sum(axis=-1) if mode == "sum" else joint.max(axis=-1)
        scale = np.maximum(values.reshape(len(levels), -1).max(axis=1), _TINY)
        values = values / scale.reshape(-1, *([1] * (values.ndim - 1)))
        done.log_scale += np.log(scale)
        factors = [factor for factor in factors if column not in factor.scope]
        factors.append(_Factor(tuple(others), values))
    done.kept = _product(factors, keep, len(levels))
    return done


def _factors(network: Network, group: _Group, levels: AnyArray) -> list[_Factor]:
    """Return the tables of the families of a group, at the known cells of each row."""
    held, found = set(group.columns), []
    for column in group.families:
        family = (*network.parents[column], column)
        free = [at for at, each in enumerate(family) if each in held]
        known = [at for at, each in enumerate(family) if each not in held]
        table = network.tables[column].transpose([*known, *free])
        values = table[tuple(levels[:, family[at]] for at in known)] if known else table[None]
        found.append(_Factor(tuple(family[at] for at in free), values))
    return found


def _product(factors: list[_Factor], scope: tuple[int, ...], n_rows: int) -> Floats:
    """Return the product of tables, with an axis for each column of the scope."""
    total: Floats = np.ones((n_rows, *([1] * len(scope))))
    for factor in factors:
        order = sorted(range(len(factor.scope)), key=lambda at: scope.index(factor.scope[at]))
        values = factor.values.transpose([0, *(at + 1 for at in order)])
        held = {factor.scope[at]: values.shape[place + 1] for place, at in enumerate(order)}
        total = total * values.reshape(len(values), *(held.get(each, 1) for each in scope))
    return total


def _walk_back(done: _Eliminated, cells: AnyArray, rows: Places, uniform: Floats | None) -> None:
    """Fill in the columns that were summed out, the last one first."""
    for column, others, joint in reversed(done.steps):
        places = (np.arange(len(rows)), *(cells[rows, each] for each in others))
        shares = joint[places]
        if uniform is None:
            cells[rows, column] = shares.argmax(axis=-1)
        else:
            cells[rows, column] = _choose(shares, uniform[rows, column])


def _choose(shares: Floats, uniform: Floats) -> AnyArray:
    """Return a level for each row, drawn by its share."""
    ends = np.cumsum(shares, axis=-1)
    drawn = (uniform[:, None] * ends[:, -1:] >= ends).sum(axis=-1)
    return np.asarray(np.minimum(drawn, shares.shape[-1] - 1))
