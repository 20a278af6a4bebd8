"""Stacks: out-of-fold inputs, the final learner, columns passed through."""

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import StackingRegressor as TheirStackingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import PredefinedSplit
from sklearn.tree import DecisionTreeRegressor as TheirTree

from branchline import Table
from branchline.ensemble import StackingClassifier, StackingRegressor, VotingRegressor
from branchline.ensemble._stack import _column_names, _columns
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from common.tables import matrix_target, numeric_matrix
from ensemble_members import (
    Says,
    classes_table,
    numbers_table,
    small_regression_tree,
    small_tree,
)


def folds_of(matrix: Any, y: Any, n_folds: int) -> np.ndarray:
    """Return the fold of each row, as our dealing has it."""
    from branchline._validation import Owner, check_training_data
    from branchline.ensemble._training_rows import arrange_rows

    data = check_training_data(matrix, y, None, task="regression", owner=Owner("model", None))
    rows = arrange_rows(data, is_weighted=False)
    fold = np.argmax([one.test > 0 for one in rows.folds.split(n_folds)], axis=0)
    return fold[rows.place_of_input]


def test_the_same_stack_as_scikit_learn_on_the_same_folds() -> None:
    matrix = np.nan_to_num(numeric_matrix())
    y = matrix_target(matrix, "regression") + np.sin(5 * matrix[:, 2])
    learners = [("line", LinearRegression()), ("tree", TheirTree(max_depth=3, random_state=0))]
    ours = StackingRegressor(
        estimators=learners, final_estimator=LinearRegression(), n_folds=4
    ).fit(matrix, y)
    split = PredefinedSplit(folds_of(matrix, y, 4))
    theirs = TheirStackingRegressor(learners, LinearRegression(), cv=split).fit(matrix, y)
    np.testing.assert_allclose(ours.final_.coef_, theirs.final_estimator_.coef_, rtol=1e-6)
    np.testing.assert_allclose(ours.predict(matrix), theirs.predict(matrix), rtol=1e-6)


def test_no_member_has_seen_the_row_it_answers_for() -> None:
    X, y = numbers_table()
    y = np.random.default_rng(9).normal(size=len(y))  # nothing to learn
    model = StackingRegressor(
        estimators=[DecisionTreeRegressor(prune=None)], final_estimator="baseline"
    )
    model.fit(X, y)
    assert model.out_of_fold_.shape == (len(y), 1)
    assert np.corrcoef(model.members_[0].predict(X), y)[0, 1] > 0.99  # learned by heart
    assert abs(np.corrcoef(model.out_of_fold_[:, 0], y)[0, 1]) < 0.3
    np.testing.assert_allclose(model.final_.mean_, y.mean())


def test_out_of_fold_answers_stand_in_the_order_of_the_input() -> None:
    X, y = classes_table()
    model = StackingClassifier(estimators=[small_tree()], final_estimator="non_negative").fit(X, y)
    accuracy = np.mean(model.classes_[model.out_of_fold_.argmax(axis=1)] == y)
    np.testing.assert_allclose(accuracy, model.scores_[0])


def test_a_non_negative_stack_is_a_stacked_vote() -> None:
    X, y = numbers_table()
    learners = [small_regression_tree(), Says(17.0)]
    stack = StackingRegressor(estimators=learners, final_estimator="non_negative").fit(X, y)
    vote = VotingRegressor(estimators=learners, weights="stacked").fit(X, y)
    np.testing.assert_array_equal(stack.weights_, vote.weights_)
    np.testing.assert_array_equal(stack.predict(X), vote.predict(X))
    assert stack.final_ is None
    assert "weight" in stack.to_text().splitlines()[0]


def test_of_two_classes_one_column_is_enough() -> None:
    two = np.array([[[0.25, 0.75], [0.5, 0.5]]])
    assert _columns(two).tolist() == [[0.75, 0.5]]
    assert _column_names(["a", "b"], np.array(["n", "y"]), set()) == ["a: y", "b: y"]
    three = np.array([[[0.2, 0.3, 0.5]]])
    assert _columns(three).tolist() == [[0.2, 0.3, 0.5]]
    assert _column_names(["a"], np.array([1, 2, 3]), {"a: 2"}) == ["a: 1", "a: 2 (member)", "a: 3"]


def test_columns_pass_through_to_the_final_learner() -> None:
    X, y = classes_table()
    X = X.rename(columns={"visits": "tree"})  # the name of a member's column
    final = DecisionTreeClassifier(prune=None)
    learners = [("tree", small_tree())]
    model = StackingClassifier(
        estimators=learners, final_estimator=final, passthrough=True, n_folds=3
    ).fit(X, y)
    names = [*X.columns, "tree: ill", "tree: ok", "tree: well"]
    assert list(model.final_.schema_.names) == names
    assert model.score(X, y) > 0.9
    regressor = StackingRegressor(
        estimators=[("tree", small_regression_tree())],
        final_estimator="tree",
        passthrough=True,
        n_folds=3,
    ).fit(X, numbers_table()[1])
    assert regressor.final_.schema_.names[-1] == "tree (member)"


def test_arrays_without_names_pass_through() -> None:
    matrix = numeric_matrix()
    y = matrix_target(matrix, "regression")
    model = StackingRegressor(
        estimators=[small_regression_tree()], final_estimator="tree", passthrough=True
    )
    assert model.fit(matrix, y).predict(matrix).shape == (len(y),)
    assert len(model.final_.schema_) == 5


def test_the_text_ends_with_the_final_learner() -> None:
    X, y = classes_table()
    model = StackingClassifier(
        estimators=[small_tree()], final_estimator=small_tree(), n_folds=3
    ).fit(X, y)
    text = model.to_text()
    assert "final: DecisionTreeClassifier" in text
    assert "decision_tree: " in text
    sizes = [one.complexity().count for one in (*model.members_, model.final_)]
    assert model.complexity().count == sum(sizes)
    assert model.complexity().unit == "parts"


def test_a_final_learner_of_another_library_without_probabilities() -> None:
    X, y = numbers_table()
    model = StackingRegressor(estimators=[small_regression_tree()], final_estimator=Says(3.0)).fit(
        X, y
    )
    assert set(model.predict(X)) == {3.0}
    assert model.to_text().endswith("final: Says")


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_hardly_any_rows(n_rows: int) -> None:
    X, y = numbers_table()
    model = StackingRegressor(estimators=[small_regression_tree()], final_estimator="tree")
    said = model.fit(Table(X).rows(range(n_rows)), y[:n_rows]).predict(X)
    assert (said >= y[:n_rows].min()).all()
    assert (said <= y[:n_rows].max()).all()
    assert model.out_of_fold_.shape == (n_rows, 1)
