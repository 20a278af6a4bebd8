"""Bayesian model averaging: the formulas by hand."""

from typing import Any

import numpy as np
import pytest

from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.ensemble import BayesianAverageClassifier, BayesianAverageRegressor
from branchline.errors import ParameterError
from ensemble_members import Says, classes_table, numbers_table, small_regression_tree, small_tree


def normal_log_likelihood(errors: np.ndarray) -> float:
    spread = np.sqrt(np.mean(errors**2))
    density = np.exp(-0.5 * (errors / spread) ** 2) / (spread * np.sqrt(2 * np.pi))
    return float(np.log(density).sum())


def test_evidence_of_numbers_by_hand() -> None:
    X, y = numbers_table()
    model = BayesianAverageRegressor(estimators=[("a", Says(17.0)), ("b", Says(16.8))]).fit(X, y)
    expected = [normal_log_likelihood(y - 17.0), normal_log_likelihood(y - 16.8)]
    np.testing.assert_allclose(model.evidence_, expected)
    ratio = np.exp(expected[0] - expected[1])
    np.testing.assert_allclose(model.weights_[0] / model.weights_[1], ratio)
    np.testing.assert_allclose(model.weights_.sum(), 1)
    np.testing.assert_allclose(model.spreads_[0], np.sqrt(np.mean((y - 17.0) ** 2)))
    np.testing.assert_allclose(model.predict(X), model.weights_ @ [17.0, 16.8])


def test_a_prior_counts() -> None:
    X, y = numbers_table()
    learners = [("a", Says(17.0)), ("b", Says(16.8))]
    plain = BayesianAverageRegressor(estimators=learners).fit(X, y).weights_
    prior = BayesianAverageRegressor(estimators=learners, prior=(1, 4)).fit(X, y).weights_
    np.testing.assert_allclose(prior[1] / prior[0], 4 * plain[1] / plain[0])
    sure = BayesianAverageRegressor(estimators=learners, prior=(0, 1)).fit(X, y).weights_
    assert sure.tolist() == [0.0, 1.0]


def test_bic_of_classes_by_hand() -> None:
    X, y = classes_table()
    learners = [small_tree(), MajorityClassifier()]
    model = BayesianAverageClassifier(estimators=learners, evidence="bic").fit(X, y)
    n_rows, expected = len(y), []
    for member in model.members_:
        said = member.predict_proba(X)[np.arange(n_rows), np.searchsorted(model.classes_, y)]
        smoothed = (n_rows * said + 1) / (n_rows + 3)
        penalty = 0.5 * member.complexity().count * np.log(n_rows)
        expected.append(np.log(smoothed).sum() - penalty)
    np.testing.assert_allclose(model.evidence_, expected)
    raw = np.exp(np.array(expected) - max(expected))
    np.testing.assert_allclose(model.weights_, raw / raw.sum())
    assert model.scores_ is None


def test_one_bold_mistake_does_not_forbid_a_member() -> None:
    X, y = classes_table()
    learners = [small_tree(), "baseline"]
    model = BayesianAverageClassifier(estimators=learners).fit(X, y)
    assert np.isfinite(model.evidence_).all()
    assert model.scores_ is not None
    assert model.scores_.shape == (2,)


def test_a_perfect_member_takes_all() -> None:
    X, _ = numbers_table()
    model = BayesianAverageRegressor(estimators=[Says(2.0), Says(3.0)]).fit(X, [2.0] * len(X))
    assert model.weights_.tolist() == [1.0, 0.0]
    np.testing.assert_allclose(model.predict_std(X[:2]), 0.0, atol=1e-9)


def test_deviation_of_an_answer_by_hand() -> None:
    X, y = numbers_table()
    model = BayesianAverageRegressor(estimators=[Says(17.0), Says(16.8)]).fit(X, y)
    w, f = model.weights_, np.array([17.0, 16.8])
    expected = np.sqrt(w @ (model.spreads_**2 + (f - w @ f) ** 2))
    np.testing.assert_allclose(model.predict_std(X[:3]), expected)


def test_large_numbers() -> None:
    X, y = numbers_table()
    learners = [small_regression_tree(), MeanRegressor()]
    plain = BayesianAverageRegressor(estimators=learners, evidence="bic").fit(X, y)
    large = BayesianAverageRegressor(estimators=learners, evidence="bic").fit(X, y * 2.0**900)
    # All evidences change alike, by −n ln 2⁹⁰⁰; their differences are what counts.
    moved = plain.evidence_ - large.evidence_
    np.testing.assert_allclose(moved, len(y) * 900 * np.log(2))
    np.testing.assert_allclose(plain.weights_, large.weights_, rtol=1e-6)
    assert np.isfinite(large.predict_std(X)).all()


def test_members_of_other_libraries_have_no_parts_to_count() -> None:
    X, y = numbers_table()
    with pytest.raises(ParameterError, match="'odd'") as caught:
        BayesianAverageRegressor(estimators=[("odd", Says())], evidence="bic").fit(X, y)
    assert caught.value.code == "P085"


@pytest.mark.parametrize("prior", [(1,), (1, -1), (0, 0)])
def test_a_bad_prior_is_refused(prior: Any) -> None:
    X, y = numbers_table()
    with pytest.raises(ParameterError, match="'prior' parameter") as caught:
        BayesianAverageRegressor(estimators=[Says(), Says(1.0)], prior=prior).fit(X, y)
    assert caught.value.code == "P083"
