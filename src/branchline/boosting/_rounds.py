"""The rounds of gradient boosting.

1. Begin with the constant scores of least loss.
2. Each round: gradients of the loss by the scores; for each output a tree that follows them
   (``native/include/branchline/boosting.hpp``); the value of each leaf is a Newton step, or what
   the loss says (medians, quantiles); a share of it, the learning rate, is added to the scores.
3. Rows that take no part in learning are sent down all the same, so they can judge each round.
4. *How many rounds*: those after which the loss on judging rows was least. With "auto" several
   folds judge, in step, and the model is then fitted to all rows with that number.

J. H. Friedman, Greedy function approximation, 2001; T. Chen and C. Guestrin, XGBoost, 2016.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._row_keys import scramble_one
from branchline._validation import RowWeights
from branchline.boosting._boosted_arrays import BoostedArrays
from branchline.boosting._boosting_problem import Problem
from branchline.boosting._loss import Leaves, Loss, Units
from branchline.boosting._monotone import in_order
from branchline.errors import ParameterError, Repair

__all__ = ["Clock", "Judge", "Rounds", "best_number_of_rounds"]

Floats = npt.NDArray[np.float64]


@dataclass
class Clock:
    """A time budget; None: no limit."""

    budget: float | None
    begin: float = field(default_factory=time.monotonic)

    @property
    def is_over(self) -> bool:
        """Whether the time is spent."""
        return self.budget is not None and time.monotonic() - self.begin >= self.budget


class Rounds:
    """A model while it is boosted.

    Parameters
    ----------
    problem
        What is learnt.
    units
        What each row counts in learning; None: once; 0: it is not looked at.
    """

    def __init__(self, problem: Problem, units: Units | None) -> None:
        self.problem = problem
        self.units = units
        self.weights = RowWeights(units, problem.draws.unit)
        loss, n_rows = problem.loss, problem.n_rows
        draws = problem.settings["subsample"] < 1
        self.copies = problem.copies_in(units) if draws else None
        self.initial = loss.initial(*self._learning())
        shape = (loss.n_outputs, n_rows)
        self.raw = np.repeat(self.initial[:, None], n_rows, axis=1)
        self.gradients = np.empty(shape, np.float32)
        self.hessians = None if self._ignores_hessians() else np.empty(shape, np.float32)
        self.leaf_of_row = np.empty(shape, np.uint32)
        self.grown: list[dict[str, Any]] = []
        self.value: list[Floats] = []
        self.n_done = 0

    def _learning(self) -> tuple[npt.NDArray[Any], RowWeights]:
        """Return the targets and weights of the rows that are learnt from."""
        target = self.problem.target
        if self.units is None or (self.units > 0).all():
            return target, self.weights
        keep = self.units > 0
        return target[keep], RowWeights(self.units[keep], self.weights.unit)

    def _ignores_hessians(self) -> bool:
        return self.problem.loss.constant_hessian

    # -- a round ------------------------------------------------------------------------------

    def step(self) -> None:
        """Boost one round."""
        problem = self.problem
        loss = problem.loss.for_round(*self._all_rows(), self.raw)
        n_threads = problem.n_threads
        loss.gradients(problem.target, self.raw, self.gradients, self.hessians, n_threads=n_threads)
        units = self.units
        if self.copies is not None:
            units = problem.drawn(*self.copies, self.n_done)
        first_order = not problem.settings["second_order"]
        options = problem.options
        options.seed = scramble_one(problem.seed + 2 * self.n_done)
        grown = problem.booster.grow(
            self.gradients.reshape(-1),
            None if first_order or self.hessians is None else self.hessians.reshape(-1),
            units,
            problem.monotone,
            problem.groups,
            options,
            self.leaf_of_row.reshape(-1),
        )
        self._add(grown, loss, units, first_order)
        self.n_done += 1

    def _all_rows(self) -> tuple[npt.NDArray[Any], RowWeights]:
        if self.units is None or (self.units > 0).all():
            return self.problem.target, self.weights
        return self.problem.target, RowWeights(np.maximum(self.units, 0), self.weights.unit)

    def _add(
        self, grown: dict[str, Any], loss: Loss, units: Units | None, first_order: bool
    ) -> None:
        """Work out the leaves' values, remember the trees, and add the values to the scores."""
        problem, rate = self.problem, self.problem.settings["learning_rate"]
        n_leaves = (grown["n_nodes"] + 1) // 2
        ends = np.cumsum(n_leaves)
        values = []
        for output, end in enumerate(ends.tolist()):
            own = slice(end - int(n_leaves[output]), end)
            leaves = Leaves(self.leaf_of_row[output], int(n_leaves[output]), units)
            value = rate * self._leaf_values(grown, own, output, leaves, loss, first_order)
            values.append(_in_32_bits(value, rate))
        _core.add_leaf_values(
            self.leaf_of_row.reshape(-1),
            n_leaves,
            np.concatenate(values),
            self.raw.reshape(-1),
            problem.n_threads,
        )
        self.value += values
        self.grown.append(grown)

    def _leaf_values(
        self,
        grown: dict[str, Any],
        own: slice,
        output: int,
        leaves: Leaves,
        loss: Loss,
        first_order: bool,
    ) -> Floats:
        """Return the best constant of each leaf, within the bounds of constraints."""
        problem = self.problem
        said = loss.leaf_values(
            problem.target, self.raw, output, leaves, n_threads=problem.n_threads
        )
        if said is not None:
            return said if problem.monotone is None else in_order(grown, said, problem.monotone)
        unit = self.weights.unit
        gradient, hessian = grown["sum_gradient"][own], grown["sum_hessian"][own]
        if first_order and self.hessians is not None:
            hessian = _leaf_sums(self.hessians[output], leaves)
        below = hessian * unit + problem.settings["l2_regularization"]
        step = np.divide(-gradient * unit, below, out=np.zeros_like(below), where=below > 0)
        bounded: Floats = np.clip(step, grown["lowest"][own], grown["highest"][own])
        return bounded

    # -- what came of it ------------------------------------------------------------------------

    def first_loss(self) -> Loss:
        """Return the loss that rounds are compared by."""
        return self.problem.loss.for_round(*self._all_rows(), self.raw)

    def loss_of(self, units: Units | None, loss: Loss | None = None) -> float:
        """Return the mean loss of rows that count so much."""
        problem = self.problem
        loss = problem.loss if loss is None else loss
        weights = RowWeights(units, self.weights.unit)
        return loss.value(problem.target, weights, self.raw, n_threads=problem.n_threads)

    def continue_from(self, trees: BoostedArrays) -> None:
        """Begin with the scores that trees of an earlier fit give the rows."""
        problem = self.problem
        self.initial = np.ldexp(trees.initial, -problem.exponent)
        parts = []
        for data in (problem.data, problem.judging):
            if data is not None:
                raw = np.repeat(trees.initial[:, None], data.table.n_rows, axis=1)
                trees.add_to(raw, data.table, problem.n_threads)
                parts.append(raw)
        self.raw = np.ldexp(np.concatenate(parts, axis=1), -problem.exponent)
        self.n_done = trees.n_rounds

    def trees(self, n_rounds: int | None = None) -> BoostedArrays:
        """Return the trees of the first rounds boosted here; None: of all."""
        n_rounds = len(self.grown) if n_rounds is None else n_rounds
        n_outputs = self.problem.loss.n_outputs
        grown, value = self.grown[:n_rounds], self.value[: n_rounds * n_outputs]
        cover = np.concatenate([trees["units"] for trees in grown]) * self.weights.unit
        return self.problem.to_arrays(grown, np.concatenate(value), cover, self.initial)

    def gains(self, n_rounds: int | None = None) -> Floats:
        """Return what the tests of each column gained in the first rounds."""
        problem = self.problem
        total = np.zeros(problem.data.table.n_columns)
        for grown in self.grown[:n_rounds]:
            places = problem.columns.places[grown["feature"]]
            total += np.bincount(places, grown["gain"], len(total))
        return total


def _in_32_bits(value: Floats, rate: float) -> Floats:
    """Return values as predictions add them."""
    with np.errstate(over="ignore"):
        kept = value.astype(np.float32).astype(np.float64)
    if np.isfinite(kept).all():
        return kept
    raise ParameterError(
        f"With learning_rate={rate:g} scores grow without end: each round makes up for more than "
        "was lacking.",
        code="P156",
        values=[rate],
        repair=Repair("model.set_params(learning_rate=0.1)"),
    )


def _leaf_sums(values: npt.NDArray[np.float32], leaves: Leaves) -> Floats:
    """Return the sum of values in each leaf, the same for any order of rows."""
    units = 1 if leaves.units is None else leaves.units
    room = 52 - int(np.max(units)).bit_length() - len(values).bit_length()
    exponent = room - int(np.frexp(np.max(values, initial=np.float32(0)))[1])
    whole = np.rint(np.ldexp(values.astype(np.float64), exponent)) * units
    return np.ldexp(np.bincount(leaves.leaf_of_row, whole, leaves.n_leaves), -exponent)


# -- how many rounds ------------------------------------------------------------------------------


@dataclass
class Judge:
    """Losses on judging rows, round after round, and when to stop.

    Parameters
    ----------
    patience
        So many rounds without a loss that is lower by ``tol`` end it.
    tol
        The least relative progress.
    losses
        The mean loss after each round.
    """

    patience: int
    tol: float
    losses: list[float] = field(default_factory=list)

    def add(self, loss: float) -> None:
        """Take down the loss of one more round."""
        self.losses.append(loss)

    @property
    def best_round(self) -> int:
        """After how many rounds the loss was least (within ``tol``, the first)."""
        losses = np.array(self.losses)
        least = losses.min()
        return int(np.flatnonzero(losses <= least + self.tol * abs(least))[0]) + 1

    @property
    def says_stop(self) -> bool:
        """Whether patience is at an end."""
        n_done = len(self.losses)
        return n_done > self.patience and n_done - self.best_round >= self.patience


def best_number_of_rounds(
    problem: Problem, n_folds: int, judge: Judge, clock: Clock, most: int, tell: Callable[[], None]
) -> int:
    """Return the number of rounds after which folds that take no part have the least loss.

    Parameters
    ----------
    problem
        What is learnt.
    n_folds
        So many folds judge, in step; 1: a tenth of the rows.
    judge, clock, most
        When to stop.
    tell
        Called after each round.
    """
    n_parts = n_folds if n_folds > 1 else 10
    folds = []
    for fold in range(n_folds):
        outside, inside = problem.fold_units(fold, n_parts)
        if outside.any() and inside.any():
            rounds = Rounds(problem, outside)
            loss = rounds.first_loss()
            folds.append((rounds, inside, float(inside.sum()), loss))
    if not folds:
        return 1
    total = sum(weight for _, _, weight, _ in folds)
    while len(judge.losses) < most and not judge.says_stop and not clock.is_over:
        for rounds, _, _, _ in folds:
            rounds.step()
        losses = [rounds.loss_of(inside, loss) * w for rounds, inside, w, loss in folds]
        judge.add(sum(losses) / total)
        tell()
    return judge.best_round if judge.losses else 1
