"""Chosen beside random rows, simulated."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.active import LabelingCurve, simulate_labeling
from branchline.errors import DataError

X, Y = load_dataset("iris").split_target("species")


def test_a_curve_of_classes():
    given = {"estimator": "naive_bayes", "n_start": 6, "n_labels": 12, "n_draws": 4}
    curve = simulate_labeling(X, Y, batch_size=3, **given)
    assert curve.sizes.tolist() == [6, 9, 12]
    assert curve.chosen.shape == curve.random.shape == (4, 3)
    np.testing.assert_array_equal(curve.chosen[:, 0], curve.random[:, 0])
    assert curve.strategy == "margin"
    assert len(curve.to_frame()) == 3
    assert "labels" in str(curve)
    assert "<svg" in curve.draw().to_svg()
    again = simulate_labeling(X, Y, batch_size=3, **given)
    np.testing.assert_array_equal(curve.chosen, again.chosen)


def test_a_curve_of_numbers():
    cars, mpg = load_dataset("auto-mpg").split_target("mpg")
    curve = simulate_labeling(
        cars, mpg, estimator="ridge", n_start=20, n_labels=40, batch_size=20, n_draws=2
    )
    assert curve.metric == "rmse"
    assert curve.strategy == "committee"


def test_a_table_that_is_too_small():
    with pytest.raises(DataError) as caught:
        simulate_labeling(X.rows(range(30, 70)), Y[30:70], n_labels=30)
    assert caught.value.code == "D634"


@pytest.mark.parametrize(
    ("better", "words"), [(0.2, "helped"), (-0.2, "hurt"), (0.0, "statistically tied")]
)
def test_verdicts(better, words):
    noise = np.array([[0.0, 0.01], [0.0, -0.01], [0.0, 0.0]])
    random = np.full((3, 2), 0.5)
    curve = LabelingCurve(
        "accuracy", "margin", np.array([5, 10]), random + noise + [0, better], random, random[:, 0]
    )
    assert words in curve.verdict()
