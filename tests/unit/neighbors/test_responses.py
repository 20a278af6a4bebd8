"""Very many classes: the same results as with a number for each row and class, without them."""

import time

import numpy as np
import pytest

from branchline._validation import ClassTarget
from branchline.neighbors import NearestNeighborsClassifier, ParzenClassifier, _responses
from branchline.neighbors._responses import explained_by_classes, explained_share, responses_of


def many(n_classes=90, n_rows=900, seed=0):
    random = np.random.default_rng(seed)
    centers = 3 * random.normal(size=(n_classes, 4))
    y = np.arange(n_rows) % n_classes
    return np.round(centers[y] + random.normal(size=(n_rows, 4)), 1), y


@pytest.mark.parametrize("kind", [NearestNeighborsClassifier, ParzenClassifier])
def test_classes_by_index_give_the_same_model(kind, monkeypatch):
    X, y = many()
    model = kind().fit(X, y)
    by_index = model.predict_proba(X[:50])
    for name in ("_responses", "_kernel_means"):
        monkeypatch.setattr(f"branchline.neighbors.{name}.MANY_CLASSES", 10**6)
    dense = kind().fit(X, y)
    np.testing.assert_allclose(model.cv_curve_, dense.cv_curve_, rtol=1e-12)
    np.testing.assert_allclose(model.column_weights_, dense.column_weights_, rtol=1e-12)
    np.testing.assert_allclose(by_index, dense.predict_proba(X[:50]), rtol=1e-9, atol=1e-15)


def test_the_share_explained_of_classes_is_that_of_their_responses():
    random = np.random.default_rng(1)
    for n_classes in (3, 70):
        classes = random.integers(0, n_classes, 500).astype(np.uint32)
        classes[:n_classes] = np.arange(n_classes)
        groups = (classes // 7 + random.integers(0, 3, 500)).astype(np.int64)
        target = ClassTarget(np.arange(n_classes), classes)
        expected = explained_share(groups, int(groups.max()) + 1, responses_of(target))
        assert explained_by_classes(groups, target) == pytest.approx(expected, rel=1e-12)
    assert _responses.has_many_classes(target)


@pytest.mark.parametrize("kind", [NearestNeighborsClassifier, ParzenClassifier])
def test_thousands_of_classes_take_seconds(kind):
    X, y = many(2_000, 6_000)
    begin = time.process_time()
    model = kind(n_jobs=1).fit(X, y)
    assert model.score(X[:500], y[:500]) > 0.5
    assert time.process_time() - begin < 15  # minutes before
