"""The perceptron: what it counts, when it ends, what it lacks."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from branchline import load_dataset
from branchline.errors import ModelFileError
from branchline.linear._perceptron import Perceptron


def line(n_rows: int = 100) -> tuple[Any, Any]:
    X = np.random.default_rng(0).normal(size=(n_rows, 2))
    far = np.abs(X @ [1.0, -2.0]) > 0.3
    return X[far], (X @ [1.0, -2.0] > 0)[far]


@pytest.mark.parametrize("average", [True, False])
def test_separable_rows_end_without_mistakes(average: bool) -> None:
    X, y = line()
    model = Perceptron(average=average).fit(X, y)
    assert model.is_separated_
    assert model.mistakes_[-1] == 0
    assert len(model.mistakes_) < 100
    assert model.score(X, y) == 1.0
    assert "no mistakes" in model.to_text()


def test_the_rule_of_rosenblatt_by_hand() -> None:
    # Encoded as −1, 1 with one term: any first mistake moves w to ±1, after which all is right.
    model = Perceptron(average=False).fit([[0.0], [2.0]], ["no", "yes"])
    assert model.weights_[0, 0] > 0
    assert model.weights_[0, 0] == round(model.weights_[0, 0])  # whole steps of the encoded term
    assert model.predict([[0.0], [2.0]]).tolist() == ["no", "yes"]


def test_the_best_epoch_is_kept_where_classes_overlap() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + rng.normal(size=200) > 0
    model = Perceptron(patience=5).fit(X, y)
    assert not model.is_separated_
    wrong = (model.predict(X) != y).sum()
    assert wrong == model.mistakes_.min()
    best = int(np.argmin(model.mistakes_))
    assert len(model.mistakes_) == best + 6  # five epochs without fewer


def test_averaging_is_steadier() -> None:
    rng = np.random.default_rng(1)
    X, new = rng.normal(size=(2, 300, 10))
    y, y_new = (rows[:, 0] + rng.normal(size=300) > 0 for rows in (X, new))
    average = Perceptron(max_epochs=10).fit(X, y).score(new, y_new)
    last = Perceptron(max_epochs=10, average=False).fit(X, y).score(new, y_new)
    assert average > last


def test_there_are_scores_but_no_probabilities() -> None:
    X, y = line()
    model = Perceptron().fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "predict_log_proba")
    assert ((model.decision_function(X) > 0) == model.predict(X)).all()


def test_the_seed_shuffles_and_the_order_of_rows_does_not() -> None:
    X, y = load_dataset("german-credit").split_target("class")
    one = Perceptron(random_state=0).fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    same = Perceptron(random_state=0).fit(X.rows(order), y[order])
    np.testing.assert_array_equal(one.weights_, same.weights_)
    other = Perceptron(random_state=1).fit(X, y)
    assert (one.weights_ != other.weights_).any()


def test_explanations_are_the_difference_of_two_scores() -> None:
    X, y = load_dataset("iris").split_target("species")
    model = Perceptron().fit(X, y)
    scores = np.sort(model.decision_function(X.rows([80]))[0])
    explained = model.explain(X.rows([80]))
    np.testing.assert_allclose(explained.total, scores[-1] - scores[-2], rtol=1e-9)
    assert explained.about.startswith("score of")


def test_a_constant_table_chooses_the_most_frequent_class() -> None:
    model = Perceptron().fit([[1.0]] * 5, ["a", "b", "b", "c", "b"])
    assert model.predict([[1.0]]).tolist() == ["b"]
    assert model.mistakes_.tolist() == [2.0]


@pytest.mark.parametrize("mistakes", [np.zeros(0), np.array([-1.0]), np.array([np.nan]), [0.0]])
def test_forged_values_are_refused(mistakes: Any) -> None:
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    assert clone(model)._unpack(model._pack(), model.schema_)["is_separated_"]
    with pytest.raises(ModelFileError):
        clone(model)._unpack({**model._pack(), "mistakes": mistakes}, model.schema_)
