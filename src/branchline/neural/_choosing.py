"""Layers and weight decay by cross-validation, where the user asks for "auto".

1. Rows are split into five folds (``_folds``).
2. Each candidate is trained on four folds, and its loss taken on the fifth, five times.
3. The decay is chosen first, with layers as given (or of usual size), then the layers with that
   decay: the loss is flat in their product, and this takes a fraction of the time.
4. The least mean loss wins; on ties the earlier candidate.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from branchline._folds import Fold
from branchline._state import malformed
from branchline.neural._training import FEWEST_ROWS, Recipe, Task, train_net

__all__ = ["ALPHAS", "LAYERS", "USUAL_LAYERS", "Choice", "Chooser", "choices_from_state"]

LAYERS = ((5,), (10,), (30,), (10, 10))
ALPHAS = (30.0, 10.0, 3.0, 1.0, 0.3, 0.03)
USUAL_LAYERS = (10,)
_N_FOLDS = 5


@dataclass(frozen=True)
class Choice:
    """A candidate of cross-validation: its layers, its decay, and its mean held-out loss."""

    hidden_layer_sizes: tuple[int, ...]
    alpha: float
    loss: float

    def pack(self) -> dict[str, Any]:
        """Return the candidate as plain values."""
        sizes = list(self.hidden_layer_sizes)
        return {"hidden_layer_sizes": sizes, "alpha": self.alpha, "loss": self.loss}


@dataclass(frozen=True)
class Chooser:
    """Tries candidates on the same folds."""

    matrix: Any
    task: Task
    seed: int

    def choose(
        self, recipe: Recipe, *, layers: bool, alpha: bool
    ) -> tuple[Recipe, tuple[Choice, ...]]:
        """Return the recipe with the best layers and decay, and all that was tried."""
        rows = self.task.folds
        is_asked = (layers or alpha) and rows.n_rows >= FEWEST_ROWS
        folds = rows.split(_N_FOLDS, keep_classes=True) if is_asked else []
        tried: list[Choice] = []
        if alpha and folds:
            candidates = [replace(recipe, alpha=decay) for decay in ALPHAS]
            recipe = self._best(candidates, folds, tried)
        if layers and folds:
            candidates = [replace(recipe, hidden_layer_sizes=sizes) for sizes in LAYERS]
            recipe = self._best(candidates, folds, tried)
        return recipe, tuple(tried)

    def _best(self, candidates: list[Recipe], folds: list[Fold], tried: list[Choice]) -> Recipe:
        losses = []
        for one in candidates:
            same = (one.hidden_layer_sizes, one.alpha)
            known = [c.loss for c in tried if (c.hidden_layer_sizes, c.alpha) == same]
            losses.append(known[0] if known else self._loss(one, folds))
            if not known:
                tried.append(Choice(*same, losses[-1]))
        return candidates[int(np.argmin(losses))]

    def _loss(self, recipe: Recipe, folds: list[Fold]) -> float:
        total, n_rows = 0.0, 0
        for fold in folds:
            learn, held = fold.learn > 0, fold.test > 0
            net = train_net(self.matrix[learn], self.task.part(learn), recipe, self.seed).net
            n_held = int(held.sum())
            total += n_held * self.task.loss(net.outputs(self.matrix[held]), held)
            n_rows += n_held
        return total / n_rows


def choices_from_state(packed: Any) -> tuple[Choice, ...]:
    """Check packed candidates and return them."""
    if not isinstance(packed, list):
        raise malformed("the candidates of cross-validation are not a list")
    return tuple(_choice(part) for part in packed)


def _choice(part: Any) -> Choice:
    keys = {"hidden_layer_sizes", "alpha", "loss"}
    if not isinstance(part, Mapping) or set(part) != keys:
        raise malformed("a candidate of cross-validation lacks a part, or has one too many")
    sizes, alpha, loss = part["hidden_layer_sizes"], part["alpha"], part["loss"]
    if not _are_sizes(sizes) or not _is_amount(alpha) or not _is_amount(loss):
        raise malformed("a candidate of cross-validation is out of range")
    return Choice(tuple(sizes), alpha, loss)


def _are_sizes(sizes: Any) -> bool:
    is_list = isinstance(sizes, Sequence) and not isinstance(sizes, str)
    return is_list and all(type(size) is int and 1 <= size < 2**31 for size in sizes)


def _is_amount(value: Any) -> bool:
    return type(value) is float and math.isfinite(value) and value >= 0
