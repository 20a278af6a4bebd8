"""Ensemble error = mean member error − spread, exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from branchline.ensemble import VotingClassifier, VotingRegressor, ambiguity_decomposition
from branchline.errors import DataError, ParameterError
from ensemble_members import Says, classes_table, numbers_table, small_tree

_NUMBERS = st.floats(-1e6, 1e6)


def test_a_worked_example() -> None:
    # Members 1 and 5 with weights ¾ and ¼, truth 0: mean 2, error 4 = (¾·1 + ¼·25) − (¾·1 + ¼·9).
    found = ambiguity_decomposition([[1.0], [5.0]], [0.0], [3, 1])
    assert (found.error, found.mean_error, found.spread) == (4.0, 7.0, 3.0)
    assert found.member_errors == (1.0, 25.0)
    assert found.weights == (0.75, 0.25)
    assert str(found) == "ensemble error 4 = mean member error 7 − spread 3"


@given(
    arrays(float, (3, 4), elements=_NUMBERS),
    arrays(float, 4, elements=_NUMBERS),
    arrays(float, 3, elements=st.floats(0.01, 1.0)),
)
def test_the_identity_holds(said: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> None:
    found = ambiguity_decomposition(said, truth, weights)
    by_hand = np.mean((np.average(said, axis=0, weights=weights) - truth) ** 2)
    size = 1e-12 * max(1.0, found.mean_error)
    np.testing.assert_allclose(found.error, by_hand, rtol=1e-9, atol=size)
    np.testing.assert_allclose(found.error, found.mean_error - found.spread, atol=size)


def test_probabilities_have_a_third_axis() -> None:
    said = np.array([[[0.8, 0.2]], [[0.4, 0.6]]])
    found = ambiguity_decomposition(said, [[1, 0]])
    np.testing.assert_allclose(found.error, 2 * 0.4**2)
    np.testing.assert_allclose(found.error, found.mean_error - found.spread)


def test_large_numbers_do_not_overflow_on_the_way() -> None:
    found = ambiguity_decomposition([[1e150], [3e150]], [0.0])
    np.testing.assert_allclose(found.error, 4e300)


@pytest.mark.parametrize(
    ("said", "truth"), [([[1.0, 2.0]], [1.0]), ([1.0], [1.0]), ([["a"]], [0.0]), ([[np.nan]], [0])]
)
def test_what_does_not_fit_is_refused(said: object, truth: object) -> None:
    with pytest.raises(DataError) as caught:
        ambiguity_decomposition(said, truth)
    assert caught.value.code == "D121"


def test_weights_must_be_one_a_member() -> None:
    with pytest.raises(ParameterError) as caught:
        ambiguity_decomposition([[1.0], [2.0]], [0.0], [1.0])
    assert caught.value.code == "P083"


def test_a_fitted_regressor_is_taken_apart() -> None:
    X, y = numbers_table()
    model = VotingRegressor(estimators=[Says(15.0), Says(20.0)]).fit(X, y)
    found = model.ambiguity(X, y)
    np.testing.assert_allclose(found.spread, 2.5**2)
    np.testing.assert_allclose(found.error, np.mean((17.5 - y) ** 2))


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_a_fitted_classifier_is_taken_apart_by_its_brier_score(vote: str) -> None:
    X, y = classes_table()
    model = VotingClassifier(estimators=[small_tree(), "baseline"], vote=vote).fit(X, y)
    found = model.ambiguity(X, y)
    truth = y[:, None] == model.classes_
    np.testing.assert_allclose(found.error, ((model.predict_proba(X) - truth) ** 2).sum(1).mean())
    np.testing.assert_allclose(found.error, found.mean_error - found.spread)
    assert model.ambiguity(X[:3], ["ill", "ok", "ok"]).error >= 0  # not every class is there
    with pytest.raises(DataError, match="'dead'"):
        model.ambiguity(X[:2], ["ill", "dead"])
