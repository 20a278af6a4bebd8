"""How far soft thresholds reach: fitted on learning rows, judged on rows that were held out.

1. A margin is c · d: d is the standard deviation of the tested column among the rows of the node,
   c one factor for the whole tree.
2. In each fold a crisp tree is grown on the other rows. For each c of a grid its thresholds are
   made soft, its leaves refitted, and the held-out rows predicted. The loss is the log loss of
   classes, the squared error of numbers. The smallest c within the least mean loss is taken; c = 0
   (the crisp tree) stays where soft thresholds do not help.
3. Of the tree of all rows each margin (of the heaviest nodes) is then tried alone at 0, ½, 1 and 2
   times its size, node by node from the root. The loss is that of the learning rows, each judged by
   leaves from which its own share was taken out.
4. Leaves are refitted: a leaf holds the mean of its rows, weighted by their shares.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._power_of_two import power_of_two_scale
from branchline._trees._tree_arrays import THRESHOLD_TEST, TreeArrays
from branchline._validation import TrainingData
from branchline.table import Table
from branchline.tree.soft._soft_thresholds import leaf_shares, soft_values

__all__ = ["FACTORS", "Targets", "choose_factor", "margins_of", "refine_margins", "refitted"]

FACTORS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
_TIMES = (0.0, 0.5, 2.0)
_LEAST_PROBABILITY = 1e-15
# Margins of this number of nodes, the heaviest, are tried alone: few rows speak for the others.
_MOST_REFINED = 20


@dataclass(frozen=True)
class Targets:
    """What is predicted for each row, a column for each output: indicators of classes, or numbers.

    Numbers are divided by 2^exponent, so that no square overflows and no digit changes.
    """

    matrix: Floats
    weight: Floats
    is_classes: bool
    exponent: int = 0

    def loss(self, predicted: Floats) -> Floats:
        """Return the loss of each row."""
        if self.is_classes:
            right = (predicted * self.matrix).sum(axis=1)
            logs: Floats = -np.log(np.maximum(right, _LEAST_PROBABILITY))
            return logs
        squares: Floats = ((predicted - self.matrix) ** 2).sum(axis=1)
        return squares

    @staticmethod
    def of(data: TrainingData, n_classes: int) -> "Targets":
        """Return the target of training rows; ``n_classes`` is 0 for numbers."""
        n_rows = data.table.n_rows
        weight = data.weights.of_rows(n_rows)
        if n_classes == 0:
            numbers = data.number_target.matrix
            exponent = int(power_of_two_scale(numbers))
            return Targets(
                np.ldexp(numbers, -exponent), weight, is_classes=False, exponent=exponent
            )
        indicators = np.zeros((n_rows, n_classes))
        indicators[np.arange(n_rows), data.class_target.class_of_row] = 1.0
        return Targets(indicators, weight, is_classes=True)


def margins_of(tree: TreeArrays, table: Table, weight: Floats, factor: float) -> Floats:
    """Return the margin of each node: ``factor`` standard deviations of its column in it."""
    margins = np.zeros(tree.n_nodes)
    if factor == 0:
        return margins
    rows_of = _rows_of_nodes(tree, table)
    for node in np.flatnonzero(
        (tree.kind == THRESHOLD_TEST) & np.isfinite(tree.threshold)
    ).tolist():
        rows = rows_of[node]
        values = np.asarray(table.column(table.names[int(tree.feature[node])]).numbers())[rows]
        known = ~np.isnan(values)
        margins[node] = factor * _deviation(values[known].astype(np.float64), weight[rows][known])
    return margins


def _rows_of_nodes(tree: TreeArrays, table: Table) -> list[npt.NDArray[np.int64]]:
    """Return the rows that pass each node; a row with a missing value is on its heaviest way."""
    leaf_of_row = tree.find_leaves(table, 1)
    rows_of: list[list[npt.NDArray[np.int64]]] = [[] for _ in range(tree.n_nodes)]
    order = np.argsort(leaf_of_row, kind="stable")
    nodes, starts = np.unique(leaf_of_row[order], return_index=True)
    for node, rows in zip(nodes.tolist(), np.split(order, starts[1:]), strict=True):
        rows_of[node].append(rows)
    joined: list[npt.NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        joined[node] = np.sort(np.concatenate([joined[node], *rows_of[node]])).astype(np.int64)
        if node:
            rows_of[int(tree.parent[node])].append(joined[node])
    return joined


def _deviation(values: Floats, weight: Floats) -> float:
    if len(values) < 2:
        return 0.0
    total = weight.sum()
    largest = float(np.abs(values).max()) or 1.0
    scaled = values / largest
    mean = weight @ scaled / total
    return float(np.sqrt(weight @ (scaled - mean) ** 2 / total)) * largest


def refitted(tree: TreeArrays, margins: Floats, table: Table, targets: Targets) -> Floats:
    """Return the value of each node, divided as targets are, leaves refitted by shares."""
    value = np.ldexp(tree.value, -targets.exponent)
    for leaf, rows, share in leaf_shares(tree, margins, table):
        part = share * targets.weight[rows]
        value[leaf] = part @ targets.matrix[rows] / part.sum()
    return value


def choose_factor(
    folds: list[tuple[TreeArrays, Table, Targets, Table, Targets]],
) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the factor of the least held-out loss, and the loss of each factor tried."""
    losses = np.zeros(len(FACTORS))
    total = 0.0
    for tree, table, targets, held, truth in folds:
        total += float(truth.weight.sum())
        unit = margins_of(tree, table, targets.weight, 1.0)
        for place, factor in enumerate(FACTORS):
            margins = factor * unit
            value = refitted(tree, margins, table, targets)
            predicted = soft_values(tree, margins, held, value)
            same_unit = np.ldexp(predicted, targets.exponent - truth.exponent)
            loss = float(truth.weight @ truth.loss(same_unit))
            losses[place] += np.ldexp(loss, 2 * (truth.exponent - targets.exponent))
    mean = losses / total if total else losses
    return FACTORS[int(np.argmin(mean))], mean


def refine_margins(tree: TreeArrays, margins: Floats, table: Table, targets: Targets) -> Floats:
    """Return margins that were tried one by one at other sizes on the learning rows."""
    nodes = np.flatnonzero(margins > 0)
    heaviest = np.argsort(-tree.weight[nodes], kind="stable")[:_MOST_REFINED]
    nodes = np.sort(nodes[heaviest])
    best, least = margins.copy(), _own_loss(tree, margins, table, targets)
    for node in nodes.tolist():
        for times in _TIMES:
            tried = best.copy()
            tried[node] = times * margins[node]
            loss = _own_loss(tree, tried, table, targets)
            if loss < least:
                best, least = tried, loss
    return best


def _own_loss(tree: TreeArrays, margins: Floats, table: Table, targets: Targets) -> float:
    """Return the loss of the learning rows, each judged by leaves without its own share."""
    predicted = np.zeros_like(targets.matrix)
    for _, rows, share in leaf_shares(tree, margins, table):
        part = share * targets.weight[rows]
        sums, total = part @ targets.matrix[rows], part.sum()
        own = np.minimum(share, part)  # one copy of the row
        left = total - own
        others = sums[None] - own[:, None] * targets.matrix[rows]
        mean = np.where(
            left[:, None] > 1e-9, others / np.maximum(left, 1e-9)[:, None], sums / total
        )
        predicted[rows] += share[:, None] * np.clip(mean, -1e300, 1e300)
    if targets.is_classes:
        predicted = np.clip(predicted, 0.0, 1.0)
    return float(targets.weight @ targets.loss(predicted) / targets.weight.sum())
