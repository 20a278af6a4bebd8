"""Learners inside ensembles: names, labels, nested parameters, and what is refused."""

from typing import Any

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from branchline._named_learners import label_learners, takes_weights
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    BayesianAverageClassifier,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from branchline.errors import ParameterError, UnknownParameterError
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor, OneRule
from ensemble_members import HalfPlane, Says, SaysClass, classes_table, numbers_table, small_tree


def test_labels_are_names_or_classes_and_never_twice() -> None:
    learners = ["one_rule", DecisionTreeClassifier(), "tree", OneRule(), ("tree_2", "tree"), "tree"]
    labels = [label for label, _ in label_learners(learners)]
    # OneRule is a preset of the tree, so it is called by its class.
    assert labels == ["one_rule", "decision_tree", "tree", "decision_tree_2", "tree_2", "tree_3"]


def test_nested_parameters_are_listed_and_set() -> None:
    tree = small_tree()
    model = VotingClassifier(estimators=[("mine", tree), "one_rule"])
    listed = model.get_params()
    assert listed["mine"] is tree
    assert listed["mine__max_depth"] == 2
    assert "one_rule__min_samples_leaf" in listed
    assert set(model.get_params(deep=False)) < set(listed)
    model.set_params(mine__max_depth=5, n_folds=3)
    assert (tree.max_depth, model.n_folds) == (5, 3)


def test_a_name_becomes_an_estimator_when_its_parameter_is_set() -> None:
    model = VotingClassifier(estimators=("tree", "one_rule")).set_params(tree__max_depth=1)
    assert isinstance(model.estimators, tuple)
    assert model.estimators[0][1].max_depth == 1
    assert model.estimators[1] == "one_rule"
    X, y = classes_table()
    assert model.fit(X, y).members_[0].get_depth() <= 1
    assert model.labels_ == ["tree", "one_rule"]


def test_a_learner_is_replaced_by_its_label() -> None:
    model = VotingClassifier(estimators=["tree", "one_rule"]).set_params(
        one_rule=MajorityClassifier()
    )
    assert isinstance(dict(label_learners(model.estimators))["one_rule"], MajorityClassifier)


@pytest.mark.parametrize("make", [BaggingClassifier, BaggingRegressor])
def test_the_default_of_bagging_has_parameters_too(make: Any) -> None:
    model = make()
    assert model.get_params()["estimator"] is None
    assert model.get_params()["estimator__prune"] is None
    model.set_params(estimator__max_depth=2)
    assert (model.estimator.max_depth, model.estimator.prune) == (2, None)


def test_the_final_learner_has_parameters() -> None:
    model = StackingClassifier(estimators=["one_rule"], final_estimator="tree").set_params(
        final_estimator__max_depth=3
    )
    assert model.final_estimator.max_depth == 3
    model = StackingClassifier(estimators=["one_rule"], final_estimator="non_negative")
    assert not [name for name in model.get_params() if name.startswith("final_estimator__")]


def test_unknown_labels_and_parameters_are_refused_with_the_nearest() -> None:
    model = VotingClassifier(estimators=["tree"])
    with pytest.raises(UnknownParameterError, match="Did you mean 'tree'"):
        model.set_params(tre__max_depth=3)
    with pytest.raises(UnknownParameterError, match="Did you mean 'max_depth'"):
        model.set_params(tree__max_deep=3)
    with pytest.raises(UnknownParameterError, match="Did you mean 'n_folds'"):
        VotingClassifier(fold=3)


def test_a_grid_search_goes_inside() -> None:
    X, y = classes_table()
    model = VotingClassifier(estimators=[("tree", small_tree()), "baseline"])
    grid = {"tree__max_depth": [1, 3], "weights": [None, "stacked"], "n_folds": [2]}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X, y)
    assert search.best_params_["tree__max_depth"] in (1, 3)
    assert model.estimators[0][1].max_depth == 2


def test_what_the_user_gave_is_never_fitted() -> None:
    X, y = numbers_table()
    tree, final = DecisionTreeRegressor(prune=None), DecisionTreeRegressor(prune=None)
    for model in (
        VotingRegressor(estimators=[tree]),
        StackingRegressor(estimators=[tree], final_estimator=final, n_folds=2),
        BaggingRegressor(estimator=tree, n_estimators=2),
    ):
        before = clone(model).get_params(deep=False)
        model.fit(X, y)
        assert str(model.get_params(deep=False)) == str(before)
    assert not tree.__sklearn_is_fitted__()
    assert not final.__sklearn_is_fitted__()


def refusal(model: Any, X: Any, y: Any, **options: Any) -> ParameterError:
    with pytest.raises(ParameterError) as caught:
        model.fit(X, y, **options)
    return caught.value


@pytest.mark.parametrize(
    ("estimators", "code"),
    [
        ("tree", "P001"),
        ((), "P001"),
        ([DecisionTreeClassifier], "P001"),
        ([("a", "tree", 3)], "P001"),
        (["tre"], "P080"),
        (["ridge"], "P080"),
        ([("a", "tree"), ("a", "one_rule")], "P081"),
        ([("a__b", "tree")], "P081"),
        ([("", "tree")], "P081"),
        ([("n_folds", "tree")], "P081"),
        ([MeanRegressor()], "P084"),
    ],
)
def test_learners_that_cannot_be_used(estimators: Any, code: str) -> None:
    error = refusal(VotingClassifier(estimators=estimators), *classes_table())
    assert error.code == code
    assert "'estimators' parameter" in error.message


def test_unknown_names_come_with_the_nearest() -> None:
    error = refusal(VotingClassifier(estimators=["tre"]), *classes_table())
    assert "Did you mean 'tree'" in error.message
    error = refusal(
        StackingClassifier(estimators=["tree"], final_estimator="lgistic"), *classes_table()
    )
    assert "'final_estimator' parameter" in error.message
    error = refusal(BaggingClassifier(estimator=MeanRegressor()), *classes_table())
    assert (error.code, "'estimator' parameter" in error.message) == ("P084", True)


@pytest.mark.parametrize(
    "model",
    [
        VotingClassifier(estimators=[OneRule(), ("plane", HalfPlane())]),
        StackingClassifier(estimators=[OneRule()], final_estimator=HalfPlane()),
        BaggingClassifier(estimator=HalfPlane()),
        VotingClassifier(estimators=[VotingClassifier(estimators=[HalfPlane()])]),
    ],
)
def test_weights_need_members_that_take_them(model: Any) -> None:
    X, y = classes_table()
    error = refusal(model, X, y, sample_weight=[2.0] * len(y))
    assert error.code == "P082"
    assert "HalfPlane" in error.message or "voting" in error.message


def test_weights_are_asked_for_inside_too() -> None:
    assert takes_weights(VotingClassifier(estimators=["tree"]))
    assert not takes_weights(VotingClassifier(estimators=["tree", HalfPlane()]))
    assert not takes_weights(HalfPlane())
    assert takes_weights(Says())


def test_the_promise_is_that_of_the_least_precise_learner() -> None:
    assert VotingClassifier(estimators=[small_tree()])._tolerance == 0.0
    assert VotingClassifier(estimators=[small_tree(), HalfPlane()])._tolerance == 1e-9
    assert not VotingClassifier(estimators=[small_tree()])._copies_of_columns_count
    assert VotingClassifier(estimators=[HalfPlane()])._copies_of_columns_count


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (VotingClassifier(estimators=[("a", "tree"), ("a", "one_rule")]), {}),
        (VotingClassifier(estimators=["tree", ("n_folds", OneRule())]), {}),
        (VotingClassifier(estimators=["tree"], weights=[1, 2]), {}),
        (VotingClassifier(estimators=[SaysClass("ok")]), {"sample_weight": [1.0] * 80}),
        (BayesianAverageClassifier(estimators=[SaysClass("ok")], evidence="bic"), {}),
    ],
)
def test_repairs_run_as_printed(model: Any, options: dict[str, Any]) -> None:
    X, y = classes_table()
    error = refusal(model, X, y, **options)
    assert error.repair.python is not None
    exec(error.repair.python, {"model": model, "X": X, "y": y})
    assert set(model.fit(X, y).predict(X)) <= set(y)
