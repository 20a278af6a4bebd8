"""Errors of classifiers taken apart: two decompositions, by hand, by brute force, by simulation."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin

from branchline import load_dataset
from branchline.assess.theory import (
    KnownClasses,
    bias_variance_curve,
    class_bias_variance_by_bootstrap,
    class_bias_variance_by_simulation,
    sine_classes,
)
from branchline.assess.theory._class_bias_variance import class_parts
from branchline.baseline import MajorityClassifier
from branchline.errors import ParameterError
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor


def by_cases(truth: Any, predictions: Any) -> tuple[float, float, float, float]:
    """Return the error and Domingos' parts, one case, one set, one true class after another."""
    error = bias = net = noise = 0.0
    n_cases, n_sets = len(truth), len(predictions)
    for case, f in enumerate(truth):
        predicted = [int(one[case]) for one in predictions]
        best = int(np.argmax(f))
        usual = int(np.argmax(np.bincount(predicted, minlength=len(f))))
        loss = sum(f[k] * (k != p) for k in range(len(f)) for p in predicted) / n_sets
        wrong = sum(p != best for p in predicted) / n_sets
        error += loss / n_cases
        bias += (usual != best) / n_cases
        net += (wrong - (usual != best)) / n_cases
        noise += (loss - wrong) / n_cases
    return error, bias, net, noise


@given(st.data())
def test_both_decompositions_add_up(data: st.DataObject) -> None:
    n_classes = data.draw(st.integers(2, 4))
    n_sets, n_cases = data.draw(st.integers(2, 7)), data.draw(st.integers(1, 5))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    truth = rng.dirichlet(np.ones(n_classes), size=n_cases)
    predictions = rng.integers(n_classes, size=(n_sets, n_cases))
    shares = np.array([[np.mean(predictions[:, c] == k) for k in range(n_classes)]
                       for c in range(n_cases)])  # fmt: skip
    parts = class_parts(truth, shares, np.full(n_cases, n_sets), knows_noise=True)
    error, bias, net, noise = by_cases(truth, predictions)
    assert parts.error == pytest.approx(error)
    assert parts.bias2 + parts.noise + parts.variance == pytest.approx(error)
    assert (parts.main_bias, parts.net_variance, parts.noise_effect) == pytest.approx(
        (bias, net, noise), abs=1e-12
    )
    assert parts.main_bias + parts.net_variance + parts.noise_effect == pytest.approx(error)


def test_two_classes_by_hand() -> None:
    # Truth 0.9 : 0.1. Three of four models predict the first class.
    parts = class_parts(
        np.array([[0.9, 0.1]]), np.array([[0.75, 0.25]]), np.array([4]), knows_noise=True
    )
    assert parts.error == pytest.approx(0.75 * 0.1 + 0.25 * 0.9)
    assert parts.noise == pytest.approx(0.09)
    assert parts.variance == pytest.approx(0.1875 * 4 / 3)
    assert parts.bias2 == pytest.approx(0.0225 - 0.0625)
    # Domingos: c₁ N = (2 · 0.75 − 1) · 0.1.
    assert (parts.main_bias, parts.net_variance) == (0.0, 0.25)
    assert parts.noise_effect == pytest.approx(0.05)
    assert parts.bayes_error == pytest.approx(0.1)


def test_variance_helps_where_the_usual_prediction_is_wrong() -> None:
    parts = class_parts(
        np.array([[1.0, 0.0]]), np.array([[0.4, 0.6]]), np.array([5]), knows_noise=True
    )
    assert parts.main_bias == 1.0
    assert parts.net_variance == pytest.approx(-0.4)
    assert parts.error == pytest.approx(0.6)


class LastRow(ClassifierMixin, BaseEstimator):
    """Predicts, everywhere, the class of the last row it was given."""

    def fit(self, X: Any, y: Any) -> "LastRow":
        self.classes_, self.last_ = np.unique(y), y[-1]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.last_)


def test_estimates_of_few_sets_are_unbiased() -> None:
    """All samples of two sets from a learner that says "yes" with probability 0.3."""
    truth, share = np.array([[0.8, 0.2]]), 0.3
    bias2 = variance = 0.0
    for first, second in itertools.product([0, 1], repeat=2):
        weight = np.prod([share if said else 1 - share for said in (first, second)])
        p = (first + second) / 2
        parts = class_parts(truth, np.array([[1 - p, p]]), np.array([2]), knows_noise=True)
        bias2 += weight * parts.bias2
        variance += weight * parts.variance
    assert bias2 == pytest.approx((0.2 - share) ** 2)
    assert variance == pytest.approx(share * (1 - share))


def test_a_learner_that_repeats_one_class() -> None:
    even = KnownClasses(
        lambda n, rng: rng.uniform(size=(n, 1)), lambda X: np.full((len(X), 2), 0.5)
    )
    parts = class_bias_variance_by_simulation(LastRow(), even, n_rows=3, n_sets=40, n_cases=10)
    assert parts.error == pytest.approx(0.5)
    assert parts.noise == pytest.approx(0.25)
    assert parts.variance == pytest.approx(0.25, abs=0.03)


def test_sizes_of_trees() -> None:
    """Two leaves have bias; beyond six, leaves add variance alone."""
    tree = DecisionTreeClassifier(prune=None, correct_for_chance=False)
    options: dict[str, Any] = {"n_rows": 100, "n_sets": 12, "n_cases": 200}
    curve = bias_variance_curve(
        tree, sine_classes(), over="max_leaf_nodes", values=[2, 6, 60], **options
    )
    two, six, sixty = curve.parts
    assert two.bias2 > 5 * six.bias2
    assert two.main_bias > 2 * six.main_bias
    assert sixty.variance > six.variance
    assert curve.best == 6
    assert list(curve.to_frame()["max_leaf_nodes"]) == [2, 6, 60]


def test_on_a_real_table_bias_and_noise_stay_together() -> None:
    table = load_dataset("iris")
    tree = DecisionTreeClassifier(prune=None)
    parts = class_bias_variance_by_bootstrap(tree, table, "species", n_sets=30)
    assert parts.noise is None
    assert parts.bias2 is None
    assert parts.error == pytest.approx(parts.bias2_and_noise + parts.variance)
    assert parts.error == pytest.approx(parts.main_bias + parts.net_variance)
    assert 0.02 < parts.error < 0.12
    order = np.random.default_rng(0).permutation(150)
    again = class_bias_variance_by_bootstrap(tree, table.rows(order), "species", n_sets=30)
    assert again.error == pytest.approx(parts.error)
    assert "Domingos" in str(parts)


def test_the_baseline_has_bias_only() -> None:
    parts = class_bias_variance_by_simulation(
        MajorityClassifier(), sine_classes(), n_rows=2000, n_sets=5, n_cases=500
    )
    assert parts.variance == pytest.approx(0, abs=0.02)


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError) as caught:
        class_bias_variance_by_simulation(DecisionTreeRegressor(), sine_classes())
    assert caught.value.code == "P364"
    wrong = KnownClasses(
        lambda n, rng: rng.uniform(size=(n, 1)), lambda X: np.full((len(X), 2), 0.6)
    )
    with pytest.raises(ParameterError) as caught:
        wrong.draw(5, 0)
    assert caught.value.code == "P363"
    with pytest.raises(ParameterError, match="noise"):
        bias_variance_curve(MajorityClassifier(), sine_classes(), over="noise", values=[1.0])
