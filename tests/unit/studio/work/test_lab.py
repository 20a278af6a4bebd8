"""The lab: every learner, every shape; margins, weights, curves; odd points."""

import numpy as np
import pytest

from branchline.errors import BranchlineError
from branchline.studio.work._lab_learners import LEARNERS, LESSONS
from branchline.studio.work._lab_points import CURVES, SHAPES
from branchline.studio.work.lab import lab_fit, lab_parts, lab_points


def fitted(desk, learner, shape="moons", values=None, n=40):
    found = lab_points(desk, shape, n, 0, 0.2, None, [])
    given = {name: found[name] for name in ("X", "y", "classes")}
    held = {name: found[name] for name in ("held_points", "held_targets")}
    return lab_fit(desk, learner, values or {}, **given, **held)


@pytest.mark.parametrize("learner", [k for k, one in LEARNERS.items() if one["classes"]])
def test_learners_of_classes(desk, learner):
    found = fitted(desk, learner)
    assert len(found["best"]) == len(found["sure"]) == found["steps"] ** 2
    assert set(found["best"]) <= {0, 1}
    assert max(found["sure"]) <= 255
    assert found["train_error"] < 0.25
    assert found["held_error"] < 0.3


@pytest.mark.parametrize("learner", [k for k, one in LEARNERS.items() if one["numbers"]])
def test_learners_of_numbers(desk, learner):
    found = fitted(desk, learner, "sine")
    assert len(found["curve_x"]) == len(found["curve_y"])
    assert np.isfinite(found["curve_y"]).all()


def test_margins_and_weights(desk):
    machine = fitted(desk, "svm_rbf", "overlap")
    assert min(machine["margin"]) < -0.5 < 0.5 < max(machine["margin"])
    assert machine["support"]
    weights = fitted(desk, "adaboost", "overlap")["weights"]
    assert max(weights) == 1
    assert fitted(desk, "svm_linear", "three")["n_classes"] == 3


def test_the_lessons_teach_what_they_say(desk):
    by_name = {one["name"]: one for one in LESSONS}
    xor = by_name["XOR"]
    assert fitted(desk, xor["learner"], "xor", xor["set"], 120)["held_error"] > 0.3
    assert fitted(desk, "svm_rbf", "xor", {"C": 10}, 120)["held_error"] < 0.15
    assert fitted(desk, "svm_poly", "circles", {"degree": 2, "C": 10}, 120)["held_error"] < 0.1
    cheap, dear = by_name["C = 0.01"]["set"], by_name["C = 10 000"]["set"]
    few, many = (len(fitted(desk, "svm_rbf", "overlap", s, 120)["support"]) for s in (dear, cheap))
    assert many > few
    assert {one["points"] for one in LESSONS} <= set(SHAPES)


def test_bias_and_variance(desk):
    stump = lab_parts(desk, "tree", {"max_depth": 1}, "sine", 40, 0.2)
    deep = lab_parts(desk, "tree", {"max_depth": 12}, "sine", 40, 0.2)
    assert stump["bias2"] > deep["bias2"]
    assert stump["variance"] < deep["variance"]
    assert len(stump["curves"]) == 20


def test_rows_of_a_table(desk, iris):
    found = lab_points(desk, "moons", 100, 0, 0, iris, ["petal_length", "petal_width"])
    assert found["classes"] == ["setosa", "versicolor", "virginica"]
    assert np.abs(found["X"]).max() <= 1
    with pytest.raises(BranchlineError):
        lab_points(desk, "moons", 100, 0, 0, iris, ["petal_length", "species"])


@pytest.mark.parametrize(
    "given",
    [
        {"learner": "nothing"},
        {"learner": "svm_rbf", "X": [[0.0, 0.0]], "y": [0]},
        {"learner": "svm_rbf", "X": [[0.0, 0.0], [1.0, 1.0]], "y": [0, 0]},
        {"learner": "svm_rbf", "X": [[0.0, 0.0], [1.0, 1.0]], "y": [0]},
    ],
)
def test_points_that_cannot_be_learned_from_are_refused(desk, given):
    usual = {"values": {}, "X": [[0.0, 0.0], [1.0, 1.0]], "y": [0, 1], "held_points": [],
             "held_targets": [], "classes": ["a", "b"]}  # fmt: skip
    with pytest.raises(BranchlineError) as caught:
        lab_fit(desk, **{**usual, **given})
    assert caught.value.code == "P960"
    assert CURVES.keys() == {"sine", "steps", "line", "noise"}
