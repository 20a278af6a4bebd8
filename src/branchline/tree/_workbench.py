"""What a person does with a fitted tree besides reading it: editing, stability, sequences, asking.

Each method is a thin call of a file of its own, which says how the thing is made.
"""

from branchline.tree._readable import Readable
from branchline.tree.editing._editor import TreeEditor

__all__ = ["Workbench"]


class Workbench(Readable):
    """The working side of a fitted tree."""

    def edit(self, *, n_folds: int = 10, n_repeats: int = 3) -> TreeEditor:
        """Return an editor of the tree; each edit returns its price on rows held out.

        Parameters
        ----------
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
        memory = self._training_data("edit()")
        return TreeEditor(self, memory, n_folds=n_folds, n_repeats=n_repeats)
