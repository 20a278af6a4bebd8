"""The error taken apart: exact sums, a closed form, a twin in plain loops, refusals."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from branchline import load_dataset
from branchline.assess.theory import (
    BiasVariance,
    KnownFunction,
    bias_variance_by_bootstrap,
    bias_variance_by_simulation,
    friedman_function,
    shrunken_mean_decomposition,
    sine_function,
)
from branchline.assess.theory._bias_variance import _of_left_out, seeded
from branchline.ensemble import BaggingRegressor
from branchline.errors import BranchlineWarning, ParameterError
from branchline.linear import LinearRegression
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor


class ShrunkenMean(RegressorMixin, BaseEstimator):
    """The mean of the target, drawn towards 180."""

    def __init__(self, strength: float = 2.0) -> None:
        self.strength = strength

    def fit(self, X: Any, y: Any) -> "ShrunkenMean":
        self.mean_ = (self.strength * 180 + np.sum(y)) / (self.strength + len(y))
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(len(X), self.mean_)


def heights(mean: float, variance: float) -> KnownFunction:
    return KnownFunction(lambda n, rng: np.zeros((n, 1)), lambda X: np.full(len(X), mean), variance)


# -- by simulation ------------------------------------------------------------------------------


@pytest.mark.parametrize("strength", [0.0, 2.0, 30.0])
def test_simulation_agrees_with_the_closed_form(strength: float) -> None:
    exact = shrunken_mean_decomposition(175.0, 50.0, n_rows=10, strength=strength)
    found = bias_variance_by_simulation(
        ShrunkenMean(strength), heights(175.0, 50.0), n_rows=10, n_sets=2000, n_cases=2
    )
    share = 10 / (10 + strength)
    scatter = share * np.sqrt(50 / 10 / 2000)  # of the mean prediction
    assert exact.bias2 is not None
    assert found.variance == pytest.approx(exact.variance, rel=4 * np.sqrt(2 / 2000))
    slack = 4 * (2 * np.sqrt(exact.bias2) * scatter + scatter**2)
    assert found.bias2 == pytest.approx(exact.bias2, abs=slack)
    assert found.noise == exact.noise == 50.0


def test_the_closed_form_by_hand() -> None:
    parts = shrunken_mean_decomposition(176.0, 50.0, n_rows=8, strength=2.0)
    assert parts.bias2 == pytest.approx((2 / 10) ** 2 * 4**2)
    assert parts.variance == pytest.approx(8 * 50 / 10**2)
    assert parts.error == pytest.approx(0.64 + 50 + 4.0)
    plain = shrunken_mean_decomposition(176.0, 50.0, n_rows=8, strength=0.0)
    assert (plain.bias2, plain.variance) == (0.0, pytest.approx(50 / 8))


def test_some_shrinking_is_best() -> None:
    errors = [
        shrunken_mean_decomposition(177.0, 50.0, n_rows=5, strength=strength).error
        for strength in (0.0, 5.0, 1e6)
    ]
    assert errors[1] < min(errors[0], errors[2])


def test_the_parts_add_up_to_the_error_exactly() -> None:
    problem, n_sets, n_rows = sine_function(), 4, 30
    tree = DecisionTreeRegressor(prune=None)
    found = bias_variance_by_simulation(tree, problem, n_rows=n_rows, n_sets=n_sets, n_cases=50)
    cases, _ = problem.draw(50, [0, 0])
    squares = []
    for place in range(n_sets):
        model = DecisionTreeRegressor(prune=None).fit(*problem.draw(n_rows, [0, place + 1]))
        squares.append(np.mean((model.predict(cases) - problem.truth(cases)) ** 2))
    assert found.error == pytest.approx(2.0 + np.mean(squares), rel=1e-12)
    assert found.error == found.bias2_and_noise + found.variance


def test_a_learner_that_is_right_has_no_bias_and_known_variance() -> None:
    plane = KnownFunction(
        lambda n, rng: rng.standard_normal((n, 3)),
        lambda X: X @ np.array([1.0, -2.0, 0.5]) + 3,
        4.0,
    )
    found = bias_variance_by_simulation(LinearRegression(), plane, n_rows=60, n_sets=60)
    # Four coefficients: σ² p / (n − p − 1) on average over normal inputs.
    assert found.bias2 == pytest.approx(0.0, abs=0.03)
    assert found.variance == pytest.approx(4.0 * 4 / (60 - 4 - 1), rel=0.25)


def test_the_randomness_of_a_learner_is_part_of_its_variance() -> None:
    bag = BaggingRegressor(estimator=DecisionTreeRegressor(prune=None), n_estimators=2)
    seeds = {seeded(bag, 0, place).random_state for place in range(5)}
    assert len(seeds) == 5
    assert seeded(bag, 0, 1).random_state == seeded(bag, 0, 1).random_state
    assert bag.random_state == 0


def test_the_seed_decides() -> None:
    options: dict[str, Any] = {"n_rows": 20, "n_sets": 3, "n_cases": 20}
    tree = DecisionTreeRegressor(prune=None)
    first, again, other = (
        bias_variance_by_simulation(tree, sine_function(), random_state=seed, **options)
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


# -- by bootstrap -------------------------------------------------------------------------------


def test_bootstrap_against_plain_loops() -> None:
    said = np.array(
        [[1.0, np.nan, 2.0], [3.0, 5.0, np.nan], [np.nan, 6.0, 4.0], [5.0, np.nan, 9.0]]
    )
    truth = np.array([2.0, 5.0, 4.0])
    found = _of_left_out(said, truth)
    errors, spreads = [], []
    for column, right in zip(said.T, truth, strict=True):
        heard = [value for value in column if value == value]
        mean = sum(heard) / len(heard)
        errors.append(sum((value - right) ** 2 for value in heard) / len(heard))
        spreads.append(sum((value - mean) ** 2 for value in heard) / (len(heard) - 1))
    assert found.error == pytest.approx(np.mean(errors))
    assert found.variance == pytest.approx(np.mean(spreads))
    assert found.noise is None
    assert found.bias2 is None
    assert (found.n_sets, found.n_cases) == (4, 3)


def test_trees_vary_more_than_lines_on_real_rows() -> None:
    table = load_dataset("auto-mpg")
    line = bias_variance_by_bootstrap(LinearRegression(), table, "mpg", n_sets=30)
    tree = bias_variance_by_bootstrap(DecisionTreeRegressor(prune=None), table, "mpg", n_sets=30)
    assert tree.variance > 3 * line.variance
    for parts in (line, tree):
        assert parts.error == parts.bias2_and_noise + parts.variance


def test_neither_the_order_of_rows_nor_the_container_matters() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "c": rng.choice(["a", "b"], size=40)})
    y = frame["x"].to_numpy() + (frame["c"] == "a") + rng.normal(size=40)
    order = rng.permutation(40)
    tree = DecisionTreeRegressor(max_depth=2, prune=None)
    first = bias_variance_by_bootstrap(tree, frame, y, n_sets=25)
    turned = bias_variance_by_bootstrap(tree, frame.iloc[order], y.iloc[order], n_sets=25)
    other = bias_variance_by_bootstrap(tree, pl.from_pandas(frame), y.to_numpy(), n_sets=25)
    assert first.variance == pytest.approx(turned.variance, rel=1e-12)
    assert first.error == pytest.approx(turned.error, rel=1e-12)
    assert first == other


def test_rows_that_are_hardly_left_out_are_not_judged_and_it_is_said() -> None:
    X, y = np.arange(12.0)[:, None], np.arange(12.0)
    with pytest.warns(BranchlineWarning, match="of 12 rows were left out of fewer than two"):
        found = bias_variance_by_bootstrap(LinearRegression(), X, y, n_sets=3)
    assert 0 < found.n_cases < 12


def test_one_row_is_never_left_out() -> None:
    with pytest.raises(ParameterError, match="no row was left out twice") as caught:
        bias_variance_by_bootstrap(LinearRegression(), [[1.0]], [2.0], n_sets=3)
    assert caught.value.code == "P122"


# -- refusals and words -------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [DecisionTreeClassifier(), DecisionTreeRegressor, "tree", None])
def test_only_learners_of_numbers(learner: Any) -> None:
    with pytest.raises(ParameterError, match="adds up for squared error") as caught:
        bias_variance_by_simulation(learner, friedman_function())
    assert caught.value.code == "P121"
    with pytest.raises(ParameterError) as caught:
        bias_variance_by_bootstrap(learner, [[1.0], [2.0]], [1.0, 2.0])
    assert caught.value.code == "P121"


@pytest.mark.parametrize("wrong", [{"n_rows": 1}, {"n_sets": 1}, {"n_sets": 2.5}, {"n_cases": 0}])
def test_counts_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        bias_variance_by_simulation(LinearRegression(), friedman_function(), **wrong)
    assert caught.value.code == "P001"


@pytest.mark.parametrize(
    "wrong", [{"variance": -1.0}, {"strength": -1.0}, {"n_rows": 0}, {"mean": float("nan")}]
)
def test_the_closed_form_checks_its_numbers(wrong: dict[str, Any]) -> None:
    given = {"mean": 175.0, "variance": 50.0, "n_rows": 10, "strength": 1.0, **wrong}
    with pytest.raises(ParameterError):
        shrunken_mean_decomposition(**given)


def test_it_can_be_read() -> None:
    known = BiasVariance(5.0, 3.0, 2.0, 1.0, 10, 100)
    assert str(known) == "error 5 = bias² 2 + noise 1 + variance 2"
    assert known.to_dict()["bias2"] == 2.0
    unknown = BiasVariance(5.0, 3.0, 2.0, None, 10, 100)
    assert str(unknown) == "error 5 = bias² + noise 3 + variance 2"
