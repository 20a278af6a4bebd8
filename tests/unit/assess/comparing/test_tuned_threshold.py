"""Thresholds of a comparison: chosen in training sets, for the metric that decides."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from branchline import catalog, load_dataset
from branchline.assess import Resampling, carry_out, compare, make_plan, make_problem
from branchline.assess.comparing._learners import Learner
from branchline.assess.comparing._run import fit_learner
from branchline.assess.comparing._tuned_threshold import add_threshold, settle_threshold
from branchline.assess.comparing._tuning_score import tuning_score
from branchline.ensemble import ThresholdClassifier
from branchline.errors import BranchlineWarning, ParameterError
from branchline.tree import DecisionTreeClassifier

COSTS = {("bad", "good"): 5.0, ("good", "bad"): 1.0}
CREDIT = {"learners": "naive_bayes,perceptron", "n_folds": 4, "positive": "bad"}


def credit(**options: Any) -> Any:
    return compare(load_dataset("german-credit"), "class", **CREDIT, **options)


def numbers(n_rows: int = 90) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    return X, np.where(X[:, 0] + rng.normal(size=n_rows) > 1, "yes", "no")


def test_tuned_thresholds_raise_f1_and_lower_costs_and_leave_probabilities_alone() -> None:
    plain, tuned = credit(metric="f1"), credit(metric="f1", threshold="tuned")
    assert tuned.score("naive_bayes").estimate > plain.score("naive_bayes").estimate + 0.05
    assert tuned.difference("naive_bayes", "baseline").mean.estimate > 0
    np.testing.assert_array_equal(
        tuned.fold_scores("naive_bayes", "auc"), plain.fold_scores("naive_bayes", "auc")
    )
    # It gives no probabilities, so nothing is tuned.
    np.testing.assert_array_equal(tuned.fold_scores("perceptron"), plain.fold_scores("perceptron"))
    with pytest.warns(BranchlineWarning, match="Always predicting 'bad' would cost 0.7 per row"):
        costly = credit(costs=COSTS, threshold="half")
    cheaper = credit(costs=COSTS)
    assert cheaper.plan.threshold == "tuned"
    assert cheaper.score("baseline").estimate == pytest.approx(0.7, abs=0.01)  # always "bad"
    assert cheaper.score("naive_bayes").estimate < 0.7 * costly.score("naive_bayes").estimate


def test_thresholds_are_chosen_from_training_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = numbers()
    seen: list[Any] = []
    fit = ThresholdClassifier.fit

    def spy(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        seen.append((np.asarray(X)[:, 0].copy(), np.asarray(y).copy()))
        return fit(self, X, y, sample_weight)

    monkeypatch.setattr(ThresholdClassifier, "fit", spy)
    found = compare(X, y, learners=["naive_bayes"], n_folds=3, threshold="tuned")
    assert len(seen) == 6  # the baseline's and the learner's, on each training set
    for place, (values, names) in enumerate(seen):
        split = found.splits[place // 2]
        assert not set(values) & set(X[split.test, 0])
        np.testing.assert_array_equal(values, X[split.train, 0])
        np.testing.assert_array_equal(names, y[split.train])


def test_targets_of_test_rows_change_no_threshold() -> None:
    X, y = numbers()
    plan = make_plan("classification", learners="naive_bayes", n_folds=3, threshold="tuned")
    problem = make_problem(X, y)
    split = Resampling("folds", n_folds=3).splits(problem, 0)[0]
    turned = y.copy()
    turned[split.test] = np.where(turned[split.test] == "yes", "no", "yes")
    learner = Learner("naive_bayes", "naive_bayes")
    one, other = (
        fit_learner(plan, learner, make_problem(X, truth).rows(split.train))
        for truth in (y, turned)
    )
    assert one.threshold_ == other.threshold_


def test_a_search_comes_first_and_its_best_candidate_gets_the_threshold() -> None:
    X, y = numbers()
    plan = settle_threshold(
        make_plan("classification", learners="c45", tuning="small", metric="f1", threshold="tuned"),
        make_problem(X, y),
    )
    learner, problem = Learner("c45", "c45"), make_problem(X, y)
    model = fit_learner(plan, learner, problem)
    score = tuning_score(plan, learner, problem)
    search = catalog.search("c45", task="classification", n_folds=3, metric=score).fit(X, y)
    assert isinstance(model, ThresholdClassifier)
    assert model.best_params_ == search.best_params_
    assert model.estimator.get_params() == search.best_estimator_.get_params()
    assert (model.metric, model.positive, model.n_folds) == ("f1", "yes", 3)
    theirs = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)
    own = fit_learner(plan, Learner("mine", None, theirs), make_problem(X, y))
    assert isinstance(own.member_, LogisticRegression)
    found = carry_out(plan, make_problem(X, y))
    told = [result.parameters for result in found.results if result.learner == "c45"]
    assert all({"threshold", "confidence"} <= set(one) for one in told)


@pytest.mark.parametrize(
    ("metric", "costs", "chosen_for"),
    [
        ("f1", None, "f1"),
        ("error", None, "accuracy"),
        ("auc", None, "balanced_accuracy"),
        ("auc", COSTS, "cost"),
        (None, COSTS, "cost"),
        (None, None, "accuracy"),
    ],
)
def test_the_deciding_metric_is_what_thresholds_are_for(
    metric: Any, costs: Any, chosen_for: str
) -> None:
    plan = make_plan("classification", metric=metric, costs=costs, threshold="tuned")
    model = add_threshold(plan, DecisionTreeClassifier())
    assert model._metric == chosen_for
    assert model.costs == costs


def test_a_threshold_is_not_put_on_a_threshold() -> None:
    plan = make_plan("classification", learners="threshold", threshold="tuned")
    own = ThresholdClassifier(metric="f1")
    assert add_threshold(plan, own) is own


def test_the_positive_class_is_settled_on_all_rows() -> None:
    X, y = numbers()
    problem = make_problem(X, y)
    plan = make_plan("classification", threshold="tuned")
    assert settle_threshold(plan, problem).positive == "yes"  # the rarer one
    named = make_plan("classification", threshold="tuned", positive="1")
    assert settle_threshold(named, make_problem(X, (y == "no") * 1)).positive == 1
    without = make_plan("classification")
    assert settle_threshold(without, problem) is without


def test_a_plan_counts_the_fits_of_thresholds() -> None:
    options = {"learners": "tree,perceptron", "n_folds": 5, "n_inner_folds": 4}
    plan = make_plan("classification", **options, threshold="tuned")
    assert plan.count_fits(100) == 5 * (5 + 5 + 1)  # the perceptron has no probabilities
    assert "threshold" in plan.describe(100, 3)
    assert json.loads(json.dumps(plan.to_dict()))["threshold"] == "tuned"
    assert make_plan("classification", **options).to_dict()["threshold"] is None


def test_thresholds_need_two_classes() -> None:
    with pytest.raises(ParameterError, match="3") as caught:
        compare(load_dataset("iris"), "species", learners="stump", threshold="tuned")
    assert caught.value.code == "P104"
    with pytest.raises(ParameterError) as caught:
        compare(load_dataset("auto-mpg"), "mpg", learners="stump", threshold="tuned")
    assert caught.value.code == "P104"
    with pytest.raises(ParameterError) as caught:
        make_plan("classification", threshold="best")
    assert caught.value.code == "P001"


def test_all_learners_leaves_out_those_of_two_classes() -> None:
    labels = [learner.label for learner in make_plan("classification", learners="all").learners]
    assert "threshold" not in labels
    assert "voting" in labels
