"""How a person reads a fitted tree: text, rules, paths, reasons, drawings, tables."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import errors
from branchline._base import Estimator
from branchline.errors import Repair
from branchline.tree._growing import Growth
from branchline.tree._importance import importances, impurities, tree_entropy, used_columns
from branchline.tree._text import tree_to_text
from branchline.tree._tree_arrays import TreeArrays
from branchline.tree._verdict import verdict_of
from branchline.tree._why import Reasons, list_reasons
from branchline.tree._why_column import list_cuts, rows_of_node

__all__ = ["Readable"]


class Readable(Estimator):
    """The reading side of a fitted tree."""

    criterion: str
    tree_: TreeArrays

    @property
    def _classes(self) -> npt.NDArray[Any] | None:
        classes: npt.NDArray[Any] | None = self.__dict__.get("classes_")
        return classes

    @property
    def _decision(self) -> npt.NDArray[np.int64] | None:
        decision: npt.NDArray[np.int64] | None = self.__dict__.get("decision_")
        return decision

    def to_text(self, *, max_depth: int | None = None) -> str:
        """Return the tree as text: a test, then a line for each branch, indented by depth."""
        self._check_fitted()
        return tree_to_text(
            self.tree_, self.schema_, self._classes, self._decision, max_depth=max_depth
        )

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """The share of each column in the decrease of impurity, summed over its tests."""
        self._check_fitted()
        return importances(self.tree_, len(self.schema_), self.criterion)

    @property
    def used_columns_(self) -> list[str]:
        """The names of the columns that the tree tests."""
        self._check_fitted()
        return [self.schema_.names[place] for place in used_columns(self.tree_).tolist()]

    @property
    def entropy_(self) -> float:
        """H(Y | tree) of the training rows in bits; for numbers the variance within leaves."""
        self._check_fitted()
        return tree_entropy(self.tree_)

    def get_depth(self) -> int:
        """Return the most tests in a row."""
        self._check_fitted()
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        self._check_fitted()
        return self.tree_.n_leaves

    # -- reasons --------------------------------------------------------------------------------

    def why(self, node: int = 0, *, column: str | None = None) -> Reasons:
        """Return the tests that were considered at a node, with their gains.

        Parameters
        ----------
        node
            The number of the node; 0 is the root. ``to_frame`` lists them.
        column
            A column of which every single test is wanted; None: the best test of each column.

        Examples
        --------
        >>> from branchline import load_dataset
        >>> from branchline.tree import ID3
        >>> X, y = load_dataset("tennis").split_target("play")
        >>> print(ID3().fit(X, y).why())
        node 0, impurity 0.9403: split by outlook; the runner-up is humidity
          test           gain   ratio   score
          outlook      0.2467  0.1564  0.2467  ← chosen
          humidity     0.1518  0.1518  0.1518
          wind         0.0481  0.0488  0.0481
          temperature  0.0292  0.0188  0.0292
        """
        growth = self._training_data()
        self._check_node(node)
        impurity = float(impurities(self.tree_, self.criterion)[node])
        if column is not None:
            reasons = list_cuts(*rows_of_node(growth, self.tree_, node, column, self.criterion))
            return Reasons(node, impurity, f"every test of {column}", tuple(reasons))
        reasons = list_reasons(growth, self.tree_, node)
        parameters = self.get_params(deep=False)
        verdict = verdict_of(self.tree_, node, reasons, impurity, parameters)
        return Reasons(node, impurity, verdict, tuple(reasons))

    def _training_data(self) -> Growth:
        self._check_fitted()
        growth: Growth | None = self.__dict__.get("_remembered")
        if growth is None:
            raise errors.NotFittedError(
                f"This {type(self).__name__} no longer has the rows it was fitted on: models that "
                "were saved, copied or fitted on more than 16 million cells do not keep them.",
                code="N002",
                repair=Repair("model.fit(X, y).why(node)"),
            )
        return growth

    def _check_node(self, node: Any) -> None:
        if isinstance(node, int | np.integer) and 0 <= node < self.tree_.n_nodes:
            return
        raise errors.ParameterError(
            f"The tree has nodes 0 to {self.tree_.n_nodes - 1}; there is no node {node!r}.",
            code="P020",
            values=[node],
        )
