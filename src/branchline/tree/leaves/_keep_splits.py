"""Which splits of a grown tree its leaf models need: judged on rows that were held out.

As in Kohavi's NBTree (1996): a split is kept when models of its branches predict better than one
model for the node.

1. Rows go into folds once. In each node and fold, a model is fitted on the node's other rows and
   predicts those held out. The loss of a node is the sum of the log losses or squared errors.
2. From the bottom: a split is kept when the losses below it fall short of the node's own by more
   than 2 %; else the node becomes a leaf.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._folds import Fold
from branchline._power_of_two import power_of_two_scale
from branchline._trees._tree_arrays import TreeArrays
from branchline._validation import ClassTarget, TrainingData
from branchline.tree.leaves._model_leaves import fit_leaf, outputs_of
from branchline.tree.soft._fit_margins import Targets

__all__ = ["splits_to_collapse"]

_LEAST_GAIN = 0.02


def splits_to_collapse(
    tree: TreeArrays, rows: TrainingData, learner: Any, folds: list[Fold]
) -> npt.NDArray[np.bool_]:
    """Return the inner nodes that become leaves."""
    losses = np.zeros(tree.n_nodes)
    node_of_row = tree.find_leaves(rows.table, 1)
    inside = _inside(tree, node_of_row)
    for node in range(tree.n_nodes):
        losses[node] = _held_out_loss(tree, node, rows, inside[node], learner, folds)
    collapse = np.zeros(tree.n_nodes, dtype=bool)
    least, below = losses.copy(), np.zeros(tree.n_nodes)
    for node in range(tree.n_nodes - 1, -1, -1):
        if not tree.is_leaf[node]:
            collapse[node] = below[node] >= (1 - _LEAST_GAIN) * losses[node]
            least[node] = losses[node] if collapse[node] else below[node]
        if node:
            below[tree.parent[node]] += least[node]
    return collapse


def _inside(tree: TreeArrays, node_of_row: npt.NDArray[np.int32]) -> list[npt.NDArray[np.bool_]]:
    """Return which rows pass each node."""
    inside = [node_of_row == node for node in range(tree.n_nodes)]
    for node in range(tree.n_nodes - 1, 0, -1):
        parent = int(tree.parent[node])
        inside[parent] = inside[parent] | inside[node]
    return inside


def _held_out_loss(
    tree: TreeArrays,
    node: int,
    rows: TrainingData,
    inside: npt.NDArray[np.bool_],
    learner: Any,
    folds: list[Fold],
) -> float:
    is_classes = isinstance(rows.target, ClassTarget)
    classes = rows.class_target.classes if is_classes else None
    exponent = 0 if is_classes else int(power_of_two_scale(rows.number_target.matrix))
    total = 0.0
    for fold in folds:
        learn = np.flatnonzero((fold.learn > 0) & inside)
        test = np.flatnonzero((fold.test > 0) & inside)
        if len(test) == 0:
            continue
        held = rows.rows(test, fold.test)
        truth = Targets.of(held, 0 if classes is None else len(classes))
        constant = tree.value[node]
        member = fit_leaf(learner, rows.rows(learn, fold.learn)) if len(learn) else None
        predicted = outputs_of(member, held.table, constant, classes)
        scaled = np.ldexp(predicted, -truth.exponent)
        loss = float(truth.weight @ truth.loss(np.clip(scaled, -1e100, 1e100)))
        total += float(np.ldexp(loss, 2 * (truth.exponent - exponent)))
    return total
