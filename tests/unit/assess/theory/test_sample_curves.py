"""Curves of many samples, the complexity of the truth, and the strength of a prior."""

import json

import numpy as np
import pytest

from branchline.assess.theory import (
    KnownFunction,
    bias_variance_curve,
    friedman_function,
    prior_strength,
    sample_curves,
    shrunken_mean_decomposition,
    sine_classes,
    sine_function,
)
from branchline.errors import ParameterError
from branchline.linear import LinearRegression
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor

TREE = DecisionTreeRegressor(prune=None, max_leaf_nodes=8)


def test_every_curve_is_that_of_its_sample() -> None:
    found = sample_curves(TREE, sine_function(), n_rows=40, n_sets=6, n_places=30)
    X, y = sine_function().draw(40, [0, 3])
    alone = DecisionTreeRegressor(prune=None, max_leaf_nodes=8).fit(X, y)
    assert found.curves[2] == pytest.approx(alone.predict(found.x[:, None]))
    assert found.truth == pytest.approx(np.sin(found.x) + np.sin(2 * found.x))
    assert found.mean == pytest.approx(found.curves.mean(axis=0))
    assert found.to_frame().shape == (180, 4)
    assert json.loads(json.dumps(found.to_dict()))["n_rows"] == 40
    assert found.to_text().startswith("6 samples of 40 rows")


def test_lines_have_bias_and_trees_have_variance() -> None:
    options = {"n_rows": 60, "n_sets": 20, "n_places": 50}
    lines = sample_curves(LinearRegression(), sine_function(0.5), **options)
    trees = sample_curves(DecisionTreeRegressor(prune=None), sine_function(0.5), **options)
    assert lines.bias2.mean() > 5 * trees.bias2.mean()
    assert trees.variance.mean() > 5 * lines.variance.mean()


def test_curves_of_classes_and_of_one_input_of_ten() -> None:
    tree = DecisionTreeClassifier(prune=None, max_leaf_nodes=4)
    found = sample_curves(tree, sine_classes(), n_sets=3, n_places=20)
    assert found.curves.min() >= 0
    assert found.curves.max() <= 1
    along = sample_curves(LinearRegression(), friedman_function(), n_sets=2, n_places=9, column=3)
    # The others stand still, so the truth rises by 10 along x₄.
    assert along.truth[-1] - along.truth[0] == pytest.approx(10, abs=0.1)


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError):
        sample_curves(TREE, sine_function(), column=1)
    texts = KnownFunction(lambda n, rng: np.full((n, 1), "a"), lambda X: np.zeros(len(X)))
    with pytest.raises(ParameterError) as caught:
        sample_curves(TREE, texts)
    assert caught.value.code == "P365"


def test_a_more_complex_truth_has_more_bias() -> None:
    curve = bias_variance_curve(
        TREE, lambda waves: sine_function(0.5, n_waves=waves), over="bayes_complexity",
        values=[1, 3, 9], n_rows=100, n_sets=10, n_cases=300,
    )  # fmt: skip
    bias2 = [part.bias2 for part in curve.parts]
    assert bias2[0] < bias2[1] < bias2[2]
    assert curve.over == "bayes_complexity"
    with pytest.raises(ParameterError, match="function"):
        bias_variance_curve(TREE, sine_function(), over="bayes_complexity", values=[1])


def test_waves_keep_their_size() -> None:
    x = np.linspace(0, 2 * np.pi, 1001)[:-1, None]
    for n_waves in (1, 2, 7):
        assert sine_function(n_waves=n_waves).truth(x).var() == pytest.approx(1.0)
    assert sine_function().truth(x) == pytest.approx(np.sin(x[:, 0]) + np.sin(2 * x[:, 0]))


def test_the_strength_of_a_prior_minimizes_the_expected_error() -> None:
    assert prior_strength(50.0, 25.0) == 2.0
    # (μ − guess)² has the mean σ_ȳ² = 25: the expected error over λ is least at 2.
    errors = {
        strength: shrunken_mean_decomposition(
            180.0 + 5.0, 50.0, n_rows=8, strength=strength, guess=180.0
        ).error
        for strength in (0.0, 1.0, 1.9, 2.0, 2.1, 4.0)
    }
    assert min(errors, key=errors.__getitem__) == 2.0
    with pytest.raises(ParameterError):
        prior_strength(50.0, 0.0)


def test_the_prior_is_the_posterior_mean() -> None:
    """Against Bayes' rule on a fine grid of means."""
    y, guess, of_y, of_mean = np.array([176.0, 171.0, 183.0]), 180.0, 50.0, 12.5
    grid = np.linspace(100, 260, 160_001)
    log_posterior = -((grid - guess) ** 2) / (2 * of_mean)
    log_posterior -= ((y[:, None] - grid) ** 2).sum(axis=0) / (2 * of_y)
    weight = np.exp(log_posterior - log_posterior.max())
    by_grid = float((weight * grid).sum() / weight.sum())
    strength = prior_strength(of_y, of_mean)
    assert (strength * guess + y.sum()) / (strength + len(y)) == pytest.approx(by_grid)
