"""The rounds of gradient boosting.

1. Begin with the constant scores of least loss.
2. Each round: gradients of the loss by the scores; for each output a tree that follows them
   (``native/include/branchline/boosting.hpp``); the value of each leaf is a Newton step, or what
   the loss prescribes (medians, quantiles); a share of it, the learning rate, is added to the
   scores.
3. Rows that take no part in learning are sent down the trees, too, so that their loss can be
   measured after each round.
4. *Several models at once* (the folds of ``_number_of_rounds``) stand side by side: the scores of
   a model follow those of the model before it, and one call grows the trees of all of them.

J. H. Friedman, Greedy function approximation, 2001; T. Chen and C. Guestrin, XGBoost, 2016.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._part_rounds import RoundMaker, RoundWork, current_round_engine
from branchline._row_keys import scramble_one
from branchline._trees._codes_in_use import compacted
from branchline._validation import RowWeights
from branchline.boosting._boosted_arrays import BoostedArrays
from branchline.boosting._gradient_boosting_problem import BoostingProblem
from branchline.boosting._grown_rounds import GrownRounds, covering, gains_of_rounds
from branchline.boosting._leaf_steps import in_32_bits, leaf_sums, one_tree, without_end
from branchline.boosting._loss_interface import Leaves, Loss, NativeLoss, Units, flat
from branchline.boosting._monotone import in_order
from branchline.boosting._round_work import work_of

__all__ = ["Rounds", "has_newton_steps"]

Floats = npt.NDArray[np.float64]


def has_newton_steps(loss: Loss) -> bool:
    """Whether the compiled core gives leaves their values, by a loss that all rounds share."""
    return (
        isinstance(loss, NativeLoss)
        and type(loss).leaf_values is Loss.leaf_values
        and type(loss).for_round is Loss.for_round
    )


class Rounds:
    """One model, or several side by side, while they are boosted.

    Parameters
    ----------
    problem
        What is learned.
    units
        What each row counts in learning; None: once; 0: the row is ignored. Several models: a row
        of units for each.
    keeps_trees
        False: only the scores are wanted.
    """

    def __init__(
        self, problem: BoostingProblem, units: Units | None, *, keeps_trees: bool = True
    ) -> None:
        self.problem = problem
        self.n_models = 1 if units is None or units.ndim == 1 else len(units)
        self.target = (
            problem.target if self.n_models == 1 else np.tile(problem.target, self.n_models)
        )
        self.units = None if units is None else units.reshape(-1)
        self.weights = RowWeights(self.units, problem.draws.unit)
        draws = problem.settings.subsample < 1
        self.copies = [problem.copies_in(own) for own in self._each_model(units)] if draws else None
        self.initial = np.stack([self._initial(own) for own in self._each_model(units)], axis=1)
        self.raw = np.repeat(self.initial, problem.n_rows, axis=1)
        self.gradients = np.empty(self.raw.shape, np.float32)
        self.hessians = None if self._ignores_hessians() else np.empty_like(self.gradients)
        self.leaf_of_row = np.empty(self.raw.shape, np.uint32)
        self.keeps_trees = keeps_trees
        self.grown: list[GrownRounds] = []
        self.n_done = 0
        self._maker: RoundMaker | None = None
        self._n_in_raw = 0  # the rounds whose values the scores have

    def _each_model(self, units: Units | None) -> list[Units | None]:
        return [units] if units is None or units.ndim == 1 else list(units)

    def _initial(self, units: Units | None) -> Floats:
        """Return the constant scores of least loss on the rows that a model learns from."""
        target, unit = self.problem.target, self.weights.unit
        if units is None or (units > 0).all():
            return self.problem.loss.initial(target, RowWeights(units, unit))
        keep = units > 0
        return self.problem.loss.initial(target[keep], RowWeights(units[keep], unit))

    def _ignores_hessians(self) -> bool:
        return self.problem.loss.constant_hessian

    # -- a round ------------------------------------------------------------------------------

    def run(self, most: int, seconds: float) -> int:
        """Boost up to that many rounds, none of them begun after the seconds; return how many.

        Where the compiled core can make rounds by itself it makes them in one call: on a small
        table calls take longer than trees.
        """
        if not self._has_native_rounds() and current_round_engine() is None:
            self.step()
            return 1
        grown = self._native_run(most, seconds, None)
        n_rounds = int(grown["n_rounds"])
        terms = None if self.problem.linear is None else grown["terms"]
        self.grown.append(GrownRounds(grown, grown["value"], n_rounds, terms))
        return n_rounds

    def run_measured(self, most: int, seconds: float, validation: Units, loss: Loss) -> list[float]:
        """Boost likewise, without keeping trees; return the validation loss after each round."""
        if not self._has_native_rounds() and current_round_engine() is None:
            self.step()
            return [self.loss_of(validation, loss)]
        losses: list[float] = self._native_run(most, seconds, validation)[
            "validation_loss"
        ].tolist()
        return losses

    def run_with_loss(self, validation: Units, loss: Loss) -> float:
        """Boost a round; return the validation loss after it.

        Where other processes make rounds, they sum the loss: scores of all rows would be far more.
        """
        if current_round_engine() is None:
            self.run(1, 0.0)
            return self.loss_of(validation, loss)
        grown = self._native_run(1, 0.0, validation)
        self.grown.append(GrownRounds(grown, grown["value"], 1))
        return float(grown["validation_loss"][0])

    def _native_run(self, most: int, seconds: float, validation: Units | None) -> dict[str, Any]:
        if (engine := current_round_engine()) is not None:
            return self._made_round(engine, validation)
        problem = self.problem
        run = _core.BoostingRun()
        run.learning_rate = problem.settings.learning_rate
        run.slope_l2 = problem.settings.slope_l2
        run.seed, run.first_round = problem.seed, self.n_done
        run.n_rounds, run.seconds = most, seconds
        run.keeps_trees = self.keeps_trees
        rule = cast("NativeLoss", problem.loss).rule
        plan = _core.BoostingPlan(problem.constraints, problem.options, run)
        rows = self._native_rows(validation)
        try:
            grown = _core.boost_rounds(problem.booster, rule, rows, plan, flat(self.raw))
        except OverflowError:
            raise without_end(run.learning_rate) from None
        self.n_done += int(grown["n_rounds"])
        return grown

    def _made_round(
        self, engine: Callable[[RoundWork], RoundMaker], validation: Units | None
    ) -> dict[str, Any]:
        """Return a round that other processes make."""
        if self._maker is None:
            self._maker = engine(work_of(self, self._has_native_rounds()))
            self._n_in_raw = self.n_done
        try:
            grown = self._maker.run(self.n_done, validation)
        except OverflowError:
            raise without_end(self.problem.settings.learning_rate) from None
        self.n_done += 1
        return grown

    def _take_scores(self) -> None:
        """Take the scores of rounds that other processes have made."""
        if self._maker is not None and self._n_in_raw < self.n_done:
            self.raw = self._maker.scores().reshape(self.raw.shape)
            self._n_in_raw = self.n_done

    def _has_native_rounds(self) -> bool:
        """Whether leaves take Newton steps of a loss that is the same in every round."""
        return has_newton_steps(self.problem.loss) and self.problem.settings.second_order

    def _native_rows(self, validation: Units | None) -> _core.BoostingRows:
        has_classes = self.problem.loss.has_classes
        numbers, classes = (None, self.target) if has_classes else (self.target, None)
        linear = None if self.problem.linear is None else self.problem.linear.native
        if self.copies is None:
            return _core.BoostingRows(numbers, classes, self.units, None, validation, linear)
        copies, first_copy, each = self.copies[0]
        if self.n_models > 1:
            parts = (np.concatenate(of_models) for of_models in zip(*self.copies, strict=True))
            copies, first_copy, each = parts
        bag = self.problem.bag(copies, first_copy)
        return _core.BoostingRows(numbers, classes, each, bag, validation, linear)

    def step(self) -> None:
        """Boost one round."""
        problem = self.problem
        loss = self.loss_of_next_round()
        n_threads = problem.n_threads
        loss.gradients(self.target, self.raw, self.gradients, self.hessians, n_threads=n_threads)
        units = self._drawn()
        first_order = not problem.settings.second_order
        options = problem.options
        options.seed = scramble_one(problem.seed + 2 * self.n_done)
        grown = problem.booster.grow(
            self.gradients.reshape(-1),
            None if first_order or self.hessians is None else self.hessians.reshape(-1),
            self._of_each_output(units),
            problem.constraints,
            options,
            self.leaf_of_row.reshape(-1),
        )
        self._add(grown, self._steps(grown, loss, units, first_order))
        self.n_done += 1

    def _drawn(self) -> Units | None:
        """Return what rows count in this round."""
        if self.copies is None:
            return self.units
        drawn = [self.problem.drawn(*copies, self.n_done) for copies in self.copies]
        return drawn[0] if len(drawn) == 1 else np.concatenate(drawn)

    def _of_each_output(self, units: Units | None) -> Units | None:
        """Return units for each gradient where models differ; for each row where there is one."""
        n_outputs = self.problem.loss.n_outputs
        return units if units is None or self.n_models == 1 else np.tile(units, n_outputs)

    def _add(self, grown: dict[str, Any], steps: Floats) -> None:
        """Add a share of the steps to the scores, and remember the trees."""
        problem, rate = self.problem, self.problem.settings.learning_rate
        value = in_32_bits(rate * steps, rate)
        _core.add_leaf_values(
            self.leaf_of_row.reshape(-1),
            (grown["n_nodes"] + 1) // 2,
            value,
            self.raw.reshape(-1),
            problem.n_threads,
        )
        if self.keeps_trees:
            self.grown.append(GrownRounds(grown, value, 1))

    # -- the values of leaves -------------------------------------------------------------------

    def _steps(
        self, grown: dict[str, Any], loss: Loss, units: Units | None, first_order: bool
    ) -> Floats:
        """Return the best constant of each leaf, within the bounds of constraints."""
        hessian = grown["sum_hessian"]
        if type(loss).leaf_values is not Loss.leaf_values or first_order:
            leaves = self._leaves(grown, units)
            own = [self._values_of_loss(loss, tree, here) for tree, here in enumerate(leaves)]
            of_loss = [values for values in own if values is not None]
            if of_loss:
                return np.concatenate(self._directed(grown, of_loss))
            if first_order and self.hessians is not None:
                of_tree = self.hessians.reshape(len(leaves), -1)
                sums = [leaf_sums(own, here) for own, here in zip(of_tree, leaves, strict=True)]
                hessian = np.concatenate(sums)
        return self._newton_steps(grown, hessian)

    def _newton_steps(self, grown: dict[str, Any], hessian: Floats) -> Floats:
        unit, l2 = self.weights.unit, self.problem.settings.l2_regularization
        downhill, below = -grown["sum_gradient"] * unit, hessian * unit + l2
        steps: Floats
        if l2 > 0:
            steps = downhill / below
        else:
            steps = np.divide(downhill, below, out=np.zeros_like(below), where=below > 0)
        if self.problem.monotone is None:
            return steps
        return np.clip(steps, grown["lowest"], grown["highest"])

    def _directed(self, grown: dict[str, Any], values: list[Floats]) -> list[Floats]:
        """Return the values of each tree's leaves, in the directions of constrained columns."""
        monotone = self.problem.monotone
        if monotone is None:
            return values
        trees = enumerate(values)
        return [in_order(one_tree(grown, tree), own, monotone) for tree, own in trees]

    def _leaves(self, grown: dict[str, Any], units: Units | None) -> list[Leaves]:
        """Return the leaves of each tree: those of all models for an output, then for the next."""
        n_leaves = ((grown["n_nodes"] + 1) // 2).tolist()
        of_tree = self.leaf_of_row.reshape(len(n_leaves), -1)
        own = None if units is None else units.reshape(self.n_models, -1)
        return [
            Leaves(of_tree[tree], n, None if own is None else own[tree % self.n_models])
            for tree, n in enumerate(n_leaves)
        ]

    def _values_of_loss(self, loss: Loss, tree: int, leaves: Leaves) -> Floats | None:
        """Return what the loss itself gives the leaves of a tree; None: a Newton step."""
        output, model = divmod(tree, self.n_models)
        n_rows = self.problem.n_rows
        raw = self.raw[:, model * n_rows : (model + 1) * n_rows]
        return loss.leaf_values(
            self.problem.target, raw, output, leaves, n_threads=self.problem.n_threads
        )

    # -- what came of it ------------------------------------------------------------------------

    def loss_of_next_round(self) -> Loss:
        """Return the loss that the next round lowers; where rounds are compared: of the first."""
        return self.problem.loss.for_round(self.target, self.weights, self.raw)

    def loss_of(self, units: Units | None, loss: Loss | None = None) -> float:
        """Return the mean loss of rows with these weights."""
        problem = self.problem
        self._take_scores()
        loss = problem.loss if loss is None else loss
        weights = RowWeights(units, self.weights.unit)
        return loss.value(self.target, weights, self.raw, n_threads=problem.n_threads)

    def continue_from(self, trees: BoostedArrays) -> None:
        """Begin with the scores that trees of an earlier fit give the rows."""
        problem = self.problem
        self.initial = np.ldexp(trees.initial, -problem.exponent)[:, None]
        parts = []
        for data in (problem.data, problem.validation):
            if data is not None:
                raw = np.repeat(trees.initial[:, None], data.table.n_rows, axis=1)
                trees.add_to(raw, data.table, problem.n_threads)
                parts.append(raw)
        self.raw = np.ldexp(np.concatenate(parts, axis=1), -problem.exponent)
        self.n_done = trees.n_rounds

    def trees(self, n_rounds: int | None = None) -> BoostedArrays:
        """Return the trees of the first rounds boosted here; None: of all."""
        grown = covering(self.grown, n_rounds)
        value = np.concatenate([some.value for some in grown])
        cover = np.concatenate([some.trees["units"] for some in grown]) * self.weights.unit
        trees = [some.trees for some in grown]
        made = self.problem.to_arrays(trees, value, cover, self.initial[:, 0])
        if self.problem.linear is not None:
            fitted = [some.terms for some in grown if some.terms is not None]
            made = replace(made, terms=self.problem.linear.terms(fitted))
        if n_rounds is None or made.n_rounds <= n_rounds:
            return made
        return compacted(made.first(n_rounds * made.n_outputs))

    def gains(self, n_rounds: int | None = None) -> Floats:
        """Return what the tests of each column gained in the first rounds; None: in all."""
        total = np.zeros(self.problem.data.table.n_columns)
        places, n_outputs = self.problem.columns.places, self.problem.loss.n_outputs
        each = (
            of_round
            for some in self.grown
            for of_round in gains_of_rounds(some.trees, places, n_outputs, len(total))
        )
        for of_round in islice(each, n_rounds):
            total += of_round
        return total
