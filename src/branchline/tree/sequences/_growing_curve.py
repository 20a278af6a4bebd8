"""The curve of a tree that grows node by node, on growing rows and on rows held out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._drawable import Drawable
from branchline._plain_numbers import count, number, without_noise
from branchline._result_frame import Library, result_frame
from branchline._trees._node_losses import MEASURES
from branchline._trees._tree_arrays import TreeArrays
from branchline.charts import Axis, Chart, Line, Rule
from branchline.tree.growing._loss_scale import unscaled
from branchline.tree.growing._node_by_node import (
    Targets,
    along,
    best_first,
    first_best,
    growing_losses,
    held_out_losses,
)
from branchline.tree.reading._labels import Labels

__all__ = ["GrowingCurve", "growing_curve"]

Floats = npt.NDArray[np.float64]

MEASURE_WORDS = {"entropy": "entropy (bits)", "error": "error", **MEASURES}
_MOST_LINES = 24


@dataclass(frozen=True, eq=False)
class GrowingCurve(Drawable):
    """Losses of T(0), T(1), …: the root alone, then one split after the other.

    Parameters
    ----------
    measure
        What is lost per row: "entropy", "error" (or its cost), "squared_error", "absolute_error" or
        "poisson" (half the deviance).
    n_leaves
        The number of leaves of each tree.
    question
        The question of the split that led to each tree; empty for T(0).
    growing, held_out
        The loss on the rows that the tree grew on, and on those held out.
    description_length
        Leaves + λ · (loss on the growing rows), with λ = ``mdl_weight``: what "mdl" minimizes.
    mdl_weight
        λ.
    """

    measure: str
    n_leaves: npt.NDArray[np.int64]
    question: tuple[str, ...]
    growing: Floats
    held_out: Floats
    description_length: Floats
    mdl_weight: float

    @property
    def best(self) -> int:
        """The first step of the least held-out loss."""
        return first_best(self.held_out, 0.0)

    @property
    def shortest(self) -> int:
        """The first step of the least description length."""
        return int(np.argmin(self.description_length))

    def __str__(self) -> str:
        head = f"{'step':>5}  leaves    growing   held out  split"
        chosen = self._shown_steps()
        lines = [head]
        for before, step in zip([-1, *chosen], chosen, strict=False):
            if step > before + 1:
                lines.append("    …")
            mark = "  ← least held-out loss" if step == self.best else ""
            pair = (without_noise(self.growing[step]), self.held_out[step])
            losses = "  ".join(f"{number(loss):>9}" for loss in pair)
            leaves = f"{self.n_leaves[step]:6,d}"
            lines.append(f"{step:5}  {leaves}  {losses}  {self.question[step]}{mark}".rstrip())
        return "\n".join([f"{MEASURE_WORDS[self.measure]} per row", *lines])

    __repr__ = __str__

    def _shown_steps(self) -> list[int]:
        n_steps = len(self.growing)
        if n_steps <= _MOST_LINES:
            return list(range(n_steps))
        around = range(max(0, self.best - 6), min(n_steps, self.best + 7))
        return sorted({0, 1, 2, *around, n_steps - 2, n_steps - 1})

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data."""
        about = {"measure": self.measure, "best": self.best, "shortest": self.shortest}
        steps = {name: np.asarray(values).tolist() for name, values in self._columns().items()}
        return {**about, "mdl_weight": self.mdl_weight, **steps}

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each step."""
        return result_frame({"step": np.arange(len(self.growing)), **self._columns()}, library)

    def _columns(self) -> dict[str, Any]:
        return {
            "n_leaves": self.n_leaves,
            "question": list(self.question),
            "growing": self.growing,
            "held_out": self.held_out,
            "description_length": self.description_length,
        }

    def _chart(self) -> Chart:
        """Return a chart of both losses along the growth."""
        steps = np.arange(len(self.growing), dtype=np.float64)
        marks = (
            Line(steps, self.growing, "growing rows"),
            Line(steps, self.held_out, "held-out rows"),
            Rule(float(self.best), "x", count(self.n_leaves[self.best], "leaf")),
        )
        return Chart(
            marks,
            Axis("splits", form="whole"),
            Axis(MEASURE_WORDS[self.measure], zero=True),
            "Growing a tree, split by split",
            "The dashed line marks the tree with the least loss on held-out rows.",
        )


def growing_curve(
    tree: TreeArrays,
    labels: Labels,
    rows: Targets,
    how: tuple[str, str, Floats | None, Floats | None],
    mdl_weight: float | None,
) -> GrowingCurve:
    """Return the curve of a grown tree.

    Parameters
    ----------
    tree, labels
        The tree, grown to the end, and the words for its nodes.
    rows
        The held-out rows.
    how
        The measure, the criterion, the factors of classes and the costs of errors.
    mdl_weight
        λ of the description length; None: the weight of the growing rows, so that both terms are
        totals.
    """
    measure, criterion, class_factor, costs = how
    order = best_first(tree, criterion, class_factor)
    none = np.zeros(tree.n_nodes)
    weight = float(tree.weight[0])
    growing = along(tree, order, growing_losses(tree, measure, costs), none) / weight
    held = along(tree, order, *held_out_losses(tree, rows, measure, costs)) / rows.weight.sum()
    growing, held = unscaled(np.maximum(growing, 0.0), tree), unscaled(np.maximum(held, 0.0), tree)
    n_leaves = 1 + np.concatenate([[0], np.cumsum(tree.n_children[order] - 1)]).astype(np.int64)
    price = weight if mdl_weight is None else mdl_weight
    return GrowingCurve(
        measure,
        n_leaves,
        ("", *(labels.question(node) for node in order)),
        growing,
        held,
        n_leaves + price * growing,
        price,
    )
