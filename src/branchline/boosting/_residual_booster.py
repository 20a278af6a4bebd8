"""Residual fitting: each member learns what those before it leave unexplained.

1. The model begins as the mean of y: F_0.
2. The residuals r_i = y_i − F(x_i) are worked out anew, a member f_t is fitted on them, and
   F ← F + ν f_t, with ν the learning rate.
3. It ends after ``n_estimators`` rounds, when a member no longer changes the squared error, or
   (with rows held out) when their squared error has not fallen for some rounds; the best is kept.

A learner that has a constant of its own (all of ours) fitted on y or on y less its mean is the same
model, so without shrinkage the first member is the learner fitted on y.
"""

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import FittedState, Regressor, reports_progress
from branchline._encoding._encoded import power_of_two_scale
from branchline._exact_sum import exact_sum
from branchline._explanation import Explanation, in_order_of_size
from branchline._state import number_from_state, numbers_from_state
from branchline._validation import AnyOf, OneOf, Real, Whole, check_seed, count_threads
from branchline.boosting._sequence import PARAMETERS, Sequence
from branchline.boosting._sequence_rows import SequenceRows, sequence_rows
from branchline.boosting._sequence_trees import TreeMembers
from branchline.table import Schema, Table
from branchline.tree import DecisionTreeRegressor

__all__ = ["ResidualBooster"]

# A member that changes the squared error by less than this share of it changes nothing.
_NO_CHANGE = 1e-12
# Squares of very large numbers are beyond all floats.
_MOST_LOSS = 1e300
_MOST = float(np.finfo(np.float64).max)


class ResidualBooster(Sequence, Regressor):
    """Regressors in sequence, each fitted on the residuals of those before it.

    Use it to boost a regressor of your choice for squared error. The prediction is the mean of y
    plus what all members add.

    For trees, ``GradientBoostingRegressor`` is faster, more accurate and knows other losses.

    Parameters
    ----------
    estimator
        The learner that is fitted in each round: the name of a learner
        (``branchline.catalog.names()``), an estimator, or None (default): a tree of
        ``max_leaf_nodes`` leaves.
    n_estimators
        Maximum number of members. Default 50.
    learning_rate
        Factor for each member, at most 1. Smaller steps need more members and usually give a better
        model. Default 1.
    max_leaf_nodes
        Maximum number of leaves of the default trees; the leaf whose test gains most is split
        first. Default 2: stumps.
    max_depth
        Maximum depth of the default trees. Default None: any depth.
    min_samples_leaf
        Minimum number of rows in a branch of the default trees, counted by weight. Default 1.
    max_bins
        Maximum number of different values of a column that the default trees use. Default 255.
        None: all.
    validation_fraction
        The share of rows held out for early stopping. Default None: none; all rounds are run.
    patience
        Stop when the loss on the validation rows has not fallen for this number of rounds. Default
        10.
    tol
        The smallest fall of that loss that counts, as a share of it. Default 0.
    warm_start
        Whether another ``fit`` on the same rows adds members to the existing ones. Default False.
    random_state
        Seed for choosing the validation rows. Members do not get it. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    estimators_
        The fitted members.
    estimator_weights_
        The factor of each member: the learning rate.
    start_
        The first prediction, before any member: the mean of y.
    train_loss_
        The mean squared error on the training rows after each member.
    validation_loss_
        The mean squared error on the validation rows after each member; None without such rows.
    feature_importances_
        The importances of the members, averaged by their weights.
    sequence_
        The members in the form in which they are saved.

    See Also
    --------
    GradientBoostingRegressor

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.boosting import ResidualBooster
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = ResidualBooster(learning_rate=0.3).fit(X, y)
    >>> model.score(X, y) > 0.85
    True
    """

    _opposite = "branchline.boosting.AdaBoostClassifier"
    _noted = "train_loss_"
    _weights_vary = False
    _constraints: ClassVar = {
        **PARAMETERS,
        "max_leaf_nodes": AnyOf((OneOf((None,)), Whole(2))),
        "min_samples_leaf": Whole(1),
        "validation_fraction": AnyOf((OneOf((None,)), Real(0.0, 0.9, low_open=True))),
        "patience": Whole(1),
        "tol": Real(0.0, 1.0),
    }
    start_: float
    train_loss_: Floats
    validation_loss_: Floats | None

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        max_leaf_nodes: int | None = 2,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        max_bins: int | None = 255,
        validation_fraction: float | None = None,
        patience: int = 10,
        tol: float = 0.0,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_bins = max_bins
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit member after member, each on the residuals of those before it."""
        data = self._begin(X, y, sample_weight)
        rows = sequence_rows(data, count_threads(self.n_jobs, data.n_cells))
        if self.validation_fraction is not None:
            rows = rows.without(self.validation_fraction, check_seed(self.random_state))
        rounds = _Residuals(rows, self.learning_rate, self.patience, self.tol)
        names = ("max_leaf_nodes", "min_samples_leaf")
        settings = {name: getattr(self, name) for name in names}
        fitted = self._run(rounds, rows, self._grower(rows, settings, largest=rounds.largest))
        best = rounds.n_best
        members = fitted.pop("sequence_")
        return self._finish(
            data,
            sequence_=members if best == members.n_members else members.first(best),
            estimator_weights_=np.array(rounds.amounts[:best]),
            start_=rounds.start,
            train_loss_=rounds.train_loss_[:best],
            validation_loss_=rounds.validation_loss(best),
            **fitted,
        )

    def predict(self, X: Any) -> Floats:
        """Return the mean of y plus what all members add."""
        self._check_fitted()
        return self._in_blocks(X, self._sum)

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield the predictions after each round."""
        for total in self._running_sum(self._check_rows(X).table):
            yield total.copy()

    def _sum(self, table: Table) -> Floats:
        n_members = len(self.estimator_weights_)
        terms = np.empty((n_members + 1, table.n_rows))
        terms[0] = self.start_
        if n_members:
            np.multiply(self._all_outputs(table), self.estimator_weights_[:, None], out=terms[1:])
        # Member by member, as ``_running_sum`` adds them: never by pairs.
        return np.asarray(np.add.accumulate(terms, axis=0)[-1])

    def _running_sum(self, table: Table) -> Iterator[Floats]:
        """Yield the sum after each member; the array is used again."""
        total = np.full(table.n_rows, self.start_)
        weights = self.estimator_weights_.tolist()
        for weight, predicted in zip(weights, self._outputs(table), strict=True):
            total += weight * predicted
            yield total

    def _as_tree(self, number: int) -> DecisionTreeRegressor:
        """Return one of our own trees as an estimator."""
        tree: DecisionTreeRegressor = self._made_tree(DecisionTreeRegressor, number, n_outputs_=1)
        return tree

    def _explain(self, row: Table) -> Explanation:
        """Explain by the paths: what each test on them changes is its column's share."""
        if not isinstance(self.sequence_, TreeMembers):
            return super()._explain(row)
        base, shares = self.sequence_.path_shares(row, 0, self.estimator_weights_)
        base += self.start_
        parts, total = in_order_of_size(row, shares), base + float(shares.sum())
        prediction = float(self._sum(row)[0])
        return Explanation(prediction, "predicted number", base, total, parts, is_sum=True)

    def _pack(self) -> FittedState:
        return {
            **self._pack_members(),
            "start": self.start_,
            "train_loss": self.train_loss_,
            "validation_loss": self.validation_loss_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = self._unpack_members(state, schema, None)
        length, held = fitted["sequence_"].n_members, None
        if state.get("validation_loss") is not None:
            held = numbers_from_state(state, "validation_loss", length=length, low=0.0)
        return {
            **fitted,
            "start_": number_from_state(state, "start"),
            "train_loss_": numbers_from_state(state, "train_loss", length=length, low=0.0),
            "validation_loss_": held,
        }


class _Residuals:
    """The rounds of residual fitting: what is left of y, and how large it is."""

    def __init__(self, rows: SequenceRows, learning_rate: float, patience: int, tol: float) -> None:
        self.target: Floats = rows.data.number_target.values
        self.weight, self.held = rows.weight, rows.held
        self.learning_rate, self.patience, self.tol = learning_rate, patience, tol
        share = rows.weight / rows.total
        exponent = power_of_two_scale(self.target)
        self.start = math.ldexp(exact_sum(share * np.ldexp(self.target, -exponent)), exponent)
        self.model = np.full(rows.n_rows, self.start)
        self.loss = self._loss(rows.weight)
        self.amounts: list[float] = []
        self.train_losses: list[float] = []
        self.held_losses: list[float] = []
        self.is_over = self._is_done()

    @property
    def values(self) -> Floats:
        """The residuals."""
        with np.errstate(over="ignore"):
            residuals: Floats = np.clip(self.target - self.model, -_MOST, _MOST)
        return residuals

    @property
    def largest(self) -> float:
        """The largest residual."""
        return float(np.abs(self.values).max())

    @property
    def train_loss_(self) -> Floats:
        return np.array(self.train_losses)

    def validation_loss(self, n_members: int) -> Floats | None:
        """Return the losses of the rows held out; None without such rows."""
        return None if self.held is None else np.array(self.held_losses[:n_members])

    @property
    def n_best(self) -> int:
        """How many members to keep: all, or those for which held-out rows have the least loss."""
        if self.held is None:
            return len(self.amounts)
        return int(np.argmin(self.held_losses)) + 1

    def take(self, predicted: npt.NDArray[Any], amount: float | None = None) -> bool:
        """Count a member; False when it changes nothing, and is not the first."""
        amount = self.learning_rate if amount is None else amount
        before, model = self.loss, self.model
        self.model = model + amount * predicted
        self.loss = self._loss(self.weight)
        if self.amounts and abs(before - self.loss) <= _NO_CHANGE * before:
            self.model, self.loss = model, before
            return False
        self.amounts.append(amount)
        self.train_losses.append(self.loss)
        if self.held is not None:
            self.held_losses.append(self._loss(self.held))
        self.is_over = self._is_done()
        return True

    def _loss(self, weight: Floats) -> float:
        """Return the mean squared residual by some weights."""
        residuals = self.values
        exponent = power_of_two_scale(residuals)
        share = weight / exact_sum(weight)
        mean = exact_sum(share * np.square(np.ldexp(residuals, -exponent)))
        with np.errstate(over="ignore", under="ignore"):
            return min(float(np.ldexp(mean, 2 * exponent)), _MOST_LOSS)

    def _is_done(self) -> bool:
        """Return whether nothing is left, or held-out rows have long not improved."""
        if self.amounts and self.loss == 0:
            return True
        if len(self.held_losses) <= self.patience:
            return False
        earlier = min(self.held_losses[: -self.patience])
        return min(self.held_losses[-self.patience :]) >= earlier * (1 - self.tol)
