"""Kernel Fisher discriminant: parity with the linear one, curves, noise, mixed tables, files."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import branchline
from branchline import Table, load_dataset
from branchline.errors import ModelFileError
from branchline.kernels import Spectrum
from branchline.projection import KernelFisherDiscriminant


def rings(n_rows=200, seed=0):
    rng = np.random.default_rng(seed)
    angle, inner = rng.uniform(0, 2 * np.pi, n_rows), rng.random(n_rows) < 0.5
    radius = np.where(inner, 1.0, 3.0) + 0.2 * rng.normal(size=n_rows)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X, np.where(inner, "inner", "outer")


def test_a_linear_kernel_with_almost_no_penalty_is_the_linear_discriminant():
    X, y = load_dataset("iris").split_target("species")
    numbers = np.column_stack([X.column(name).to_list() for name in X.names])
    ours = KernelFisherDiscriminant(kernel="linear", alpha=1e-6).fit(numbers, y)
    theirs = LinearDiscriminantAnalysis().fit(numbers, y)
    np.testing.assert_array_equal(ours.predict(numbers), theirs.predict(numbers))
    one, other = ours.transform(numbers), theirs.transform(numbers)
    for at in range(2):  # the same axes, turned and scaled by places of other folds
        assert abs(np.corrcoef(one[:, at], other[:, at])[0, 1]) > 0.999


def test_classes_on_rings_are_apart_on_one_axis():
    X, y = rings()
    new, truth = rings(seed=1)
    model = KernelFisherDiscriminant().fit(X, y)
    assert model.score(new, truth) > 0.97
    assert model.separation_[0] > 3
    assert KernelFisherDiscriminant(kernel="linear").fit(X, y).separation_[0] < 0.2


def test_new_rows_lie_as_the_model_says():
    # Within classes, places of new rows have the variance 1, and they lie around the centers.
    X, y = rings(150)
    new, truth = rings(2000, seed=1)
    model = KernelFisherDiscriminant().fit(X, y)
    places = model.transform(new)
    for at, name in enumerate(model.classes_):
        mine = places[truth == name, 0]
        assert abs(mine.mean() - model.centers_[at, 0]) < 0.35
        assert 0.5 < mine.std() < 1.6


def test_noise_has_no_separation():
    errors = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        model = KernelFisherDiscriminant().fit(rng.normal(size=(80, 4)), rng.integers(0, 2, 80))
        errors.append(model.cv_error_)
        assert model.separation_[0] < 0.5
    assert 0.4 < np.mean(errors) < 0.6


def test_mixed_tables_with_missing_values():
    X, y = load_dataset("titanic").split_target("survived")
    X = X.select(["age", "sex", "pclass", "fare"])
    model = KernelFisherDiscriminant().fit(X[:600], y[:600])
    assert model.score(X[600:], y[600:]) > 0.7
    assert np.isfinite(model.transform(X)).all()


def test_three_rows_one_class_and_constant_columns():
    assert KernelFisherDiscriminant().fit([[0.0], [1.0], [3.0]], ["a", "b", "b"]).classes_.size == 2
    constant = KernelFisherDiscriminant().fit(np.ones((6, 2)), list("aabbbb"))
    assert constant.transform(np.ones((2, 2))).tolist() == [[0.0], [0.0]]
    np.testing.assert_allclose(constant.predict_proba(np.ones((1, 2))), [[1 / 3, 2 / 3]])


def test_texts_and_fewer_axes():
    texts = ["abab", "abba", "baba", "xyxy", "yxyx", "xxyy", "mnmn", "nmnm", "mmnn"]
    y = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    model = KernelFisherDiscriminant(kernel=Spectrum()).fit(texts, y)
    assert model.predict(["ababab", "yxy"]).tolist() == [0, 1]
    fewer = KernelFisherDiscriminant(1, kernel=Spectrum()).fit(texts, y)
    assert fewer.transform(texts).shape == (9, 1)


def test_the_picture_has_the_classes_and_their_words():
    X, y = load_dataset("iris").split_target("species")
    model = KernelFisherDiscriminant().fit(X, y)
    drawn = model.draw(X, y)
    assert "virginica" in drawn.to_svg()
    assert "training rows lie nearer" in drawn.note
    assert model.get_feature_names_out().tolist() == ["axis1", "axis2"]
    two = Table({"x": [1.0, 2.0, 3.0, 4.0]})
    assert KernelFisherDiscriminant().fit(two, list("aabb")).draw(two).text


def test_a_file_keeps_it_and_a_damaged_one_is_refused(tmp_path):
    X, y = rings(60)
    model = KernelFisherDiscriminant().fit(X, y)
    model.save(tmp_path / "model.branchline")
    loaded = branchline.load(tmp_path / "model.branchline")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    state = model._pack()
    for damage in ({"alpha": -1.0}, {"scale": -1.0}, {"cv_error": 2.0}, {"counts": np.zeros(2)}):
        with pytest.raises(ModelFileError):
            model._unpack({**state, **damage}, model.schema_)
