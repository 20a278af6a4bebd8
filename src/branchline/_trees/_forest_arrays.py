"""A fitted forest is arrays: trees one after another, their nodes in the order of levels.

Their tests are those of ``CodedTrees``. Leaves hold integers (units of each class; or units and
fixed-point sums), and an inner node is exactly the sum of its children.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from branchline._codes import native_columns
from branchline._dtypes import UNITS
from branchline._trees._coded_trees import CodedTrees, first_children
from branchline._trees._tree_arrays import LEAF, Scale, TreeArrays, values_of
from branchline._trees._tree_state import fill_inner_nodes
from branchline.table import Table

__all__ = ["ForestArrays"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Wholes = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class ForestArrays(CodedTrees):
    """The trees of a forest.

    Parameters
    ----------
    content
        A row for each leaf: units of each class; or units, then the sum of each output.
    scale
        What the integers of ``content`` stand for.

    See Also
    --------
    RandomForestClassifier : a random forest that predicts a class.
    TreeArrays : the nodes of a tree.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.forest import RandomForestClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> len(RandomForestClassifier(n_estimators=5).fit(X, y).forest_.n_nodes)
    5
    """

    of_leaves: ClassVar[tuple[str, ...]] = ("content",)

    content: Wholes
    scale: Scale

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what makes up the forest; the rest is worked out anew, and checked."""
        from branchline._trees._forest_state import pack_alone, unpack_alone

        return unpack_alone, (pack_alone(self),)

    @property
    def is_classification(self) -> bool:
        """Whether leaves hold classes, not numbers."""
        return self.scale.center is None

    @property
    def n_values(self) -> int:
        """The number of frequencies or numbers that are predicted for a row."""
        width: int = self.content.shape[1]
        return width if self.is_classification else width - 1

    @property
    def leaf_value(self) -> Floats:
        """One row for each leaf: class frequencies, or the mean of each output."""
        return values_of(self.content, self.scale)

    @property
    def leaf_weight(self) -> Floats:
        """The weight of each leaf in its tree's sample."""
        content = self.content
        units = content.sum(axis=1, dtype=UNITS) if self.is_classification else content[:, 0]
        weight: Floats = units * np.float64(self.scale.unit)
        return weight

    def node_sums(self, tree: int, leaf_content: Wholes | None = None) -> tuple[Longs, Floats]:
        """Return what each node of a tree holds, and the spread of each output.

        Spreads are those between leaves alone: what varies within a leaf is not stored.

        Parameters
        ----------
        tree
            The number of the tree.
        leaf_content
            What the leaves of the whole forest hold; None: ``content``.
        """
        content = self.content if leaf_content is None else leaf_content
        kind = self.kind[self.nodes_of(tree)]
        sums = np.zeros((len(kind), content.shape[1]), dtype=UNITS)
        sums[kind == LEAF] = content[self.first_leaf[tree] : self.first_leaf[tree + 1]]
        # Spreads divide by weights, which only a tree's own sample has in every leaf.
        n_outputs = 0 if self.is_classification or leaf_content is not None else sums.shape[1] - 1
        spread = np.zeros((len(kind), n_outputs))
        spread = fill_inner_nodes(sums, spread, *first_children(kind), self.scale)
        return sums, spread

    def average(
        self, table: Table, n_threads: int, *, first_tree: int = 0, n_trees: int = -1
    ) -> Floats:
        """Return for each row the mean of its leaves' values over some trees (−1: all others)."""
        columns, n_categories = native_columns(table, self.pooling)
        mean = self.walker.average(columns, n_categories, n_threads, first_tree, n_trees)
        return mean.reshape(table.n_rows, self.n_values)

    def average_of_few(self, matrix: npt.NDArray[Any]) -> Floats | None:
        """Return the same for a few rows of plain floats, or None when a number is infinite."""
        mean = self.walker.average_of_few(matrix)
        return None if mean is None else mean.reshape(len(matrix), self.n_values)

    def tree(self, number: int) -> TreeArrays:
        """Return one tree, in the form that everything that reads a tree takes.

        Spreads (and so variances) are those between leaves: within one they are 0.
        """
        from branchline._trees._one_tree import one_tree

        return one_tree(self, number)
