"""Sparse axes: few terms, exact for few columns, missing cells, places and reconstructions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchline
from branchline import load_dataset
from branchline.projection import PCA, SparsePCA


def blocks(n_rows=300, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, n_rows))
    columns = [1.5 * first] * 4 + [second] * 3 + [np.zeros(n_rows)] * 3
    return np.column_stack(columns) + noise * rng.normal(size=(n_rows, 10))


def test_each_axis_is_made_of_the_columns_of_its_block():
    model = SparsePCA(2, standardize=False).fit(blocks())
    used = [np.flatnonzero(row).tolist() for row in model.components_]
    assert used == [[0, 1, 2, 3], [4, 5, 6]]
    whole = PCA(2, standardize=False).fit(blocks())
    lost = whole.explained_variance_ratio_ - model.explained_variance_ratio_
    assert (np.abs(lost) < 0.1).all()


@given(seed=st.integers(0, 10_000), n_terms=st.integers(1, 4))
def test_the_first_axis_is_at_most_a_few_percent_worse_than_the_best_of_all(seed, n_terms):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 6)) + 0.5 * rng.normal(size=(40, 6))
    model = SparsePCA(1, n_terms=n_terms).fit(X)
    assert np.count_nonzero(model.components_[0]) <= n_terms
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    C = Z.T @ Z / len(Z)
    best = max(
        np.linalg.eigvalsh(C[np.ix_(some, some)])[-1] for some in combinations(range(6), n_terms)
    )
    assert model.explained_variance_[0] <= best * (1 + 1e-9)
    assert model.explained_variance_[0] >= 0.95 * best


def test_all_terms_are_principal_components():
    X = blocks(noise=1.0)
    np.testing.assert_allclose(
        SparsePCA(2, n_terms=10).fit(X).components_, PCA(2).fit(X).components_, atol=1e-5
    )


def test_places_of_rows_with_missing_cells_and_reconstruction():
    X = blocks()
    model = SparsePCA(2).fit(X)
    whole = model.transform(X)
    np.testing.assert_allclose(
        whole, ((X - X.mean(axis=0)) / X.std(axis=0)) @ model.components_.T, atol=1e-9
    )
    holed = X.copy()
    holed[:, [0, 5]] = np.nan
    assert np.corrcoef(model.transform(holed)[:, 0], whole[:, 0])[0, 1] > 0.95
    assert model.reconstruction_error(X).mean() < 0.45
    again = model.transform(model.inverse_transform(whole))
    np.testing.assert_allclose(again, whole, atol=1e-8)


def test_raw_tables_words_and_files(tmp_path):
    table = load_dataset("titanic").select(["age", "sex", "pclass", "fare"])
    model = SparsePCA(2, n_terms=2).fit(table)
    assert model.formula(0).count("·") == 2
    model.save(tmp_path / "axes.branchline")
    loaded = branchline.load(tmp_path / "axes.branchline")
    np.testing.assert_array_equal(loaded.transform(table), model.transform(table))


def test_nothing_varies_and_tiny_tables():
    model = SparsePCA().fit(np.ones((5, 3)))
    assert model.transform(np.ones((2, 3))).tolist() == [[0.0], [0.0]]
    assert model.formula(0) == "0"
    assert SparsePCA(5).fit(np.eye(3)).components_.shape[0] <= 2
    assert SparsePCA(1).fit([[1.0, 2.0]]).transform([[1.0, 2.0]]).shape == (1, 1)


@pytest.mark.parametrize("seed", range(3))
def test_wide_tables(seed):
    X = np.random.default_rng(seed).normal(size=(40, 500))
    X[:, :20] += 3 * np.random.default_rng(seed + 9).normal(size=(40, 1))
    first = SparsePCA(1, n_terms=20).fit(X).components_[0]
    assert set(np.flatnonzero(first)) == set(range(20))
