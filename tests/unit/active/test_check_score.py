"""The score of a labeled part: unbiased although the chosen rows are not typical."""

import numpy as np

from branchline.active import ActiveLearner
from branchline.active._check_score import check_score


def test_the_score_is_near_the_truth_where_chosen_rows_are_hard():
    found, truth, chosen = [], [], []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        x = rng.uniform(size=(600, 1))
        y = (rng.uniform(size=600) < 1 / (1 + np.exp(10 - 20 * x[:, 0]))).astype(int)
        learner = ActiveLearner(x, estimator="logistic", check_share=0.5, random_state=seed)
        for rows in learner:
            learner.tell(rows, y[rows])
            if learner.n_labeled >= 80:
                break
        found.append(learner.score().estimate)
        truth.append(np.mean(learner.model_.predict(x) == y))
        hard = np.setdiff1d(learner.rows_labeled, learner.check_rows)
        chosen.append(np.mean(learner.model_.predict(x[hard]) == y[hard]))
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    assert abs(np.mean(found) - np.mean(truth)) < 3 * error + 0.01
    assert np.mean(chosen) < np.mean(truth) - 0.05


def test_rmse_of_exact_predictions_is_zero():
    x = np.repeat(np.arange(3.0), 40)[:, None]
    learner = ActiveLearner(x, estimator="tree", task="regression")
    for rows in learner:
        learner.tell(rows, x[rows, 0] * 2)
        if learner.n_labeled > 60:
            break
    found = check_score(learner._fit(), learner._pool)
    assert (found.estimate, found.low, found.high) == (0.0, 0.0, 0.0)
