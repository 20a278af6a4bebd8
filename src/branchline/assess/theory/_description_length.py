"""How many bits a fitted tree takes, with the rows it leaves open: the minimum description length.

1. The tree: each leaf brings its parameters, ½ log2 N bits each, and the name of a column and a bit
   for the shape (``tree/pruning``).
2. The rows, given the tree: N · H(Y | tree); for numbers, their squared deviations in units of the
   noise.
3. Beside it, the same rows without any tree. A tree that saves no bits has learned nothing.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from branchline._plain_numbers import count, fixed
from branchline._validation import AnyOf, check_parameters
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.pruning._node_costs import description_lengths

__all__ = ["DescriptionLength", "description_length"]


@dataclass(frozen=True)
class DescriptionLength:
    """Bits to describe a tree and its training rows.

    Parameters
    ----------
    tree_bits
        The tree itself.
    rows_bits
        The targets of the rows, once the tree is known.
    without_tree
        The targets of the rows with one leaf alone.
    n_leaves
        The leaves of the tree.

    See Also
    --------
    description_length

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.theory import description_length
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> description_length(DecisionTreeClassifier().fit(X, y)).n_leaves
    3
    """

    tree_bits: float
    rows_bits: float
    without_tree: float
    n_leaves: int

    @property
    def total(self) -> float:
        """All bits."""
        return self.tree_bits + self.rows_bits

    @property
    def saved(self) -> float:
        """Bits saved by the tree; below 0 it is not worth its size."""
        return self.without_tree - self.total

    def __str__(self) -> str:
        return (
            f"{fixed(self.total, 1)} bits = {fixed(self.tree_bits, 1)} for a tree of "
            f"{count(self.n_leaves, 'leaf')} + {fixed(self.rows_bits, 1)} for the rows "
            f"({fixed(self.without_tree, 1)} without a tree)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return {**asdict(self), "total": self.total, "saved": self.saved}


class _Tree:
    """A decision tree."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, DecisionTreeClassifier | DecisionTreeRegressor)

    def describe(self) -> str:
        return "a decision tree of branchline.tree"


def description_length(model: Any) -> DescriptionLength:
    """Return the description length of a fitted decision tree and its training rows.

    Parameters
    ----------
    model
        A fitted decision tree, of classes or of numbers.

    See Also
    --------
    DescriptionLength : bits to describe a tree and its training rows.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.theory import description_length
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> print(description_length(DecisionTreeClassifier().fit(X, y)))
    55.7 bits = 24.7 for a tree of 3 leaves + 31.0 for the rows (246.0 without a tree)
    """
    check_parameters("description_length", {"model": model}, {"model": AnyOf((_Tree(),))})
    model._check_fitted()
    tree = model.tree_
    with np.errstate(over="ignore"):  # leaves without any deviation save bits without end
        lengths = description_lengths(tree, None)
    n_columns = len(np.unique(tree.feature[~tree.is_leaf]))
    # A leaf alone names no column.
    alone = lengths.per_leaf - math.log2(max(n_columns, 1))
    return DescriptionLength(
        tree_bits=lengths.per_leaf * tree.n_leaves,
        rows_bits=float(lengths.as_leaf[tree.is_leaf].sum()),
        without_tree=float(lengths.as_leaf[0]) + alone,
        n_leaves=int(tree.n_leaves),
    )
