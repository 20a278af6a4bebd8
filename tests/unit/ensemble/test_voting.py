"""Votes: what they say, with which weights, for which members."""

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import VotingClassifier as TheirVotingClassifier
from sklearn.ensemble import VotingRegressor as TheirVotingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier as TheirTree

from branchline import Table
from branchline.baseline import MajorityClassifier
from branchline.encoding import TableEncoder
from branchline.ensemble import VotingClassifier, VotingRegressor
from branchline.errors import BranchlineWarning, DataError, ParameterError
from branchline.tree import OneRule
from common.tables import matrix_target, numeric_matrix
from ensemble_members import (
    XOR,
    XOR_CLASS,
    HalfPlane,
    Says,
    SaysClass,
    classes_table,
    numbers_table,
    small_regression_tree,
    small_tree,
)


def test_four_linear_classifiers_solve_xor_by_voting() -> None:
    # Each is wrong somewhere: at the third corner; the first; the second; the third and fourth.
    planes = [
        HalfPlane((1.0, 1.0), 1.0),
        HalfPlane((-1.0, -1.0), 1.0),
        HalfPlane((1.0, -1.0), -1.0),
        HalfPlane((0.0, 1.0), 0.0),
    ]
    assert [int((plane.predict(XOR) != XOR_CLASS).sum()) for plane in planes] == [1, 1, 1, 2]
    model = VotingClassifier(estimators=planes, vote="hard").fit(XOR, XOR_CLASS)
    shares = model.predict_proba(XOR)
    assert (4 * (shares[:, 1] - shares[:, 0])).tolist() == [-2.0, 2.0, 0.0, 2.0]
    assert model.predict(XOR).tolist() == XOR_CLASS.tolist()  # zero counts as negative


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_the_same_votes_as_scikit_learn(vote: str) -> None:
    matrix = np.nan_to_num(numeric_matrix())
    y = matrix_target(matrix, "classification")
    learners = [(f"depth{d}", TheirTree(max_depth=d, random_state=0)) for d in (1, 4, 9)]
    ours = VotingClassifier(estimators=learners, vote=vote, weights=[1, 2, 2]).fit(matrix, y)
    theirs = TheirVotingClassifier(learners, voting=vote, weights=[1, 2, 2]).fit(matrix, y)
    np.testing.assert_array_equal(ours.predict(matrix), theirs.predict(matrix))
    if vote == "soft":
        np.testing.assert_allclose(ours.predict_proba(matrix), theirs.predict_proba(matrix))


def test_the_same_mean_as_scikit_learn() -> None:
    matrix = np.nan_to_num(numeric_matrix())
    y = matrix_target(matrix, "regression")
    learners = [("line", LinearRegression()), ("zero", Says(0.0))]
    ours = VotingRegressor(estimators=learners, weights=(1, 3)).fit(matrix, y)
    theirs = TheirVotingRegressor(learners, weights=(1, 3)).fit(matrix, y)
    np.testing.assert_allclose(ours.predict(matrix), theirs.predict(matrix))
    np.testing.assert_allclose(ours.weights_, [0.25, 0.75])


def test_stacked_weights_leave_useless_members_out() -> None:
    X, y = numbers_table()
    learners = [small_regression_tree(), Says(-1000.0)]
    model = VotingRegressor(estimators=learners, weights="stacked").fit(X, y)
    np.testing.assert_allclose(model.weights_, [1.0, 0.0], atol=1e-3)
    assert model.scores_ is not None
    assert model.scores_[1] > 1000
    model.set_params(weights="accuracy").fit(X, y)
    np.testing.assert_allclose(model.weights_, [1.0, 0.0], atol=1e-4)


def test_better_members_count_more() -> None:
    X, y = classes_table(120)
    model = VotingClassifier(estimators=[small_tree(), "baseline"], weights="accuracy").fit(X, y)
    assert model.weights_[0] > model.weights_[1]
    assert model.scores_ is not None
    assert model.scores_[0] > model.scores_[1]
    np.testing.assert_allclose(model.weights_.sum(), 1)


@pytest.mark.parametrize("weights", ["stacked", "accuracy", None, (1, 2)])
def test_odd_tables(weights: Any) -> None:
    frame, y = classes_table()
    X = Table(frame)  # some of its rows know the categories of all
    for n_rows in (1, 2, 5):
        model = VotingClassifier(estimators=[small_tree(), OneRule()], weights=weights)
        if len(set(y[:n_rows])) == 1:
            with pytest.warns(BranchlineWarning, match="only one class"):
                model.fit(X.rows(range(n_rows)), y[:n_rows])
        else:
            model.fit(X.rows(range(n_rows)), y[:n_rows])
        assert set(model.predict(X)) <= set(y[:n_rows])


def test_one_class_is_said_once_and_makes_constants() -> None:
    X, _ = classes_table()
    with pytest.warns(BranchlineWarning) as said:
        model = VotingClassifier(estimators=[OneRule(), HalfPlane()]).fit(X, ["yes"] * len(X))
    assert len(said) == 1
    assert all(isinstance(member, MajorityClassifier) for member in model.members_)
    assert set(model.predict(X)) == {"yes"}
    assert model.complexity().count == 2


def test_members_of_other_libraries_get_a_frame() -> None:
    X, y = classes_table()
    pipeline = make_pipeline(TableEncoder(), TheirTree(max_depth=3))
    model = VotingClassifier(estimators=[("theirs", pipeline), small_tree()]).fit(X, y)
    assert model.score(X, y) > 0.6
    assert "theirs" in model.to_text()
    assert model.complexity().count == 1 + model.members_[1].complexity().count


def test_a_member_that_predicts_no_number_is_named() -> None:
    X, y = numbers_table()
    model = VotingRegressor(estimators=[("odd", Says(np.nan))]).fit(X, y)
    with pytest.raises(DataError, match="'odd'") as caught:
        model.predict(X)
    assert caught.value.code == "D120"


def test_a_member_with_a_class_of_its_own_is_named() -> None:
    X, y = classes_table()
    model = VotingClassifier(estimators=[("odd", SaysClass("dead"))]).fit(X, y)
    with pytest.raises(DataError, match=r"'odd'.*'dead'") as caught:
        model.predict(X)
    assert caught.value.code == "D121"


def test_an_error_names_the_member_that_failed() -> None:
    X, y = classes_table()
    learners = [("odd", small_tree(criterion="none"))]
    with pytest.raises(ParameterError, match=r"'odd' could not be fitted.*'criterion'") as caught:
        VotingClassifier(estimators=learners).fit(X, y)
    assert caught.value.code == "P001"


def test_a_row_is_explained_with_each_members_vote() -> None:
    X, y = classes_table()
    model = VotingClassifier(estimators=[("a", small_tree()), ("b", "baseline")]).fit(X, y)
    explained = model.explain(X[:1])
    assert [note.split(":")[0] for note in explained.notes] == ["a (weight 0.5)", "b (weight 0.5)"]
    assert "%)" in str(explained)
    regressor = VotingRegressor(estimators=[("a", Says(2.0))]).fit(*numbers_table())
    assert regressor.explain(X[:1]).notes == ("a (weight 1): 2",)


def test_the_text_lists_members_with_weights_and_scores() -> None:
    X, y = classes_table()
    model = VotingClassifier(
        estimators=[("a", small_tree()), ("b", "baseline")], weights="accuracy"
    )
    lines = model.fit(X, y).to_text().splitlines()
    assert [line.split(" | ")[0].strip() for line in lines] == ["member", "a", "b"]
    assert "accuracy out of fold" in lines[0]
    assert "DecisionTreeClassifier" in lines[1]
    assert "1 constant" in lines[2]
    assert "out of fold" not in model.set_params(weights=None).fit(X, y).to_text()


def test_weights_that_do_not_fit_the_members() -> None:
    X, y = classes_table()
    with pytest.raises(ParameterError) as caught:
        VotingClassifier(estimators=["tree"], weights=(1, 2)).fit(X, y)
    assert caught.value.code == "P083"


def test_classes_may_be_numbers_booleans_or_dates() -> None:
    X, y = classes_table()
    for names in (y == "ok", (y == "ok").astype(int), np.where(y == "ok", 1.0, 3.0)):
        model = VotingClassifier(estimators=[small_tree(), "baseline"]).fit(X, names)
        assert model.predict(X).dtype == names.dtype


def test_threads_do_not_matter_for_large_tables() -> None:
    X, y = classes_table()
    model = VotingClassifier(estimators=[small_tree(), OneRule()], weights="stacked", n_folds=3)
    alone = model.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.set_params(n_jobs=3).fit(X, y).predict_proba(X), alone)
