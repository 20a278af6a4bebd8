"""How far discriminants are shrunk: against fits on each fold, and where the choice matters."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from branchline.linear import LinearDiscriminantAnalysis
from branchline.linear._linear_classifier import LinearClassifier
from branchline.linear._priors import priors_of
from branchline.linear._shrinkage_folds import _SHARES, _folds


def encoded(X: Any, y: Any, weights: Any = None) -> Any:
    """Return the rows as a fit gets them."""
    model = LinearDiscriminantAnalysis()
    return LinearClassifier._encode_training(model, model._begin(X, y, weights))


def drawn(n_rows: int = 120, n_classes: int = 3) -> tuple[Any, Any]:
    """Return rows of correlated columns, with an idle one."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n_rows)
    X = rng.normal(size=(n_rows, 5)) @ rng.normal(size=(5, 5)) + y[:, None] * [1, 0, 0.5, 0, 0]
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
def test_losses_are_those_of_fits_on_each_fold(n_classes: int) -> None:
    rows = encoded(*drawn(n_classes=n_classes))
    classes = rows.class_target.classes
    for fold in list(_folds(rows))[:2]:
        losses = fold.losses(lambda weight: priors_of(None, classes, weight))
        learned, tested = fold.learn > 0, fold.test > 0
        for share, loss in zip(_SHARES, losses, strict=True):
            model = LinearDiscriminantAnalysis(shrinkage=share)
            model.fit(rows.matrix[learned], fold.class_of_row[learned])
            right = model.predict_proba(rows.matrix[tested])
            expected = -np.log(right[np.arange(tested.sum()), fold.class_of_row[tested]]).sum()
            np.testing.assert_allclose(loss, expected, rtol=1e-7)


def test_a_direction_of_little_variance_that_tells_the_classes_apart_is_kept() -> None:
    # The classes differ in the difference of two columns that are nearly the same.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    common = rng.normal(size=200)
    X = np.column_stack([common, common + 0.05 * rng.normal(size=200) + 0.1 * y])
    auto = LinearDiscriminantAnalysis().fit(X[:100], y[:100])
    wolf = LinearDiscriminantAnalysis(shrinkage="ledoit_wolf").fit(X[:100], y[:100])
    assert auto.shrinkage_ < wolf.shrinkage_
    assert auto.score(X[100:], y[100:]) > wolf.score(X[100:], y[100:]) + 0.1


def test_noise_is_shrunk_away() -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 60)) + 0.3 * y[:, None]
    assert LinearDiscriminantAnalysis().fit(X, y).shrinkage_ >= 0.3


def test_copies_are_weights() -> None:
    X, y = drawn(60)
    copies = np.random.default_rng(2).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), copies)
    weighted = LinearDiscriminantAnalysis().fit(X, y, sample_weight=copies)
    repeated = LinearDiscriminantAnalysis().fit(X[rows], y[rows])
    assert weighted.shrinkage_ == repeated.shrinkage_
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


def test_sparse_rows_are_shrunk_as_dense_ones() -> None:
    X, y = drawn(90)
    dense = encoded(X, y)
    loose = type(dense)(
        sparse.csr_array(dense.matrix), dense.weights, dense.canonical, dense.encoding, dense.order
    )
    classes = dense.class_target.classes
    for one, other in zip(_folds(dense), _folds(loose), strict=True):
        losses = [
            fold.losses(lambda weight: priors_of(None, classes, weight)) for fold in (one, other)
        ]
        np.testing.assert_allclose(*losses, rtol=1e-9)


@pytest.mark.parametrize(("X", "y"), [([[0.0], [1.0]], [0, 1]), ([[1.0], [1.0]], [0, 1])])
def test_tables_too_small_for_folds_still_get_a_share(X: Any, y: Any) -> None:
    assert 0 <= LinearDiscriminantAnalysis().fit(X, y).shrinkage_ <= 1
