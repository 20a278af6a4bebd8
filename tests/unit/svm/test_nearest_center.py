"""NearestCenter: distances to means, leave-one-out by doing it, consistent probabilities."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestCentroid

import branchline
from branchline.errors import BranchlineWarning, DataError
from branchline.kernels import RBF, Constant, Sigmoid
from branchline.svm._nearest_center import NearestCenter

PLAIN = {"gamma": 0.5, "standardize": False}


def rows(n_rows=40, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    scores = X @ rng.normal(size=(2, n_classes)) + rng.normal(size=(n_rows, n_classes))
    return X, scores.argmax(axis=1)


def test_linear_kernel_is_the_nearest_mean():
    X, y = rows()
    weight = np.arange(40) % 3 + 1
    model = NearestCenter(kernel="linear", standardize=False).fit(X, y, weight)
    means = np.array([np.average(X[y == k], axis=0, weights=weight[y == k]) for k in range(3)])
    expected = ((X[:, None] - means) ** 2).sum(axis=2)
    np.testing.assert_allclose(model.squared_distances(X), expected, rtol=1e-9)
    np.testing.assert_allclose(model.center_norms_, (means**2).sum(axis=1))
    np.testing.assert_array_equal(model.class_counts_, np.bincount(y, weight))
    plain = NearestCenter(kernel="linear", standardize=False).fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), NearestCentroid().fit(X, y).predict(X))


def test_distances_are_those_of_the_formula():
    X, y = rows()
    Z = np.random.default_rng(1).normal(size=(7, 2))
    model = NearestCenter(**PLAIN).fit(X, y)
    kernel = RBF(gamma=0.5)
    for place in range(3):
        own = X[y == place]
        norm = kernel.gram(own).mean()
        expected = 1 - 2 * kernel.gram(Z, own).mean(axis=1) + norm
        np.testing.assert_allclose(model.squared_distances(Z)[:, place], expected)
        assert model.center_norms_[place] == pytest.approx(norm)


def test_leave_one_out_error_is_what_leaving_out_gives():
    X, y = rows(30)
    weight = np.random.default_rng(2).integers(1, 3, 30)
    model = NearestCenter(**PLAIN).fit(X, y, weight)
    missed = 0.0
    for row in range(30):
        fewer = weight - (np.arange(30) == row)
        without = NearestCenter(**PLAIN).fit(X, y, fewer)
        missed += weight[row] * (without.predict(X[[row]])[0] != y[row])
    assert model.loo_error_ == pytest.approx(missed / weight.sum())


def test_probabilities_never_contradict_the_nearest_center():
    for seed in range(5):
        X, y = rows(40, 3, seed)
        y = y if seed % 2 else np.random.default_rng(seed).permutation(y)  # also without a signal
        model = NearestCenter().fit(X, y)
        nearest = model.squared_distances(X).argmin(axis=1)
        np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), nearest)
        np.testing.assert_array_equal(model.predict(X), model.classes_[nearest])
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_the_scale_follows_how_far_classes_are_apart():
    X, y = rows(200, 2)
    apart = X + 6.0 * y[:, None]
    near = NearestCenter(kernel="linear").fit(X, np.random.default_rng(0).permutation(y))
    far = NearestCenter(kernel="linear").fit(apart, y)
    assert near.predict_proba(X).max() < 0.7
    assert np.median(far.predict_proba(apart).max(axis=1)) > 0.95
    assert far.loo_error_ < 0.05


def test_probabilities_do_not_depend_on_the_size_of_the_kernel():
    X, y = rows()
    small = NearestCenter(kernel=RBF(gamma=0.5), standardize=False).fit(X, y)
    large = NearestCenter(kernel=1e6 * RBF(gamma=0.5), standardize=False).fit(X, y)
    np.testing.assert_allclose(large.predict_proba(X), small.predict_proba(X), rtol=1e-6)


def test_weights_are_copies_and_order_does_not_matter():
    X, y = rows()
    weight = np.random.default_rng(5).integers(0, 4, len(y))
    model = NearestCenter().fit(X, y, weight)
    copied = np.repeat(np.arange(len(y)), weight)
    repeated = NearestCenter().fit(X[copied], y[copied])
    order = np.random.default_rng(6).permutation(len(y))
    shuffled = NearestCenter().fit(X[order], y[order], weight[order])
    for other in (repeated, shuffled):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        assert other.loo_error_ == model.loo_error_


def test_mixed_tables_with_holes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=150), "town": rng.choice(["Ath", "Mons"], 150)})
    y = np.where((frame["x"] > 0) & (frame["town"] == "Ath"), "in", "out")
    frame.loc[::21, "x"] = np.nan
    frame.loc[::23, "town"] = None
    assert NearestCenter().fit(frame, y).score(frame, y) > 0.85


def test_one_class_is_certain():
    with pytest.warns(BranchlineWarning, match="only one class"):
        model = NearestCenter().fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict_proba([[5.0]]).tolist() == [[1.0]]
    assert model.loo_error_ == 0.0


def test_a_constant_kernel_gives_all_classes_the_same():
    X, y = rows()
    model = NearestCenter(kernel=Constant(3.0)).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), 1 / 3)


def test_the_only_row_of_a_class_is_lost_when_left_out():
    model = NearestCenter(kernel="linear", standardize=False)
    model.fit([[0.0], [1.0], [9.0]], ["a", "a", "b"])
    assert model.loo_error_ == pytest.approx(1 / 3)
    assert model.predict([[8.0]]).tolist() == ["b"]
    alone = NearestCenter().fit([[0.0], [1.0]], ["a", "b"])
    assert alone.loo_error_ == 1.0
    assert alone.predict([[0.2]]).tolist() == ["a"]


def test_a_given_matrix_is_the_kernel():
    X, y = rows()
    gram = RBF(gamma=0.5).gram(X)
    given = NearestCenter(kernel="precomputed").fit(gram, y)
    other = NearestCenter(**PLAIN).fit(X, y)
    np.testing.assert_allclose(given.predict_proba(gram), other.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(given.predict_proba(gram[:5]), other.predict_proba(X[:5]), atol=1e-9)
    with pytest.raises(DataError, match="precomputed"):
        given.squared_distances(gram[:5])


def test_kernels_that_are_none_have_scores_all_the_same():
    X, y = rows()
    model = NearestCenter(kernel=Sigmoid(gamma=2.0, coef0=-1.0)).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_model_file_holds_the_model(tmp_path):
    X, y = rows()
    model = NearestCenter().fit(X, np.array(["a", "b", "c"])[y], np.arange(40) % 3)
    model.save(tmp_path / "model")
    loaded = branchline.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.class_counts_, model.class_counts_)
    assert loaded.loo_error_ == model.loo_error_
