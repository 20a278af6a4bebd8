"""The error of a learner taken apart: what it cannot express, what it owes to its sample, noise.

For squared error, averaged over learning sets L and over new cases (x, y), y = f(x) + noise,

    E (y − ŷ_L(x))² = noise + bias² + variance,
    bias² = (E_L ŷ − f)², variance = E_L (ŷ_L − E_L ŷ)².

With S learning sets, at each x, let m be the mean prediction and V = Σ (ŷ_s − m)² / (S − 1).

1. By simulation: f and the noise are known, learning sets are drawn anew. V estimates the variance
   and (m − f)² − V/S the bias² without bias; their sum is exactly the mean of (ŷ_s − f)².
2. By bootstrap: each learning set is drawn from the rows at hand, and tested on the rows it has
   left out. (y − m)² − V/S estimates bias² + noise together: without f they cannot be separated.

The split adds up for squared error only.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_regressor

from branchline._plain_numbers import number
from branchline._validation import Whole, check_parameters, check_seed
from branchline._warn import warn
from branchline.assess._keywords import checked_keywords
from branchline.assess.comparing._problem import checked_problem
from branchline.assess.theory._known_function import KnownFunction
from branchline.errors import BranchlineWarning, ParameterError, Repair

__all__ = [
    "BiasVariance",
    "bias_variance_by_bootstrap",
    "bias_variance_by_simulation",
    "check_counts",
    "check_left_out",
    "seeded",
]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BiasVariance:
    """Squared error = bias² + noise + variance; print it to read it.

    Parameters
    ----------
    error
        The mean squared error on new cases.
    bias2_and_noise
        What remains when the learner is averaged over all learning sets.
    variance
        How far a prediction is from that average: what more rows, or averaging, can lower.
    noise
        The noise, which no model can predict; None where it is not known.
    n_sets
        The number of learning sets; 0 for an exact formula.
    n_cases
        The number of test cases; 0 for an exact formula.

    See Also
    --------
    bias_variance_by_bootstrap
    bias_variance_by_simulation
    shrunken_mean_decomposition : return the exact parts for a mean drawn towards a guess.

    Examples
    --------
    >>> from branchline.assess.theory import shrunken_mean_decomposition
    >>> round(shrunken_mean_decomposition(175.0, 50.0, n_rows=10, strength=2.0).error, 2)
    54.17
    """

    error: float
    bias2_and_noise: float
    variance: float
    noise: float | None
    n_sets: int
    n_cases: int

    @property
    def bias2(self) -> float | None:
        """The squared bias; None where the noise is not known.

        An estimate without bias of its own: where the truth is near 0 it may be a little below.
        """
        return None if self.noise is None else self.bias2_and_noise - self.noise

    def __str__(self) -> str:
        if self.noise is None:
            return (
                f"error {number(self.error)} = bias² + noise {number(self.bias2_and_noise)} + "
                f"variance {number(self.variance)}"
            )
        bias2, noise = number(self.bias2), number(self.noise)
        return (
            f"error {number(self.error)} = bias² {bias2} + noise {noise} + "
            f"variance {number(self.variance)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return {**asdict(self), "bias2": self.bias2}


@checked_keywords
def bias_variance_by_simulation(
    model: Any,
    problem: KnownFunction,
    *,
    n_rows: int = 500,
    n_sets: int = 50,
    n_cases: int = 2000,
    random_state: Any = 0,
) -> BiasVariance:
    """Take the error of a learner apart on a problem whose truth is known.

    Parameters
    ----------
    model
        An estimator that predicts numbers; it is copied. Where it has a random_state, every
        learning set has another: the randomness of a learner is part of its variance.
    problem
        What is drawn: ``friedman_function()``, or a ``KnownFunction`` of your own.
    n_rows
        The rows of a learning set. Default 500.
    n_sets
        The number of learning sets. Twice as many halve the variance of the estimates. Default 50.
    n_cases
        The number of new cases. Default 2000.
    random_state
        The seed of all draws. Default 0.

    See Also
    --------
    BiasVariance : squared error = bias² + noise + variance.

    Examples
    --------
    >>> from branchline.assess.theory import bias_variance_by_simulation, sine_function
    >>> from branchline.tree import DecisionTreeRegressor
    >>> stump = DecisionTreeRegressor(max_depth=1, prune=None)
    >>> parts = bias_variance_by_simulation(stump, sine_function(), n_rows=50, n_sets=20)
    >>> parts.bias2 > parts.variance
    True
    """
    check_counts("bias_variance_by_simulation", n_rows=n_rows, n_sets=n_sets, n_cases=n_cases)
    _refuse_classifiers(model)
    seed = check_seed(random_state)
    cases, _ = problem.draw(n_cases, [seed, 0])
    truth = problem.truth(cases, n_cases)
    predicted = np.empty((n_sets, n_cases))
    for place in range(n_sets):
        X, y = problem.draw(n_rows, [seed, place + 1])
        predicted[place] = seeded(model, seed, place).fit(X, y).predict(cases)
    variance = predicted.var(axis=0, ddof=1)
    bias2 = (predicted.mean(axis=0) - truth) ** 2 - variance / n_sets
    noise = float(problem.noise_variance)
    return _assemble(bias2 + noise, variance, noise, n_sets)


@checked_keywords
def bias_variance_by_bootstrap(
    model: Any, X: Any, y: Any, *, n_sets: int = 50, random_state: Any = 0
) -> BiasVariance:
    """Take the error of a learner apart on a real table, where bias² and noise stay together.

    A bootstrap sample holds 63 % of the different rows, so the variance is that of somewhat smaller
    tables than yours, and a little too high.

    Parameters
    ----------
    model
        An estimator that predicts numbers; it is copied. Where it has a random_state, every
        learning set has another.
    X, y
        The table and its target; or, with ``y`` the name of a column, the table that holds it.
    n_sets
        The number of bootstrap samples. Rows that fewer than two samples left out are not tested.
        Default 50.
    random_state
        The seed of the samples. Default 0.

    See Also
    --------
    BiasVariance : squared error = bias² + noise + variance.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess.theory import bias_variance_by_bootstrap
    >>> from branchline.linear import LinearRegression
    >>> parts = bias_variance_by_bootstrap(LinearRegression(), load_dataset("auto-mpg"), "mpg")
    >>> parts.variance < 0.1 * parts.error
    True
    """
    check_counts("bias_variance_by_bootstrap", n_sets=n_sets)
    _refuse_classifiers(model)
    problem, seed = checked_problem(X, y, task="regression"), check_seed(random_state)
    # The order of rows by their content: the same samples however the table is sorted.
    order = np.argsort(problem.row_keys, kind="stable")
    predicted = np.full((n_sets, problem.n_rows), np.nan)
    for place in range(n_sets):
        rng = np.random.default_rng([seed, place])
        drawn = rng.integers(problem.n_rows, size=problem.n_rows)
        left_out = order[np.setdiff1d(np.arange(problem.n_rows), drawn)]
        if len(left_out):
            rows = problem.rows(order[drawn])
            fitted = seeded(model, seed, place).fit(rows.table, rows.target)
            predicted[place, left_out] = fitted.predict(problem.table.rows(left_out))
    return _of_left_out(predicted, problem.target)


def _of_left_out(predicted: Floats, truth: Floats) -> BiasVariance:
    """Return the parts of predictions (one row per sample), NaN where a row was drawn."""
    count = (~np.isnan(predicted)).sum(axis=0)
    tested = check_left_out(count, len(predicted))
    predicted, truth, count = predicted[:, tested], truth[tested], count[tested]
    variance = np.nanvar(predicted, axis=0, ddof=1)
    rest = (np.nanmean(predicted, axis=0) - truth) ** 2 - variance / count
    return _assemble(rest, variance, None, len(predicted))


def check_left_out(count: Any, n_sets: int) -> Any:
    """Return which rows were left out twice or more; refuse none, warn of those that were not."""
    tested = count >= 2
    if not tested.any():
        raise ParameterError(
            f"With {n_sets} samples of {len(count)} rows, no row was left out twice. Take more "
            "samples.",
            code="P122",
            values=[n_sets],
            repair=Repair("bias_variance_by_bootstrap(model, X, y, n_sets=100)"),
        )
    if not tested.all():
        warn(
            f"{int((~tested).sum())} of {len(count)} rows were left out of fewer than two samples "
            "and are not tested. Raise n_sets.",
            BranchlineWarning,
        )
    return tested


def _assemble(rest: Floats, variance: Floats, noise: float | None, n_sets: int) -> BiasVariance:
    first, second = float(rest.mean()), float(variance.mean())
    return BiasVariance(first + second, first, second, noise, n_sets, len(rest))


def check_counts(owner: str, *, least: int = 2, **counts: int) -> None:
    """Refuse numbers of rows, sets or cases that are too small."""
    check_parameters(owner, counts, {name: Whole(least) for name in counts})


def _refuse_classifiers(learner: Any) -> None:
    is_estimator = hasattr(learner, "__sklearn_tags__") and not isinstance(learner, type)
    if not is_estimator or not is_regressor(learner):
        raise ParameterError(
            "The split into bias² and variance adds up for squared error, so it needs a learner of "
            f"numbers (an estimator for regression). Got {learner!r}. For a classifier, use "
            "class_bias_variance_by_simulation or class_bias_variance_by_bootstrap.",
            code="P121",
            values=[learner],
            repair=Repair("model = branchline.tree.DecisionTreeRegressor()"),
        )


def seeded(learner: Any, seed: int, place: int) -> Any:
    """Return a copy of the learner, every seed in it replaced by one of this learning set."""
    copied = clone(learner)
    places = [key for key in copied.get_params() if key.rpartition("__")[2] == "random_state"]
    own = int(np.random.default_rng([seed, place, 1]).integers(2**31))
    return copied.set_params(**dict.fromkeys(places, own)) if places else copied
