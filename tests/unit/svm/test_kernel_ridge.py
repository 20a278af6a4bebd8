"""KernelRidge: the bordered system, leave-one-out by doing it, weights as copies, odd kernels."""

import numpy as np
import pandas as pd
import pytest
from sklearn import gaussian_process
from sklearn.kernel_ridge import KernelRidge as Peer

import branchline
from branchline.errors import DataError, ParameterError
from branchline.kernels import RBF, Constant, Hamming, Linear, Sigmoid
from branchline.linear import Ridge
from branchline.svm import _kernel_product
from branchline.svm._kernel_ridge import KernelRidge

PLAIN = {"gamma": 0.5, "standardize": False}


def rows(n_rows=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, X[:, 0] ** 2 + X[:, 1] + 0.2 * rng.normal(size=n_rows)


def bordered(gram, y, alpha, weight):
    """Solve [[0, 1ᵀ], [1, K + alpha W⁻¹]] [b; a] = [0; y]."""
    n_rows = len(y)
    system = np.ones((n_rows + 1, n_rows + 1))
    system[0, 0] = 0.0
    system[1:, 1:] = gram + np.diag(alpha / weight)
    solved = np.linalg.solve(system, np.concatenate([[0.0], y]))
    return solved[0], solved[1:]


@pytest.mark.parametrize("alpha", [1e-3, 0.3, 20.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_coefficients_solve_the_bordered_system(alpha, weighted):
    X, y = rows()
    weight = np.arange(len(y)) % 3 + 1 if weighted else np.ones(len(y))
    model = KernelRidge(alpha, **PLAIN).fit(X, y, weight if weighted else None)
    bias, expected = bordered(RBF(gamma=0.5).gram(X), y, alpha, weight)
    np.testing.assert_allclose(model.dual_coef_, expected[model.support_], rtol=1e-8, atol=1e-10)
    assert model.intercept_ == pytest.approx(bias)
    assert sorted(model.support_) == list(range(len(y)))


@pytest.mark.parametrize("alpha", [1e-9, 0.01, 1.0])
def test_leave_one_out_is_what_leaving_out_gives(alpha):
    X, y = rows(20)
    weight = np.random.default_rng(1).integers(1, 4, 20)
    model = KernelRidge(alpha, **PLAIN).fit(X, y, weight)
    for row in range(20):
        fewer = np.where(np.arange(20) == row, 0, weight)  # copies are left out together
        without = KernelRidge(alpha, **PLAIN).fit(X, y, fewer)
        assert model.press_[row] == pytest.approx(y[row] - without.predict(X[[row]])[0], rel=1e-4)
    assert model.loo_error_ == pytest.approx(weight @ model.press_**2 / weight.sum())


def test_auto_takes_the_alpha_of_the_least_leave_one_out_error():
    X, y = rows(40)
    model = KernelRidge("auto", **PLAIN).fit(X, y)
    for factor in (0.25, 0.9, 1.1, 4.0):
        other = KernelRidge(factor * model.alpha_, **PLAIN).fit(X, y)
        assert other.loo_error_ >= model.loo_error_ * (1 - 1e-3)
    again = KernelRidge(model.alpha_, **PLAIN).fit(X, y)
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-8)
    assert again.effective_df_ == pytest.approx(model.effective_df_)


def test_noise_is_not_followed_and_a_clear_signal_is():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2))
    assert KernelRidge("auto").fit(X, rng.normal(size=80)).effective_df_ < 20
    assert KernelRidge("auto").fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.999


def test_linear_kernel_is_ridge_regression():
    X, y = rows()
    ours = KernelRidge(2.0, kernel="linear").fit(X, y)
    np.testing.assert_allclose(ours.predict(X), Ridge(alpha=2.0).fit(X, y).predict(X), rtol=1e-8)


def test_centered_problems_are_those_of_scikit_learn():
    X, y = rows()
    gram = RBF(gamma=0.5).gram(X)
    centring = np.eye(len(y)) - 1 / len(y)
    peer = Peer(alpha=0.7, kernel="precomputed").fit(centring @ gram @ centring, y - y.mean())
    model = KernelRidge(0.7, **PLAIN).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, peer.dual_coef_[model.support_], rtol=1e-8)


def test_a_nearly_free_constant_makes_it_a_gaussian_process():
    X, y = rows()
    # A bias of variance 1e6 costs almost nothing: the difference falls with one over the variance.
    kernel = gaussian_process.kernels.RBF(1.0) + gaussian_process.kernels.ConstantKernel(1e6)
    process = gaussian_process.GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None)
    model = KernelRidge(0.1, **PLAIN).fit(X, y)
    np.testing.assert_allclose(model.predict(X), process.fit(X, y).predict(X), atol=1e-4)


def test_weights_are_copies_and_order_does_not_matter():
    X, y = rows()
    weight = np.random.default_rng(5).integers(0, 4, len(y))
    model = KernelRidge("auto").fit(X, y, weight)
    copied = np.repeat(np.arange(len(y)), weight)
    repeated = KernelRidge("auto").fit(X[copied], y[copied])
    order = np.random.default_rng(6).permutation(len(y))
    shuffled = KernelRidge("auto").fit(X[order], y[order], weight[order])
    for other in (repeated, shuffled):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert other.loo_error_ == model.loo_error_
    assert len(model.press_) == (weight > 0).sum()
    assert (weight[model.support_] > 0).all()


def test_several_outputs_are_fitted_one_by_one():
    X, y = rows()
    both = np.column_stack([y, 1e6 * X[:, 2]])
    model = KernelRidge(0.1).fit(X, both)
    assert model.dual_coef_.shape == (30, 2)
    for place in range(2):
        alone = KernelRidge(0.1).fit(X, both[:, place])
        np.testing.assert_allclose(model.predict(X)[:, place], alone.predict(X), rtol=1e-9)
        assert model.loo_error_[place] == pytest.approx(alone.loo_error_)


def test_dropped_rows_move_predictions_by_what_is_said():
    X, y = rows(60)
    whole = KernelRidge(0.1).fit(X, y)
    sparse = KernelRidge(0.1, drop_below=0.2).fit(X, y)
    assert whole.drop_change_ == 0.0
    assert len(sparse.support_) < len(whole.support_) == 60
    moved = np.abs(sparse.predict(X) - whole.predict(X)).max()
    assert sparse.drop_change_ == pytest.approx(moved)
    assert (sparse.predict(X) - y).mean() == pytest.approx(0.0, abs=1e-12)
    assert len(KernelRidge(0.1, drop_below=1.0).fit(X, 0 * y + 3).support_) == 1


def test_mixed_tables_with_holes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=90), "town": rng.choice(["Ath", "Mons"], 90)})
    y = np.where(frame["town"] == "Ath", frame["x"], -frame["x"])
    frame.loc[::11, "x"] = np.nan
    frame.loc[::13, "town"] = None
    assert KernelRidge("auto").fit(frame, y).score(frame, y) > 0.8
    product = KernelRidge("auto", kernel=RBF("x") * Hamming("town")).fit(frame, y)
    assert product.score(frame, y) > 0.8


def test_kernels_that_tell_nothing_predict_the_mean():
    X, y = rows()
    for alpha in (1.0, "auto"):
        for kernel in (Constant(2.0), Linear() * 0.0 + 1.0):
            model = KernelRidge(alpha, kernel=kernel).fit(X, y)
            np.testing.assert_allclose(model.predict(X), y.mean())
            assert model.effective_df_ == pytest.approx(1.0)
            assert model.press_[0] == pytest.approx(y[0] - y[1:].mean())
    same = KernelRidge("auto").fit(np.ones((4, 2)), [1.0, 2.0, 3.0, 6.0])
    np.testing.assert_allclose(same.predict(np.ones((1, 2))), 3.0)


def test_one_row_has_no_leave_one_out_error():
    for alpha in (1.0, "auto"):
        model = KernelRidge(alpha).fit([[1.0]], [5.0])
        assert model.predict([[7.0]])[0] == 5.0
        assert np.isnan(model.loo_error_)


def test_a_given_matrix_is_the_kernel():
    X, y = rows()
    gram = RBF(gamma=0.5).gram(X)
    given = KernelRidge(0.3, kernel="precomputed").fit(gram, y)
    expected = KernelRidge(0.3, **PLAIN).fit(X, y).predict(X)
    np.testing.assert_allclose(given.predict(gram), expected, rtol=1e-9)


def test_a_kernel_that_is_none_needs_a_large_alpha():
    X, y = rows()
    model = KernelRidge(1e-3, kernel=Sigmoid(gamma=2.0, coef0=-1.0))
    with pytest.raises(ParameterError, match="eigenvalue") as caught:
        model.fit(X, y)
    assert caught.value.code == "P175"
    least = float(caught.value.repair.python.split("alpha=")[1].rstrip(")"))
    assert np.isfinite(model.set_params(alpha=least).fit(X, y).predict(X)).all()
    chosen = model.set_params(alpha="auto").fit(X, y)
    assert np.isfinite(chosen.loo_error_)


@pytest.mark.parametrize("alpha", [1e-3, 1.0, "auto"])
def test_thin_and_whole_kernels_agree(alpha, monkeypatch):
    X, y = rows(150)
    weight = np.arange(150) % 3 + 1
    whole = KernelRidge(alpha, kernel="poly", degree=3, coef0=1.0).fit(X, y, weight)
    monkeypatch.setattr(_kernel_product, "_FEWEST_ROWS", 1)
    thin = KernelRidge(whole.alpha_, kernel="poly", degree=3, coef0=1.0).fit(X, y, weight)
    np.testing.assert_allclose(thin.predict(X), whole.predict(X), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(thin.press_, whole.press_, rtol=1e-5, atol=1e-7)
    assert thin.effective_df_ == pytest.approx(whole.effective_df_, rel=1e-6)
    if alpha == "auto":
        chosen = KernelRidge("auto", kernel="poly", degree=3, coef0=1.0).fit(X, y, weight)
        assert chosen.loo_error_ == pytest.approx(whole.loo_error_, rel=1e-3)


def test_a_model_file_holds_the_model(tmp_path):
    X, y = rows()
    for target in (y, np.column_stack([y, -y])):
        model = KernelRidge("auto", drop_below=0.01).fit(X, target)
        model.save(tmp_path / "model")
        loaded = branchline.load(tmp_path / "model")
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        np.testing.assert_array_equal(loaded.loo_error_, model.loo_error_)
        assert loaded.to_text() == model.to_text()
        assert not hasattr(loaded, "press_")


def test_huge_targets_do_not_overflow():
    X, y = rows()
    model = KernelRidge(0.5).fit(X, 1e300 * y)
    np.testing.assert_allclose(model.predict(X) / 1e300, KernelRidge(0.5).fit(X, y).predict(X))
    assert np.isfinite(model.loo_error_)


def test_too_large_a_matrix_is_refused(monkeypatch):
    X, y = rows(300)
    monkeypatch.setenv("BRANCHLINE_MEMORY", "1M")
    with pytest.raises(DataError, match="kernel matrix") as caught:
        KernelRidge().fit(X, y)
    assert caught.value.code == "D030"


@pytest.mark.parametrize("alpha", [0.0, -1.0, "best"])
def test_alpha_is_above_0(alpha):
    with pytest.raises(ParameterError, match="'alpha' parameter"):
        KernelRidge(alpha).fit(*rows())
