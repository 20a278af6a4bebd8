import numpy as np
import pytest

import branchline as bl
from branchline._prediction_errors import ClassErrors
from branchline.assess import ClassSets
from branchline.assess.uncertainty._class_sets import class_sets, frequencies


def drawn(n_rows, seed=0, share=0.5):
    draws = np.random.default_rng(seed)
    y = (draws.uniform(size=n_rows) < share).astype(int)
    return draws.normal(size=(n_rows, 2)) + y[:, None], np.where(y, "yes", "no")


def fitted(name, X, y):
    return bl.fit_intervals(bl.make(name, task="classification").fit(X, y), X, y)


@pytest.mark.parametrize("name", ["lda", "tree", "perceptron", "nearest_neighbors"])
def test_sets_hold_the_true_class_of_nine_new_rows_of_ten(name):
    X, y = drawn(400)
    new, truth = drawn(3000, 1)
    found = bl.predict_interval(fitted(name, X, y), new, level=0.9)
    assert isinstance(found, ClassSets)
    held = [name in one for name, one in zip(truth, found.sets, strict=True)]
    assert np.mean(held) > 0.87
    assert all(name in one for name, one in zip(found.prediction, found.sets, strict=True))


def test_a_rare_class_is_in_the_sets_of_its_rows_as_often():
    held = []
    for seed in range(10):
        X, y = drawn(1500, seed, share=0.06)
        new, truth = drawn(5000, 100 + seed, share=0.06)
        found = bl.predict_interval(fitted("lda", X, y), new, level=0.9)
        assert found.is_by_class
        held.append(np.mean(found.contains[truth == "yes", 1]))
    assert np.mean(held) == pytest.approx(0.9, abs=0.03)  # one quantile for both: about 0.3


def test_too_rare_a_class_shares_the_quantile_of_all():
    X, y = drawn(300, share=0.03)
    found = bl.predict_interval(fitted("lda", X, y), X, level=0.9)
    assert not found.is_by_class
    assert "of a rare class maybe fewer" in str(found)


def test_few_rows_give_all_classes_and_say_so():
    X, y = drawn(8)
    y[:2] = ["no", "yes"]
    with pytest.warns(bl.errors.BranchlineWarning, match="sets hold all classes"):
        found = bl.predict_interval(fitted("naive_bayes", X, y), X, level=0.9)
    assert found.contains.all()
    assert "8 rows with both classes" in str(found)


def test_calibration_says_how_often_predictions_were_right():
    X, y = drawn(500)
    found = bl.predict_interval(fitted("lda", X, y), X[:3], level=0.9)
    assert sum(band.n_rows for band in found.calibration) == 500
    for band in found.calibration:
        assert band.right == pytest.approx(band.probability, abs=0.12)
    assert "How often predictions of a given probability were right" in str(found)


def test_without_probabilities_frequencies_of_errors_are_used():
    # Where 0 was predicted, class 0 was true in 3 of 4 rows; where 1 was predicted, always class 1.
    truth = np.array([0, 0, 0, 1, 1, 1], dtype=np.uint32)
    predicted = np.array([0, 0, 0, 0, 1, 1], dtype=np.uint32)
    errors = ClassErrors(truth, predicted, None, None, np.ones(6), 6.0, "test")
    known, given = frequencies(errors, np.array([0, 1]), 2)
    assert given.tolist() == [[0.75, 0.25], [0.0, 1.0]]
    assert known.tolist() == pytest.approx([2 / 3, 2 / 3, 2 / 3, 0.0, 1.0, 1.0])
    names = np.array(["a", "b"])
    found = class_sets(errors, names, np.array(["a", "b"]), None, 0.5)
    assert found.probability is None
    assert list(found.columns()) == ["plausible"]
