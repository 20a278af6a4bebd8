"""Whether more labels are worth it."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.active import ActiveLearner
from branchline.errors import ParameterError

X, Y = load_dataset("iris").split_target("species")


@pytest.fixture(scope="module")
def learner():
    made = ActiveLearner(X, estimator="naive_bayes")
    for rows in made:
        made.tell(rows, Y[rows])
        if made.n_labeled >= 60:
            break
    return made


def test_few_labels_are_too_few():
    made = ActiveLearner(X, estimator="naive_bayes")
    rows = made.ask()
    made.tell(rows, Y[rows])
    advice = made.advice()
    assert advice.n_more is None
    assert advice.n_needed == 20
    assert "Too little to tell" in str(advice)
    with pytest.raises(ParameterError) as caught:
        advice.draw()
    assert caught.value.code == "P844"


def test_a_model_that_predicts_one_class_is_not_an_end():
    rng = np.random.default_rng(0)
    y = np.where(rng.uniform(size=300) < 0.1, "rare", "usual")
    made = ActiveLearner(rng.normal(size=(300, 2)), estimator="majority")
    made.tell(range(60), y[:60])
    assert made.advice().n_more is None


def test_easy_classes_need_no_further_labels(learner):
    advice = learner.advice()
    assert advice.n_more == 0
    assert advice.verdict().startswith("Stop")
    assert 0 <= advice.gain_all.low <= advice.gain_all.estimate <= advice.gain_all.high < 0.1
    assert advice.score.estimate > 0.8
    assert set(advice.to_dict()) >= {"n_more", "score", "verdict"}


def test_a_smaller_margin_asks_for_more(learner):
    counts = [learner.advice(negligible=limit).n_more for limit in (0.1, 0.01, 1e-3, 1e-5)]
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]


def test_costs_decide(learner):
    cheap = learner.advice(label_cost=0.0, error_cost=10.0, n_predictions=10_000)
    dear = learner.advice(label_cost=1e6, error_cost=10.0, n_predictions=10_000)
    assert cheap.n_more == learner.n_left
    assert dear.n_more == 0
    assert dear.net_next.high < 0 < cheap.net_next.low
    assert "more than it costs" in str(cheap)
    for wrong in ({"label_cost": 1.0}, {"error_cost": 1.0, "n_predictions": 3}):
        with pytest.raises(ParameterError) as caught:
            learner.advice(**wrong)
        assert caught.value.code == "P843"
    with pytest.raises(ParameterError):
        learner.advice(negligible=0)


def test_the_curve_can_be_drawn(learner):
    chart = learner.advice().draw()
    assert "<svg" in chart.to_svg()
    assert "change" in chart.text
