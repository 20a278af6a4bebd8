"""Independent components: sources are found, normal noise has none."""

import numpy as np
import pytest
from sklearn.decomposition import FastICA

import branchline
from branchline import load_dataset
from branchline.errors import ModelFileError, ParameterError
from branchline.projection import ICA

MIXING = np.array([[1.0, 0.6, 0.3], [0.5, 1.0, -0.4], [0.2, -0.7, 1.0], [0.9, 0.1, 0.8]])


def sources(n_rows=800, seed=0):
    rng = np.random.default_rng(seed)
    square = np.sign(np.sin(np.arange(n_rows) / 7.0))
    return np.column_stack([rng.laplace(size=n_rows), rng.uniform(-1, 1, n_rows), square])


def matched(found, true):
    """The |correlation| of each source with the component that is most like it."""
    n = true.shape[1]
    return np.abs(np.corrcoef(found.T, true.T)[:-n, -n:]).max(axis=0)


@pytest.mark.parametrize("seed", range(3))
def test_sources_are_found(seed):
    true = sources(seed=seed)
    X = true @ MIXING.T
    model = ICA(3).fit(X)
    assert (matched(model.transform(X), true) > 0.98).all()
    assert model.verdict() == "3 of 3 components are further from normal than chance."
    theirs = FastICA(3, whiten="unit-variance", random_state=0, max_iter=1000).fit_transform(X)
    assert matched(model.transform(X), true).min() >= matched(theirs, true).min() - 0.005


def test_components_are_uncorrelated_with_variance_1_and_rebuild_the_table():
    X = sources() @ MIXING.T
    model = ICA(3).fit(X)
    np.testing.assert_allclose(np.cov(model.transform(X).T, bias=True), np.eye(3), atol=1e-8)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-6)
    assert (np.diff(model.distances_from_normal_) <= 0).all()


def test_normal_noise_has_no_sources():
    false = 0
    for seed in range(30):
        X = np.random.default_rng(seed).normal(size=(200, 4))
        model = ICA(3, random_state=seed % 5).fit(X)
        false += "No component" not in model.verdict()
    assert false <= 5  # 1 in 21 expected


def test_missing_cells_mixed_tables_and_files(tmp_path):
    true = sources()
    X = true @ np.random.default_rng(3).normal(size=(3, 8))
    X[np.random.default_rng(1).random(X.shape) < 0.05] = np.nan
    assert (matched(ICA(3).fit(X).transform(X), true) > 0.97).all()
    table = load_dataset("titanic").select(["age", "sex", "pclass", "fare"])
    model = ICA(2).fit(table)
    assert model.get_feature_names_out().tolist() == ["component1", "component2"]
    model.save(tmp_path / "model.branchline")
    loaded = branchline.load(tmp_path / "model.branchline")
    np.testing.assert_array_equal(loaded.transform(table), model.transform(table))
    assert loaded.verdict() == model.verdict()
    state = dict(model._pack(), rotation=np.zeros(3))
    with pytest.raises(ModelFileError):
        model._unpack(state, model.schema_)


def test_three_panels():
    X = sources() @ MIXING.T
    drawn = ICA(2).fit(X).panels(X).to_svg()
    for title in ("Columns", "Whitened", "Independent"):
        assert title in drawn
    with pytest.raises(ParameterError, match="Two terms"):
        ICA(1).fit(X[:, :1]).panels(X[:, :1])


def test_tiny_tables():
    assert ICA().fit(np.ones((5, 3))).transform(np.ones((2, 3))).tolist() == [[0.0], [0.0]]
    assert np.isfinite(ICA(3).fit(np.eye(3)).transform(np.eye(3))).all()
    assert ICA(1).fit([[1.0, 2.0]]).transform([[1.0, 2.0]]).tolist() == [[0.0]]


@pytest.mark.parametrize("rows", [np.full((8, 2), 3.0), np.outer(np.arange(30.0), [1, 2, 3])])
def test_axes_without_variance_are_not_components(rows, tmp_path):
    model = ICA(3).fit(rows)
    assert len(model.distances_from_normal_) == len(model.explained_variance_ratio_) == 1
    assert np.abs(model.components_).max(initial=0.0) < 10
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(
        branchline.load(tmp_path / "m").transform(rows), model.transform(rows)
    )


def test_a_constant_is_not_called_a_source():
    assert ICA(2).fit(np.full((8, 2), 3.0)).verdict().startswith("No component")
