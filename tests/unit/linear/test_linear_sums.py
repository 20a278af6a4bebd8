"""Sums of many rows of a matrix, added up in the core: those of the encoded table."""

import copy
import pickle

import numpy as np
import pytest

from branchline._class_sums import is_second_likelier, probabilities_of
from branchline.linear import LinearRegression, LogisticRegression
from branchline.linear._linear_sums import sums_of


def matrix(kind: str, n_rows: int = 500) -> np.ndarray:
    rng = np.random.default_rng(0)
    found = rng.normal(size=(n_rows, 5)) * 10.0 ** np.arange(-2, 3)
    if kind == "missing":
        found[rng.random(found.shape) < 0.1] = np.nan
    if kind == "constant":
        found[:, 2] = 1.0
    return {
        "float32": found.astype(np.float32),
        "columns first": np.asfortranarray(found),
        "every other": np.repeat(found, 2, axis=1)[:, ::2],
    }.get(kind, found)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(
    "kind", ["plain", "float32", "columns first", "every other", "missing", "constant"]
)
def test_sums_of_a_matrix_are_those_of_its_terms(kind: str, n_classes: int) -> None:
    X = matrix(kind)
    y = np.arange(len(X)) % n_classes
    X[:, 0] += y
    model = LogisticRegression(C=1.0).fit(X, y)
    table = model._check_rows(X).table
    found = model.encoding_.scores(table, model.weights_, model.bias_)
    terms = model.encoding_.encode(table)
    np.testing.assert_allclose(found, sums_of(terms, model.weights_, model.bias_), rtol=1e-12)
    order = np.random.default_rng(1).permutation(len(X))[:100]
    np.testing.assert_array_equal(model._scores(X[order]), model._scores(X)[order])
    likeliest = model.classes_[model.predict_proba(X).argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(X), likeliest)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_sums_beyond_all_floats_are_the_largest_one() -> None:
    X = matrix("plain")
    model = LinearRegression().fit(X, X[:, 0])
    huge = np.full((100, 5), 1e300)
    assert np.isfinite(model.predict(huge)).all()
    np.testing.assert_array_equal(model.predict(huge), model.predict(huge[:1])[0])


def test_the_second_class_is_likelier_where_its_probability_is_larger() -> None:
    tiny = 10.0 ** -np.arange(0.0, 330.0, 0.25)
    scores = np.concatenate([tiny, -tiny, [0.0, 1e300, -1e300]])
    first, second = probabilities_of(scores[:, None], 2).T
    np.testing.assert_array_equal(is_second_likelier(scores), second > first)
