"""What both decision trees share: fitting, sending rows down, and saving.

How a fitted tree is read (text, rules, drawings, reasons) stands in ``_readable``.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._base import Complexity
from branchline._explanation import Explanation, in_order_of_size
from branchline._state import malformed, numbers_from_state
from branchline._trees._few_rows import are_few_floats, are_plain_numbers
from branchline._trees._tree_arrays import TreeArrays
from branchline._validation import (
    OneOf,
    TrainingData,
    check_parameters,
    check_seed,
    count_threads,
)
from branchline.errors import ParameterError, Repair
from branchline.table import Schema, Table
from branchline.tree._workbench import Workbench
from branchline.tree.editing._edit_state import pack_edits, unpack_edits
from branchline.tree.growing._growth import begin_growth
from branchline.tree.growing._node_by_node import leaves_to_grow
from branchline.tree.growing._settings import check_mix, refuse_long_search
from branchline.tree.growing._single_columns import refuse_derived
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.missing._find_surrogates import refill_with_surrogates, surrogates_of_tree
from branchline.tree.missing._policies import MISSING_AT_PREDICTION, with_policy
from branchline.tree.missing._surrogate_state import pack_surrogates, unpack_surrogates
from branchline.tree.missing._surrogates import Surrogates
from branchline.tree.missing._way_down import WayDown
from branchline.tree.pruning._cost_complexity import PruningPath
from branchline.tree.pruning._methods import grow_and_prune
from branchline.tree.reading._why import Memory

__all__ = ["TreeEstimator"]

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]

# Training data of up to this number of cells are remembered, so that ``why`` can explain each node.
_CELLS_TO_REMEMBER = 2**24


class TreeEstimator(Workbench):
    """Fitting, prediction and saving of a tree."""

    n_jobs: int | None
    random_state: Any
    _takes_floats: bool

    # -- fitting --------------------------------------------------------------------------------

    def _grow(
        self, data: TrainingData, costs: Floats | None, class_factor: Floats | None
    ) -> dict[str, Any]:
        """Return the fitted attributes of a grown and pruned tree."""
        settings = TreeSettings.from_parameters(self.get_params(deep=False))
        check_mix(type(self).__name__, settings)
        refuse_long_search(data.table, settings)
        seed = check_seed(self.random_state)
        n_threads = count_threads(self.n_jobs, data.n_cells)
        growth = begin_growth(data, settings, n_threads, class_factor)
        if settings.stop_by is not None:
            n_leaves = leaves_to_grow(growth, settings, costs, seed)
            growth.options.max_leaves = max(n_leaves, 2)
            growth.options.max_depth = int(growth.options.max_depth) if n_leaves > 1 else 0
        kept = grow_and_prune(growth, costs, settings, seed)
        memory = Memory(growth, kept.grown_on or growth.whole)
        tree, surrogates = kept.tree, None
        if settings.missing == "surrogate":
            tree, surrogates = refill_with_surrogates(
                growth, memory.sample, tree, settings.n_surrogates
            )
        fitted: dict[str, Any] = {
            "tree_": tree,
            **({} if surrogates is None else {"surrogates_": surrogates}),
            "_takes_floats": are_plain_numbers(data.table.schema),
            "_remembered": memory if data.n_cells <= _CELLS_TO_REMEMBER else None,
        }
        return fitted if kept.path is None else {**fitted, "pruning_path_": kept.path}

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_remembered", None)  # the training data stay where they were
        return state

    # -- rows go down ---------------------------------------------------------------------------

    def apply(self, X: Any) -> Nodes:
        """Return the node that each row ends in: its leaf, or the node it stays in.

        A row that is shared among branches is followed to its largest part.
        """
        return self._ends_of(X, self._way_down(None))

    def _way_down(self, missing: str | None) -> WayDown:
        """Return how rows go down: by the tree's own policy, or by another one."""
        self._check_fitted()
        own = self.__dict__.get("surrogates_")
        if missing is None:
            return WayDown(self.tree_, own)
        allowed = {"missing": OneOf((None, *MISSING_AT_PREDICTION))}
        check_parameters("predict", {"missing": missing}, allowed)
        if missing == "surrogate":
            return WayDown(self.tree_, self._found_surrogates() if own is None else own)
        return WayDown(with_policy(self.tree_, missing), None)

    def _ends_of(self, X: Any, way: WayDown) -> Nodes:
        """Return the node that each row ends in."""
        nodes = self._nodes_of_few(X, way)
        if nodes is not None:
            return nodes
        rows = self._check_rows(X)
        return way.find_leaves(rows.table, count_threads(self.n_jobs, rows.n_cells))

    def _values_of(self, X: Any, missing: str | None = None) -> Floats:
        """Return the value of each row's node, averaged over the parts of a shared row."""
        way = self._way_down(missing)
        if way.tree.shares_rows:
            rows = self._check_rows(X)
            n_threads = count_threads(self.n_jobs, rows.n_cells)
            return way.tree.average(rows.table, way.tree.value, n_threads)
        values: Floats = self.tree_.values_at(self._ends_of(X, way))
        return values

    def _nodes_of_few(self, X: Any, way: WayDown) -> Nodes | None:
        """Return the nodes of a few rows of plain floats without making a table; else None."""
        if not self.__dict__.get("_takes_floats") or not way.is_native:
            return None
        if type(X) is Table and X.schema is self.schema_:  # as ensembles hand over rows
            X = X.matrix
        if not are_few_floats(X, self.n_features_in_):
            return None
        return way.tree.find_leaves_of_few(X)

    def _found_surrogates(self) -> Surrogates:
        """Return the surrogate tests of a tree that was grown with another policy."""
        refuse_derived(self.tree_, "missing='surrogate'")
        memory: Memory | None = self.__dict__.get("_remembered")
        if memory is None:
            raise ParameterError(
                "This tree keeps no surrogate tests, and the training rows from which they could "
                "be found are gone.",
                code="P560",
                values=["surrogate"],
                repair=Repair("model.set_params(missing='surrogate').fit(X, y)"),
            )
        n_kept = int(getattr(self, "n_surrogates", TreeSettings.n_surrogates))
        return surrogates_of_tree(memory.growth, memory.sample, self.tree_, n_kept)

    # -- reading --------------------------------------------------------------------------------

    def _explain(self, row: Table) -> Explanation:
        """Explain by the path: what each test on it changes is its column's share."""
        path, value = self.path(row), self.tree_.value
        prediction = self.predict(row)[0]
        classes = self.__dict__.get("classes_")
        if classes is None:
            which, about, prediction = 0, "predicted number", float(np.ravel(prediction)[0])
        else:
            which = int(np.flatnonzero(classes == prediction)[0])
            about = f"probability of {str(prediction)!r}"
        amounts = np.zeros(row.n_columns)
        for step in path.steps:
            if step.branch is not None:
                child = self.tree_.first_child[step.node] + step.branch
                change = value[child, which] - value[step.node, which]
                inputs = self._inputs_of(step.node)
                amounts[inputs] += step.share * change / len(inputs)
        base = float(value[0, which])
        parts, notes = in_order_of_size(row, amounts), ("its path:", str(path))
        total = base + float(amounts.sum())
        return Explanation(prediction, about, base, total, parts, is_sum=True, notes=notes)

    def _inputs_of(self, node: int) -> list[int]:
        """Return the columns of the table that a node's test looks at."""
        feature, derived = int(self.tree_.feature[node]), self.tree_.derived
        return [feature] if derived is None else derived.inputs_of(feature, self.schema_)

    def _complexity(self) -> Complexity:
        return Complexity(self.tree_.n_leaves, "leaves")

    # -- saving ---------------------------------------------------------------------------------

    def _pack_more(self) -> dict[str, Any]:
        """Return what makes up the model besides its tree."""
        surrogates = self.__dict__.get("surrogates_")
        more = {} if surrogates is None else pack_surrogates(surrogates)
        return {**more, **pack_edits(self.__dict__), **self._pack_path()}

    def _unpack_more(self, state: Any, tree: TreeArrays, schema: Schema) -> dict[str, Any]:
        """Return the fitted attributes besides the tree, each one checked."""
        surrogates = unpack_surrogates(state, tree, schema)
        path = self._unpack_path(state, tree.n_leaves, is_refilled=surrogates is not None)
        more = {**path, **unpack_edits(state, tree)}
        return more if surrogates is None else {**more, "surrogates_": surrogates}

    def _pack_path(self) -> dict[str, Any]:
        if "pruning_path_" not in self.__dict__:
            return {}
        path = self.__dict__["pruning_path_"]
        return {
            "path_beta": path.beta,
            "path_leaves": path.n_leaves.astype(np.float64),
            "path_error": path.error,
            "path_standard_error": path.standard_error,
            "path_chosen": path.chosen,
        }

    @staticmethod
    def _unpack_path(state: Any, n_leaves: int, *, is_refilled: bool) -> dict[str, Any]:
        if "path_beta" not in state:
            return {}
        n_steps, n_errors = np.size(state["path_beta"]), np.size(state.get("path_error"))
        beta, leaves = (
            numbers_from_state(state, name, length=n_steps, low=0.0)
            for name in ("path_beta", "path_leaves")
        )
        error, standard_error = (
            numbers_from_state(state, name, length=n_errors and n_steps, low=0.0)
            for name in ("path_error", "path_standard_error")
        )
        chosen = state.get("path_chosen")
        is_on_path = type(chosen) is int and 0 <= chosen < n_steps
        # Rows that go by surrogate tests may leave a branch empty; its test is then left out.
        if not is_on_path or leaves[chosen] < n_leaves:
            raise malformed("the step taken is not on the pruning path")
        if leaves[chosen] > n_leaves and not is_refilled:
            raise malformed("the step taken is not on the pruning path")
        whole = (leaves == np.rint(leaves)).all() and leaves.min() >= 1 and leaves.max() < 2**31
        if not whole or (np.diff(beta) < 0).any() or (np.diff(leaves) > 0).any():
            raise malformed("the pruning path does not go from many leaves to few")
        n_leaves_of = leaves.astype(np.int64)
        return {"pruning_path_": PruningPath(beta, n_leaves_of, error, standard_error, chosen)}

    @staticmethod
    def _count_of_outputs(state: Any) -> int:
        n_outputs = state.get("n_outputs")
        if type(n_outputs) is not int or not 1 <= n_outputs <= 2**20:
            raise malformed("'n_outputs' is not a whole number of at least 1")
        return n_outputs
