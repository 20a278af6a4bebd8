"""Model trees: learners in leaves, splits that pay, saving, explanations."""

import numpy as np
import pytest

import branchline
from branchline import load_dataset
from branchline.bayes import NaiveBayes
from branchline.errors import ModelFileError, ParameterError
from branchline.tree import ModelTreeClassifier, ModelTreeRegressor


def crossing(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Two lines that cross: one linear model says nothing, two say all."""
    rng = np.random.default_rng(0)
    side, x = rng.integers(0, 2, n_rows), rng.uniform(-1, 1, n_rows)
    noise = 0.3 * rng.normal(size=n_rows)
    return np.column_stack([side, x]), np.where(side == 1, 3 * x, 5 - 3 * x) + noise


def test_split_that_pays_is_kept_and_others_are_not() -> None:
    X, y = crossing(400)
    model = ModelTreeRegressor(leaf="linear", max_depth=3).fit(X, y)
    assert model.used_columns_ == ["x0"]
    assert model.score(X, y) > 0.97
    line = 2 * X[:, 1] + np.random.default_rng(1).normal(size=len(y))
    assert ModelTreeRegressor(leaf="linear").fit(X, line).get_n_leaves() == 1


@pytest.mark.parametrize(
    "leaf", ["naive_bayes", "linear", "neighbors", "tree", NaiveBayes(alpha=2.0)]
)
def test_any_learner_stands_in_leaves(leaf: object) -> None:
    X, y = load_dataset("iris").split_target("species")
    model = ModelTreeClassifier(leaf=leaf, max_depth=1, n_folds=2).fit(X, y)
    shares = model.predict_proba(X)
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert model.score(X, y) > 0.9


def test_one_leaf_predicts_as_its_learner() -> None:
    X, y = load_dataset("votes84").split_target("party")
    model = ModelTreeClassifier(min_samples_leaf=400).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X))


def test_saving_and_damaged_values(tmp_path) -> None:
    X, y = crossing(300)
    model = ModelTreeRegressor().fit(X, y)
    model.save(tmp_path / "m.branchline")
    again = branchline.load(tmp_path / "m.branchline")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    packed = model._pack()
    with pytest.raises(ModelFileError):
        model._unpack({**packed, "members": packed["members"][:-1]}, model.schema_)
    with pytest.raises(ModelFileError):
        model._unpack({**packed, "low": packed["high"] + 1.0}, model.schema_)


def test_learner_of_the_other_task_is_refused() -> None:
    X, y = crossing(60)
    with pytest.raises(ParameterError, match="leaf") as caught:
        ModelTreeRegressor(leaf="naive_bayes").fit(X, y)
    assert caught.value.code == "P555"
    with pytest.raises(ParameterError) as caught:
        ModelTreeRegressor(leaf=NaiveBayes()).fit(X, y)
    assert caught.value.code == "P555"


def test_fractional_weights_without_a_learner_of_weights() -> None:
    X, y = crossing(60)
    with pytest.raises(ParameterError) as caught:
        ModelTreeRegressor(leaf="neighbors").fit(X, y, sample_weight=np.linspace(0.3, 1.7, 60))
    assert caught.value.code == "P556"


def test_explanation_is_that_of_the_leaf() -> None:
    X, y = crossing(300)
    model = ModelTreeRegressor().fit(X, y)
    found = model.explain(X[:1])
    assert found.prediction == pytest.approx(float(model.predict(X[:1])[0]), abs=0.05)
    assert "x0" in str(found)
    assert "Ridge" in model.draw().svg or "·" in model.to_text()
