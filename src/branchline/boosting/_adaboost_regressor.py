"""AdaBoost.R2: boosting for numbers by weights of rows, and a weighted median.

With rows of weight D (sum 1) and members f_1, f_2, …:

1. f_t is fitted on rows of weight D. Its loss on row i is L_i = |y_i − f_t(x_i)| / the largest of
   these ("linear"), the square of that ("square"), or 1 − e^(−L_i) ("exponential").
2. L = Σ D L_i, β = L / (1 − L), and the member counts ln(1 / β), times the learning rate ν.
3. D ← D · β^(ν (1 − L_i)), divided by the sum: rows that are predicted well count less.
4. The prediction is the median over members by how much they count.

H. Drucker, Improving regressors using boosting techniques, 1997. He drew rows by D; here learners
that take weights get them as weights.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from branchline._arrays import Floats
from branchline._base import FittedState, Regressor, reports_progress
from branchline._encoding._encoded import power_of_two_scale
from branchline._exact_sum import exact_sum
from branchline._state import numbers_from_state
from branchline._validation import OneOf, count_threads
from branchline.boosting._sequence import PARAMETERS, Sequence
from branchline.boosting._sequence_rounds import RoundWeights
from branchline.boosting._sequence_rows import SequenceRows, sequence_rows
from branchline.table import Schema, Table
from branchline.tree import DecisionTreeRegressor

__all__ = ["AdaBoostRegressor"]

# A mean loss this near to one half leaves nothing to gain.
_NO_EDGE = 1e-9

_LOSSES: dict[str, Callable[[Floats], Floats]] = {
    "linear": lambda share: share,
    "square": np.square,
    "exponential": lambda share: -np.expm1(-share),
}


class AdaBoostRegressor(Sequence, Regressor):
    """AdaBoost.R2, for numbers (Drucker, 1997).

    A regressor is fitted again and again. After each round, rows with large errors get more weight.
    The prediction is the weighted median of the members.

    Outliers get ever more weight, so they hurt it; ``GradientBoostingRegressor`` is more accurate
    on most tables.

    Parameters
    ----------
    estimator
        The learner that is fitted in each round: the name of a learner
        (``branchline.catalog.names()``), an estimator, or None (default): a tree of depth
        ``max_depth``. Learners that take ``sample_weight`` get the weights of the round. For
        others, rows are drawn by these weights; the draw depends on the content of rows,
        ``random_state`` and the round.
    n_estimators
        Maximum number of members. Default 50.
    learning_rate
        Factor for the weight of each member, at most 1. Smaller values need more members. Default
        1.
    loss
        How the loss of a row follows from its error, as a share of the largest error: "linear"
        (default), "square" or "exponential".
    max_depth
        Maximum depth of the default trees. Default 5.
    max_bins
        Maximum number of different values of a column that the default trees use. Default 255.
        None: all.
    warm_start
        Whether another ``fit`` on the same rows adds members to the existing ones. Default False.
    random_state
        Seed of the draws for learners that take no weights. Members do not get it. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    estimators_
        The fitted members. Boosting ends before ``n_estimators`` when the mean loss of a member is
        one half or more (it is left out, unless it is the first), and when a member makes no error.
    estimator_weights_
        The weight of each member: ln(1 / β), times the learning rate. A member without errors gets
        more than all members before it together, so it alone decides.
    estimator_errors_
        The mean loss of each member, by the weights of its round.
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
    >>> from branchline.boosting import AdaBoostRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = AdaBoostRegressor().fit(X, y)
    >>> model.score(X, y) > 0.85
    True
    """

    _opposite = "branchline.boosting.AdaBoostClassifier"
    _noted = "estimator_errors_"
    _constraints: ClassVar = {**PARAMETERS, "loss": OneOf(tuple(_LOSSES))}
    estimator_errors_: Floats

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: str = "linear",
        max_depth: int | None = 5,
        max_bins: int | None = 255,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.max_depth = max_depth
        self.max_bins = max_bins
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit member after member, each on the weights that those before it leave."""
        data = self._begin(X, y, sample_weight)
        rows = sequence_rows(data, count_threads(self.n_jobs, data.n_cells))
        values = rows.data.number_target.values
        center = float(values.min() / 2 + values.max() / 2)
        largest = float(np.abs(values - center).max())
        rounds = _Medians(rows, self.loss, self.learning_rate)
        fitted = self._run(rounds, rows, self._grower(rows, {}, center=center, largest=largest))
        return self._finish(
            data,
            estimator_weights_=np.array(rounds.amounts),
            estimator_errors_=rounds.estimator_errors_,
            **fitted,
        )

    def predict(self, X: Any) -> Floats:
        """Return the weighted median of what members predict."""
        self._check_fitted()
        return self._in_blocks(X, self._median)

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield the predictions after each round."""
        predicted = self._all_predictions(self._check_rows(X).table)
        for n_members in range(1, predicted.shape[1] + 1):
            yield _weighted_median(predicted[:, :n_members], self.estimator_weights_[:n_members])

    def _median(self, table: Table) -> Floats:
        return _weighted_median(self._all_predictions(table), self.estimator_weights_)

    def _all_predictions(self, table: Table) -> Floats:
        return np.ascontiguousarray(self._all_outputs(table).T)

    def _as_tree(self, number: int) -> DecisionTreeRegressor:
        """Return one of our own trees as an estimator."""
        tree: DecisionTreeRegressor = self._made_tree(DecisionTreeRegressor, number, n_outputs_=1)
        return tree

    def _pack(self) -> FittedState:
        return {**self._pack_members(), "member_errors": self.estimator_errors_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = self._unpack_members(state, schema, None)
        length = fitted["sequence_"].n_members
        errors = numbers_from_state(state, "member_errors", length=length, low=0.0, high=1.0 + 1e-9)
        return {**fitted, "estimator_errors_": errors}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self.max_depth == 1
        return tags


def _weighted_median(predicted: Floats, weights: Floats) -> Floats:
    """Return for each row the least number that half of the weight does not exceed."""
    order = np.argsort(predicted, axis=1, kind="stable")
    reached = np.cumsum(weights[order], axis=1)
    place = np.argmax(reached >= 0.5 * reached[:, -1:], axis=1)
    every = np.arange(len(predicted))
    median: Floats = predicted[every, order[every, place]]
    return median


class _Medians:
    """The rounds of AdaBoost.R2: weights of rows, amounts of members, their mean losses."""

    def __init__(self, rows: SequenceRows, loss: str, learning_rate: float) -> None:
        self.values: Floats = rows.data.number_target.values
        self.loss, self.learning_rate, self.total = _LOSSES[loss], learning_rate, rows.total
        self._weights = RoundWeights(rows)
        self.amounts: list[float] = []
        self.errors: list[float] = []
        self.is_over = False

    @property
    def estimator_errors_(self) -> Floats:
        return np.array(self.errors)

    @property
    def weight(self) -> Floats:
        """What each row counts, as many rows together as there are."""
        return self._weights.of_rows

    def take(self, predicted: npt.NDArray[Any], amount: float | None = None) -> bool:
        """Count a member; False when its mean loss is one half or more, and it is not the first."""
        losses = self._losses(predicted)
        error = exact_sum(self._weights.distribution * losses)
        is_poor = error >= 0.5 - _NO_EDGE
        if amount is None:
            if is_poor and self.amounts:
                return False
            amount = self._amount(error, is_poor)
        self.is_over = is_poor or not losses.any()
        self._weights.multiply_exp(-amount * (1 - losses))
        self.amounts.append(amount)
        self.errors.append(error)
        return True

    def _losses(self, predicted: Floats) -> Floats:
        """Return the loss of each row, from 0 to 1."""
        exponent = 1 + max(power_of_two_scale(self.values), power_of_two_scale(predicted))
        off = np.abs(np.ldexp(self.values, -exponent) - np.ldexp(predicted, -exponent))
        largest = off.max()
        return self.loss(off / largest) if largest > 0 else off

    def _amount(self, error: float, is_poor: bool) -> float:
        """Return how much a member counts."""
        half_a_row = 0.5 / self.total
        if error == 0:  # more than all others together
            return sum(self.amounts) + _log_odds(min(half_a_row, 0.25))
        if is_poor:  # the only one: how much it counts does not matter
            return _log_odds(0.25)
        return self.learning_rate * _log_odds(error)


def _log_odds(error: float) -> float:
    return math.log((1 - error) / error)
