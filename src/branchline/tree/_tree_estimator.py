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
from branchline._validation import TrainingData, check_seed, count_threads
from branchline.table import Table
from branchline.tree._readable import Readable
from branchline.tree.growing._growth import begin_growth
from branchline.tree.growing._settings import check_mix, refuse_long_search
from branchline.tree.growing._stop_early import depth_to_grow
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.pruning._cost_complexity import PruningPath
from branchline.tree.pruning._methods import grow_and_prune
from branchline.tree.reading._why import Memory

__all__ = ["TreeEstimator"]

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]

# Training data of up to this number of cells are remembered, so that ``why`` can explain each node.
_CELLS_TO_REMEMBER = 2**24


class TreeEstimator(Readable):
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
            growth.options.max_depth = depth_to_grow(growth, settings, costs, seed)
        kept = grow_and_prune(growth, costs, settings, seed)
        memory = Memory(growth, kept.grown_on or growth.whole)
        fitted: dict[str, Any] = {
            "tree_": kept.tree,
            "_takes_floats": are_plain_numbers(data.table.schema),
            "_remembered": memory if data.n_cells <= _CELLS_TO_REMEMBER else None,
        }
        return fitted if kept.path is None else {**fitted, "pruning_path_": kept.path}

    def _forget(self) -> None:
        super()._forget()
        for name in ("_remembered", "_takes_floats", "_costs"):
            self.__dict__.pop(name, None)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_remembered", None)  # the training data stay where they were
        return state

    # -- rows go down ---------------------------------------------------------------------------

    def apply(self, X: Any) -> Nodes:
        """Return the node that each row ends in: its leaf, or the node it stays in.

        A row that is shared among branches is followed to its largest part.
        """
        nodes = self._nodes_of_few(X)
        if nodes is not None:
            return nodes
        rows = self._check_rows(X)
        return self.tree_.find_leaves(rows.table, count_threads(self.n_jobs, rows.n_cells))

    def _values_of(self, X: Any) -> Floats:
        """Return the value of each row's node, averaged over the parts of a shared row."""
        nodes = self._nodes_of_few(X)
        if nodes is None:
            rows = self._check_rows(X)
            n_threads = count_threads(self.n_jobs, rows.n_cells)
            if self.tree_.shares_rows:
                return self.tree_.average(rows.table, self.tree_.value, n_threads)
            nodes = self.tree_.find_leaves(rows.table, n_threads)
        values: Floats = self.tree_.value[nodes]
        return values

    def _nodes_of_few(self, X: Any) -> Nodes | None:
        """Return the nodes of a few rows of plain floats without making a table; else None."""
        takes_floats = self.__dict__.get("_takes_floats") and self.tree_.derived is None
        if not takes_floats or self.tree_.shares_rows:
            return None
        if not are_few_floats(X, self.n_features_in_):
            return None
        return self.tree_.find_leaves_of_few(X)

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
    def _unpack_path(state: Any, n_leaves: int) -> dict[str, Any]:
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
        if type(chosen) is not int or not 0 <= chosen < n_steps or leaves[chosen] != n_leaves:
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
