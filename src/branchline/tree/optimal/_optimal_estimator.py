"""What both optimal trees share: the search, its proof, and reasons that name the whole tree."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from branchline._trees._few_rows import are_plain_numbers
from branchline._validation import TrainingData, count_threads
from branchline.errors import ParameterError, Repair
from branchline.tree._tree_estimator import TreeEstimator
from branchline.tree.growing._growth import begin_growth
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.optimal._proof import OptimalityProof, Proved
from branchline.tree.optimal._search import SearchLimits, search_tree
from branchline.tree.optimal._to_arrays import heap_to_arrays
from branchline.tree.optimal._yes_no_tests import make_tests, usual_thresholds
from branchline.tree.reading._why import Memory, Reasons, list_reasons

__all__ = ["OptimalTree"]

_CELLS_TO_REMEMBER = 2**24
# "auto": thresholds in all columns together, and the most of one.
_USUAL_THRESHOLDS = 300, 50


class OptimalTree(Proved, TreeEstimator):
    """What both optimal trees share: the search, and what is proved."""

    max_depth: int
    leaf_penalty: float
    min_samples_leaf: int
    max_thresholds: Any
    time_budget: float

    def _search(self, data: TrainingData, costs: npt.NDArray[np.float64] | None) -> dict[str, Any]:
        """Return the fitted attributes of the optimal tree."""
        settings = TreeSettings(criterion=self.criterion, prune=None)
        growth = begin_growth(data, settings, count_threads(self.n_jobs, data.n_cells), None)
        n_columns = data.table.n_columns
        most = usual_thresholds(self.max_thresholds, n_columns, *_USUAL_THRESHOLDS)
        tests = make_tests(growth.codes, growth.weights, most)
        limits = SearchLimits(
            self.max_depth, self.leaf_penalty, self.min_samples_leaf, self.time_budget
        )
        if tests.tests:
            heap, proof = search_tree(growth, tests, costs, limits)
        else:  # all rows are equal
            heap, proof = np.full(1, -1, dtype=np.int32), None
        tree = heap_to_arrays(growth, tests, heap)
        value = self._error_per_row(tree, costs) + self.leaf_penalty * tree.n_leaves
        if proof is None:
            proof = OptimalityProof(value, value, True, 0, tests.n_left_out)
        bound = value if proof.is_proved else min(proof.bound, value)
        remembers = data.n_cells <= _CELLS_TO_REMEMBER
        return {
            "tree_": tree,
            "proof_": replace(proof, value=value, bound=bound),
            "_takes_floats": are_plain_numbers(data.table.schema),
            "_remembered": Memory(growth, growth.whole) if remembers else None,
        }

    def _error_per_row(self, tree: Any, costs: npt.NDArray[np.float64] | None) -> float:
        raise NotImplementedError

    test_costs = None

    # -- as data --------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the tree and its proof as plain data; ``from_dict`` reads them back."""
        return {**super().to_dict(), "proof": self.proof_.to_dict()}

    @classmethod
    def _more_from_dict(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        given = data.get("proof")
        known = dict(given) if isinstance(given, Mapping) else {}
        packed = {f"proof_{name}": value for name, value in known.items()}
        return {"proof_": OptimalityProof.unpack(packed)}

    # -- what is about trees that grow test by test ---------------------------------------------

    def edit(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: an edited tree would not be the optimal one (P540)."""
        self._refuse("edit")

    def stability(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: resampled trees would be grown test by test (P540)."""
        self._refuse("stability")

    def growing_curve(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: an optimal tree does not grow node by node (P540)."""
        self._refuse("growing_curve")

    def pruning_sequence(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: an optimal tree is not pruned (P540)."""
        self._refuse("pruning_sequence")

    def _refuse(self, call: str) -> NoReturn:
        kind = "DecisionTreeRegressor" if self._task == "regression" else "DecisionTreeClassifier"
        raise ParameterError(
            f"{type(self).__name__} has no {call}: an optimal tree is not grown test by test.",
            code="P540",
            repair=Repair(
                f"from branchline.tree import {kind}\nmodel = {kind}().fit(X, y)\nmodel.{call}()"
            ),
        )

    # -- reasons --------------------------------------------------------------------------------

    def why(self, node: int = 0, *, column: str | None = None) -> Reasons:
        """Return the tests of a node with their gains there, and what the best tree took instead.

        An optimal tree does not take the test of the largest gain in each node: a test is chosen
        because the tree as a whole is best with it (``proof_``).

        Parameters
        ----------
        node
            The number of the node; 0 is the root. ``to_frame`` lists them.
        column
            A column of which every single test is wanted; None: the best test of each column.
        """
        if column is not None:
            return super().why(node, column=column)
        memory = self._training_data(f"why({node})")
        self._check_node(node)
        reasons = tuple(
            replace(reason, chosen=False) for reason in list_reasons(memory, self.tree_, node)
        )
        impurity = super().why(node).impurity
        return Reasons(node, impurity, self._verdict(node, reasons), reasons)

    def _verdict(self, node: int, reasons: tuple[Any, ...]) -> str:
        if self.tree_.is_leaf[node]:
            return "a leaf of the best tree as a whole"
        column = self.schema_.names[int(self.tree_.feature[node])]
        verdict = f"split by {column}, because the tree as a whole is best with it"
        greedy = reasons[0].column if reasons else column
        return verdict if greedy == column else f"{verdict}; here alone, {greedy} gains most"
