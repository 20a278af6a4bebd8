"""Candidates are tuned for what decides, with its positive class and its costs."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.assess import compare, make_plan, make_problem
from branchline.assess._metrics import METRICS
from branchline.assess.comparing._plan import Learner
from branchline.assess.comparing._run import fit_learner
from branchline.assess.comparing._tuning_score import tuning_score
from branchline.tree import C45, DecisionTreeClassifier

COSTS = {("bad", "good"): 5.0, ("good", "bad"): 1.0}
CREDIT = make_problem(load_dataset("german-credit"), "class")


@pytest.mark.parametrize(
    ("metric", "costs"),
    [("accuracy", None), ("auc", None), ("log-loss", None), ("f1", None), (None, COSTS)],
)
def test_the_score_is_that_of_the_comparison(metric: str | None, costs: object) -> None:
    plan = make_plan("classification", learners="tree", metric=metric, costs=costs)
    score = tuning_score(plan, Learner("tree", "tree"), CREDIT)
    assert score is not None
    train, test = CREDIT.rows(np.arange(0, 700)), CREDIT.rows(np.arange(700, 1000))
    model = DecisionTreeClassifier().fit(train.table, train.target)
    found = score(model, test.table, test.target)
    wanted = METRICS[plan.metric]
    by_hand = wanted.score(score._outcome(model, test.table, test.target))
    assert found == pytest.approx(-by_hand if wanted.less_is_better else by_hand)
    if plan.metric == "cost":
        said = model.predict(test.table)
        wrong = np.where(test.target == "bad", 5.0, 1.0) * (said != test.target)
        assert found == pytest.approx(-wrong.mean())


def test_candidates_are_chosen_for_the_deciding_metric() -> None:
    scores = {}
    for name, options in (("accuracy", {}), ("auc", {"metric": "auc"}), ("cost", {"costs": COSTS})):
        plan = make_plan("classification", learners="c45", tuning="small", **options)
        search = fit_learner(plan, Learner("c45", "c45"), CREDIT)
        assert search.scoring.metric == name
        scores[name] = search.cv_results_["mean_test_score"]
    assert (scores["cost"] < 0).all()  # less is better
    assert not np.allclose(scores["auc"], scores["accuracy"])


def test_a_learner_without_probabilities_is_tuned_as_usual() -> None:
    plan = make_plan("classification", learners="perceptron", metric="auc")
    assert tuning_score(plan, Learner("perceptron", "perceptron"), CREDIT) is None
    rows = load_dataset("german-credit").rows(np.arange(200))
    found = compare(rows, "class", learners={"c": C45()}, metric="auc", folds=2)
    assert found.score("c").estimate > 0


def test_leave_one_out_ranks_all_rows_together_and_a_constant_ranks_none() -> None:
    table = load_dataset("heart").rows(np.arange(60))
    found = compare(table, "disease", learners="naive-bayes", resampling="leave-one-out")
    assert found.score("baseline", "auc").estimate == pytest.approx(0.5)
    assert 0.7 < found.score("naive-bayes", "auc").estimate < 1
    score = found.score("naive-bayes", "auc")
    assert score.low < score.estimate < score.high
