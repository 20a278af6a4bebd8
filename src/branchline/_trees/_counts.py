"""Targets that are counts: which are allowed, and what the nodes of a tree lose by their deviance.

A node of S counts among rows of weight N predicts S / N. Half the Poisson deviance of its rows is
Σ w · y · log(y / (S / N)); of this, S · log(S / N) is all that a split changes.
"""

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import LEAF, Scale, TreeArrays
from branchline._validation import NumberTarget
from branchline.errors import DataError, Repair

__all__ = ["check_counts", "deviance_terms", "losses_between_leaves"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


def check_counts(target: NumberTarget) -> None:
    """Refuse targets that have no Poisson deviance."""
    counts = target.matrix
    below = np.flatnonzero((counts < 0).any(axis=1))
    if len(below):
        raise DataError(
            "criterion='poisson' is for counts, which are 0 or above; "
            f"{len(below)} of {len(counts)} targets are below 0.",
            code="D610",
            rows=below[:5].tolist(),
            n_rows=len(below),
            values=np.ravel(counts[below].min(axis=1))[:5].tolist(),
            repair=Repair("model.set_params(criterion='squared_error')"),
        )
    if (counts.max(axis=0) <= 0).any():
        raise DataError(
            "criterion='poisson' predicts counts above 0, but all targets are 0.",
            code="D611",
            repair=Repair("model.set_params(criterion='squared_error')"),
        )


def deviance_terms(content: Longs, scale: Scale) -> Floats:
    """Return S · log(S / N) of each node and output, in units of the tree's scale."""
    sums = np.ldexp(content[:, 1:].astype(np.float64), -(scale.bits + scale.exponent))
    weight = content[:, :1] * scale.unit
    terms = np.zeros_like(sums)
    np.log(np.divide(sums, weight, out=terms, where=sums > 0), out=terms, where=sums > 0)
    return sums * terms


def losses_between_leaves(tree: TreeArrays) -> Floats:
    """Return what each node of a binary tree loses by one prediction for all leaves below it."""
    terms = deviance_terms(tree.content, tree.scale)
    loss = np.zeros_like(terms)
    for nodes in reversed(tree.levels()):
        inner = nodes[tree.kind[nodes] != LEAF]
        first = tree.first_child[inner]
        gain = np.maximum(terms[first] + terms[first + 1] - terms[inner], 0.0)
        loss[inner] = gain + loss[first] + loss[first + 1]
    return loss
