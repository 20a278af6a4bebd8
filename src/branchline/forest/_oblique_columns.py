"""The sums of columns that an oblique forest tests, and what follows from them.

1. Sums are derived columns (``_trees/_derived``) of the table that the forest is grown on.
2. Columns and pairs are ordered by their content, and drawn by hashes: neither the order of rows
   nor that of columns changes them.
3. Rows are extended by the sums block by block before they go down the trees.
"""

from dataclasses import replace
from itertools import starmap
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core, errors
from branchline._base import FittedState
from branchline._explanation import Explanation, in_order_of_size
from branchline._random import target_bits
from branchline._row_keys import scramble
from branchline._trees._column_scale import column_scale
from branchline._trees._derived import DerivedColumns, blocks_of_rows, derived_from_state
from branchline._trees._derived_kinds import Projection
from branchline._trees._draws import Draws
from branchline._validation import ClassTarget, TrainingData, check_seed, count_threads
from branchline.errors import Repair
from branchline.forest._explaining import path_shares
from branchline.forest._forest import Forest
from branchline.forest._importance import impurity_importances
from branchline.forest._many_trees import Grown
from branchline.forest._oob_importance import OobImportance
from branchline.table import Schema, Table

__all__ = ["ObliqueForest", "sums_of_columns"]

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]

_MOST_SUMS = 512
# Sums of that many cells are made at most, 8 bytes each.
_MOST_CELLS = 2**26
_FEWEST_SUMS = 32


class ObliqueForest(Forest):
    """A forest on a table that is extended by sums of columns."""

    n_projections: Any
    _sums: DerivedColumns | None

    # -- fitting ------------------------------------------------------------------------------

    def _grow(self, data: TrainingData, draws: Draws, class_factor: Floats | None) -> Grown:
        sums = sums_of_columns(data, self.n_projections, check_seed(self.random_state))
        self.__dict__["_new_sums"] = sums
        if sums is not None:
            data = replace(data, table=sums.extend_table(data.table))
        return super()._grow(data, draws, class_factor)

    def _common(self, data: TrainingData, grown: Grown) -> dict[str, Any]:
        sums = self.__dict__.pop("_new_sums")
        fitted = super()._common(grown.growth.data, grown)
        for name in ("feature_importances_", "raw_importances_"):
            fitted[name] = _shared(fitted[name], sums, data.table.schema)
        if sums is not None:
            fitted["_takes_floats"] = False
        return {**fitted, "_sums": sums}

    # -- rows go down -------------------------------------------------------------------------

    def apply(self, X: Any) -> Nodes:
        """Return the node that each row ends in: a column for each tree."""
        rows = self._check_rows(X)
        n_threads = count_threads(self.n_jobs, rows.n_cells)
        nodes: Nodes = self._in_blocks(
            rows.table, lambda block: self.forest_.find_leaves(block, n_threads)
        )
        return nodes

    def _mean(self, X: Any) -> Floats:
        if self._sums is None:
            return super()._mean(X)
        table = self._check_rows(X).table
        n_threads = count_threads(self.n_jobs, table.n_rows * self.forest_.n_trees)
        mean: Floats = self._in_blocks(table, lambda block: self.forest_.average(block, n_threads))
        return mean

    def _in_blocks(self, table: Table, work: Any) -> Any:
        """Return what ``work`` does with the extended rows, block after block."""
        sums = self._sums
        if sums is None:
            return work(table)
        blocks = blocks_of_rows(sums, table.n_rows)
        parts = [table] if len(blocks) == 1 else [table.rows(block) for block in blocks]
        return np.concatenate([work(sums.extend_table(part)) for part in parts])

    # -- reading ------------------------------------------------------------------------------

    @property
    def impurity_importances_(self) -> Floats:
        """The share of each column in the decrease of impurity; sums are shared by their columns.

        Columns of many values are favored; ``feature_importances_`` is corrected for that.
        """
        self._check_fitted()
        n_columns = len(self.schema_) + len(self._sums or ())
        total = impurity_importances(self.forest_, n_columns, self.criterion)
        return _shared(total, self._sums, self.schema_)

    def oob_importance(self, *, n_repeats: int = 5) -> OobImportance:
        """Refuse: shuffling one column of a sum is not possible in its bins."""
        self._check_fitted()
        if self._sums is None:
            return super().oob_importance(n_repeats=n_repeats)
        raise errors.ParameterError(
            f"{type(self).__name__} tests sums of columns, so a column cannot be shuffled alone "
            "out of bag. Shuffle it in a table instead.",
            code="P554",
            repair=Repair(
                "from branchline.assess import permutation_importance\n"
                "permutation_importance(model, X, y)"
            ),
        )

    def _explain(self, row: Table) -> Explanation:
        if self._sums is None:
            return super()._explain(row)
        prediction = self.predict(row)[0]
        classes = self.__dict__.get("classes_")
        which, about = 0, "predicted number"
        if classes is None:
            prediction = float(np.ravel(prediction)[0])
        else:
            which = int(np.flatnonzero(classes == prediction)[0])
            about = f"probability of {str(prediction)!r}"
        base, amounts = path_shares(self.forest_, self._sums.extend_table(row), which)
        amounts = _shared(amounts, self._sums, self.schema_)
        parts, total = in_order_of_size(row, amounts), base + float(amounts.sum())
        return Explanation(prediction, about, base, total, parts, is_sum=True)

    def _as_tree(self, kind: type[Any], number: Any, **fitted: Any) -> Any:
        model = super()._as_tree(kind, number, **fitted)
        if self._sums is not None:
            derived, feature = self._sums.used_by(model.tree_.feature)
            model.tree_ = replace(model.tree_, derived=derived, feature=feature)
        return model

    # -- saving -------------------------------------------------------------------------------

    def _pack_common(self) -> dict[str, Any]:
        packed = super()._pack_common()
        if self._sums is not None:
            packed |= {"derived": self._sums.to_list(), "n_given": self._sums.n_given}
        return packed

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        sums = derived_from_state(state, schema)
        extended = schema if sums is None else sums.extend_schema(schema)
        fitted: dict[str, Any] = {**super()._unpack(state, extended), "_sums": sums}
        if sums is not None:
            fitted["_takes_floats"] = False
        return fitted

    def _unpack_common(self, state: FittedState, schema: Schema, forest: Any) -> dict[str, Any]:
        n_given = state.get("n_given", len(schema))
        given = Schema(schema.fields[:n_given], schema.named)
        return super()._unpack_common(state, given, forest)


def _shared(amounts: Floats, sums: DerivedColumns | None, schema: Schema) -> Floats:
    """Return what each column of the table has; that of a sum is shared by its columns."""
    if sums is None:
        return amounts
    shared = amounts[: len(schema)].copy()
    for feature in range(len(schema), len(amounts)):
        inputs = sums.inputs_of(feature, schema)
        shared[inputs] += amounts[feature] / len(inputs)
    return shared


def sums_of_columns(data: TrainingData, wanted: Any, seed: int) -> DerivedColumns | None:
    """Return the sums that a forest is grown on; None when there are no two numbers to add."""
    table = data.table
    names, scales = _numbers_in_order(data)
    n_most = len(names) * (len(names) - 1)
    n_sums = _number_of_sums(table.n_rows) if wanted == "auto" else int(wanted)
    n_sums = min(n_sums, n_most)
    if n_sums == 0:
        return None
    drawn = np.arange(n_most, dtype=np.uint64)
    if n_sums < n_most:
        keys = scramble(scramble(drawn + np.uint64(1)) ^ np.uint64(seed))
        drawn = np.sort(np.argsort(keys, kind="stable")[:n_sums]).astype(np.uint64)
    first, second = np.triu_indices(len(names), 1)
    chosen = [(first[k // 2], second[k // 2], 1 - 2 * (k % 2)) for k in drawn.astype(int).tolist()]

    def sum_of(a: int, b: int, sign: int) -> Projection:
        weight = float(f"{sign * scales[a] / scales[b]:.2e}")
        return Projection((names[a], names[b]), (1.0, weight))

    sums = tuple(one for one in starmap(sum_of, chosen) if 0 < abs(one.weights[1]) < np.inf)
    taken = set(table.names)
    sums = tuple(one for one in sums if one.name not in taken)
    return DerivedColumns(table.n_columns, sums) if sums else None


def _number_of_sums(n_rows: int) -> int:
    return max(_FEWEST_SUMS, min(_MOST_SUMS, _MOST_CELLS // n_rows))


def _numbers_in_order(data: TrainingData) -> tuple[list[str], list[float]]:
    """Return the numeric columns that vary, dates left out, by their content; and their ranges."""
    found: list[tuple[str, Floats, Any]] = []
    for field in data.table.schema:
        if field.type.kind != "numeric" or field.type.is_time:
            continue
        values = data.table.column(field.name).numbers().astype(np.float64)
        distinct, rank = np.unique(values, return_inverse=True)
        distinct = distinct[~np.isnan(distinct)]
        if len(distinct) > 1:
            found.append((field.name, distinct, np.where(np.isnan(values), 0, rank + 1)))
    if not found:
        return [], []
    is_class = isinstance(data.target, ClassTarget)
    target = data.class_target.class_of_row if is_class else data.number_target.matrix[:, 0]
    bits = target_bits(np.ascontiguousarray(target))
    ranks = [np.ascontiguousarray(rank, dtype=np.uint32) for _, _, rank in found]
    sizes = data.weights.sizes(data.table.n_rows)  # relative weights say nothing of the content
    keys = _core.column_keys(ranks, bits, sizes, 1)
    order = np.unique(keys, return_index=True)[1].tolist()  # copies of a column count once
    return [found[k][0] for k in order], [column_scale(found[k][1])[1] for k in order]
