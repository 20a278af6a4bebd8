"""What both gradient boosting estimators share: fitting, staged answers, attributions, saving."""

import time
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from branchline._base import Complexity, FittedState, Predictor
from branchline._explanation import Explanation, in_order_of_size
from branchline._state import malformed, numbers_from_state
from branchline._trees._codes_in_use import compacted, joined
from branchline._trees._draws import Draws
from branchline._trees._few_rows import are_few_floats, are_plain_numbers
from branchline._validation import Owner, TrainingData, check_seed, count_threads
from branchline.boosting._boosted_arrays import BoostedArrays
from branchline.boosting._boosted_state import pack_boosted, unpack_boosted
from branchline.boosting._gradient_boosting_problem import BoostingProblem, make_problem
from branchline.boosting._gradient_boosting_settings import ADDED, MOST_ROUNDS, BoostingSettings
from branchline.boosting._grown_rounds import EarlierRounds
from branchline.boosting._loss_interface import Loss, Units
from branchline.boosting._number_of_rounds import Clock, StoppingRule, best_number_of_rounds
from branchline.boosting._rounds import Rounds, has_newton_steps
from branchline.boosting._validation_rows import validation_rows
from branchline.errors import ParameterError, Repair
from branchline.table import Schema, Table

__all__ = ["GradientBoosting"]

Floats = npt.NDArray[np.float64]

# How long callbacks wait to hear of rounds.
_SECONDS_A_CALL = 0.1


class GradientBoosting(Predictor):
    """Fitting, prediction, reading and saving of gradient boosting."""

    n_estimators: Any
    loss: Any
    leaf_model: str
    monotonic_cst: Any
    second_order: bool
    early_stopping: bool
    validation_fraction: float
    patience: int
    tol: float
    time_budget: float | None
    warm_start: bool
    random_state: Any
    n_jobs: int | None
    trees_: BoostedArrays
    n_estimators_: int
    feature_importances_: Floats
    validation_loss_: Floats | None
    _takes_floats: bool
    _copies_of_columns_count: ClassVar = True
    _added_parameters: ClassVar = ADDED

    # -- fitting ------------------------------------------------------------------------------

    def _n_steps(self) -> int | None:
        return self.n_estimators if isinstance(self.n_estimators, int) else None

    def _forget(self) -> None:
        """Remove what an earlier fit left; with a warm start, put its trees aside first."""
        trees = self.__dict__.get("trees_")
        if self.warm_start is True and trees is not None:
            gains = self.__dict__.get("_gains")
            self.__dict__["_warm"] = EarlierRounds(trees, self.schema_, gains)
        super()._forget()

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_warm", None)
        return state

    def _validation_data(self, data: TrainingData, eval_set: Any) -> TrainingData | None:
        owner = Owner(type(self).__name__, self._opposite)
        return validation_rows(data, eval_set, owner, self._task)

    def _boost(
        self,
        data: TrainingData,
        draws: Draws,
        loss: Loss,
        validation: TrainingData | None,
        clock: Clock,
    ) -> dict[str, Any]:
        """Return the fitted attributes that both tasks have."""
        self._refuse_loss_without_value(loss, validation)
        self._refuse_linear_leaves(loss)
        warm: EarlierRounds | None = self.__dict__.pop("_warm", None) if self.warm_start else None
        settings = BoostingSettings.from_parameters(self.get_params(deep=False))
        problem = make_problem(
            data,
            draws,
            loss,
            settings,
            seed=check_seed(self.random_state),
            n_threads=count_threads(self.n_jobs, data.n_cells * 8),
            validation=validation,
        )
        stopping: StoppingRule | None = None
        if self.n_estimators == "auto" and validation is None and warm is None:
            stopping = StoppingRule(self.patience, self.tol)
            wanted = best_number_of_rounds(problem, stopping, clock, MOST_ROUNDS, self._tell_rounds)
            rounds = Rounds(problem, problem.units)
            self._run(rounds, wanted, clock, None, None)
        else:
            rounds, stopping = self._run_given(problem, clock, warm)
        return self._fitted(problem, rounds, stopping, warm)

    def _refuse_loss_without_value(self, loss: Loss, validation: TrainingData | None) -> None:
        """Refuse a loss without a value where rounds have to be compared."""
        needs_value = self.early_stopping or self.n_estimators == "auto" or validation is not None
        if loss.has_value or not needs_value:
            return
        raise ParameterError(
            f"The loss {loss.name} has no method value(y, raw), so early stopping has "
            "nothing to measure.",
            code="P150",
            repair=Repair("model.set_params(n_estimators=100, early_stopping=False)"),
        )

    def _refuse_linear_leaves(self, loss: Loss) -> None:
        """Refuse linear leaves beside parameters that they cannot keep."""
        if self.leaf_model == "constant":
            return
        against = {
            "monotonic_cst": self.monotonic_cst is not None,
            "warm_start": self.warm_start,
            "second_order=False": not self.second_order,
            f"loss={loss.name!r}": not has_newton_steps(loss),
        }
        named = [name for name, is_so in against.items() if is_so]
        if named:
            raise ParameterError(
                f'leaf_model="linear" cannot be combined with {named[0]}.',
                code="P557",
                values=["linear"],
                repair=Repair('model.set_params(leaf_model="constant")'),
            )

    def _run_given(
        self, problem: BoostingProblem, clock: Clock, warm: EarlierRounds | None
    ) -> tuple[Rounds, StoppingRule | None]:
        """Boost a given number of rounds, or until validation rows no longer improve."""
        units, inside = problem.units, None
        if problem.validation is not None:
            inside = problem.validation_units
        elif self.early_stopping or self.n_estimators == "auto":
            n_parts = max(2, round(1 / self.validation_fraction))
            outside, held_out = problem.fold_units(0, n_parts)
            if outside.any() and held_out.any():  # else there are too few rows to hold some out
                units, inside = outside, held_out
        rounds = Rounds(problem, units)
        if warm is not None:
            self._continue(rounds, warm)
        stopping = None if inside is None else StoppingRule(self.patience, self.tol)
        most = MOST_ROUNDS if self.n_estimators == "auto" else int(self.n_estimators)
        self._run(rounds, most, clock, stopping, inside)
        return rounds, stopping

    def _run(
        self,
        rounds: Rounds,
        most: int,
        clock: Clock,
        stopping: StoppingRule | None,
        inside: Units | None,
    ) -> None:
        loss = None if stopping is None else rounds.loss_of_next_round()
        begin, n_before = time.monotonic(), rounds.n_done
        # One at a time where something is decided after each.
        all_at_once = stopping is None and clock.budget is None
        while rounds.n_done < most:
            if stopping is not None and inside is not None and loss is not None:
                stopping.add(rounds.run_with_loss(inside, loss))
                self._tell_rounds()
            else:
                many = most - rounds.n_done, _SECONDS_A_CALL
                self._tell_rounds(rounds.run(*(many if all_at_once else (1, 0.0))))
            if clock.is_over(1, rounds.n_done - n_before, begin):
                break
            if stopping is not None and stopping.has_ended:
                break

    def _tell_rounds(self, n_rounds: int = 1) -> None:
        """Let callbacks know of rounds that were made."""
        if getattr(self, "_skl_callbacks", None):
            for _ in range(n_rounds):
                self._tell_round()

    def _tell_round(self) -> None:
        with self._step_of_fit("round"):
            pass

    def _continue(self, rounds: Rounds, warm: EarlierRounds) -> None:
        trees, schema = warm.trees, warm.schema
        problem = rounds.problem
        is_alike = trees.n_outputs == problem.loss.n_outputs and (
            schema.names == problem.data.table.schema.names
        )
        if not is_alike:
            raise ParameterError(
                "A warm start adds rounds to the existing ones, so the columns and classes must be "
                "the same as before.",
                code="P145",
                repair=Repair("model.set_params(warm_start=False)"),
            )
        if self.n_estimators != "auto" and trees.n_rounds > int(self.n_estimators):
            raise ParameterError(
                f"With a warm start n_estimators must be at least the {trees.n_rounds} rounds "
                f"there are already. Got {self.n_estimators!r} instead.",
                code="P143",
                values=[self.n_estimators],
                repair=Repair("model.set_params(warm_start=False)"),
            )
        rounds.continue_from(trees)

    def _fitted(
        self,
        problem: BoostingProblem,
        rounds: Rounds,
        stopping: StoppingRule | None,
        warm: EarlierRounds | None,
    ) -> dict[str, Any]:
        refitted = self.n_estimators == "auto" and problem.validation is None and warm is None
        kept: int | None = None
        if stopping is not None and stopping.losses and not refitted:
            kept = stopping.best_round
        gains = rounds.gains(kept)
        if warm is None:
            trees = rounds.trees(kept)
        else:
            gains = gains + (0 if warm.gains is None else warm.gains)
            trees = _joined(warm.trees, rounds.trees(kept)) if rounds.grown else warm.trees
        total = gains.sum()
        return {
            "trees_": trees.ready(),
            "n_estimators_": trees.n_rounds,
            "feature_importances_": gains / total if total > 0 else np.zeros(len(gains)),
            "validation_loss_": problem.losses_as_given(stopping.losses if stopping else []),
            "_gains": gains,
            "_takes_floats": are_plain_numbers(problem.data.table.schema),
        }

    # -- answers ------------------------------------------------------------------------------

    def _fitted_loss(self) -> Loss:
        """Return the loss that turns scores into answers."""
        raise NotImplementedError

    def _scores(self, X: Any) -> Floats:
        """Return the raw scores: a row for each output."""
        if self.__dict__.get("_takes_floats") and are_few_floats(X, self.n_features_in_):
            few = self.trees_.scores_of_few(X)
            if few is not None:
                return few
        rows = self._check_rows(X)
        n_cells = rows.table.n_rows * self.trees_.n_trees
        return self.trees_.scores(rows.table, count_threads(self.n_jobs, n_cells))

    def _staged_scores(self, X: Any) -> Iterator[Floats]:
        rows = self._check_rows(X)
        n_cells = rows.table.n_rows * self.trees_.n_outputs
        return self.trees_.staged_scores(rows.table, count_threads(self.n_jobs, n_cells))

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the node that each row ends in: a column for each tree."""
        rows = self._check_rows(X)
        return self.trees_.find_leaves(rows.table, count_threads(self.n_jobs, rows.n_cells))

    # -- reading ------------------------------------------------------------------------------

    def attributions(self, X: Any) -> Floats:
        """Return what each column adds to the raw score of each row: exact Shapley values.

        Where a column is left out, a test on it sends a row both ways, by the weights of its
        branches in training (Lundberg et al., 2020).

        Returns
        -------
        numpy.ndarray
            An array of shape (rows, columns + 1). The last column is the base value, equal for all
            rows; each row sums to its raw score. With several outputs (classes, quantiles): (rows,
            outputs, columns + 1).
        """
        rows = self._check_rows(X)
        n_cells = rows.table.n_rows * self.trees_.n_trees * 8
        shares = self.trees_.attributions(rows.table, count_threads(self.n_jobs, n_cells))
        return shares[:, 0] if self.trees_.n_outputs == 1 else shares

    def _explain(self, row: Table) -> Explanation:
        """Explain the raw score by its attributions."""
        prediction = self.predict(row)[0]
        output, about = self._explained(prediction)
        shares = self.trees_.attributions(row, 1)[0, output]
        sign = -1.0 if self._is_mirrored(prediction) else 1.0
        amounts, base = sign * shares[:-1], sign * float(shares[-1])
        shown = prediction if self._task == "classification" else float(np.ravel(prediction)[0])
        total = base + float(amounts.sum())
        return Explanation(shown, about, base, total, in_order_of_size(row, amounts), is_sum=True)

    def _explained(self, prediction: Any) -> tuple[int, str]:
        """Return which output is explained, and what it is called."""
        raise NotImplementedError

    def _is_mirrored(self, prediction: Any) -> bool:
        """Whether the prediction is the class that a negative score speaks for."""
        del prediction
        return False

    def get_depth(self) -> int:
        """Return the depth of the deepest tree."""
        self._check_fitted()
        return int(self.trees_.depths().max())

    def _complexity(self) -> Complexity:
        return Complexity(int(self.trees_.n_leaves.sum()), "leaves")

    # -- saving -------------------------------------------------------------------------------

    def _pack_common(self) -> dict[str, Any]:
        losses = self.validation_loss_
        return {
            **pack_boosted(self.trees_),
            "importances": self.feature_importances_,
            "validation_loss": np.zeros(0) if losses is None else losses,
        }

    def _unpack_common(self, state: FittedState, schema: Schema, n_outputs: int) -> dict[str, Any]:
        trees = unpack_boosted(state, schema, n_outputs)
        shares = numbers_from_state(state, "importances", length=len(schema), low=0.0)
        if shares.sum() > 0 and abs(shares.sum() - 1) > 1e-6:
            raise malformed("importances do not sum to 1")
        n_losses = np.size(state.get("validation_loss", []))
        losses = numbers_from_state(state, "validation_loss", length=n_losses)
        return {
            "trees_": trees,
            "n_estimators_": trees.n_rounds,
            "feature_importances_": shares,
            "validation_loss_": losses if len(losses) else None,
            "_takes_floats": are_plain_numbers(schema),
        }


def _joined(first: BoostedArrays, second: BoostedArrays) -> BoostedArrays:
    exponent = max(first.exponent, second.exponent)
    return compacted(joined(first.in_units_of(exponent), second.in_units_of(exponent)))
