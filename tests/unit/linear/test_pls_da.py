"""PLS discriminant analysis against scikit-learn's PLS, and its rules."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import StandardScaler

from branchline import load_dataset
from branchline.errors import ModelFileError
from branchline.linear import PLSDA, PLSRegressor


def standardized() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("n_components", [1, 2, 4])
def test_largest_indicators_are_those_of_scikit_learn(n_components: int) -> None:
    Z, y = standardized()
    theirs = PLSRegression(n_components, scale=False, tol=1e-12, max_iter=10_000)
    theirs.fit(Z, np.eye(3)[y])
    ours = PLSDA(n_components=n_components, decision="largest").fit(Z, y)
    np.testing.assert_allclose(ours.decision_function(Z), theirs.predict(Z), atol=1e-6)
    np.testing.assert_array_equal(ours.predict(Z), theirs.predict(Z).argmax(axis=1))


def test_lda_of_scores_is_lda_of_scores() -> None:
    Z, y = standardized()
    scores = PLSRegression(2, scale=False, tol=1e-12, max_iter=10_000).fit(Z, np.eye(3)[y])
    scores = scores.transform(Z)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(scores, y)
    ours = PLSDA(n_components=2).fit(Z, y)
    np.testing.assert_allclose(ours.predict_proba(Z), theirs.predict_proba(scores), atol=1e-5)


def test_all_directions_give_discriminant_analysis_of_all_columns() -> None:
    Z, y = standardized()
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(Z, y)
    ours = PLSDA(n_components=4).fit(Z, y)
    np.testing.assert_allclose(ours.predict_proba(Z), theirs.predict_proba(Z), atol=1e-6)


def test_the_number_of_directions_is_that_of_least_loss() -> None:
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(150, 2))
    X = hidden @ rng.normal(size=(2, 40)) + 0.3 * rng.normal(size=(150, 40))
    y = hidden[:, 0] > hidden[:, 1]
    model = PLSDA().fit(X, y)
    assert model.losses_ is not None
    assert len(model.losses_) == 15
    assert model.n_components_ == 1 + int(np.argmin(model.losses_))
    assert model.n_components_ <= 4
    assert model.score(X, y) > 0.9


def test_probabilities_of_the_largest_rule_agree_with_its_classes() -> None:
    X, y = load_dataset("german-credit").split_target("class")
    model = PLSDA(decision="largest", n_components=3).fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (probabilities >= 0).all()
    lead = model.decision_function(X)
    assert ((lead > 0) == (model.predict(X) == "good")).all()
    explained = model.explain(X.rows([0]))
    np.testing.assert_allclose(explained.total, abs(lead[0]), rtol=1e-8)


def test_nothing_left_to_explain_ends_the_directions() -> None:
    # scikit-learn divides zero by zero when it looks for a second direction in these rows.
    X = [[3, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 1]]
    model = PLSDA(n_components=2).fit(X, [1, 1, 1, 2, 2, 2])
    assert np.isfinite(model.weights_).all()
    assert model.n_components_ >= 1


def test_more_directions_than_there_are_do_no_harm() -> None:
    Z, y = standardized()
    model = PLSDA(n_components=500).fit(Z, y)
    assert model.n_components_ == 4
    two = PLSDA(n_components=5).fit([[0.0, 1.0], [1.0, 1.0]], [0, 1])
    assert two.predict([[0.0, 1.0], [1.0, 1.0]]).tolist() == [0, 1]
    nothing = PLSDA().fit([[1.0]] * 4, [0, 1, 1, 1])
    assert nothing.n_components_ == 0
    np.testing.assert_allclose(nothing.predict_proba([[1.0]]), [[0.25, 0.75]])


@pytest.mark.parametrize(
    "change",
    [
        {"n_components": -1},
        {"n_components": 99},
        {"n_components": 1.0},
        {"losses": np.array([np.nan])},
        {"losses": np.zeros(0)},
        {"losses": [1.0]},
    ],
)
def test_forged_values_are_refused(change: Any) -> None:
    Z, y = standardized()
    model = PLSDA().fit(Z, y)
    clone(model)._unpack(model._pack(), model.schema_)
    with pytest.raises(ModelFileError):
        clone(model)._unpack({**model._pack(), **change}, model.schema_)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("model", [PLSDA, PLSRegressor])
def test_directions_of_rounding_do_not_decide(seed, model):
    # A copied column leaves fewer directions than columns; the last one was rounding, and changed
    # all the others with the order of columns.
    random = np.random.default_rng(seed)
    rows = random.normal(size=(30, 3))
    rows[:, 0] *= 10.0 ** random.integers(-8, 8)
    rows = np.column_stack([rows, rows[:, random.integers(3)]])
    target = random.integers(0, 3, size=30)
    order = random.permutation(4)
    one, other = model().fit(rows, target), model().fit(rows[:, order], target)
    assert one.n_components_ == other.n_components_ <= 3
    guess = "predict_proba" if model is PLSDA else "predict"
    np.testing.assert_allclose(
        getattr(one, guess)(rows), getattr(other, guess)(rows[:, order]), atol=1e-9
    )
