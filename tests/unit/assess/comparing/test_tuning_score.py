"""What candidates are tuned for: numbers that overflow lose, the positive class stays the same."""

import math

import numpy as np
import pytest

from branchline import Table
from branchline.assess import make_plan, make_problem
from branchline.assess.comparing._tuned_threshold import settle_threshold
from branchline.assess.comparing._tuning_score import TuningScore


class Says:
    def __init__(self, number):
        self.number = number

    def predict(self, X):
        return np.full(len(X), self.number)


@pytest.mark.parametrize("metric", ["rmse", "mae", "r2"])
def test_predictions_that_overflow_are_the_worst(metric):
    score, X, y = TuningScore(metric), np.zeros((5, 1)), np.arange(5.0)
    assert score(Says(np.inf), X, y) == -math.inf
    assert score(Says(1e200), X, y) < score(Says(2.0), X, y)


def test_the_positive_class_is_named_once():
    table = Table({"x": np.arange(201.0) ** 1.5, "y": ["a"] * 101 + ["b"] * 100})
    problem = make_problem(table, "y")
    plan = make_plan("classification", learners="tree", metric="f1", tuning="small")
    assert settle_threshold(plan, problem).positive == "b"
