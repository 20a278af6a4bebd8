"""What a person does with a fitted tree besides reading it: editing, stability, sequences, asking.

Each method is a thin call of a file of its own, which says how the thing is made.
"""

from typing import Any

import numpy as np
from sklearn.base import clone

from branchline._validation import Whole, check_parameters
from branchline.errors import DataError
from branchline.tree._readable import Readable
from branchline.tree.editing._editor import TreeEditor, realizer_of
from branchline.tree.reading._why import Memory
from branchline.tree.stability._stability import measure_stability
from branchline.tree.stability._tree_stability import TreeStability

__all__ = ["Workbench"]


class Workbench(Readable):
    """The working side of a fitted tree."""

    def edit(
        self, X: Any = None, y: Any = None, *, n_folds: int = 10, n_repeats: int = 3
    ) -> TreeEditor:
        """Return an editor of the tree; each edit returns its price on rows held out.

        Parameters
        ----------
        X, y
            The training rows, for a model that no longer has them; None: those that it has.
        n_folds
            The number of folds by which prices are measured.
        n_repeats
            How often the rows are split into folds.

        Examples
        --------
        >>> from branchline import load_dataset
        >>> from branchline.tree import DecisionTreeClassifier
        >>> X, y = load_dataset("iris").split_target("species")
        >>> editor = DecisionTreeClassifier().fit(X, y).edit(n_repeats=1)
        >>> editor.replace(0, "petal_length", threshold=2.5).price.is_tied
        True
        >>> editor.finish().tree_.n_leaves
        3
        """
        memory = self._training_data("edit()") if X is None else self._memory_of(X, y)
        return TreeEditor(self, memory, n_folds=n_folds, n_repeats=n_repeats)

    def stability(self, X: Any = None, y: Any = None, *, n_bootstraps: int = 200) -> TreeStability:
        """Return how often trees grown on resampled rows ask the same questions.

        Parameters
        ----------
        X, y
            The rows to resample; None: those that the tree was fitted on.
        n_bootstraps
            The number of resampled trees.

        Examples
        --------
        >>> from branchline import load_dataset
        >>> from branchline.tree import DecisionTreeClassifier
        >>> X, y = load_dataset("iris").split_target("species")
        >>> stability = DecisionTreeClassifier().fit(X, y).stability(n_bootstraps=50)
        >>> stability[0].n_trees
        50
        """
        given = {"n_bootstraps": n_bootstraps}
        check_parameters("stability", given, {"n_bootstraps": Whole(1)})
        memory = self._training_data("stability()") if X is None else self._memory_of(X, y)
        realizer = realizer_of(self, memory)
        parts = self._parts
        return measure_stability(realizer, memory.sample, parts[0], parts, n_bootstraps)

    def _memory_of(self, X: Any, y: Any) -> Memory:
        """Return given rows as the tree's training rows were: coded, weighed, ready to grow on."""
        self._check_fitted()
        table = self._check_rows(X).table
        twin = clone(self).fit(table, y)
        classes = self.__dict__.get("classes_")
        same = classes is None or np.array_equal(classes, twin.classes_)
        same &= [field.type for field in twin.schema_] == [field.type for field in self.schema_]
        if not same:
            raise DataError(
                "These rows lack classes or categories that the tree knows, or have others; give "
                "rows like those that the tree was fitted on.",
                code="D561",
            )
        memory: Memory = twin._training_data("fit(X, y)")
        return memory
