"""Hoeffding trees: accuracy on known streams, tests of all kinds, bounded memory."""

import numpy as np
import pandas as pd
import pytest

from branchline.errors import ParameterError
from branchline.stream import HoeffdingTreeClassifier, evaluate_stream
from stream_generators import agrawal, led, random_rbf, sea


# River 0.26 on its own generators, 100 000 rows: 0.908, 0.885, 0.748 and 0.813.
@pytest.mark.parametrize(
    ("stream", "least"),
    [
        (lambda: agrawal(4, 50_000, 1), 0.93),
        (lambda: sea(50_000, 1), 0.88),
        (lambda: led(50_000, 1), 0.72),
        (lambda: random_rbf(50_000, 1), 0.80),
    ],
    ids=["agrawal", "sea", "led", "rbf"],
)
def test_streams_of_the_literature(stream, least):
    result = evaluate_stream(HoeffdingTreeClassifier(), *stream())
    assert result.accuracy.estimate >= least
    assert result.accuracy.low <= result.accuracy.estimate <= result.accuracy.high


@pytest.mark.parametrize("numeric", ["binned", "gaussian"])
@pytest.mark.parametrize("leaf_prediction", ["adaptive", "naive_bayes", "majority"])
def test_thresholds_are_found(numeric, leaf_prediction):
    X, y = agrawal(0, 20_000, 0)
    model = HoeffdingTreeClassifier(numeric=numeric, leaf_prediction=leaf_prediction)
    found = model.predict_then_learn(X, y, classes=[0, 1]).argmax(axis=1)
    assert (found[10_000:] == y[10_000:]).mean() > 0.95
    assert "age ≤" in model.to_text()


def test_categories_and_missing_values_are_split():
    rng = np.random.default_rng(0)
    town = rng.choice(["Ath", "Mons", "Liège", "Spa"], 5000).astype(object)
    y = np.isin(town, ["Ath", "Spa"])
    gone = rng.random(5000) < 0.2
    town[gone], y[gone] = None, True
    frame = pd.DataFrame({"town": town, "noise": rng.normal(size=5000)})
    model = HoeffdingTreeClassifier(leaf_prediction="majority").fit(frame, y)
    assert (model.predict(frame) == y).all()
    # A category that never came goes to the heavier side, and is no error.
    assert len(model.predict(pd.DataFrame({"town": ["Huy"], "noise": [0.0]}))) == 1


def test_identifiers_are_not_split_and_noise_stays_a_leaf():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"id": [f"id{n}" for n in range(20_000)], "x": rng.normal(size=20_000)})
    y = rng.integers(0, 2, 20_000)
    assert HoeffdingTreeClassifier().fit(frame, y).n_leaves_ == 1


def test_memory_is_bounded():
    X, y = random_rbf(30_000, 2)
    sizes = {}
    for megabytes in (64.0, 0.1, 0.05):
        model = HoeffdingTreeClassifier(max_memory=megabytes).fit(X, y)
        sizes[megabytes] = model.n_bytes_
        assert (model.predict(X) == y).mean() > 0.5
    assert sizes[64.0] > 0.1 * 2**20
    assert sizes[0.1] <= 0.1 * 2**20
    assert sizes[0.05] <= 0.05 * 2**20


def test_too_little_memory_is_refused_and_the_repair_works():
    X, y = random_rbf(1000, 2)
    model = HoeffdingTreeClassifier(max_memory=0.001)
    with pytest.raises(ParameterError) as caught:
        model.fit(X, y)
    assert caught.value.code == "P853"
    exec(caught.value.repair.python, {"model": model})
    assert model.fit(X, y).n_rows_seen_ == 1000


def test_categories_are_bounded():
    frame = pd.DataFrame({"name": [f"n{k % 700}" for k in range(5000)]})
    model = HoeffdingTreeClassifier(max_categories=50).fit(frame, np.arange(5000) % 2)
    assert len(model.schema_["name"].categories) == 50


def test_depth_is_bounded():
    X, y = agrawal(4, 20_000, 3)
    assert HoeffdingTreeClassifier(max_depth=0).fit(X, y).n_leaves_ == 1
    assert HoeffdingTreeClassifier(max_depth=1).fit(X, y).n_leaves_ == 2
