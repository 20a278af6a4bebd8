"""Searching a tuning space with scikit-learn's searches."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

from branchline import catalog, load_dataset
from branchline.catalog import RowFolds
from branchline.catalog._search import _log_loss_score
from branchline.errors import DataError, ParameterError


def heart() -> tuple[Any, Any]:
    return load_dataset("heart").split_target("disease")


def test_a_small_space_is_tried_whole() -> None:
    X, y = heart()
    search = catalog.search("c45", task="classification", n_folds=3)
    assert isinstance(search, GridSearchCV)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(search).fit(X, y)
        found = search.fit(X.to_pandas(), y)
    assert len(found.cv_results_["params"]) == 6
    best = max(found.cv_results_["mean_test_score"])
    assert found.best_score_ == best > 0.7
    assert found.best_estimator_.confidence == found.best_params_["confidence"]
    assert len(found.predict(X)) == len(y)


def test_a_space_with_ranges_is_drawn_from_by_the_seed() -> None:
    X, y = heart()
    searches = [
        catalog.search(
            "c45", task="classification", space="large", n_draws=4, n_folds=2, random_state=s
        )
        for s in (1, 1, 2)
    ]
    assert all(isinstance(search, RandomizedSearchCV) for search in searches)
    tried = [search.fit(X, y).cv_results_["params"] for search in searches]
    assert tried[0] == tried[1] != tried[2]
    usual = catalog.search("c45", task="classification", space="large")
    assert usual.n_iter == 100


def test_draws_from_a_list_stop_at_its_length() -> None:
    few = catalog.search("tree", task="regression", n_draws=2)
    assert isinstance(few, RandomizedSearchCV)
    assert few.n_iter == 2
    assert isinstance(catalog.search("tree", task="regression", n_draws=60), GridSearchCV)


def test_given_parameters_are_not_searched() -> None:
    search = catalog.search("tree", task="classification", criterion="entropy", max_depth=2)
    assert search.param_grid == [{"min_samples_leaf": [1, 5, 20]}]
    assert search.estimator.criterion == "entropy"
    assert search.estimator.max_depth == 2


def test_a_learner_with_nothing_to_tune_is_one_candidate() -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    found = catalog.search("baseline", task="regression").fit(X, y)
    assert found.best_params_ == {}
    assert -9 < found.best_score_ < -7


def test_the_seed_reaches_the_learner() -> None:
    assert (
        catalog.search("tree", task="regression", random_state=2**40).estimator.random_state
        == 2**40
    )
    assert (
        catalog.search("tree", task="regression", random_state=2**40).cv.random_state
        == 2**40 % 2**32
    )


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "log_loss", "auc"])
def test_metrics_of_classes(metric: str) -> None:
    X, y = heart()
    found = catalog.search("stump", task="classification", metric=metric, n_folds=2).fit(X, y)
    assert np.isfinite(found.best_score_)


@pytest.mark.parametrize("metric", ["rmse", "mae", "r2"])
def test_metrics_of_numbers(metric: str) -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    found = catalog.search("stump", task="regression", metric=metric, n_folds=2).fit(X, y)
    assert (found.best_score_ > 0) == (metric == "r2")


def test_log_loss_is_that_of_scikit_learn_and_takes_unseen_classes() -> None:
    X, y = load_dataset("iris").split_target("species")
    model = catalog.make("stump", task="classification").fit(X, y)
    expected = -log_loss(y, model.predict_proba(X), labels=model.classes_)
    assert np.isclose(_log_loss_score(model, X, y), expected, rtol=1e-12)
    fewer = catalog.make("stump", task="classification").fit(
        X.rows(y != "setosa"), y[y != "setosa"]
    )
    assert np.isclose(_log_loss_score(fewer, X.rows([0]), y[:1]), np.log(np.finfo(float).eps))


@pytest.mark.parametrize(
    ("choice", "code"),
    [
        ({"space": "huge"}, "P001"),
        ({"space": 3}, "P001"),
        ({"n_folds": 1}, "P001"),
        ({"n_draws": 0}, "P001"),
        ({"metric": "rmse"}, "P011"),
        ({"metric": 3}, "P011"),
        ({"random_state": -1}, "P003"),
        ({"task": "ranking"}, "P091"),
        ({"name": "tre"}, "P090"),
    ],
)
def test_bad_choices_are_refused(choice: dict[str, Any], code: str) -> None:
    choices = {"name": "tree", "task": "classification", **choice}
    with pytest.raises(ParameterError) as caught:
        catalog.search(choices.pop("name"), **choices)
    assert caught.value.code == code


def test_rare_classes_are_dealt_without_complaint() -> None:
    y = np.array(["a"] * 17 + ["b"] * 6 + ["c"])
    seen = np.zeros(len(y), dtype=int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for train, test in RowFolds(3, random_state=5).split(np.zeros((24, 1)), y):
            assert not set(train) & set(test)
            assert len(train) + len(test) == 24
            assert (y[test] == "a").sum() in (5, 6)
            assert (y[test] == "b").sum() == 2
            seen[test] += 1
    assert (seen == 1).all()


def test_too_few_rows_for_the_folds_are_refused() -> None:
    X, y = load_dataset("one-nn").split_target("class")
    with pytest.raises(DataError) as caught:
        catalog.search("tree", task="classification").fit(X, y)
    assert caught.value.code == "D090"
