"""Tests that are made node by node: sums of columns, nearer centers, look-ahead.

1. The native grower (``native/include/branchline/node_tests.hpp`` states the rules) makes columns
   for each node and chooses among them and those of the table.
2. What it made becomes derived columns of the tree; equal ones are kept once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes
from branchline._random import target_bits
from branchline._trees._column_scale import column_scale
from branchline._trees._derived import DerivedColumn, DerivedColumns, unique_columns
from branchline._trees._derived_kinds import NearerCenter, Projection
from branchline.errors import ParameterError, Repair
from branchline.table import Table
from branchline.tree.growing._tree_settings import TreeSettings

__all__ = ["NodeTests", "node_tests", "refuse_long_lookahead"]

Floats = npt.NDArray[np.float64]

_KINDS = {
    "oblique": _core.NodeTestKind.projection,
    "learned": _core.NodeTestKind.centers,
    "axis": _core.NodeTestKind.lookahead,
}
_MOST_STEPS = 2e10


@dataclass(frozen=True)
class NodeTests:
    """What the native grower needs to make tests."""

    numbers: _core.NodeNumbers
    options: _core.NodeTestOptions
    names: tuple[str, ...]
    groups: tuple[str, ...]

    def derived(
        self, made: dict[str, Any], before: DerivedColumns | None, n_given: int
    ) -> tuple[DerivedColumns | None, npt.NDArray[np.int64]]:
        """Return all derived columns of a tree, and the feature of each made one.

        Parameters
        ----------
        made
            What the nodes made, as the native grower returns it.
        before
            The derived columns that the tree was grown on.
        n_given
            The number of columns of the table.
        """
        given = () if before is None else before.columns
        columns = [*given, *(self._column(made, place) for place in range(len(made["size"])))]
        if not columns:
            return None, np.empty(0, dtype=np.int64)
        kept, places = unique_columns(columns)
        return DerivedColumns(n_given, kept), n_given + places[len(given) :]

    def _column(self, made: dict[str, Any], place: int) -> DerivedColumn:
        end = int(made["size"][: place + 1].sum())
        here = slice(end - int(made["size"][place]), end)
        names = tuple(self.names[column] for column in made["columns"][here].tolist())
        first = tuple(made["first"][here].tolist())
        if self.options.kind == _core.NodeTestKind.projection:
            return Projection(names, first)
        a, b = made["groups"][2 * place : 2 * place + 2].tolist()
        second, scale = (tuple(made[name][here].tolist()) for name in ("second", "scale"))
        groups = (self.groups[a], self.groups[b])
        return NearerCenter(place + 1, names, first, second, scale, groups)


def node_tests(
    table: Table, codes: Codes, target: npt.NDArray[Any], settings: TreeSettings, *, groups: Any
) -> NodeTests | None:
    """Return what makes tests in nodes; None where trees test single columns alone.

    Parameters
    ----------
    table, codes
        The rows, and their codes.
    target
        Classes or numbers of the rows, by which columns are put in an order of their own.
    settings
        The parameters of the tree.
    groups
        The names of the classes; of numbers, what rows below and above the mean are called.
    """
    if settings.tests == "axis" and settings.lookahead == 1:
        return None
    options = _core.NodeTestOptions()
    options.kind = _KINDS[settings.tests]
    options.n_columns = int(settings.n_test_columns)
    options.lookahead = int(settings.lookahead)
    used = [place for place in range(len(codes.columns)) if _can_be_added(table, codes, place)]
    if used:
        bits = target_bits(target)
        keys = _core.column_keys([codes.columns[place] for place in used], bits, None, 1)
        # Columns that are copies of another one are used once.
        used = [used[place] for place in np.unique(keys, return_index=True)[1].tolist()]
    if settings.tests == "axis":
        used = []
    values = [_column_of(table, place) for place in used]
    scales = np.array([column_scale(codes.lowest[place]) for place in used]).reshape(-1, 2)
    numbers = _core.NodeNumbers(
        values,
        np.array(used, dtype=np.int64),
        np.ascontiguousarray(scales[:, 0]),
        np.ascontiguousarray(scales[:, 1]),
    )
    return NodeTests(numbers, options, table.names, tuple(str(name) for name in groups))


def _can_be_added(table: Table, codes: Codes, place: int) -> bool:
    """Whether a column is a plain number of at least two values; dates are not added up."""
    kind = table.schema.fields[place].type
    if kind.kind != "numeric" or kind.is_time:
        return False
    return len(codes.lowest[place]) > 1 and int(codes.n_codes[place]) > 1


def _column_of(table: Table, place: int) -> Floats:
    numbers = table.column(table.names[place]).numbers()
    return np.ascontiguousarray(numbers, dtype=np.float64)


def refuse_long_lookahead(codes: Codes, settings: TreeSettings) -> None:
    """Refuse a look-ahead that would take hours."""
    if settings.lookahead == 1:
        return
    n_cuts, n_trees = float(np.minimum(codes.n_codes, 32).sum()), _n_trees(settings)
    steps_of_depth_1 = float(codes.n_rows) * len(codes.columns) * n_trees
    steps = steps_of_depth_1 * n_cuts ** (settings.lookahead - 1)
    if steps <= _MOST_STEPS:
        return
    allowed = next(
        k
        for k in range(settings.lookahead - 1, 0, -1)
        if k == 1 or steps_of_depth_1 * n_cuts ** (k - 1) <= _MOST_STEPS
    )
    trees = "the root alone" if n_trees == 1 else f"the roots of {n_trees} trees"
    raise ParameterError(
        f"lookahead={settings.lookahead} would take about {steps:.0e} steps for {trees} "
        f"({codes.n_rows:,} rows × {len(codes.columns):,} columns × {n_cuts:,.0f} tests to the "
        f"power {settings.lookahead - 1}); at most {_MOST_STEPS:.0e} are allowed.",
        code="P550",
        values=[settings.lookahead],
        repair=Repair(f"model.set_params(lookahead={allowed})"),
    )


def _n_trees(settings: TreeSettings) -> int:
    """Return how many trees growing and pruning take."""
    if settings.prune != "cost_complexity" or settings.ccp_alpha is not None:
        return 1
    return 2 if settings.choose_by == "validation" else 1 + settings.n_folds
