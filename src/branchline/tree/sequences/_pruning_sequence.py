"""The sequence of trees that a pruning method goes through, with the errors of each.

1. T₁ is the complete tree, the last one is the root alone.
2. "cost_complexity", "pessimistic" and "mdl" have a cost of each node as a leaf (errors; their
   upper limits; bits). The weakest links of these costs give a nested sequence: the price of a
   leaf at which each subtree is no longer worth it. "mdl" itself takes the tree at the price of a
   leaf in bits, "pessimistic" the one at price 0 (with C4.5's margin of 0.1 errors).
3. "reduced_error" collapses, step by step, the node that lowers the error of held-out rows most.
4. Each tree has its error on the growing rows and on the validation rows. The least validation
   error chooses, the smallest tree of equal ones.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._drawable import Drawable
from branchline._plain_numbers import count, number, percent, without_noise
from branchline._result_frame import Library, result_frame
from branchline._trees._node_losses import MEASURES
from branchline._trees._tree_arrays import TreeArrays
from branchline.charts import Axis, Chart, Line, Rule
from branchline.tree.growing._loss_scale import unscaled
from branchline.tree.growing._node_by_node import Targets, growing_losses, held_out_losses
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.pruning._node_costs import (
    bottom_up,
    costs_as_leaves,
    description_lengths,
    upper_limits,
)

__all__ = ["PRUNING_METHODS", "PruningSequence", "pruning_sequence"]

Floats = npt.NDArray[np.float64]

PRUNING_METHODS = ("cost_complexity", "reduced_error", "pessimistic", "mdl")
_MOST_STEPS = 400
_MOST_LINES = 24


@dataclass(frozen=True, eq=False)
class PruningSequence(Drawable):
    """Trees from the complete one to the root alone, with both errors.

    Parameters
    ----------
    method
        The pruning method.
    n_leaves
        The number of leaves of each tree.
    growing, validation
        Error (or cost, or squared error) per row of each tree, on the training rows and on the
        validation rows.
    price
        The smallest penalty per leaf at which each tree is chosen, in the units of the method; for
        "reduced_error", the number of the step.
    own_choice
        The number of leaves that the method chooses by its own rule; None: it has none.
    measure
        What is lost: "error", "cost" or "squared error".

    See Also
    --------
    DecisionTreeClassifier : a decision tree that predicts a class.
    DecisionTreeRegressor : a decision tree that predicts a number, or several.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = DecisionTreeClassifier().fit(X, y).pruning_sequence(X, y)
    >>> found.n_leaves.tolist()
    [9, 7, 4, 3, 2, 1]
    """

    method: str
    n_leaves: npt.NDArray[np.int64]
    growing: Floats
    validation: Floats
    price: Floats
    own_choice: int | None = None
    measure: str = "error"

    @property
    def best(self) -> int:
        """The place of the tree of least validation error, the smallest of equal ones; T₁ is 0."""
        return len(self.validation) - 1 - int(np.argmin(self.validation[::-1]))

    def __str__(self) -> str:
        def shown(loss: float) -> str:
            is_error = self.measure == "error"
            return percent(loss, decimals=1) if is_error else number(without_noise(loss))

        lines = [f"{self.method}: {self.measure} per row", "tree   leaves   growing  validation"]
        last, n_steps = -1, len(self.n_leaves)
        near = set(range(self.best - 8, self.best + 9)) | {0, 1, 2, n_steps - 2, n_steps - 1}
        for place in range(n_steps):
            if n_steps > _MOST_LINES and place not in near:
                continue
            if place > last + 1:
                lines.append("  …")
            last = place
            errors = f"{shown(self.growing[place]):>8}  {shown(self.validation[place]):>10}"
            mark = "  ← least validation error" if place == self.best else ""
            lines.append(f"T{place + 1:<5} {self.n_leaves[place]:6,d}  {errors}{mark}")
        if self.own_choice is not None:
            lines.append(f"The method itself takes {count(self.own_choice, 'leaf')}.")
        return "\n".join(lines)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the sequence as plain data."""
        steps = {name: values.tolist() for name, values in self._columns().items()}
        about = {"method": self.method, "measure": self.measure, "best": self.best}
        return {**about, "own_choice": self.own_choice, **steps}

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each tree."""
        places = np.arange(len(self.n_leaves))
        columns = {"tree": places + 1, **self._columns(), "best": places == self.best}
        return result_frame(columns, library)

    def _columns(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "n_leaves": self.n_leaves,
            "growing": self.growing,
            "validation": self.validation,
            "price": self.price,
        }

    def _chart(self) -> Chart:
        """Return a chart of both errors along the sequence."""
        leaves = self.n_leaves.astype(np.float64)
        best = count(self.n_leaves[self.best], "leaf")
        few = len(leaves) <= 30
        marks = (
            Line(leaves, self.growing, "growing rows", dots=few),
            Line(leaves, self.validation, "validation rows", dots=few),
            Rule(float(leaves[self.best]), "x", f"least: {best}"),
        )
        form: Any = "percent" if self.measure == "error" else "number"
        title = f"Pruning by {self.method.replace('_', ' ')}"
        is_long = leaves.max() > 50
        return Chart(
            marks,
            Axis("leaves", log=is_long, form="whole"),
            Axis(self.measure, form=form, zero=True),
            title,
        )


def pruning_sequence(
    tree: TreeArrays, rows: Targets, settings: TreeSettings, costs: Floats | None, method: str
) -> PruningSequence:
    """Return the sequence of a grown tree under a pruning method.

    Parameters
    ----------
    tree
        The complete tree.
    rows
        The validation rows.
    settings, costs
        The settings of the method, and what errors cost.
    method
        One of ``PRUNING_METHODS``.
    """
    measure = tree.measure
    passing, stayed = held_out_losses(tree, rows, measure, costs)
    grown = growing_losses(tree, measure, costs)
    price, own = _prices(tree, settings, costs, method, (passing, stayed))
    order = np.unique(price[~tree.is_leaf & np.isfinite(price)])
    if len(order) > _MOST_STEPS:
        order = order[np.unique(np.linspace(0, len(order) - 1, _MOST_STEPS).astype(int))]
    steps = np.concatenate([[-np.inf], order])
    found = [_at(tree, price, step, grown, passing, stayed) for step in steps.tolist()]
    leaves, growing, held = (np.array(each) for each in zip(*found, strict=True))
    growing = unscaled(growing / tree.weight[0], tree)
    held = unscaled(held / rows.weight.sum(), tree)
    shown = np.concatenate([[0.0], order])
    if not tree.is_classification and method == "cost_complexity":
        shown = unscaled(shown, tree)
    name = "error" if costs is None else "cost"
    name = MEASURES.get(measure, name)
    return PruningSequence(method, leaves.astype(np.int64), growing, held, shown, own, name)


def _prices(
    tree: TreeArrays,
    settings: TreeSettings,
    costs: Floats | None,
    method: str,
    lost: tuple[Floats, Floats],
) -> tuple[Floats, int | None]:
    """Return the price at which each node becomes a leaf, and the leaves of the own choice."""
    family = (tree.first_child, tree.n_children)
    if tree.n_nodes == 1:
        return np.zeros(1), 1
    if method == "reduced_error":
        nodes, _ = _core.greedy_pruning(*family, *lost)
        step = np.full(tree.n_nodes, np.inf)
        step[nodes] = np.arange(1, len(nodes) + 1)
        return step, None
    if method == "cost_complexity":
        as_leaf, per_leaf, margin, own = costs_as_leaves(tree, costs), 0.0, 0.0, False
    elif method == "pessimistic":
        limits = upper_limits(tree, costs, settings.confidence)
        as_leaf, per_leaf, margin, own = limits.as_leaf, 0.0, limits.margin, True
    else:
        lengths = description_lengths(tree, settings.mdl_weight)
        as_leaf, per_leaf, margin, own = lengths.as_leaf, lengths.per_leaf, 0.0, True
    price = _core.weakest_link(*family, np.ascontiguousarray(as_leaf))
    if not own:
        return price, None
    return price, tree.pruned(bottom_up(tree, as_leaf, per_leaf, margin)).n_leaves


def _at(
    tree: TreeArrays, price: Floats, step: float, grown: Floats, passing: Floats, stayed: Floats
) -> tuple[int, float, float]:
    """Return the leaves and both losses of the tree whose nodes up to a price are leaves."""
    collapsed = (price <= step) & ~tree.is_leaf
    gone = np.zeros(tree.n_nodes, dtype=bool)
    for nodes in tree.levels()[1:]:
        above = tree.parent[nodes]
        gone[nodes] = gone[above] | collapsed[above]
    ends = (tree.is_leaf | collapsed) & ~gone
    inner = ~tree.is_leaf & ~collapsed & ~gone
    held = passing[ends].sum() + stayed[inner].sum()
    return int(ends.sum()), float(grown[ends].sum()), float(held)
