"""How informative rows are, by hand and by plain twins."""

import numpy as np
import pytest

from branchline.active import ActiveLearner
from branchline.active._fitting import votes
from branchline.active._strategies import STRATEGIES, Question, margins
from branchline.bayes import NaiveBayes
from branchline.forest import RandomForestClassifier


@pytest.fixture
def question():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=80) > 0).astype(int)
    learner = ActiveLearner(X, estimator=RandomForestClassifier(n_estimators=15))
    learner.tell(range(30), y[:30])
    rows = learner._pool.left
    return Question(learner._learner, learner._fit(), learner._pool, rows, 0)


def test_margins_by_hand():
    found = margins(np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.2, 0.5, 0.3]]))
    np.testing.assert_allclose(found, [1.0, 0.0, 0.8])


def test_the_committee_is_the_mean_of_its_trees(question):
    table = question.pool.table.rows(question.rows)
    each = votes(question.fitted, table)
    np.testing.assert_allclose(each.mean(axis=0), question.probabilities(), atol=1e-12)
    score = STRATEGIES["committee"](question)
    assert (score >= -1e-12).all()
    share = each[:, :, 1].mean(axis=0)
    agreed = (share == 0) | (share == 1)
    np.testing.assert_allclose(score[agreed], 0, atol=1e-12)
    assert score[~agreed].min() > 0


def test_of_two_classes_three_strategies_agree_on_the_best(question):
    best = [int(np.argmax(STRATEGIES[name](question))) for name in ("uncertainty", "margin")]
    assert best[0] == best[1]


def test_error_reduction_is_the_slow_definition():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(25, 2))
    y = (X[:, 0] > 0).astype(int)
    learner = ActiveLearner(X, estimator=NaiveBayes(), strategy="error_reduction", batch_size=1,
                            check_share=0.0)  # fmt: skip
    start = [int(np.flatnonzero(y == 0)[0]), *np.flatnonzero(y == 1)[:2].tolist(), 7, 8, 9]
    start = sorted(set(start))
    learner.tell(start, y[start])
    chosen = int(learner.ask()[0])
    left = [row for row in range(25) if row not in start]
    model = NaiveBayes().fit(X[start], y[start])
    expected = {}
    for row in left:
        total = 0.0
        for name, share in zip((0, 1), model.predict_proba(X[[row]])[0], strict=True):
            again = NaiveBayes().fit(X[[*start, row]], [*y[start], name])
            total += share * (1 - again.predict_proba(X[left]).max(axis=1)).mean()
        expected[row] = total
    assert expected[chosen] == pytest.approx(min(expected.values()), abs=1e-12)
