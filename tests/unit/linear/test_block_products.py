"""Least squares of large tables: the numbers of the matrix, and the same bits however rows come.

Against the QR decomposition of all rows the tolerance is 1e-9 (it is about 1e-14 where columns do
not nearly repeat each other).
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline._exact_products import ROWS_AT_ONCE
from branchline.errors import DataError
from branchline.linear import LinearRegression, Ridge
from large_tables import WEIGHTS, mapped, mixed_table, taken_for_large

SIZES = [2, 3, 40, ROWS_AT_ONCE - 1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1, 3 * ROWS_AT_ONCE]


def both(model, X, y, weights):
    whole = model().fit(X, y, sample_weight=weights)
    with taken_for_large():
        return whole, model().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("n_rows", [1, *SIZES])
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("model", [LinearRegression, Ridge])
def test_the_model_is_that_of_the_matrix(model, kind, n_rows):
    X, y = mixed_table(n_rows)
    whole, blocks = both(model, X, y, WEIGHTS[kind](n_rows))
    assert blocks.solver_ == "exact_gram"
    np.testing.assert_allclose(blocks.predict(X), whole.predict(X), rtol=1e-9, atol=1e-8)
    if n_rows < 40:  # fewer rows than terms: which columns make up others is a matter of rounding
        return
    np.testing.assert_allclose(blocks.weights_, whole.weights_, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(blocks.bias_, whole.bias_, rtol=1e-9)
    if model is Ridge:
        assert blocks.effective_df_ == pytest.approx(whole.effective_df_, rel=1e-9)
        np.testing.assert_allclose(blocks.gcv_curve_.error, whole.gcv_curve_.error, rtol=1e-9)
        return
    assert blocks.aliased_ == whole.aliased_
    assert blocks.rank_ == whole.rank_
    for name in ("residual_std_", "r2_", "standard_errors_", "intercept_errors_"):
        np.testing.assert_allclose(getattr(blocks, name), getattr(whole, name), rtol=1e-8)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 300), st.sampled_from(sorted(WEIGHTS)))
def test_the_order_of_rows_and_files_change_no_bit(tmp_path_factory, seed, n_rows, kind):
    X, y = mixed_table(n_rows, seed)
    weights = WEIGHTS[kind](n_rows)
    order = np.random.default_rng(seed).permutation(n_rows)
    files = mapped(X.rows(order), tmp_path_factory.mktemp("files"))
    mixed = None if weights is None else weights[order]
    with taken_for_large():
        for model in (LinearRegression, Ridge):
            one = model().fit(X, y, sample_weight=weights)
            other = model().fit(files, y[order], sample_weight=mixed)
            np.testing.assert_array_equal(one.weights_, other.weights_)
            np.testing.assert_array_equal(one.bias_, other.bias_)


def test_a_weight_is_as_many_copies():
    X, y = mixed_table(500)
    weights = WEIGHTS["whole"](500)
    copies = np.repeat(np.arange(500), weights)
    with taken_for_large():
        weighted = Ridge().fit(X, y, sample_weight=weights)
        repeated = Ridge().fit(X.rows(copies), y[copies])
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-11, atol=1e-12)


def test_several_outputs():
    X, y = mixed_table(400)
    Y = np.column_stack([y, 1e6 * y**2, np.full(400, 3.0)])
    whole, blocks = both(LinearRegression, X, Y, None)
    np.testing.assert_allclose(blocks.weights_, whole.weights_, rtol=1e-8, atol=1e-7)


def test_columns_far_from_zero_keep_their_digits():
    random = np.random.default_rng(0)
    t = random.standard_normal(3000)
    X = np.column_stack([1e9 + t, 1e9 + t + 1e-4 * random.standard_normal(3000)])
    y = X[:, 0] - X[:, 1] + 1e-5 * random.standard_normal(3000)
    whole, blocks = both(LinearRegression, X, y, None)
    np.testing.assert_allclose(blocks.predict(X), whole.predict(X), rtol=1e-6, atol=1e-9)
    assert blocks.r2_[0] > 0.9


def test_a_saved_model_says_how_it_was_found(tmp_path):
    import branchline

    X, y = mixed_table(200)
    with taken_for_large():
        model = LinearRegression().fit(X, y)
    model.save(tmp_path / "model")
    loaded = branchline.load(tmp_path / "model")
    assert loaded.solver_ == "exact_gram"
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_what_does_not_fit_is_refused(monkeypatch):
    X, y = mixed_table(4000)
    monkeypatch.setenv("BRANCHLINE_MEMORY", "200000")
    with taken_for_large(), pytest.raises(DataError) as caught:
        LinearRegression().fit(X, y)
    assert caught.value.code == "D030"
