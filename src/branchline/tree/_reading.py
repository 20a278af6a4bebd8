"""How a person reads a fitted tree: text, rules, paths, reasons, drawings, tables."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._base import Estimator
from branchline.tree._importance import importances, tree_entropy, used_columns
from branchline.tree._text import tree_to_text
from branchline.tree._tree_arrays import TreeArrays

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
