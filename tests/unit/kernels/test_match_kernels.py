"""Kernels of matching: columns, and leaves of trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingClassifier

from branchline.errors import ParameterError
from branchline.forest import RandomForestClassifier
from branchline.kernels import Hamming, TreeKernel
from branchline.table import as_table
from branchline.tree import DecisionTreeClassifier

CELLS = st.sampled_from(["red", "blue", "green", None])
COLUMNS = st.integers(2, 8).flatmap(
    lambda n: st.tuples(*[st.lists(CELLS, min_size=n, max_size=n)] * 3)
)


def _table(columns):
    names = ("a", "b", "c")
    return as_table(
        dict(zip(names, map(list, columns), strict=True)), kinds=dict.fromkeys(names, "category")
    )


@given(COLUMNS, st.sampled_from([None, 0.0, 0.3, 1.0]))
def test_matches_are_counted(columns, decay):
    rows = list(zip(*columns, strict=True))
    same = [
        [sum(x == z and x is not None for x, z in zip(r, s, strict=True)) for s in rows]
        for r in rows
    ]
    matches = np.array(same)
    expected = matches / 3 if decay is None else decay ** (3.0 - matches)
    kernel = Hamming(decay=decay)
    np.testing.assert_allclose(kernel.gram(_table(columns)), expected)
    np.testing.assert_allclose(kernel.diag(_table(columns)), np.diag(expected))


@given(COLUMNS, st.sampled_from([None, 0.0, 0.3, 1.0]))
def test_holes_leave_it_positive_semidefinite(columns, decay):
    gram = Hamming(decay=decay).gram(_table(columns))
    assert np.linalg.eigvalsh(gram)[0] >= -1e-12


def test_unseen_categories_match_nothing_and_numbers_match_when_equal():
    fitted = Hamming().fit(as_table({"town": ["Mons", "Gent"], "rooms": [1, 2]}))
    a = fitted.prepare(as_table({"town": ["Mons", "Bern"], "rooms": [2, 3]}))
    b = fitted.prepare(as_table({"town": ["Mons", "Bern", None], "rooms": [2, 3, 2]}))
    assert fitted.gram(a, b).tolist() == [[1.0, 0.0, 0.5], [0.0, 0.5, 0.0]]


def test_blocks_of_rows_make_no_difference(monkeypatch):
    from branchline.kernels import _match_kernels

    X = np.random.default_rng(0).integers(0, 3, size=(50, 4))
    whole = Hamming().gram(X)
    monkeypatch.setattr(_match_kernels, "_BLOCK_CELLS", 7)
    np.testing.assert_array_equal(Hamming().gram(X), whole)


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 3))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def test_trees_share_leaves(rows):
    X, y = rows
    for model in (
        RandomForestClassifier(n_estimators=7, random_state=0).fit(X, y),
        DecisionTreeClassifier().fit(X, y),
        GradientBoostingClassifier(n_estimators=5).fit(X, y),
    ):
        leaves = np.asarray(model.apply(X)).reshape(len(X), -1)
        expected = (leaves[:, None] == leaves[None]).mean(axis=2)
        kernel = TreeKernel(model)
        np.testing.assert_allclose(kernel.gram(X), expected)
        np.testing.assert_allclose(kernel.gram(X, X[:5]), expected[:, :5])
        assert kernel.diag(X).tolist() == [1.0] * len(X)
        assert kernel.is_psd(X).reason == "proved"
        assert kernel == TreeKernel(model)
        assert hash(kernel) == hash(TreeKernel(model))
    assert repr(TreeKernel(model)) == "TreeKernel(GradientBoostingClassifier)"


def test_a_model_without_leaves_is_refused():
    with pytest.raises(ParameterError) as caught:
        TreeKernel(3)
    assert caught.value.code == "P165"


@pytest.mark.parametrize("decay", [-0.1, 1.5, "strong"])
def test_decay_is_checked(decay):
    with pytest.raises(ParameterError) as caught:
        Hamming(decay=decay)
    assert caught.value.code == "P001"
