"""SVC with a hard margin: the widest street, or a proof that there is none."""

import re

import numpy as np
import pytest

from branchline.errors import BranchlineError, DataError, ParameterError
from branchline.svm import SVC


def separable(seed, n_rows=40, gap=0.2):
    random = np.random.default_rng(seed)
    X, normal = random.normal(size=(n_rows, 3)), random.normal(size=3)
    y = X @ normal > np.median(X @ normal)
    return X + np.where(y, gap, -gap)[:, None] * normal, y


def raw(C=1.0, **parameters):
    return SVC(C, **{"standardize": False, "gamma": 0.6, **parameters})


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_hard_margin_is_that_of_an_enormous_c(kernel):
    X, y = separable(3)
    hard = raw(kernel=kernel, margin="hard", tol=1e-6).fit(X, y)
    soft = raw(1e7, kernel=kernel, tol=1e-6).fit(X, y)
    assert hard.margin_ == pytest.approx(soft.margin_, rel=1e-4)
    assert hard.decision_function(X) == pytest.approx(soft.decision_function(X), rel=1e-3)
    assert (hard.predict(X) == y).all()
    assert np.abs(hard.decision_function(X)).min() == pytest.approx(1.0, rel=1e-4)
    assert hard.loo_error() == soft.loo_error()


def test_a_hard_margin_that_does_not_exist_is_refused_with_a_proof():
    X = np.array([[0.0, 0.0], [2.0, 2.0], [0.0, 2.0], [2.0, 0.0]])
    with pytest.raises(DataError, match="cannot be separated") as caught:
        SVC(kernel="linear", margin="hard", standardize=False).fit(X, [0, 0, 1, 1])
    assert caught.value.code == "D170"
    sides = caught.value.message.replace("\n", " ").split("(")[1].split(" = ")
    found = [re.findall(r"([\d.e-]+) × row (\d+)", side) for side in sides]
    mixtures = [sum(float(share) * X[int(row)] for share, row in side) for side in found]
    assert mixtures[0] == pytest.approx(mixtures[1], abs=1e-2)
    assert [sum(float(share) for share, _ in side) for side in found] == pytest.approx([1, 1])
    assert list(caught.value.rows) == [0, 1, 2, 3]


def test_a_hard_margin_that_was_stopped_proves_nothing():
    X, y = separable(3, 60, gap=0.05)
    with pytest.raises(BranchlineError) as caught:
        raw(kernel="linear", margin="hard", max_iter=1).fit(X, y)
    assert "coincide" not in caught.value.message


def test_several_classes_are_separated_in_pairs():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = random.uniform(-1, 1, size=(60, 2)) + np.array([[0, 0], [4, 0], [0, 4]])[y]
    model = raw(kernel="linear", margin="hard").fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.margin_.shape == (3,)
    assert model.margin_.min() > 1.9
    assert model.slack_.max() < 1e-3
    assert model.loo_error() == 0.0


@pytest.mark.parametrize("name", ["loss", "fit_intercept"])
def test_a_hard_margin_has_no_slack_and_a_bias(name):
    value = {"loss": "squared_hinge", "fit_intercept": False}[name]
    with pytest.raises(ParameterError) as caught:
        SVC(margin="hard", **{name: value}).fit([[0.0], [1.0]], [0, 1])
    assert caught.value.code == "P181"
